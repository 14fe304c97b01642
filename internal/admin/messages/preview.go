package messages

import (
	"errors"
	"html/template"
	"net/url"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file shows the mail as a Contact sees it, and sends a test.

// preview is the mail as a Contact sees it.
type preview struct {
	List     enlist.ListID
	Address  string // of the Contact
	Contact  enlist.ContactID
	Mail     *messages.ComposedMail
	Wrong    string // why there is no mail
	IsDraft  bool   // there is no Contact
	Phone    bool
	Shade    string // "", "dark" or "text"
	Frames   []frame
	Frame    template.URL // the mail
	KB       int64        // of the HTML
	Subject  string
	Size     string // in words
	Findings []shownFinding
}

// frame is a way to look at the mail. As is its width, ":" and its shade.
type frame struct {
	Text, As string
	Is       bool
}

// shownAs returns how the mail is shown: as a button says, or else as the page shows it.
func shownAs(r *ui.Request) (width, shade string) {
	if what, as, _ := strings.Cut(r.FormValue("do"), ":"); what == "show" && as != "" {
		width, shade, _ = strings.Cut(as, ":")
		return width, shade
	}
	return r.FormValue("width"), r.FormValue("shade")
}

// shownPath is the path of the editor that shows the mail as the form says.
func shownPath(r *ui.Request, id enlist.MessageID) string {
	query := url.Values{}
	width, shade := shownAs(r)
	for _, of := range [][2]string{{"list", r.FormValue("list")}, {"contact", r.FormValue("contact")},
		{"to", r.FormValue("to")}, {"width", width}, {"shade", shade}} {
		if of[1] != "" {
			query.Set(of[0], of[1])
		}
	}
	return path(id) + "?" + query.Encode()
}

// clipAt is the size of HTML in KB from which Gmail hides the rest.
const clipAt = 102

// seesContacts reports whether the person may see the mail of a Contact. Others see it without one.
func seesContacts(r *ui.Request) bool { return r.Caller.May(enlist.SeeContacts) }

// preview finds the Contact whose mail is shown, and composes the mail.
func (d *editData) preview(r *ui.Request) error {
	s := &d.Shown
	width, shade := shownAs(r)
	s.Phone = width == "360"
	if shade == shadeDark || shade == shadeText {
		s.Shade = shade
	}
	s.Address = strings.TrimSpace(r.FormValue("contact"))
	if s.List == 0 {
		return d.compose(r)
	}
	one, err := contactOf(r, s.List, s.Address)
	if err != nil {
		return err
	}
	if one.id == 0 && s.Address != "" {
		s.Wrong = noContact
		return nil
	}
	s.Contact = one.id
	if one.id != 0 {
		s.Address = one.address
	}
	return d.compose(r)
}

// noContact says that a List does not have the typed address.
const noContact = "messages.no_contact"

// contactOf returns the Contact of a List with an address, or its first one without an address. Its id is 0 if there is
// none, or if the person may not see Contacts.
func contactOf(r *ui.Request, list enlist.ListID, address string) (*oneContact, error) {
	one, q := &oneContact{}, enlist.Query{Limit: 1}
	if !seesContacts(r) {
		return one, nil
	}
	email, err := r.EmailField(list)
	if err != nil {
		return nil, err
	}
	if address != "" {
		q.Criteria = &enlist.Criteria{Key: email, Operator: "exactly", Value: enlist.TextInput(address)}
	}
	find := func() error {
		return r.App.Contacts.SearchContacts(r.Context(), r.Caller, list, q, []string{"id", email}, one)
	}
	if err := find(); err != nil || one.id != 0 || address == "" || strings.Contains(address, "@") {
		return one, err
	}
	q.Criteria.Operator = "contains" // a part of an address
	return one, find()
}

// compose composes the mail of the Contact, or one without a Contact.
func (d *editData) compose(r *ui.Request) error {
	s := &d.Shown
	s.IsDraft = s.Contact == 0
	mail, err := composed(r, d.ID, s.List, s.Contact)
	if known, ok := errors.AsType[*enlist.Error](err); ok && known.Kind == enlist.InvalidParameters {
		s.Wrong = known.Detail
		return nil
	}
	if err != nil {
		return err
	}
	s.Mail, s.KB, s.Subject = mail, kilobytes(mail), mail.Subject
	s.frames(d.ID)
	if s.Size, err = sizeText(r, mail); err != nil {
		return err
	}
	if !d.MayEdit {
		for _, text := range mail.Findings {
			s.Findings = append(s.Findings, shownFinding{Level: messages.FindingWarning, Text: r.Language.Said(text)})
		}
		return nil
	}
	s.Findings, err = findingsOf(r, messages.Typed{Message: d.ID, List: s.List, Contact: s.Contact}, mail.Findings)
	return err
}

// composed returns the mail of a Contact. contact 0 means none.
func composed(r *ui.Request, id enlist.MessageID, list enlist.ListID,
	contact enlist.ContactID) (*messages.ComposedMail, error) {
	if contact == 0 {
		return r.App.Messages.PreviewDraft(r.Context(), r.Caller, id)
	}
	return r.App.Messages.PreviewMessage(r.Context(), r.Caller, id, list, contact)
}

// frames adds the ways to look at the mail.
func (s *preview) frames(id enlist.MessageID) {
	for _, f := range []struct {
		text, width, shade string
	}{{"messages.width_600", "600", ""}, {"messages.width_600_dark", "600", shadeDark}, {"messages.width_360", "360", ""},
		{"messages.width_360_dark", "360", shadeDark}, {"messages.shade_text", "600", shadeText}} {
		s.Frames = append(s.Frames, frame{f.text, f.width + ":" + f.shade, s.Phone == (f.width == "360") && s.Shade == f.shade})
	}
	query := url.Values{"list": {ui.Plain(int64(s.List))}, "contact": {ui.Plain(int64(s.Contact))}}
	if s.Shade != "" {
		query.Set("shade", s.Shade)
	}
	s.Frame = template.URL(path(id) + "/mail?" + query.Encode())
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
func (o *oneContact) Contact(c *enlist.Contact) error {
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
	mail, err := composed(r, enlist.MessageID(r.ID("message")), enlist.ListID(ui.Int(r.FormValue("list"))),
		enlist.ContactID(ui.Int(r.FormValue("contact"))))
	if err != nil {
		return nil, err
	}
	return mailView(mail, r.FormValue("shade")), nil
}

// The ways to look at a mail besides the light one.
const (
	shadeDark = "dark"
	shadeText = "text" // its text part
)

// mailView returns the View of a mail alone.
func mailView(mail *messages.ComposedMail, shade string) *ui.View {
	content := ui.Shade(mail.HTML, shade == shadeDark)
	if content == "" || shade == shadeText {
		content = "<pre>" + template.HTMLEscapeString(mail.Text) + "</pre>"
	}
	return &ui.View{Mail: content}
}

// sendTest sends a test mail of a person who may not change the Message.
func (p *pages) sendTest(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	return p.test(r, m)
}

// test sends a test mail as the Contact of the preview would get it.
func (p *pages) test(r *ui.Request, m *messages.Message) (*ui.View, error) {
	to := strings.TrimSpace(r.FormValue("to"))
	list, contact := enlist.ListID(ui.Int(r.FormValue("list"))), strings.TrimSpace(r.FormValue("contact"))
	wrong, err := SendTest(r, m.ID, list, contact, to)
	if wrong != "" {
		return p.show(r, &editData{Message: m, TestWrong: wrong})
	}
	if err != nil {
		return nil, err
	}
	return ToTest(r, shownPath(r, m.ID), to)
}

// SendTest sends a Message to addresses with spaces, commas or semicolons between them, with the values of the Contact
// of a List with an address, or else of its first one. list 0 means no values. It returns what is wrong with the input.
func SendTest(r *ui.Request, message enlist.MessageID, list enlist.ListID, contact, to string) (wrong string,
	err error) {
	request := messages.TestRequest{Message: message, List: list,
		Addresses: strings.FieldsFunc(to, func(c rune) bool { return c == ',' || c == ' ' || c == ';' })}
	if list != 0 && seesContacts(r) {
		one, err := contactOf(r, list, contact)
		if err != nil {
			return "", err
		}
		if request.Contact = one.id; one.id == 0 && contact != "" {
			return noContact, nil
		}
	}
	err = r.App.Messages.SendTestMessage(r.Context(), r.Caller, request)
	known, ok := errors.AsType[*enlist.Error](err)
	if ok && (known.Kind == enlist.InvalidParameters || known.Kind == enlist.InvalidEmail) {
		return known.Detail, nil
	}
	return "", err
}

// ToTest leads to a page that says what became of a test mail.
func ToTest(r *ui.Request, path, to string) (*ui.View, error) {
	not, err := r.NoMail()
	if err != nil {
		return nil, err
	}
	if not != "" {
		return ui.GoTo(path, r.Text("messages.test_ready", "address", to, "why", not)), nil
	}
	return ui.GoTo(path, r.Text("messages.test_sent", "address", to)), nil
}

// makePictures makes the images as the mail of a Message shows them.
func makePictures(r *ui.Request, id enlist.MessageID) error {
	mail, err := r.App.Messages.PreviewDraft(r.Context(), r.Caller, id)
	if err != nil {
		return enlist.IgnoreKind(enlist.InvalidParameters, err) // the page says why there is no mail
	}
	return r.App.Files.MakePictures(r.Context(), r.Caller, mail.Pictures)
}
