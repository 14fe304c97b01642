package ui

import (
	"slices"
	"strings"

	"enlist/internal/enlist"
)

// This file keeps a form from setting back what another tab or user has changed since its page was shown. A form has the
// version of the values that the page has shown. Request.Submit compares it with that of the stored values, which the form
// has before it is read. If they differ, the page shows both values of each input, and a second press replaces the stored
// ones. Pages with texts outside of their Form call Overwrites.

// Changed is the key of what a page says about such a form.
const Changed = "ui.changed"

// SeenInput is the input with the version of a Form. Others with the name "seen" have that of a record.
const SeenInput = "form_seen"

// Overwrites reports whether the details of a form that was sent would set back a change of the stored record. Details
// with a mistake set back nothing.
func Overwrites[T any](r *Request, attributes []enlist.Attribute[T], stored *T, details []enlist.Detail) bool {
	now, seen := enlist.VersionOf(attributes, stored), r.PostForm.Get("seen")
	if seen == "" || seen == now {
		return false
	}
	sent := *stored
	return enlist.Assign(&sent, attributes, details) == nil && enlist.VersionOf(attributes, &sent) != now
}

// notStored are the kinds of inputs that have no value of a record.
var notStored = []string{InputTyped, InputFile, InputHidden, InputPassword, InputNote, InputHeading}

// hasValue reports whether an input shows a value of a record.
func (in *Input) hasValue() bool { return in.Name != "" && !slices.Contains(notStored, in.Kind) }

// text returns the value of an input, or that of its boxes, as it is compared.
func (in *Input) text() string {
	if in.Kind == InputBoxes {
		return strings.Join(slices.Sorted(slices.Values(in.Chosen)), ",")
	}
	return strings.ReplaceAll(in.Value, "\r\n", "\n")
}

// remember keeps the stored value of an input before the value is read that the browser has sent.
func (in *Input) remember() {
	if !in.wasRead {
		in.stored, in.wasRead = in.text(), true
	}
}

// Seen returns the version of the stored values of a Form, or "" if it has none.
func (f Form) Seen() string {
	var all []string
	f.each(func(in *Input) {
		switch {
		case !in.hasValue():
		case in.wasRead:
			all = append(all, in.Name, in.stored)
		default:
			all = append(all, in.Name, in.text())
		}
	})
	if all == nil {
		return ""
	}
	return enlist.VersionOfTexts(all...)
}

// overwrites reports whether a form that was sent would set back a change of the stored values. It then says beside each
// such input what is stored.
func (f Form) overwrites(r *Request) bool {
	seen := r.PostForm.Get(SeenInput)
	return seen != "" && seen != f.Seen() && f.ShowStored(r)
}

// ShowStored says beside each input with another value what is stored. It reports whether there is one.
func (f Form) ShowStored(r *Request) (differs bool) {
	f.each(func(in *Input) {
		if !in.hasValue() || in.stored == in.text() {
			return
		}
		differs, in.Wrong = true, r.Text("ui.value_now", "value", in.stored)
		if in.Kind == InputCheck {
			in.Wrong = r.Text("ui.not_ticked_now")
			if in.stored != "" {
				in.Wrong = r.Text("ui.ticked_now")
			}
		}
		for _, o := range in.Options {
			if o.Value == in.stored && in.Kind != InputBoxes {
				in.Wrong = r.Text("ui.value_now", "value", o.Text)
			}
		}
	})
	return differs
}
