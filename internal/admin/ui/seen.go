package ui

import (
	"enlist/internal/enlist"
)

// This file keeps a form from setting back what another tab or user has changed since its page was shown. The form has
// a hash of the values that the page has shown.

// Changed is the key of what a page says about such a form.
const Changed = "ui.changed"

// hasSeen reports whether the page of a form has shown values with a hash, or has none.
func (r *Request) hasSeen(hash string) bool {
	seen := r.PostForm.Get("seen")
	return seen == "" || seen == hash
}

// Overwrites reports whether the details of a form that was sent would set back a change of the stored record. Details
// with a mistake set back nothing.
func Overwrites[T any](r *Request, attributes []enlist.Attribute[T], stored *T, details []enlist.Detail) bool {
	now := enlist.VersionOf(attributes, stored)
	if r.hasSeen(now) {
		return false
	}
	sent := *stored
	return enlist.Assign(&sent, attributes, details) == nil && enlist.VersionOf(attributes, &sent) != now
}

// Seen returns the hash of the values of a Form.
func (f Form) Seen() string {
	var all []string
	for i := range f {
		all = append(all, f[i].Name, f[i].Value)
	}
	return enlist.VersionOfTexts(all...)
}

// Conflicts reports whether a form that was sent would set back a change of the record whose present values are f. It
// says beside each such input what the record has.
func (f Form) Conflicts(r *Request, sent Form) (conflicts bool) {
	if r.hasSeen(f.Seen()) {
		return false
	}
	sent.each(func(in *Input) {
		now := f.Value(in.Name)
		if now == in.Value || in.Name == "" || f.In(in.Name) == nil {
			return
		}
		conflicts, in.Wrong = true, r.Text("ui.value_now", "value", now)
		if in.Kind == InputCheck {
			in.Wrong = r.Text("ui.not_ticked_now")
			if now != "" {
				in.Wrong = r.Text("ui.ticked_now")
			}
		}
		for _, o := range in.Options {
			if o.Value == now {
				in.Wrong = r.Text("ui.value_now", "value", o.Text)
			}
		}
	})
	return conflicts
}
