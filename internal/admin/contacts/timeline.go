package contacts

import (
	"cmp"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/privacy/proof"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file collects what happened to a person, from the ledger and from the mails.

// happened is something that happened.
type happened struct {
	Time   int64
	Lane   int
	Text   string
	Source string // who or what recorded it, and what the record has
	List   string
	Path   string // of the report of the mail; "": none
}

// shownMoment is that with its time in words.
type shownMoment struct {
	happened
	When string
}

// The lanes of the drawing.
const (
	consentLane = iota
	mailLane
	openLane
	clickLane
	leftLane
)

// laneNames are the keys of what the lanes are called.
var laneNames = []string{"contacts.lane_consent", "contacts.lane_mails", "contacts.lane_opens", "contacts.lane_clicks",
	"contacts.lane_lost"}
var laneClasses = []string{"s1", "s4", "s2", "s1", "s5"}

// shownMoments is the largest number of moments on a page.
const shownMoments = 200

// addMoments adds what happened, the newest first.
func (d *personData) addMoments(r *ui.Request, found []contacts.OfPerson) error {
	var all []happened
	for i := range found {
		list, id := &found[i].Schema.List, found[i].Contact.ID
		ledger := new(ui.Rows[enlist.LedgerRow])
		if err := r.App.Contacts.ContactConsents(r.Context(), r.Caller, contacts.LedgerQuery{List: list.ID, Contact: id,
			Limit: shownMoments, Changes: true}, ledger); err != nil {
			return err
		}
		for k := range ledger.All {
			all = append(all, ofLedger(r, &ledger.All[k], list.Name))
		}
		mails := new(ui.Rows[reports.MailHistory])
		if err := r.App.Reports.ContactHistory(r.Context(), r.Caller, list.ID, id, mails); err != nil {
			return err
		}
		for k := range mails.All {
			all = append(all, ofMail(r, &mails.All[k], list.Name)...)
		}
	}
	slices.SortStableFunc(all, func(a, b happened) int { return cmp.Compare(b.Time, a.Time) })
	d.Older = len(all) > shownMoments
	all = all[:min(len(all), shownMoments)]
	lanes := make([]ui.Lane, len(laneNames))
	for i := range lanes {
		lanes[i].Name, lanes[i].Class = r.Text(laneNames[i]), laneClasses[i]
	}
	for _, h := range all {
		d.Moments = append(d.Moments, shownMoment{h, r.Date(h.Time)})
		l := &lanes[h.Lane]
		l.Dots = append(l.Dots, ui.Dot{Time: h.Time,
			Text: r.Text("contacts.dot", "time", r.Date(h.Time), "what", h.Text)})
	}
	d.Drawing = r.Dots(r.Text("contacts.what_happened_to", "address", d.Address), lanes)
	return nil
}

// leaving are the methods of ledger rows by which a person leaves.
var leaving = []string{"unsubscribeContact", "unsubscribeContactById", contacts.MethodUnsubscribeLink,
	contacts.MethodUnsubscribeAll, contacts.MethodComplaint}

func ofLedger(r *ui.Request, l *enlist.LedgerRow, list string) happened {
	h := happened{Time: l.Time, Text: proof.Act(r.Language, l), List: list}
	if slices.Contains(leaving, l.Method) || proof.IsImportedDeparture(l) {
		h.Lane = leftLane
	}
	var from []string
	add := func(key, value string, more ...any) {
		if value != "" {
			from = append(from, r.Text(key, append(more, "value", value)...))
		}
	}
	add("contacts.record_consent", string(l.Type))
	add("contacts.record_key", l.KeyName)
	add("contacts.record_ip", l.IP)
	if l.ImportID != 0 {
		add("contacts.record_import", ui.Plain(int64(l.ImportID)), "row", ui.Plain(l.ImportRow))
		h.Path = "/admin/imports/" + ui.Plain(int64(l.ImportID))
	}
	for _, p := range l.Preferences {
		add("contacts.record_preference", yesOrNo(r, p.Agree), "preference", p.Name)
	}
	add("contacts.record_text", l.Text)
	h.Source = r.Language.Series(from)
	return h
}

func ofMail(r *ui.Request, m *reports.MailHistory, list string) (all []happened) {
	name := cmp.Or(m.Subject, m.Name)
	if name == "" {
		name = r.Text("contacts.unnamed_mail")
	}
	sent := happened{Time: m.SentTime, Lane: mailLane, List: list, Text: r.Text("contacts.mail_sent", "mail", name),
		Source: r.Text("contacts.sent_to", "address", m.Address)}
	if m.Batch != 0 {
		sent.Path = "/admin/sends/" + ui.Plain(int64(m.Batch))
	}
	switch m.Status {
	case messages.DeliveryFailed:
		sent.Lane, sent.Text = leftLane, r.Text("contacts.mail_failed", "mail", name)
	case messages.DeliveryBounced:
		sent.Text = r.Text("contacts.mail_sent_and_bounced", "mail", name)
	}
	if m.Detail != "" {
		sent.Source = r.Text("contacts.sent_to_with_detail", "address", m.Address, "detail", r.Language.Said(m.Detail))
	}
	all = append(all, sent)
	for i := range m.Events {
		if h, shown := ofEvent(r, &m.Events[i], name); shown {
			h.List, h.Path = list, sent.Path
			all = append(all, h)
		}
	}
	return all
}

// ofEvent returns an event of a mail. The ledger has the departures, and the links have the clicks.
func ofEvent(r *ui.Request, e *reports.HistoryEvent, mail string) (h happened, shown bool) {
	h = happened{Time: e.Time, Lane: leftLane}
	switch e.Kind {
	case recipients.EventOpened:
		h.Lane, h.Text = openLane, r.Text("contacts.mail_opened", "n", max(1, e.Count), "mail", mail)
		h.Source = sourceOf(r, e)
	case recipients.EventLink:
		h.Lane, h.Text = clickLane, r.Text("contacts.link_clicked", "n", max(1, e.Count), "mail", mail)
		h.Source = r.Text("contacts.click_source", "who", sourceOf(r, e), "url", e.URL)
	case recipients.EventBounced:
		h.Text = r.Text("contacts.mail_bounced", "mail", mail)
	case recipients.EventComplained:
		h.Text = r.Text("contacts.mail_reported", "mail", mail)
	case recipients.EventDeactivated:
		h.Text = r.Text("contacts.mail_deactivated", "mail", mail)
	default:
		return h, false
	}
	return h, true
}

// sourceOf says who opened a mail or clicked in it, and on which device.
func sourceOf(r *ui.Request, e *reports.HistoryEvent) string {
	who, whoOnDevice := "contacts.by_filter", "contacts.by_filter_on"
	if e.Human != 0 {
		who, whoOnDevice = "contacts.by_person", "contacts.by_person_on"
	}
	if e.Kind != recipients.EventOpened || e.Device == "" {
		return r.Text(who)
	}
	device := strings.TrimSpace(string(e.Device) + " " + e.Client)
	return r.Text(whoOnDevice, "device", strings.ReplaceAll(device, "_", " "))
}
