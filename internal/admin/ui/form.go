package ui

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/enlist"
)

// This file has forms whose inputs are the keys of a record. The template "inputs" of form.html shows one.

// The kinds of inputs.
const (
	InputText   = ""
	InputNumber = "number"
	InputArea   = "area"
	InputCheck  = "check"
	InputChoice = "choice"
)

// Input is an input of a form.
type Input struct {
	Name        string // of the key of the record
	Label, Help string
	Kind        string
	Value       string // "1" for a box that is ticked
	Options     []Option
	Required    bool
	Wrong       string // why the value is refused
	IsFolded    bool   // rarely needed: a page shows it after a click
	Zone        bool   // form.js chooses the time zone of the browser
}

// Option is a value that an input of the kind InputChoice can have. IsOther is another text of the value: it can be
// chosen, and then the main one is shown.
type Option struct {
	Value, Text string
	IsOther     bool
}

// Choices returns Options from values and their texts in turn.
func Choices(pairs ...string) (all []Option) {
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, Option{Value: pairs[i], Text: pairs[i+1]})
	}
	return all
}

// Form is the inputs of a form, in their order.
type Form []Input

// Main returns the inputs that are not folded.
func (f Form) Main() Form {
	return slices.DeleteFunc(slices.Clone(f), func(i Input) bool { return i.IsFolded })
}

// Folded returns the other inputs.
func (f Form) Folded() Form {
	return slices.DeleteFunc(slices.Clone(f), func(i Input) bool { return !i.IsFolded })
}

// IsWrong reports whether a value is refused.
func (f Form) IsWrong() bool {
	return slices.ContainsFunc(f, func(i Input) bool { return i.Wrong != "" })
}

// Read sets the values that the browser sent.
func (f Form) Read(r *Request) {
	for i := range f {
		f[i].Value = strings.ReplaceAll(r.PostForm.Get(f[i].Name), "\r\n", "\n")
	}
}

// Value returns the value of an input.
func (f Form) Value(name string) string {
	for i := range f {
		if f[i].Name == name {
			return f[i].Value
		}
	}
	return ""
}

// Details returns the values as the details of a record.
func (f Form) Details() (all []enlist.Detail) {
	for i := range f {
		value := enlist.TextInput(f[i].Value)
		switch {
		case f[i].Kind == InputCheck && f[i].Value == "":
			value = enlist.Input{Kind: enlist.InputFalse}
		case f[i].Kind == InputCheck:
			value = enlist.Input{Kind: enlist.InputTrue}
		case f[i].Kind == InputNumber && f[i].Value == "":
			value.Text = "0"
		}
		all = append(all, enlist.Detail{Key: f[i].Name, Value: value})
	}
	return all
}

// Refuse shows a refusal, and the other mistakes of the form, beside the inputs that they are about. It returns the sentence for the top of the page, or the
// error if it is no refusal that a user can correct.
func (f Form) Refuse(err error) (problem string, _ error) {
	known, ok := errors.AsType[*enlist.Error](err)
	if !ok || known.Kind != enlist.InvalidParameters && known.Kind != enlist.ReservedField &&
		known.Kind != enlist.DuplicateField && known.Kind != enlist.EmailFieldFixed && known.Kind != enlist.Busy {
		return "", err
	}
	problem = "Nothing was changed: see below."
	for _, one := range append([]*enlist.Error{known}, known.Also...) {
		name := one.Field
		if one.Kind == enlist.ReservedField || one.Kind == enlist.DuplicateField {
			name = "name"
		}
		i := slices.IndexFunc(f, func(in Input) bool { return in.Name == name })
		if i < 0 {
			problem = Sentence(one.Detail)
		} else if f[i].Wrong == "" {
			f[i].Wrong = one.Detail
		}
	}
	return problem, nil
}

// Mistakes returns all mistakes of a form, by input. Of several about an input, it has the first one.
func Mistakes(err *enlist.Error) map[string]string {
	all := make(map[string]string)
	for _, one := range append([]*enlist.Error{err}, err.Also...) {
		if all[one.Field] == "" {
			all[one.Field] = one.Detail
		}
	}
	return all
}

// WrongInputs returns Mistakes of an error that a user can correct, or else the error.
func WrongInputs(err error) (map[string]string, error) {
	if known, ok := errors.AsType[*enlist.Error](err); ok && known.Kind == enlist.InvalidParameters && known.Field != "" {
		return Mistakes(known), nil
	}
	return nil, err
}

// NoListChosen is the mistake of a form with "only these Lists" and none of them.
var NoListChosen = enlist.Invalid("list", "Choose at least one List, or all.")

// Sentence makes a text of a service a sentence.
func Sentence(text string) string {
	if text == "" {
		return ""
	}
	first, size := utf8.DecodeRuneInString(text)
	if strings.HasSuffix(text, ".") {
		return string(unicode.ToUpper(first)) + text[size:]
	}
	return string(unicode.ToUpper(first)) + text[size:] + "."
}
