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
	Dark     bool
	Frames   []frame
	Frame    template.URL // the mail
	KB       int64        // of the HTML
	Subject  string
	Findings []string
}

// frame is a way to look at the mail.
type frame struct {
	Text string
	Link template.URL
	Is   bool
}

// clipAt is the size of HTML in KB from which Gmail hides the rest.
const clipAt = 102

// TooLarge reports whether Gmail hides the end of the mail.
func (s *preview) TooLarge() bool { return s.KB > clipAt }

// seesContacts reports whether the person may see the mail of a Contact. Others see it without one.
func seesContacts(r *ui.Request) bool { return r.Caller.Key.Level >= enlist.Standard }

// preview finds the Contact whose mail is shown, and composes the mail.
func (d *editData) preview(r *ui.Request) error {
	s := &d.Shown
	s.Phone, s.Dark = r.FormValue("width") == "360", r.FormValue("shade") == "dark"
	s.Address = strings.TrimSpace(r.FormValue("contact"))
	if s.List == 0 {
		return d.compose(r)
	}
	one := &oneContact{}
	q := enlist.Query{Limit: 1}
	if s.Address != "" {
		q.Criteria = &enlist.Criteria{Key: "Email", Operator: "exactly", Value: enlist.TextInput(s.Address)}
	}
	if err := r.App.Contacts.SearchContacts(r.Context(), r.Caller, s.List, q, []string{"id", "Email"},
		one); err != nil {
		return err
	}
	if one.id == 0 && s.Address != "" {
		s.Wrong = "The List has no Contact with this address."
		return nil
	}
	s.Contact = one.id
	if s.Address == "" {
		s.Address = one.address
	}
	return d.compose(r)
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
	s.Mail, s.KB, s.Subject, s.Findings = mail, int64(len(mail.HTML)+1023)>>10, mail.Subject, mail.Findings
	s.frames(d.ID)
	return nil
}

// composed returns the mail of a Contact. contact 0 means none.
func composed(r *ui.Request, id enlist.MessageID, list enlist.ListID,
	contact enlist.ContactID) (*messages.ComposedMail, error) {
	if contact == 0 || !seesContacts(r) {
		return r.App.Messages.PreviewDraft(r.Context(), r.Caller, id)
	}
	return r.App.Messages.PreviewMessage(r.Context(), r.Caller, id, list, contact)
}

// frames adds the ways to look at the mail.
func (s *preview) frames(id enlist.MessageID) {
	query := url.Values{"list": {ui.Plain(int64(s.List))}, "contact": {s.Address}}
	for _, f := range []struct {
		text, width, shade string
	}{{"600 pixels", "600", "light"}, {"600 in the dark", "600", "dark"}, {"360 pixels", "360", "light"},
		{"360 in the dark", "360", "dark"}} {
		query.Set("width", f.width)
		query.Set("shade", f.shade)
		s.Frames = append(s.Frames, frame{f.text, template.URL(path(id) + "?" + query.Encode()),
			s.Phone == (f.width == "360") && s.Dark == (f.shade == "dark")})
	}
	query = url.Values{"list": query["list"], "contact": {ui.Plain(int64(s.Contact))}}
	if s.Dark {
		query.Set("shade", "dark")
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
	mail, err := composed(r, enlist.MessageID(r.ID("message")), enlist.ListID(ui.Int(r.FormValue("list"))),
		enlist.ContactID(ui.Int(r.FormValue("contact"))))
	if err != nil {
		return nil, err
	}
	content := ui.Shade(mail.HTML, r.FormValue("shade") == "dark")
	if content == "" {
		content = "<pre>" + template.HTMLEscapeString(mail.Text) + "</pre>"
	}
	return &ui.View{Mail: content}, nil
}

func (p *pages) sendTest(r *ui.Request) (*ui.View, error) {
	id := enlist.MessageID(r.ID("message"))
	to := strings.TrimSpace(r.FormValue("to"))
	err := r.App.Messages.SendTestMessage(r.Context(), r.Caller, messages.TestRequest{Message: id,
		Addresses: strings.FieldsFunc(to, func(c rune) bool { return c == ',' || c == ' ' || c == ';' }),
		List:      enlist.ListID(ui.Int(r.FormValue("list"))),
		Contact:   enlist.ContactID(ui.Int(r.FormValue("of")))})
	wrong, known := errors.AsType[*enlist.Error](err)
	if known && (wrong.Kind == enlist.InvalidParameters || wrong.Kind == enlist.InvalidEmail) {
		m, err := r.App.Messages.MessageToUse(r.Context(), r.Caller, id)
		if err != nil {
			return nil, err
		}
		return p.show(r, &editData{Message: m, TestTo: to, TestWrong: wrong.Detail})
	}
	if err != nil {
		return nil, err
	}
	back := url.Values{"list": {r.FormValue("list")}, "contact": {r.FormValue("contact")}}
	return ui.GoTo(path(id)+"?"+back.Encode(), "The test mail is on its way to "+to+"."), nil
}
