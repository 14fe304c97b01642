package admin_test

import (
	"bytes"
	"cmp"
	"maps"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"

	"golang.org/x/net/html"
)

// This file types into every form of every page, sends it with something wrong, and looks whether all of it stays.

// form is a form of a page.
type form struct {
	id, method, action string
	isUpload           bool
	inputs             []input
	changed            string // name of the input that change has changed
}

// input is a control of a form. value is what the page shows, or what a tick would send.
type input struct {
	name, kind, value string
	options           []string // of a select
	is                bool     // ticked
}

// refusedBy are values with which a form is refused, if long texts are not enough. nil: nothing can be wrong.
var refusedBy = map[string]url.Values{
	"/admin/account":             nil,
	"/admin/account/tracking":    nil,
	"/admin/autoresponders/new":  {"when": {"date"}},
	"/admin/contacts/change":     {"action": {"delete"}},
	"/admin/contacts/export":     nil,
	"/admin/contacts/person":     {"do": {"again"}},
	"/admin/lists/0/fields/0/up": nil,
	"/admin/messages":            nil,
	"/admin/messages/0/show/0":   nil, // as the form of the page of Contacts
	"/admin/users/0":             {"only": {"1"}, "list": {}},
	"/admin/sending/hold":        nil,
	"/admin/sends":               {"shown_count": {"77"}},
	"/admin/sends/0/reschedule":  {"at": {"nonsense"}},
	"/admin/sends/check":         {},
	"/admin/you/language":        nil,

	"/admin/forms/0/texts/settings/mail": nil, // an example, which is never sent
}

// number is an ID in a path.
var number = regexp.MustCompile(`/[0-9]+`)

// passwordInput matches an input of a password.
var passwordInput = regexp.MustCompile(`<input type="password" name="([^"]*)"`)

// toTyping sends all forms.
func (h *hold) toTyping() {
	v := h.roles[enlist.Owner]
	seen := make(map[string]bool)
	for _, p := range h.pages {
		if !isGet(p) {
			continue
		}
		path := h.path(p.Pattern, nil)
		_, text := v.ask(p.Pattern, path, nil)
		for _, in := range passwordInput.FindAllStringSubmatch(text, -1) {
			if !ui.HasSecret(url.Values{in[1]: nil}) {
				h.Errorf("%s has the password %s, which package ui does not know", p.Pattern, in[1])
			}
		}
		for _, f := range formsOf(path, text) {
			if !seen[f.action] && f.fill() {
				seen[f.action] = true
				v.keeps(f)
			}
		}
	}
	if len(seen) < 30 {
		h.Errorf("only %d forms were sent: %v", len(seen), slices.Sorted(maps.Keys(seen)))
	}
}

// fill types something else into all inputs. It returns false if a person types nothing into the form.
func (f *form) fill() bool {
	typed := false
	if f.method != "post" && f.action != "/admin/sends/check" {
		return false // the address has all of a search
	}
	for i := range f.inputs {
		in := &f.inputs[i]
		switch in.kind {
		case "hidden":
			continue
		case "checkbox":
			in.is = !in.is
		case "radio":
			for k := range f.inputs[:i] { // the last one stays
				f.inputs[k].is = f.inputs[k].is && f.inputs[k].name != in.name
			}
			in.is = true
		case "select":
			in.value = in.options[len(in.options)-1]
		case "number", "date", "datetime-local", "time", "color":
		default:
			in.value = "typed <" + strings.Repeat("x", 1100) + ">" // longer than a name may be
		}
		typed = true
	}
	return typed
}

// values returns what a browser sends.
func (f *form) values() url.Values {
	all := url.Values{}
	for _, in := range f.inputs {
		if in.kind != "checkbox" && in.kind != "radio" || in.is {
			all.Add(in.name, in.value)
		}
	}
	return all
}

// keeps sends a form, which must be refused, and compares what the page then has in it.
func (v *visitor) keeps(f form) {
	path, _, _ := strings.Cut(f.action, "?")
	wrong, known := refusedBy[number.ReplaceAllString(path, "/0")]
	if known && wrong == nil {
		return
	}
	sent := f.values()
	maps.Copy(sent, wrong)
	status, text := v.submit(f, sent)
	if status != http.StatusUnprocessableEntity {
		v.Errorf("%s is answered with %d: say in refusedBy what would be wrong\n%v", f.action, status, sent)
		return
	}
	for _, got := range formsOf(f.action, text) {
		if got.method != f.method || got.action != f.action {
			continue
		}
		kept := got.values()
		for _, in := range f.inputs {
			if in.kind != "hidden" && !slices.Equal(kept[in.name], sent[in.name]) {
				v.Errorf("%s: %s was %.80q, and is %.80q after the refusal", f.action, in.name, sent[in.name], kept[in.name])
			}
		}
		return
	}
	v.Errorf("%s: the page of the refusal has no such form\n%s", f.action, cut(text))
}

func (v *visitor) submit(f form, sent url.Values) (status int, text string) {
	switch {
	case f.method != "post":
		status, _, text = v.get(f.action + "?" + sent.Encode())
		return status, text
	case !f.isUpload:
		status, _, text = v.post(f.action, sent)
		return status, text
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for name, values := range sent {
		v.Must(w.WriteField(name, values[0]))
	}
	v.Must(w.Close())
	r, err := v.client.Post(v.server.URL+f.action, w.FormDataContentType(), &b)
	v.Must(err)
	status, _, text = v.read(r)
	return status, text
}

// formsOf returns the forms of a page, with the inputs that a person can change, and hidden ones.
func formsOf(path, page string) (all []form) {
	z := html.NewTokenizer(strings.NewReader(page))
	within, at := false, 0 // at is the form of the last control
	for {
		switch z.Next() {
		case html.ErrorToken:
			return all
		case html.EndTagToken:
			if z.Token().Data == "form" {
				within = false
			}
		case html.TextToken:
			if len(all) > 0 {
				all[at].addText(z.Token().Data)
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t, a := z.Token(), make(map[string]string)
			for _, one := range t.Attr {
				a[one.Key] = one.Val
			}
			switch {
			case t.Data == "form":
				all = append(all, form{id: a["id"], method: a["method"], action: cmp.Or(a["action"], path), isUpload: a["enctype"] != ""})
				within, at = true, len(all)-1
			case a["form"] != "":
				at = slices.IndexFunc(all, func(f form) bool { return f.id == a["form"] })
				fallthrough
			case within || t.Data == "option" && len(all) > 0:
				all[at].add(t.Data, a)
			}
		}
	}
}

// addText sets the text of a textarea that has begun.
func (f *form) addText(text string) {
	if n := len(f.inputs) - 1; n >= 0 && f.inputs[n].value == begun {
		f.inputs[n].value = strings.TrimPrefix(text, "\n")
	}
}

// begun is the value of a textarea before its text.
const begun = "\x00"

// add adds a control, or an option of the last one.
func (f *form) add(element string, a map[string]string) {
	_, checked := a["checked"]
	_, selected := a["selected"]
	_, disabled := a["disabled"]
	_, readOnly := a["readonly"]
	n := len(f.inputs) - 1
	switch {
	case element == "option" && n >= 0 && f.inputs[n].kind == "select":
		in := &f.inputs[n]
		if len(in.options) == 0 || selected {
			in.value = a["value"]
		}
		in.options = append(in.options, a["value"])
	case a["name"] == "" || disabled || readOnly || a["type"] == "password" || a["type"] == "file" || a["name"] == "answer":
	case element == "select":
		f.inputs = append(f.inputs, input{name: a["name"], kind: "select"})
	case element == "textarea":
		f.inputs = append(f.inputs, input{name: a["name"], kind: "textarea", value: begun})
	case element == "input":
		f.inputs = append(f.inputs, input{name: a["name"], kind: a["type"], value: a["value"], is: checked})
	}
}
