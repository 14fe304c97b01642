// Package messages has the pages on which a person writes a Message: the list of all, the editor with starting
// templates, the preview as a Contact sees the mail, and a test mail.
package messages

import (
	"embed"
	"errors"
	"html/template"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

//go:embed *.html templates
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "messages.html"), ui.Parse(files, "message.html"), ui.Parse(files, "delete.html")}
	return []ui.Page{
		{Pattern: "GET /admin/messages", Level: enlist.Read, Serve: p.list},
		{Pattern: "POST /admin/messages", Level: enlist.Full, Serve: add},
		{Pattern: "GET /admin/messages/{message}", Level: enlist.Standard, Serve: p.edit},
		{Pattern: "POST /admin/messages/{message}", Level: enlist.Full, Serve: p.save},
		{Pattern: "GET /admin/messages/{message}/mail", Level: enlist.Standard, Serve: mail},
		{Pattern: "POST /admin/messages/{message}/test", Level: enlist.Standard, Serve: p.sendTest},
		{Pattern: "GET /admin/messages/{message}/delete", Level: enlist.Full, Serve: p.askDelete},
		{Pattern: "POST /admin/messages/{message}/delete", Level: enlist.Full, Serve: remove},
	}
}

type pages struct{ list_, edit_, delete_ *template.Template }

// row is a Message in the list.
type row struct {
	messages.Message
	Edited string
}

// listData is the data of the list.
type listData struct {
	Rows      []row
	Templates []start
	MayEdit   bool
}

// start is a text with which a new Message begins.
type start struct{ Name, Text string }

// starts are the texts with which a new Message can begin. They are Markdown after the subject, in the folder
// templates.
var starts = []start{{"Newsletter", "newsletter"}, {"Announcement", "announcement"}, {"Invitation", "invitation"},
	{"Short letter", "letter"}}

func (p *pages) list(r *ui.Request) (*ui.View, error) {
	all, err := r.App.Messages.SearchMessages(r.Context(), r.Caller, enlist.Query{SortBy: "last_modified_time",
		Descending: true})
	if err != nil {
		return nil, err
	}
	d := listData{Templates: starts, MayEdit: r.Caller.Key.Level >= enlist.Full}
	for i := range all {
		d.Rows = append(d.Rows, row{all[i], r.Date(all[i].LastModifiedTime)})
	}
	return &ui.View{Title: "Messages", Place: "Messages", Content: p.list_, Data: d}, nil
}

// add adds a Message from a starting text, or as a copy of another one.
func add(r *ui.Request) (*ui.View, error) {
	details := []enlist.Detail{ui.Text("type", messages.MessageEmail)}
	if from := enlist.MessageID(ui.Int(r.FormValue("copy"))); from != 0 {
		m, err := r.App.Messages.Message(r.Context(), r.Caller, from)
		if err != nil {
			return nil, err
		}
		details = append(details, ui.Text("name", "Copy of "+m.Name), ui.Text("subject", m.Subject),
			ui.Text("email_type", m.EmailType), ui.Text("html_content", m.HTML), ui.Text("text_content", m.Text),
			ui.Text("from_name", m.FromName), ui.Text("from_address", m.FromAddress), ui.Text("reply_to", m.ReplyTo),
			ui.Text("postal_address", m.PostalAddress))
	} else {
		text, err := files.ReadFile("templates/" + r.FormValue("start") + ".txt")
		if err != nil {
			return nil, ui.ErrNotFound
		}
		subject, content, _ := strings.Cut(string(text), "\n\n")
		details = append(details, ui.Text("name", subject), ui.Text("subject", subject),
			ui.Text("email_type", messages.EmailMarkdown), ui.Text("text_content", content))
	}
	id, err := r.App.Messages.AddMessage(r.Context(), r.Caller, details)
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/messages/"+ui.Plain(int64(id)), ""), nil
}

// kinds are the kinds of content that the editor has, in words.
var kinds = []struct{ Name, Text string }{{messages.EmailMarkdown, "Markdown"}, {messages.EmailHTML, "HTML"},
	{messages.EmailRawHTML, "HTML, sent as it is"}, {messages.EmailPlain, "Plain text"}}

// editData is the data of the editor.
type editData struct {
	*messages.Message
	Kinds       []struct{ Name, Text string }
	MayEdit     bool
	MaySend     bool
	Fields      []string // names of merge fields
	Lists       []enlist.List
	Shown       preview
	Wrong, What string // an input of the form, and what is wrong with it
	TestTo      string
	TestWrong   string
}

// preview is the mail as a Contact sees it.
type preview struct {
	List     enlist.ListID
	Address  string // of the Contact
	Contact  enlist.ContactID
	Mail     *messages.ComposedMail
	Wrong    string // why there is no mail
	Phone    bool
	KB       int64
	Subject  string
	Findings []string
}

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	return p.show(r, &editData{Message: m, TestTo: r.Person.Email})
}

// show shows the editor.
func (p *pages) show(r *ui.Request, d *editData) (*ui.View, error) {
	var err error
	d.Kinds, d.MayEdit, d.MaySend = kinds, r.Caller.Key.Level >= enlist.Full, r.MaySend()
	d.Lists, err = r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	if err != nil {
		return nil, err
	}
	view := &ui.View{Title: d.Name, Place: "Messages", Content: p.edit_, Data: d,
		Sub: "Message · changed " + r.Date(d.LastModifiedTime) + " (" + r.Zone() + ")"}
	if d.MaySend {
		view.Actions = []ui.Action{{Text: "Use in a send", Path: "/admin/sends/new?message=" + ui.Plain(int64(d.ID)),
			Main: true}}
	}
	if d.Wrong != "" {
		view.Problem = "The Message was not saved."
	}
	if d.TestWrong != "" {
		view.Problem = "No test mail was sent."
	}
	if len(d.Lists) == 0 {
		return view, nil
	}
	if d.Shown.List = enlist.ListID(ui.Int(r.FormValue("list"))); d.Shown.List == 0 {
		d.Shown.List = d.Lists[0].ID
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, d.Shown.List, enlist.Query{})
	if err != nil {
		return nil, err
	}
	for i := range fields {
		d.Fields = append(d.Fields, fields[i].Name)
	}
	return view, d.preview(r)
}

// preview finds the Contact whose mail is shown, and composes the mail.
func (d *editData) preview(r *ui.Request) error {
	s := &d.Shown
	s.Phone, s.Address = r.FormValue("width") == "phone", strings.TrimSpace(r.FormValue("contact"))
	one := &oneContact{}
	q := enlist.Query{Limit: 1}
	if s.Address != "" {
		q.Criteria = &enlist.Criteria{Key: "Email", Operator: "exactly",
			Value: enlist.Input{Kind: enlist.InputText, Text: s.Address}}
	}
	if err := r.App.Contacts.SearchContacts(r.Context(), r.Caller, s.List, q, []string{"id", "Email"},
		one); err != nil {
		return err
	}
	if one.id == 0 {
		s.Wrong = "The List has no Contact with this address."
		if s.Address == "" {
			s.Wrong = "The preview shows the mail of a Contact, and this List has none yet."
		}
		return nil
	}
	s.Contact, s.Address = one.id, one.address
	mail, err := r.App.Messages.PreviewMessage(r.Context(), r.Caller, d.ID, s.List, s.Contact)
	var known *enlist.Error
	if errors.As(err, &known) && known.Kind == enlist.InvalidParameters {
		s.Wrong = known.Detail
		return nil
	}
	if err != nil {
		return err
	}
	s.Mail, s.KB, s.Subject, s.Findings = mail, (mail.Size+512)/1024, mail.Subject, mail.Findings
	return nil
}

// oneContact receives the Contact of a search.
type oneContact struct {
	id      enlist.ContactID
	address string
	columns []enlist.Column
}

// Begin implements contacts.ContactWriter.
func (o *oneContact) Begin(columns []enlist.Column, _ bool) error {
	o.columns = columns
	return nil
}

// Contact implements contacts.ContactWriter.
func (o *oneContact) Contact(c *enlist.ByID) error {
	o.id = c.ID
	for i := range o.columns {
		if f := o.columns[i].Field; f != nil {
			o.address = c.Values.Get(f.ID)
		}
	}
	return nil
}

// mail shows the mail of a Contact alone, for the frame of the editor. The browser runs no script in it, and follows no
// link by itself.
func mail(r *ui.Request) (*ui.View, error) {
	mail, err := r.App.Messages.PreviewMessage(r.Context(), r.Caller, enlist.MessageID(r.ID("message")),
		enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact"))))
	if err != nil {
		return nil, err
	}
	content := mail.HTML
	if content == "" {
		content = "<pre>" + template.HTMLEscapeString(mail.Text) + "</pre>"
	}
	return &ui.View{Mail: content}, nil
}

// save stores the form.
func (p *pages) save(r *ui.Request) (*ui.View, error) {
	id := enlist.MessageID(r.ID("message"))
	var details []enlist.Detail
	for _, key := range []string{"name", "subject", "email_type", "from_name", "from_address", "reply_to",
		"postal_address"} {
		details = append(details, ui.Text(key, r.FormValue(key)))
	}
	key := "html_content"
	if t := r.FormValue("email_type"); t == messages.EmailMarkdown || t == messages.EmailPlain {
		key = "text_content"
	}
	content := strings.ReplaceAll(r.FormValue("content"), "\r\n", "\n")
	details = append(details, ui.Text(key, content))
	_, err := r.App.Messages.EditMessage(r.Context(), r.Caller, id, details)
	var wrong *enlist.Error
	if errors.As(err, &wrong) && wrong.Kind == enlist.InvalidParameters && wrong.Field != "" {
		m, loadErr := r.App.Messages.Message(r.Context(), r.Caller, id)
		if loadErr != nil {
			return nil, loadErr
		}
		typed := *m
		typed.Name, typed.Subject, typed.EmailType = r.FormValue("name"), r.FormValue("subject"), r.FormValue("email_type")
		typed.FromName, typed.FromAddress = r.FormValue("from_name"), r.FormValue("from_address")
		typed.ReplyTo, typed.PostalAddress = r.FormValue("reply_to"), r.FormValue("postal_address")
		typed.HTML, typed.Text = content, content
		return p.show(r, &editData{Message: &typed, Wrong: wrong.Field, What: wrong.Detail, TestTo: r.Person.Email})
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/messages/"+ui.Plain(int64(id))+"?list="+r.FormValue("list"), "Saved."), nil
}

// Content returns the content that the editor shows.
func (d *editData) Content() string {
	if d.EmailType == messages.EmailMarkdown || d.EmailType == messages.EmailPlain || d.HTML == "" {
		return d.Text
	}
	return d.HTML
}

func (p *pages) sendTest(r *ui.Request) (*ui.View, error) {
	id := enlist.MessageID(r.ID("message"))
	to := strings.TrimSpace(r.FormValue("to"))
	err := r.App.Messages.SendTestMessage(r.Context(), r.Caller, messages.TestRequest{Message: id,
		Addresses: strings.FieldsFunc(to, func(c rune) bool { return c == ',' || c == ' ' || c == ';' }),
		List:      enlist.ListID(ui.Int(r.FormValue("list"))),
		Contact:   enlist.ContactID(ui.Int(r.FormValue("contact")))})
	var wrong *enlist.Error
	if errors.As(err, &wrong) && (wrong.Kind == enlist.InvalidParameters || wrong.Kind == enlist.InvalidEmail) {
		m, err := r.App.Messages.Message(r.Context(), r.Caller, id)
		if err != nil {
			return nil, err
		}
		return p.show(r, &editData{Message: m, TestTo: to, TestWrong: wrong.Detail})
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/messages/"+ui.Plain(int64(id))+"?list="+r.FormValue("list"),
			"The test mail is on its way to "+to+"."),
		nil
}

func (p *pages) askDelete(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	return &ui.View{Title: "Delete " + m.Name + "?", Place: "Messages", Content: p.delete_, Data: m}, nil
}

func remove(r *ui.Request) (*ui.View, error) {
	if err := r.App.Messages.DeleteMessage(r.Context(), r.Caller, enlist.MessageID(r.ID("message"))); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/messages", "The Message was deleted."), nil
}
