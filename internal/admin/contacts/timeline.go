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

var laneNames = []string{"Consent", "Mails", "Opens", "Clicks", "Lost"}
var laneClasses = []string{"s1", "s4", "s2", "s1", "s5"}

// shownMoments is the largest number of moments on a page.
const shownMoments = 200

// addMoments adds what happened, the newest first.
func (d *personData) addMoments(r *ui.Request, found []contacts.OfPerson) error {
	var all []happened
	for i := range found {
		list, id := &found[i].Schema.List, found[i].Contact.ID
		ledger := &kept[enlist.LedgerRow]{}
		if err := r.App.Contacts.ContactConsents(r.Context(), r.Caller, contacts.LedgerQuery{List: list.ID, Contact: id,
			Limit: shownMoments, Changes: true}, ledger); err != nil {
			return err
		}
		for k := range ledger.rows {
			all = append(all, ofLedger(&ledger.rows[k], list.Name))
		}
		mails := &kept[reports.MailHistory]{}
		if err := r.App.Reports.ContactHistory(r.Context(), r.Caller, list.ID, id, mails); err != nil {
			return err
		}
		for k := range mails.rows {
			all = append(all, ofMail(&mails.rows[k], list.Name)...)
		}
	}
	slices.SortStableFunc(all, func(a, b happened) int { return cmp.Compare(b.Time, a.Time) })
	d.Older = len(all) > shownMoments
	all = all[:min(len(all), shownMoments)]
	lanes := make([]ui.Lane, len(laneNames))
	for i := range lanes {
		lanes[i].Name, lanes[i].Class = laneNames[i], laneClasses[i]
	}
	for _, h := range all {
		d.Moments = append(d.Moments, shownMoment{h, r.Date(h.Time)})
		l := &lanes[h.Lane]
		l.Dots = append(l.Dots, ui.Dot{Time: h.Time, Text: r.Date(h.Time) + ": " + h.Text})
	}
	d.Drawing = r.Dots("What happened to "+d.Address, lanes)
	return nil
}

// kept keeps the rows of a reply.
type kept[T any] struct{ rows []T }

// Begin implements enlist.RowWriter.
func (k *kept[T]) Begin(bool) error {
	k.rows = nil
	return nil
}

// Row implements enlist.RowWriter.
func (k *kept[T]) Row(r *T) error {
	k.rows = append(k.rows, *r)
	return nil
}

// leaving are the methods of ledger rows by which a person leaves.
var leaving = []string{"unsubscribeContact", "unsubscribeContactById", contacts.MethodUnsubscribeLink,
	contacts.MethodUnsubscribeAll, contacts.MethodComplaint}

// statementOf returns the statement of a user by which a Contact was confirmed.
func statementOf(l *enlist.LedgerRow) string {
	if l.Method != contacts.MethodStatement {
		return ""
	}
	return "“" + l.Text + "”"
}

func ofLedger(l *enlist.LedgerRow, list string) happened {
	h := happened{Time: l.Time, Text: proof.Act(*l), List: list}
	if slices.Contains(leaving, l.Method) || l.Method == "import" && l.Type == "" {
		h.Lane = leftLane
	}
	var from []string
	for _, s := range []named{{"consent", string(l.Type)}, {"text", statementOf(l)}, {"key", l.KeyName}, {"IP address", l.IP}} {
		if s.Text != "" {
			from = append(from, s.Name+" "+s.Text)
		}
	}
	if l.ImportID != 0 {
		from = append(from, "import "+ui.Plain(int64(l.ImportID))+", row "+ui.Plain(l.ImportRow))
		h.Path = "/admin/imports/" + ui.Plain(int64(l.ImportID))
	}
	for _, p := range l.Preferences {
		from = append(from, p.Name+": "+map[bool]string{true: "yes", false: "no"}[p.Agree])
	}
	if l.Text != "" {
		from = append(from, "“"+l.Text+"”")
	}
	h.Source = strings.Join(from, ", ")
	return h
}

func ofMail(m *reports.MailHistory, list string) (all []happened) {
	name := "“" + cmp.Or(m.Subject, m.Name, "a mail") + "”"
	sent := happened{Time: m.SentTime, Lane: mailLane, List: list, Text: name + " was sent", Source: "to " + m.Address}
	if m.Batch != 0 {
		sent.Path = "/admin/sends/" + ui.Plain(int64(m.Batch))
	}
	switch m.Status {
	case messages.DeliveryFailed:
		sent.Lane, sent.Text = leftLane, name+" could not be delivered"
	case messages.DeliveryBounced:
		sent.Text = name + " was sent and came back"
	}
	if m.Detail != "" {
		sent.Source += ": " + m.Detail
	}
	all = append(all, sent)
	for i := range m.Events {
		if h, shown := ofEvent(&m.Events[i], name); shown {
			h.List, h.Path = list, sent.Path
			all = append(all, h)
		}
	}
	return all
}

// ofEvent returns an event of a mail. The ledger has the departures, and the links have the clicks.
func ofEvent(e *reports.HistoryEvent, name string) (h happened, shown bool) {
	h = happened{Time: e.Time}
	by := "by a program, such as a filter of mails"
	if e.Human != 0 {
		by = "by the person"
	}
	times := ""
	if e.Count > 1 {
		times = ", " + ui.Number(e.Count) + " times in all"
	}
	switch e.Kind {
	case recipients.EventOpened:
		h.Lane, h.Text, h.Source = openLane, name+" was opened"+times, by
		if e.Device != "" {
			h.Source += ", on " + strings.ReplaceAll(strings.TrimSpace(string(e.Device)+" "+e.Client), "_", " ")
		}
	case recipients.EventLink:
		h.Lane, h.Text, h.Source = clickLane, "a link in "+name+" was clicked"+times, by+": "+e.URL
	case recipients.EventBounced:
		h.Lane, h.Text = leftLane, name+" came back"
	case recipients.EventComplained:
		h.Lane, h.Text = leftLane, name+" was reported as spam"
	case recipients.EventDeactivated:
		h.Lane, h.Text = leftLane, "was deactivated, because "+name+" came back"
	default:
		return h, false
	}
	return h, true
}
