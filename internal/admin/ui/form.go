package ui

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"enlist/internal/enlist"
)

// This file has forms: a page builds a Form of Inputs, and the template "inputs" of form.html draws it. Most inputs are
// the keys of a record: see Details and Refuse.

// The kinds of inputs.
const (
	InputText   = ""
	InputNumber = "number"
	InputArea   = "area"
	InputCheck  = "check"
	InputChoice = "choice" // one of the Options, in a menu
	InputRadio  = "radio"  // one of the Options, all of them shown
	InputBoxes  = "boxes"  // some of the Options: they are Chosen
	InputHidden = "hidden"
	InputTyped  = "typed" // the Label has to be typed before something is done
	InputFile   = "file"

	// These kinds have no value. A card has the Parts below the Label, a row has them beside each other, a fold shows them
	// after a click, and InputAsk has a question that the form must answer before it is saved.
	InputHeading = "heading"
	InputNote    = "note"
	InputCard    = "card"
	InputRow     = "row"
	InputFold    = "fold"
	InputAsk     = "ask"

	// Other kinds are types of an input element of HTML that have an on-screen keyboard or a dialogue of their own.
	InputEmail    = "email"
	InputURL      = "url"
	InputSearch   = "search"
	InputPassword = "password"
	InputTime     = "datetime-local"
	InputDate     = "date"
	InputClock    = "time"
	InputColour   = "color"
)

// secrets are the names of all inputs of the kind InputPassword, but for that of the sign-in, and of the answer of a passkey.
var secrets = []string{"password", "present", "answer"}

// HasSecret reports whether a form that a browser has sent has a password or the answer of a passkey. No page has such a
// form inside.
func HasSecret(form url.Values) bool { return slices.ContainsFunc(secrets, form.Has) }

// Input is an input of a form.
type Input struct {
	Name        string   // of the key of the record
	Also        []string // other keys whose mistakes stand beside it
	Label, Help string
	Kind        string
	Value       string   // "1" for a box that is ticked
	Chosen      []string // of InputBoxes
	Options     []Option
	Parts       Form // of InputCard, InputRow, InputFold and InputAsk
	Required    bool
	Wrong       string // why the value is refused
	ID          string // of the element, if it needs one; also if another form of the page has an input of this name
	Chooses     string // ID of the option that form.js chooses when a person types here
	IsOpen      bool   // of InputFold: it is not folded at first
	Zone        bool   // form.js chooses the time zone of the browser

	Picker   bool   // of InputChoice and InputBoxes: many Options are found by a search (picker.go)
	PickerAt string // path that shows the form again after a search; "": to which the form is sent
	FormID   string // of the form that a picker outside of it belongs to
	Find     string // what the search looks for

	Rows         int    // lines of InputArea; 0: 4
	Least, Most  int    // letters; 0: the service has a limit, or none
	Example      string // shown while there is no value
	Lang         string // language of the value; "": that of the page
	Hidden       string // what a screen reader says of an input without a label
	Autocomplete string // what the browser may fill in
	Accept       string // of InputFile: the ends of the names

	stored  string // value before the form was read
	wasRead bool
}

// Option is a value that an input can have.
type Option struct {
	Value, Text string
	Help        string // of InputRadio and InputBoxes
	ID          string // of the element, if an input of the form Chooses it
	IsOther     bool   // another text of the value: it can be chosen, and then the main one is shown
	Parts       Form   // inputs that belong to this choice of InputRadio
}

// Choices returns Options from values and their texts in turn.
func Choices(pairs ...string) (all []Option) {
	for i := 0; i+1 < len(pairs); i += 2 {
		all = append(all, Option{Value: pairs[i], Text: pairs[i+1]})
	}
	return all
}

// Check returns a box, which is perhaps ticked.
func Check(name, label string, is bool) Input {
	in := Input{Name: name, Label: label, Kind: InputCheck}
	if is {
		in.Value = "1"
	}
	return in
}

// Typed returns the input into which a person types a name, so that nothing is deleted by accident.
func Typed(name string) Input {
	return Input{Name: "typed", Kind: InputTyped, Label: name, Required: true}
}

// Is reports whether an Option is chosen.
func (in Input) Is(o Option) bool {
	if in.Kind == InputBoxes {
		return slices.Contains(in.Chosen, o.Value)
	}
	return o.Value == in.Value && !o.IsOther
}

// Type returns the type of an input element of HTML.
func (in Input) Type() string {
	switch in.Kind {
	case InputText, InputNumber, InputTyped: // a browser refuses "1,000" as a number, and changes it by the mouse wheel
		return "text"
	}
	return in.Kind
}

// WrongID is the ID of the element that says what is wrong.
func (in Input) WrongID() string { return "wrong-" + cmp.Or(in.ID, in.Name) }

// Form is the inputs of a form, in their order.
type Form []Input

// each calls a function for each input, also for the parts of others.
func (f Form) each(do func(*Input)) {
	for i := range f {
		do(&f[i])
		f[i].Parts.each(do)
		for o := range f[i].Options {
			f[i].Options[o].Parts.each(do)
		}
	}
}

// In returns the input with a name, or nil.
func (f Form) In(name string) (found *Input) {
	f.each(func(in *Input) {
		if in.Name == name && found == nil {
			found = in
		}
	})
	return found
}

// IsWrong reports whether a value is refused.
func (f Form) IsWrong() (wrong bool) {
	f.each(func(in *Input) { wrong = wrong || in.Wrong != "" })
	return wrong
}

// Read sets the values that the browser sent, but for hidden ones, which have what is true now.
func (f Form) Read(r *Request) {
	sent := r.PostForm
	if r.Method == "GET" {
		sent = r.Form
	}
	f.ReadFrom(sent)
}

// ReadFrom is Read for values from elsewhere.
func (f Form) ReadFrom(sent url.Values) {
	f.each(func(in *Input) {
		if in.Kind != InputHidden {
			in.remember()
			in.Value = strings.ReplaceAll(sent.Get(in.Name), "\r\n", "\n")
			in.Chosen, in.Find = sent[in.Name], sent.Get(in.FindName())
		}
	})
}

// Fill sets the values of the inputs that are keys of a record, and returns the form.
func Fill[T any](f Form, attributes []enlist.Attribute[T], record *T) Form {
	for i := range attributes {
		in := f.In(attributes[i].Name)
		if in == nil {
			continue
		}
		switch value := attributes[i].Get(record); {
		case value.Kind == enlist.KeyText:
			in.Value = value.Text
		case in.Kind != InputCheck:
			in.Value = Plain(value.Int)
		case value.Int != 0:
			in.Value = "1"
		}
	}
	return f
}

// CheckChoices says beside each menu with a value that it does not have what is wrong.
func (f Form) CheckChoices(wrong string) {
	f.each(func(in *Input) {
		isValue := func(o Option) bool { return o.Value == in.Value }
		if in.Kind == InputChoice && in.Value != "" && !slices.ContainsFunc(in.Options, isValue) {
			f.Refused(in.Name, wrong)
		}
	})
}

// HasFile reports whether the form sends a file.
func (f Form) HasFile() (has bool) {
	f.each(func(in *Input) { has = has || in.Kind == InputFile })
	return has
}

// IsEmpty reports whether no input has a value.
func (f Form) IsEmpty() (empty bool) {
	empty = true
	f.each(func(in *Input) { empty = empty && in.Value == "" })
	return empty
}

// Value returns the value of an input.
func (f Form) Value(name string) string {
	if in := f.In(name); in != nil {
		return in.Value
	}
	return ""
}

// Details returns the values as the details of a record.
func (f Form) Details() (all []enlist.Detail) {
	f.each(func(in *Input) {
		value := enlist.TextInput(in.Value)
		switch {
		case in.Name == "" || in.Kind == InputHidden || in.Kind == InputTyped || in.Kind == InputNote:
			return
		case in.Kind == InputBoxes:
			value.Text = strings.Join(in.Chosen, ",")
		case in.Kind == InputCheck && in.Value == "":
			value = enlist.Input{Kind: enlist.InputFalse}
		case in.Kind == InputCheck:
			value = enlist.Input{Kind: enlist.InputTrue}
		case in.Kind == InputNumber && in.Value == "":
			value.Text = "0"
		}
		all = append(all, enlist.Detail{Key: in.Name, Value: value})
	})
	return all
}

// FormCard is a card with a form, or a form of several cards: then each input is an InputCard. The template "form card"
// draws it, and FormPage makes a page of it.
type FormCard struct {
	Heading string   // "": none
	Texts   []string // paragraphs above the inputs, such as what will happen
	Form    Form
	Method  string   // "get": the form only asks for another page; "": post
	Action  string   // path to which the form is sent; "": that of the page
	Button  string   // "": the person may change nothing, and After says so
	Danger  bool     // the button deletes something
	Back    Action   // leads away without a change; without a Text, there is none
	Links   []Action // others beside the button
	After   string   // a text below the button
}

// HasCards reports whether the form has several cards.
func (c FormCard) HasCards() bool { return len(c.Form) > 0 && c.Form[0].Kind == InputCard }

var formPage = Parse(files, "form_page.html")

// FormPage returns a page that is a form.
func FormPage(title, place, problem string, c FormCard) *View {
	return &View{Title: title, Place: place, Problem: problem, Content: formPage, Data: c}
}

// FormPage answers the GET and the POST of a page that is a form, as Submit does.
func (r *Request) FormPage(title, place string, c *FormCard, do func() (*View, error)) (*View, error) {
	return r.Submit(c.Form, func(problem string) (*View, error) { return FormPage(title, place, problem, *c), nil }, do)
}

// Submit answers the GET and the POST of a page with a form. A GET shows the page. A POST reads the form and calls do, or
// shows the page again for the search of a picker. If do refuses the values, not all was typed that had to be, or the values were changed meanwhile (seen.go), it shows the
// page with the mistakes beside the inputs.
func (r *Request) Submit(f Form, page func(problem string) (*View, error), do func() (*View, error)) (*View, error) {
	if r.Method != http.MethodPost {
		return page("")
	}
	f.Read(r)
	if r.IsPicking() {
		return page("")
	}
	in := f.In("typed")
	if in != nil && !strings.EqualFold(strings.TrimSpace(in.Value), strings.TrimSpace(in.Label)) {
		in.Wrong = r.Text("ui.not_typed")
		return page("ui.nothing_changed")
	}
	if f.overwrites(r) {
		return page(Changed)
	}
	v, err := do()
	if err == nil {
		return v, nil
	}
	problem, err := f.Refuse(err)
	if err != nil {
		return nil, err
	}
	return page(problem)
}
