package messages

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"enlist/internal/admin/images"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the editor of a Message. People who may not change it see its texts in place of the form.

// kinds are the kinds of content that the editor has, in words.
var kinds = []struct{ Name, Text string }{{messages.EmailBlocks, "messages.kind_blocks"}, {messages.EmailMarkdown, "messages.kind_markdown"},
	{messages.EmailHTML, "messages.kind_html"}, {messages.EmailRawHTML, "messages.kind_raw"}, {messages.EmailPlain, "messages.kind_plain"}}

// editData is the data of the editor.
type editData struct {
	*messages.Message
	Kinds   []struct{ Name, Text string }
	List    blockList // of a Message of blocks
	MayEdit bool
	MaySend bool
	Fields  []place // merge fields
	Places  []place // where one can go
	// What was typed beside the button that puts a merge field in.
	Field, Fallback, Where string
	Lists                  []enlist.List
	Shown                  preview
	Wrong                  map[string]string // what is wrong, by input of the form
	TestTo                 string
	TestWrong              string
	Undo                   string // the blocks before one was removed
	Seen                   string // hash of the stored texts
	Changed                bool   // others have changed it since the page of the form was shown
}

// HasBlocks reports whether the Message consists of blocks.
func (d *editData) HasBlocks() bool { return d.EmailType == messages.EmailBlocks }

// elsewhere returns what is wrong and stands beside no input of the form.
func (d *editData) elsewhere() string {
	for input, what := range d.Wrong {
		if !slices.Contains([]string{"subject", "name", "from_name", "from_address", "reply_to", "postal_address",
			"text_content", "html_content", "blocks"}, input) {
			return what
		}
	}
	return ""
}

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	return p.show(r, &editData{Message: m})
}

// show shows the editor.
func (p *pages) show(r *ui.Request, d *editData) (*ui.View, error) {
	d.Kinds, d.MayEdit, d.MaySend = kinds, d.Message.MayEdit(r.Caller), r.MaySend()
	d.Field, d.Fallback, d.Where = r.PostForm.Get("field"), r.PostForm.Get("fallback"), r.PostForm.Get("where")
	if d.TestTo = r.FormValue("to"); !r.Form.Has("to") {
		d.TestTo = r.User.Email
	}
	view := &ui.View{Title: d.Name, Place: "/admin/messages", Content: p.editPage, Data: d,
		Sub: r.Text("messages.sub", "time", r.Date(d.LastModifiedTime), "zone", r.Zone())}
	if d.MaySend {
		view.Actions = []ui.Action{{Text: r.Text("messages.use_campaign"), Path: "/admin/sends/new?message=" + ui.Plain(int64(d.ID)),
			Main: true}}
	}
	stored, err := r.App.Messages.Message(r.Context(), r.Caller, d.ID)
	if err != nil {
		return nil, err
	}
	d.Seen = ui.SeenOf(messages.WholeMessageAttributes, stored)
	switch {
	case d.Changed:
		view.Problem = ui.Changed
	case d.elsewhere() != "":
		view.Problem = r.Text("messages.not_saved_because", "reason", d.elsewhere())
	case d.Wrong != nil:
		view.Problem = r.Text("messages.message_was_not_saved")
	case d.TestWrong != "" && d.MayEdit:
		view.Problem = r.Text("messages.message_was_saved_but_no")
	case d.TestWrong != "":
		view.Problem = r.Text("messages.no_test_mail_was_sent")
	}
	if d.MayEdit {
		if err = d.addContent(r); err != nil {
			return nil, err
		}
	}
	if seesContacts(r) {
		d.Lists, err = r.Lists()
	}
	if err != nil {
		return nil, err
	}
	if len(d.Lists) == 0 {
		return view, d.preview(r)
	}
	if d.Shown.List = enlist.ListID(ui.Int(r.FormValue("list"))); d.Shown.List == 0 {
		d.Shown.List = d.Lists[0].ID
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, d.Shown.List, enlist.Query{})
	if err != nil {
		return nil, err
	}
	for i := range fields {
		d.Fields = append(d.Fields, place{fields[i].Name, fields[i].Name})
	}
	d.Fields = append(d.Fields, place{"list_name", r.Text("messages.name_list")}, place{"unsubscribe_url", r.Text("messages.link_unsubscribe")})
	return view, d.preview(r)
}

// addContent adds the blocks, and where a merge field can go.
func (d *editData) addContent(r *ui.Request) error {
	d.Places = []place{{"subject", r.Text("messages.subject")}}
	if !d.HasBlocks() {
		d.Places = append(d.Places, place{"content", r.Text("messages.content_label")})
		return nil
	}
	all, err := messages.DecodeBlocks(d.Blocks)
	if err != nil {
		return err
	}
	pictures, err := images.All(r)
	if err = enlist.IgnoreKind(enlist.Denied, err); err != nil { // a person of only some Lists sees no images
		return err
	}
	d.List = newBlockList(all, "", "", pictures, r.PostForm)
	d.Places = append(d.Places, d.List.places(r)...)
	return nil
}

// nameFor returns the name of a Message whose form has a name and a subject. Until the person names the Message, its
// name is its subject.
func nameFor(stored *messages.Message, name, subject string) string {
	if name != stored.Name || name != stored.Subject || subject == "" ||
		utf8.RuneCountInString(subject) > enlist.MaxName {
		return name
	}
	return subject
}

// save stores the form, after the change that its button asks for.
func (p *pages) save(r *ui.Request) (*ui.View, error) {
	id := enlist.MessageID(r.ID("message"))
	m, err := r.App.Messages.Message(r.Context(), r.Caller, id)
	if err != nil {
		return nil, err
	}
	do, to, undo := r.FormValue("do"), "", ""
	if do == "field" {
		addField(r.Form)
	}
	typed := *m
	typed.Subject, typed.EmailType = r.FormValue("subject"), r.FormValue("email_type")
	typed.Name = nameFor(m, r.FormValue("name"), typed.Subject)
	typed.FromName, typed.FromAddress = r.FormValue("from_name"), r.FormValue("from_address")
	typed.ReplyTo, typed.PostalAddress = r.FormValue("reply_to"), r.FormValue("postal_address")
	if typed.EmailType == messages.EmailBlocks {
		before := blocksOf(m, r.Form)
		undo = messages.EncodeBlocks(before)
		all, at := change(before, do, r.Form)
		if do == "undo" {
			if all, err = messages.DecodeBlocks(r.FormValue("undo")); err != nil {
				return nil, ui.ErrNotFound // no page has sent this
			}
		}
		typed.Blocks, to = messages.EncodeBlocks(all), at
	} else {
		*contentOf(&typed) = strings.ReplaceAll(r.FormValue("content"), "\r\n", "\n")
	}
	if ui.Overwrites(r, messages.WholeMessageAttributes, m, detailsOf(&typed)) {
		return p.show(r, &editData{Message: &typed, Changed: true})
	}
	_, err = r.App.Messages.EditMessage(r.Context(), r.Caller, id, detailsOf(&typed))
	wrong, known := errors.AsType[*enlist.Error](err)
	if known && (wrong.Kind == enlist.InvalidParameters || wrong.Kind == enlist.NoFile) && wrong.Field != "" {
		return p.show(r, &editData{Message: &typed, Wrong: ui.Mistakes(wrong)})
	}
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(do, "remove:"):
		return p.show(r, &editData{Message: &typed, Undo: undo})
	case do == "test":
		return p.test(r, &typed)
	}
	view := ui.GoTo(shownPath(r, id), r.Text("messages.saved"))
	view.To += string(anchor(to))
	return view, nil
}

// blocksOf returns the blocks of a form. A Message that had no blocks gets one with its content.
func blocksOf(m *messages.Message, form url.Values) []messages.Block {
	if form.Has("count") || !form.Has("content") {
		return readBlocks(form, "")
	}
	content := strings.ReplaceAll(form.Get("content"), "\r\n", "\n")
	switch {
	case strings.TrimSpace(content) == "":
		return nil
	case m.EmailType == messages.EmailHTML || m.EmailType == messages.EmailRawHTML:
		return []messages.Block{{Type: messages.BlockHTML, HTML: content}}
	}
	return []messages.Block{{Type: messages.BlockText, Text: content}}
}

// contentOf returns the content of a Message that has no blocks.
func contentOf(m *messages.Message) *string {
	if m.EmailType == messages.EmailMarkdown || m.EmailType == messages.EmailPlain {
		return &m.Text
	}
	return &m.HTML
}

// Content returns the content that the editor shows.
func (d *editData) Content() string {
	if content := *contentOf(d.Message); content != "" {
		return content
	}
	return d.Text
}

// detailsOf returns what the form sets.
func detailsOf(m *messages.Message) []enlist.Detail {
	details := []enlist.Detail{ui.Text("name", m.Name), ui.Text("subject", m.Subject),
		ui.Text("email_type", m.EmailType), ui.Text("from_name", m.FromName), ui.Text("from_address", m.FromAddress),
		ui.Text("reply_to", m.ReplyTo), ui.Text("postal_address", m.PostalAddress)}
	switch m.EmailType {
	case messages.EmailBlocks:
		details = append(details, ui.Text("blocks", m.Blocks))
	case messages.EmailMarkdown, messages.EmailPlain:
		details = append(details, ui.Text("text_content", m.Text))
	default:
		details = append(details, ui.Text("html_content", m.HTML))
	}
	return details
}
