package ui

import (
	"errors"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/enlist"
)

// This file shows the mistakes of a form beside its inputs, all at once.

// Refuse shows a refusal, and the other mistakes of the form, beside the inputs that they are about. It returns the
// sentence for the top of the page, or its key, or the error if it is no refusal that a person can correct.
func (f Form) Refuse(err error) (problem string, _ error) {
	known, ok := errors.AsType[*enlist.Error](err)
	if !ok || !slices.Contains([]enlist.Kind{enlist.InvalidParameters, enlist.ReservedField, enlist.DuplicateField,
		enlist.EmailFieldFixed, enlist.Busy, enlist.NoFile}, known.Kind) || known.Kind == enlist.NoFile && known.Field == "" {
		return "", err
	}
	problem = "ui.nothing_changed"
	for _, mistake := range append([]*enlist.Error{known}, known.Also...) {
		name := mistake.Field
		if mistake.Kind == enlist.ReservedField || mistake.Kind == enlist.DuplicateField {
			name = "name"
		}
		if in := f.about(name); in == nil {
			problem = Sentence(mistake.Detail)
		} else if in.Wrong == "" {
			in.Wrong = mistake.Detail
		}
	}
	return problem, nil
}

// about returns the input beside which mistakes of a key stand, or nil.
func (f Form) about(key string) (found *Input) {
	f.each(func(in *Input) {
		if key != "" && (in.Name == key || slices.Contains(in.Also, key)) {
			found = in
		}
	})
	return found
}

// Refused shows a mistake beside an input.
func (f Form) Refused(name, wrong string) {
	if in := f.In(name); in != nil && in.Wrong == "" {
		in.Wrong = wrong
	}
}

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
