package messages

import (
	"cmp"
	"errors"
	"net/url"
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
	Form      ui.Form   // the last two inputs have the sender and the UTM parameters
	List      blockList // of a Message of blocks
	MayEdit   bool
	MaySend   bool
	Field     ui.Form // a merge field to insert; nil: there is none
	Where     ui.Form // the texts into which it can go
	Lists     []enlist.List
	Shown     preview
	Problem   string // why the form was not saved
	TestTo    string
	TestWrong string
	Undo      string // the blocks before one was removed
	Seen      string // VersionOf the Message that the page has shown
	Replaces  string // and of a newer one that the buttons "Save" replace; "": there is none
	Writing   string // the same for a Message without blocks
	Canvas    string // what the script of the editor needs, as JSON; "": there is no script
	pictures  []images.Image
	said      map[string]string // conditions of blocks in words, by their JSON
	Page      string            // of this page, for its saves
	Number    int64             // of the last of these
	Drafts    []ui.Action
	Stored    string // what the saves of other pages have stored, as their pages and numbers
	saved     []savedOption
	account   string // its name is that of the sender, if the Message has none
}

// inHead is the number of inputs of what an inbox shows.
const inHead = 5

// Head returns these inputs.
func (d *editData) Head() ui.Form { return d.Form[:inHead] }

// Texts returns the other inputs above the blocks.
func (d *editData) Texts() ui.Form { return d.Form[inHead : len(d.Form)-2] }

// Below returns the inputs below them.
func (d *editData) Below() ui.Form { return d.Form[len(d.Form)-2:] }

// formOf returns the inputs of a Message, but for those of its blocks.
func formOf(r *ui.Request, m *messages.Message) ui.Form {
	f := ui.Form{{Name: "subject", Label: r.Text("messages.subject_label"), Value: m.Subject, Most: 998},
		{Name: "from_name", Label: r.Text("messages.from_name_label"), Value: m.FromName},
		{Kind: ui.InputNote, Label: r.Text("messages.phone_lengths")},
		{Kind: ui.InputNote, Label: r.Text("messages.emoji_hint")},
		{Kind: ui.InputFold, Label: r.Text("messages.other_subjects"), IsOpen: m.OtherSubjects != "", Parts: ui.Form{
			{Name: "other_subjects", Label: r.Text("messages.other_subjects_label"), Kind: ui.InputArea, Rows: 3, Value: m.OtherSubjects,
				Help: r.Text("messages.other_subjects_help")}}}}
	if m.EmailType == messages.EmailBlocks {
		f = append(f, ui.Input{Name: "email_type", Kind: ui.InputHidden, Value: m.EmailType},
			ui.Input{Name: "blocks", Kind: ui.InputNote})
	} else {
		kind := ui.Input{Name: "email_type", Label: r.Text("messages.content"), Kind: ui.InputChoice, Value: m.EmailType}
		for _, k := range kinds {
			kind.Options = append(kind.Options, ui.Option{Value: k.Name, Text: r.Text(k.Text)})
		}
		f = append(f, ui.Input{Name: "was_type", Kind: ui.InputHidden, Value: m.EmailType}, kind, ui.Input{Name: "content", Also: []string{"text_content", "html_content", "blocks"},
			Label: r.Text("messages.content_label"), Kind: ui.InputArea, Rows: 18, Value: cmp.Or(*contentOf(m), m.Text)})
	}
	return append(f, ui.Input{Kind: ui.InputFold, Label: r.Text("messages.name_sender_postal_address"), Parts: ui.Form{
		{Name: "name", Label: r.Text("messages.name_which_only_you_see"), Value: m.Name, Required: true},
		{Name: "from_address", Label: r.Text("messages.from_address_empty_list"), Value: m.FromAddress},
		{Name: "reply_to", Label: r.Text("messages.replies_go_label"), Value: m.ReplyTo},
		{Name: "postal_address", Label: r.Text("messages.postal_address_below_mail_mail"), Kind: ui.InputArea, Rows: 3,
			Value: m.PostalAddress}}}, utmOf(r, m))
}

// HasBlocks reports whether the Message consists of blocks.
func (d *editData) HasBlocks() bool { return d.EmailType == messages.EmailBlocks }

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	return p.show(r, &editData{Message: m, Seen: enlist.VersionOf(messages.WholeMessageAttributes, m)})
}

// show shows the editor.
func (p *pages) show(r *ui.Request, d *editData) (*ui.View, error) {
	d.MayEdit, d.MaySend = d.Message.MayEdit(r.Caller), r.Caller.May(enlist.SendTests)
	if d.Form == nil {
		d.Form = formOf(r, d.Message)
	}
	if d.TestTo = r.FormValue("to"); !r.Form.Has("to") {
		d.TestTo = r.User.Email
	}
	view := &ui.View{Title: d.Name, Place: "/admin/messages", Content: p.editPage, Data: d,
		Sub: r.Text("messages.sub", "time", r.Date(d.LastModifiedTime), "zone", r.Zone())}
	if r.MaySend() && !d.IsTemplate {
		view.Actions = []ui.Action{{Text: r.Text("messages.use_campaign"), Path: "/admin/sends/new?message=" + ui.Plain(int64(d.ID)),
			Main: true}}
	}
	stored, err := r.App.Messages.Message(r.Context(), r.Caller, d.ID)
	if err != nil {
		return nil, err
	}
	d.addSaves(r, stored)
	switch {
	case d.Problem != "":
		view.Problem = d.Problem
	case d.TestWrong != "" && d.MayEdit:
		view.Problem = r.Text("messages.message_was_saved_but_no")
	case d.TestWrong != "":
		view.Problem = r.Text("messages.no_test_mail_was_sent")
	}
	if err = d.addContent(r); err != nil {
		return nil, err
	}
	if seesContacts(r) {
		d.Lists, err = r.Lists()
	}
	if err != nil {
		return nil, err
	}
	if len(d.Lists) == 0 {
		return view, d.finish(r)
	}
	if d.Shown.List = enlist.ListID(ui.Int(r.FormValue("list"))); d.Shown.List == 0 {
		d.Shown.List = d.Lists[0].ID
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, d.Shown.List, enlist.Query{})
	if err != nil {
		return nil, err
	}
	field := ui.Input{Name: "field", Label: r.Text("messages.field"), Kind: ui.InputChoice, Value: r.PostForm.Get("field")}
	for i := range fields {
		field.Options = append(field.Options, ui.Option{Value: fields[i].Name, Text: fields[i].Name})
	}
	field.Options = append(field.Options, ui.Choices("list_name", r.Text("messages.name_list"),
		"unsubscribe_url", r.Text("messages.link_unsubscribe"), "tracking_url", r.Text("messages.link_tracking"),
		"tracking_agree_url", r.Text("messages.link_agree"), "tracking_refuse_url", r.Text("messages.link_refuse"))...)
	d.Field = ui.Form{field, {Name: "fallback", Label: r.Text("messages.or_else"), Value: r.PostForm.Get("fallback"),
		Example: r.Text("messages.friend")}}
	return view, d.finish(r)
}

// finish adds what the script of the editor needs, and the mail.
func (d *editData) finish(r *ui.Request) error {
	d.account = r.Caller.Account.Name
	add := d.addWriting
	if d.HasBlocks() {
		add = d.addCanvas
	}
	if d.MayEdit {
		if err := add(r); err != nil {
			return err
		}
	}
	return d.preview(r)
}

// addContent adds the drafts and the blocks, and where a merge field can go, if the person may change the Message.
func (d *editData) addContent(r *ui.Request) (err error) {
	if !d.MayEdit {
		return nil
	}
	if d.Drafts, d.Stored, err = savesOf(r, d.ID); err != nil {
		return err
	}
	where := ui.Input{Name: "where", Label: r.Text("messages.at_end"), Kind: ui.InputChoice, Value: r.PostForm.Get("where"),
		Options: ui.Choices("subject", r.Text("messages.subject"))}
	if !d.HasBlocks() {
		where.Options = append(where.Options, ui.Option{Value: "content", Text: r.Text("messages.content_label")})
		d.Where = ui.Form{where}
		return nil
	}
	all, err := messages.DecodeBlocks(d.Blocks)
	if err != nil {
		return err
	}
	if d.pictures, err = images.All(r); err != nil {
		return err
	}
	if d.said, err = saidConditions(r, all); err != nil {
		return err
	}
	d.List = newBlockList(all, "", "", d, r.PostForm)
	if err := d.addSaved(r); err != nil {
		return err
	}
	d.List.setSaved(d.saved)
	where.Options = append(where.Options, d.List.places(r)...)
	d.Where = ui.Form{where}
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

// save stores the form, after the change that its button asks for. If the Message was changed since its page was shown, a
// newer text is only replaced by a button that has its version: the page still has what it has seen, and saves drafts.
func (p *pages) save(r *ui.Request) (*ui.View, error) {
	id := enlist.MessageID(r.ID("message"))
	m, err := r.App.Messages.Message(r.Context(), r.Caller, id)
	if enlist.KindOf(err) == enlist.NoMessage && r.FormValue("page") != "" {
		return saveAsNew(r)
	}
	if err != nil {
		return nil, err
	}
	do, to := r.FormValue("do"), ""
	if do == "field" {
		addField(r.Form)
	}
	typed, err := typedIn(r, m)
	if err != nil {
		return nil, err
	}
	if newer := r.PostForm.Get("replaces"); newer != "" {
		r.PostForm.Set("seen", newer)
	}
	undo, problem := typed.Blocks, ""
	if typed.EmailType == messages.EmailBlocks {
		if to, problem, err = changeBlocks(r, &typed, do); err != nil {
			return nil, err
		}
	}
	if problem != "" {
		return p.show(r, &editData{Message: &typed, Seen: r.PostForm.Get("seen"), Problem: problem})
	}
	details := detailsOf(r, &typed)
	overwrites, err := overwrites(r, m, details)
	if err != nil {
		return nil, err
	}
	if overwrites {
		if err := keepBoth(r, &typed); err != nil {
			return nil, err
		}
		return p.show(r, &editData{Message: &typed, Problem: ui.Changed, Seen: r.FormValue("seen")})
	}
	err = r.App.Messages.SaveMessage(r.Context(), r.Caller, messages.Save{Message: id, Details: details,
		Page: r.FormValue("page"), Number: ui.Int(r.FormValue("number")), IsEnded: do == ""})
	if kept, ok := errors.AsType[*messages.KeptAsDraft](err); ok {
		return p.show(r, &editData{Message: &typed, Seen: r.PostForm.Get("seen"),
			Problem: r.Text(whySaved[kept.Why], "time", clock(r, kept.Time))})
	}
	if err != nil {
		d := &editData{Message: &typed, Form: formOf(r, &typed), Seen: r.PostForm.Get("seen")}
		if d.Problem, err = d.Form.Refuse(err); err != nil {
			return nil, err
		}
		return p.show(r, d)
	}
	return p.saved(r, id, &typed, do, to, undo)
}

// saved does what a button asks for after the Message was saved.
func (p *pages) saved(r *ui.Request, id enlist.MessageID, typed *messages.Message, do, to, undo string) (*ui.View, error) {
	if err := makePictures(r, id); err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(do, "remove:"):
		return p.show(r, &editData{Message: typed, Undo: undo})
	case strings.HasPrefix(do, "condition:"):
		return ui.GoTo(conditionPath(id, strings.TrimPrefix(do, "condition:")), ""), nil
	case do == "test":
		return p.test(r, typed)
	case do == "template":
		return saveTemplate(r, id)
	}
	to, err := keepBlock(r, typed.Blocks, do, to)
	if known, ok := errors.AsType[*enlist.Error](err); ok && known.Kind == enlist.InvalidParameters {
		return p.show(r, &editData{Message: typed, Problem: r.Said(known.Detail)})
	}
	view := ui.GoTo(shownPath(r, id), r.Text("messages.saved"))
	if do == "links" {
		view.To += "&links=1"
	}
	view.To += string(anchor(to))
	return view, err
}

// typedIn returns a Message with what the form of its editor has.
func typedIn(r *ui.Request, m *messages.Message) (messages.Message, error) {
	typed := *m
	typed.Subject, typed.EmailType = r.FormValue("subject"), r.FormValue("email_type")
	typed.Name = nameFor(m, r.FormValue("name"), typed.Subject)
	typed.FromName, typed.FromAddress = r.FormValue("from_name"), r.FormValue("from_address")
	typed.OtherSubjects = m.OtherSubjects
	if r.Form.Has("other_subjects") {
		typed.OtherSubjects = r.FormValue("other_subjects")
	}
	typed.ReplyTo, typed.PostalAddress = r.FormValue("reply_to"), r.FormValue("postal_address")
	if typed.EmailType == messages.EmailBlocks {
		all, err := blocksOf(m, r.Form)
		if err != nil {
			return typed, ui.ErrNotFound // no page has sent these
		}
		typed.Blocks = messages.EncodeBlocks(all)
	} else {
		*contentOf(&typed) = strings.ReplaceAll(r.FormValue("content"), "\r\n", "\n")
	}
	return typed, nil
}

// changeBlocks does what a button of the editor says. It returns the path of the block that the person then sees, or why it
// changes nothing.
func changeBlocks(r *ui.Request, typed *messages.Message, do string) (to, problem string, err error) {
	if do == "undo" {
		typed.Blocks = r.Form.Get("undo")
	}
	saved, problem, err := insertSaved(r, do)
	if err != nil || problem != "" {
		return "", problem, err
	}
	all, err := messages.DecodeBlocks(typed.Blocks)
	if err != nil {
		return "", "", ui.ErrNotFound // no page has sent this
	}
	all, to = change(all, do, r.Form, saved)
	typed.Blocks = messages.EncodeBlocks(all)
	return to, "", nil
}

// blocksOf returns the blocks of a form, in which the script of the editor has them as JSON. A Message that had no blocks
// gets one with its content, of the kind that its page was shown with: the script may have stored another one since.
func blocksOf(m *messages.Message, form url.Values) ([]messages.Block, error) {
	if form.Has("blocks") {
		return messages.DecodeBlocks(form.Get("blocks"))
	}
	if form.Has("count") || !form.Has("content") {
		return readBlocks(form, ""), nil
	}
	content, was := strings.ReplaceAll(form.Get("content"), "\r\n", "\n"), cmp.Or(form.Get("was_type"), m.EmailType)
	switch {
	case strings.TrimSpace(content) == "":
		return nil, nil
	case was == messages.EmailHTML || was == messages.EmailRawHTML:
		return []messages.Block{{Type: messages.BlockHTML, HTML: content}}, nil
	}
	return []messages.Block{{Type: messages.BlockText, Text: content}}, nil
}

// contentOf returns the content of a Message that has no blocks.
func contentOf(m *messages.Message) *string {
	if m.EmailType == messages.EmailMarkdown || m.EmailType == messages.EmailPlain {
		return &m.Text
	}
	return &m.HTML
}

// detailsOf returns what the form sets: the typed values of a Message, and the UTM parameters.
func detailsOf(r *ui.Request, m *messages.Message) []enlist.Detail {
	details := []enlist.Detail{ui.Text("name", m.Name), ui.Text("subject", m.Subject), ui.Text("other_subjects", m.OtherSubjects),
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
	return append(details, typedUTM(r.PostForm)...)
}
