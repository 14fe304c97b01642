package admin_test

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file sends every form of every page as if the record had been changed since its page was shown.

// withoutRecord are the forms that replace no values of a record that a user could have changed meanwhile. A form of a record
// is not for this list: it has the input form_seen or seen (ui/seen.go).
var withoutRecord = []string{
	"/admin/contacts/change",             // compares the number of Contacts
	"/admin/contacts/export",             // a file
	"/admin/contacts/person/tracking",    // the last decision of a person counts
	"/admin/contacts/segments",           // staleSegment
	"/admin/forms/0/texts/settings/mail", // an example, which is never sent
	"/admin/imports/new",                 // a file
	"/admin/messages/0/show/0",           // its button compares the version of the Message
	"/admin/sending/hold",                // a new hold
	"/admin/sends",                       // compares all that was shown
}

// toStale sends all forms with the version of other values than the stored ones.
func (h *hold) toStale() {
	v, sent := h.roles[enlist.Owner], make(map[string]bool)
	for _, p := range h.pages {
		if !isGet(p) {
			continue
		}
		path := h.path(p.Pattern, nil)
		_, text := v.ask(p.Pattern, path, nil)
		for _, f := range formsOf(path, text) {
			action, _, _ := strings.Cut(number.ReplaceAllString(f.action, "/0"), "?")
			if sent[action] || f.method != "post" || !f.change() {
				continue
			}
			sent[action] = true
			if slices.Contains(withoutRecord, action) {
				continue
			}
			stale := f.values()
			if !stale.Has("form_seen") && stale.Get("seen") == "" {
				h.Errorf("%s: %s does not say what its page has shown, so it sets back what others change meanwhile", p.Pattern, action)
				continue
			}
			for _, name := range []string{"form_seen", "seen"} {
				if stale.Has(name) {
					stale.Set(name, "of other values")
				}
			}
			status, text := v.submit(f, stale)
			if status != http.StatusUnprocessableEntity || !strings.Contains(text, "this was changed since you opened the page") {
				h.Errorf("%s: %s with another %s and the version of other values is answered with %d:\n%s", p.Pattern, action, f.changed, status, cut(text))
			}
		}
	}
	if len(sent) < 30 {
		h.Errorf("only %d forms were sent", len(sent))
	}
	h.staleSegment(v)
}

// staleSegment saves the conditions of a Segment that was changed since it was opened. Its words are of dataOfPages.
func (h *hold) staleSegment(v *visitor) {
	list := enlist.ListID(ui.Int(h.ids["list"]))
	set := func(text string) enlist.SegmentID {
		return value(h.App.Contacts.SetSegment(h.Context(), h.Caller, contacts.SegmentRequest{List: list, Name: "Hello", Criteria: apptest.Criterion("Email", "contains", text)}))
	}
	id := set("Ada")
	formOf := func(path, text string) url.Values {
		for _, f := range formsOf(path, text) {
			if f.action == "/admin/contacts/segments" {
				all := f.values()
				all.Set("replace", "1")
				return all
			}
		}
		h.Fatalf("%s has no form of the Segment:\n%s", path, cut(text))
		return nil
	}
	path := "/admin/contacts?open=1&list=" + h.ids["list"] + "&segment=" + ui.Plain(int64(id))
	_, _, text := v.get(path)
	form := formOf(path, text)
	form.Set("value", "Verdana")
	_, _, text = v.get("/admin/contacts?" + form.Encode()) // looks at the matches before it is saved
	form = formOf(path, text)
	set("Courier")
	status, _, text := v.post("/admin/contacts/segments", form)
	for _, part := range []string{"this was changed since you opened the page", "Courier", "Verdana"} {
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, part) {
			h.Errorf("a Segment that was changed meanwhile is answered with %d, without %q:\n%s", status, part, shown(text))
		}
	}
	v.post("/admin/contacts/segments", formOf(path, text))
	if s := value(h.App.Contacts.Segment(h.Context(), h.Caller, list, id)); !strings.Contains(s.Criteria.JSON(), "Verdana") {
		h.Errorf("after the second press the Segment is %s", s.Criteria.JSON())
	}
}

// change changes one value of a form to another valid one. It returns false if a user changes nothing in the form.
func (f *form) change() bool {
	for i := range f.inputs {
		f.inputs[i].value = strings.TrimPrefix(f.inputs[i].value, begun) // of an empty textarea
	}
	for _, kinds := range [][]string{{"", "text", "textarea"}, {"url", "email"}, {"checkbox"}, {"number"}, {"select"}, {"radio"}} {
		for i := range f.inputs {
			in := &f.inputs[i]
			if !slices.Contains(kinds, in.kind) || in.name == "typed" || in.name == "pick" || strings.HasPrefix(in.name, "find.") {
				continue
			}
			switch in.kind {
			case "checkbox", "radio":
				in.is = !in.is
			case "number":
				in.value += "1"
			case "select":
				other := slices.DeleteFunc(slices.Clone(in.options), func(o string) bool { return o == in.value })
				if len(other) == 0 {
					continue
				}
				in.value = other[0]
			default:
				in.value += "x"
			}
			f.changed = in.name
			return true
		}
	}
	return false
}
