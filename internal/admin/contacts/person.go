package contacts

import (
	"cmp"
	"errors"
	"html/template"
	"net/url"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the page of one person: the Contacts with an address in all Lists that the visitor may see.

// personData is the data of the page.
type personData struct {
	Address  string
	Contacts []contactCard
	Pager    ui.Pager // through the Lists
	Left     []string // entries of the Unsubscriber List in words
	Drawing  template.HTML
	Moments  []shownMoment
	Older    bool // there are older moments than those
	May      bool // the visitor may export and erase everything
	Zone     string
	Find     *ui.FormCard // looks up another address; nil: this one is right
}

// listsPerPage is the number of Lists whose Contacts are on a page. Each Contact takes about 2 KB.
const listsPerPage = 20

// contactCard is a Contact of the person.
type contactCard struct {
	List     enlist.ListID
	ID       enlist.ContactID
	ListName string
	State    []string // sentences
	Values   []named
	Answers  []named
	Buttons  []button
	Again    ui.Form // subscribes the person again; nil: the person is subscribed
	Tracking ui.Form // stores a decision about opens and clicks; nil: the List counts none
}

// named is a value with the name of its Field or preference.
type named struct{ Name, Text string }

// button changes the Contact. Says is what will happen.
type button struct{ Do, Text, Says string }

// personPath is the path of the page of a Contact's person.
func personPath(list enlist.ListID, id enlist.ContactID) string {
	return "/admin/contacts/person?list=" + ui.Plain(int64(list)) + "&contact=" + ui.Plain(int64(id))
}

func (p *pages) person(r *ui.Request) (*ui.View, error) {
	view, err := p.showPerson(r, refusedForms{})
	known, ok := errors.AsType[*enlist.Error](err)
	if ok && known.Field == "address" || r.FormValue("address") == "" && !r.Form.Has("contact") {
		f := ui.Form{{Name: "address", Label: r.Text("contacts.find_person"), Required: true, Value: r.FormValue("address"),
			Wrong: r.Text("contacts.neither_e_mail_address_nor")}}
		return &ui.View{Title: r.Text("contacts.one_person"), Place: "/admin/contacts", Content: p.personPage,
			Problem: r.Text("contacts.no_person_was_looked_up"),
			Data:    &personData{Find: &ui.FormCard{Method: "get", Form: f, Button: r.Text("contacts.show")}}}, nil
	}
	return view, err
}

// addressOf returns the address of the request: one that is typed, or that of a Contact.
func addressOf(r *ui.Request) (string, error) {
	list, id := enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact")))
	if text := r.FormValue("address"); text != "" && id == 0 {
		return text, nil
	}
	c, fields, err := contactOf(r, list, id)
	if err != nil {
		return "", err
	}
	var mobile string
	for i := range fields {
		switch fields[i].AddressType {
		case enlist.AddressEmail:
			if email := c.Values.Get(fields[i].ID); email != "" {
				return email, nil
			}
		case enlist.AddressMobile:
			mobile = cmp.Or(c.Mobile, c.Values.Get(fields[i].ID))
		}
	}
	return mobile, nil
}

// oneContact keeps the Contact that a call returns. It implements contacts.ContactWriter.
type oneContact struct{ found enlist.Contact }

func (w *oneContact) Begin([]enlist.Column, bool) error { return nil }

func (w *oneContact) Contact(c *enlist.Contact) error {
	w.found = *c
	w.found.Values = slices.Clone(c.Values)
	return nil
}

// contactOf returns a Contact and the Fields of its List.
func contactOf(r *ui.Request, list enlist.ListID, id enlist.ContactID) (*enlist.Contact, []enlist.Field, error) {
	var w oneContact
	if err := r.App.Contacts.Contact(r.Context(), r.Caller, list, id, nil, &w); err != nil {
		return nil, nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list, enlist.Query{})
	return &w.found, fields, err
}

// refusedForms are forms of a Contact with mistakes; those that were not sent are nil.
type refusedForms struct {
	contact         enlist.ContactID
	again, tracking ui.Form
}

// showPerson shows the person.
func (p *pages) showPerson(r *ui.Request, refused refusedForms) (*ui.View, error) {
	address, err := addressOf(r)
	if err != nil {
		return nil, err
	}
	page, list := ui.PageNumber(r.URL.Query()), enlist.ListID(ui.Int(r.FormValue("list")))
	found, err := r.App.Contacts.Person(r.Context(), r.Caller, &contacts.PersonQuery{Address: address, First: list,
		Skip: int(page-1) * listsPerPage, Limit: listsPerPage})
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := personData{Address: address, Zone: r.Zone(),
		May: r.Caller.MayInAll(enlist.Manage)}
	shown := make(map[enlist.ListID]bool)
	for i := range found.Contacts {
		card := cardOf(r, &found.Contacts[i])
		if card.ID == refused.contact {
			card.refuse(refused)
		}
		d.Contacts, shown[card.List] = append(d.Contacts, card), true
	}
	d.Pager = ui.NewPager(page, listsPerPage, len(shown), int64(found.Lists), func(page int64) string {
		query := url.Values{"address": {address}, "list": {ui.Plain(int64(list))}, "page": {ui.Plain(page)}}
		return "?" + query.Encode()
	})
	for i := range found.Left {
		d.Left = append(d.Left, leftText(r, &found.Left[i], names))
	}
	if err := d.addMoments(r, found.Contacts); err != nil {
		return nil, err
	}
	view := &ui.View{Title: address, Place: "/admin/contacts", Content: p.personPage, Data: &d,
		Sub: r.Text("contacts.in_lists", "n", int64(found.Lists))}
	if refused.contact != 0 {
		view.Problem = "ui.nothing_changed"
	}
	return view, nil
}

// refuse shows the forms with mistakes in place of the empty ones.
func (c *contactCard) refuse(f refusedForms) {
	if f.again != nil {
		c.Again = f.again
	}
	if f.tracking != nil {
		c.Tracking = f.tracking
	}
}

func leftText(r *ui.Request, u *contacts.Unsubscriber, names map[enlist.ListID]string) string {
	if u.ListID == 0 {
		return r.Text("contacts.unsubscribed_from_all", "time", r.Date(u.Time))
	}
	name := names[u.ListID]
	if name == "" {
		name = r.Text("contacts.list_number", "id", ui.Plain(int64(u.ListID)))
	}
	return r.Text("contacts.unsubscribed_from", "time", r.Date(u.Time), "list", name)
}

func cardOf(r *ui.Request, p *contacts.OfPerson) contactCard {
	c, list := &p.Contact, &p.Schema.List
	card := contactCard{List: list.ID, ID: c.ID, ListName: list.Name, State: stateOf(r, c, list),
		Buttons: buttonsOf(r, c, list)}
	if c.IsUnsubscribed {
		card.Again = againForm(r, list)
	}
	if list.TrackOpens || list.TrackClicks || c.TrackingConsent != enlist.TrackingUnknown {
		card.State = append(card.State, trackingText(r, p))
		card.Tracking = trackingForm(r)
	}
	if c.Language != "" {
		card.State = append(card.State, r.Text("contacts.speaks", "language", r.LanguageName(c.Language)))
	}
	for i := range p.Schema.Fields {
		f := &p.Schema.Fields[i]
		card.Values = append(card.Values, named{f.Name, shown(f, c.Values.Get(f.ID))})
	}
	for _, pref := range p.Schema.Preferences {
		text := r.Text("contacts.no_answer")
		if agree, answered := c.Prefs[pref.ID]; answered {
			text = yesOrNo(r, agree)
		}
		card.Answers = append(card.Answers, named{pref.Name, text})
	}
	return card
}

// yesOrNo returns an answer in words.
func yesOrNo(r *ui.Request, yes bool) string {
	if yes {
		return r.Text("contacts.yes")
	}
	return r.Text("contacts.no")
}

// stateOf says in sentences how a Contact joined, and whether it gets mail.
func stateOf(r *ui.Request, c *enlist.Contact, list *enlist.List) (all []string) {
	way := c.SubscribedVia
	for _, o := range waysToJoin {
		if o.Value == way {
			way = r.Text(o.Text)
			break
		}
	}
	all = append(all, r.Text("contacts.joined", "time", r.Date(c.Created), "way", way))
	if c.DoubleOptIn {
		all = append(all, r.Text("contacts.confirmed_subscription", "time", r.Date(c.DoubleOptInTime)))
	}
	switch {
	case c.IsUnsubscribed:
		return append(all, r.Text("contacts.has_unsubscribed_gets_no_mail"))
	case c.IsBounceDeactivated:
		return append(all, r.Text("contacts.gets_no_mail_because_mails"))
	case !c.IsActive:
		return append(all, r.Text("contacts.deactivated_gets_no_mail"))
	case list.DoubleOptIn && !c.DoubleOptIn:
		return append(all, r.Text("contacts.not_confirmed_note"))
	}
	return append(all, r.Text("contacts.gets_mail"))
}

// buttonsOf returns the changes that are possible.
func buttonsOf(r *ui.Request, c *enlist.Contact, list *enlist.List) (all []button) {
	if c.IsActive {
		all = append(all, button{"deactivate", r.Text("contacts.deactivate"),
			r.Text("contacts.deactivate_effect")})
	} else {
		all = append(all, button{"reactivate", r.Text("contacts.reactivate"),
			r.Text("contacts.reactivate_effect")})
	}
	if list.DoubleOptIn && !c.DoubleOptIn && !c.IsUnsubscribed {
		all = append(all, button{"confirm", r.Text("contacts.record_confirmation"),
			r.Text("contacts.record_confirmation_effect")})
	}
	if !c.IsUnsubscribed {
		all = append(all, button{"unsubscribe", r.Text("contacts.unsubscribe"),
			r.Text("contacts.unsubscribe_effect")})
	}
	return all
}

// change changes a Contact as a button says.
func (p *pages) change(r *ui.Request) (*ui.View, error) {
	list, id := enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact")))
	ctx, s, one := r.Context(), r.App.Contacts, contacts.ContactRequest{List: list, Contact: id}
	var done string
	var err error
	switch do := r.FormValue("do"); do {
	case "deactivate":
		done = r.Text("contacts.deactivated")
		_, err = s.Deactivate(ctx, r.Caller, list, id)
	case "reactivate":
		done = r.Text("contacts.reactivated")
		_, err = s.Reactivate(ctx, r.Caller, list, id)
	case "confirm":
		done = r.Text("contacts.confirmation_was_recorded")
		_, err = s.Confirm(ctx, r.Caller, one)
	case "unsubscribe":
		done = r.Text("contacts.unsubscribed")
		_, err = s.UnsubscribeByID(ctx, r.Caller, one)
	case "again":
		return p.subscribeAgain(r, list, id)
	default:
		return nil, ui.ErrNotFound
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo(personPath(list, id), done), nil
}

// againForm returns the input of what a person of a List has agreed to, or how the person has asked for it.
func againForm(r *ui.Request, l *enlist.List) ui.Form {
	label := r.Text("contacts.how_person_has_asked_be")
	if l.GDPR {
		label = r.Text("contacts.text_person_has_agreed")
	}
	return ui.Form{{Name: "text", Label: label, Kind: ui.InputArea, Rows: 2, Required: true, Most: contacts.MaxConsentText}}
}

func (p *pages) subscribeAgain(r *ui.Request, list enlist.ListID, id enlist.ContactID) (*ui.View, error) {
	l, err := r.App.Lists.List(r.Context(), r.Caller, list)
	if err != nil {
		return nil, err
	}
	f := againForm(r, l)
	f.Read(r)
	text := f.Value("text")
	switch {
	case text == "":
		f.Refused("text", r.Text("contacts.write_how_asked"))
	case len([]rune(text)) > contacts.MaxConsentText:
		f.Refused("text", r.Text("contacts.too_long", "n", contacts.MaxConsentText))
	}
	if f.IsWrong() {
		return p.showPerson(r, refusedForms{contact: id, again: f})
	}
	consent := contacts.Consent{Type: contacts.ConsentDirect, Text: text}
	if l.GDPR {
		consent.Type = enlist.ConsentGDPR
	}
	if _, err = r.App.Contacts.Resubscribe(r.Context(), r.Caller, contacts.ResubscribeRequest{List: list, Contact: id,
		Consent: consent}); err != nil {
		return nil, err
	}
	return ui.GoTo(personPath(list, id), r.Text("contacts.subscribed_again")), nil
}
