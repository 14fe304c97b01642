package mail

import (
	"strconv"
	"strings"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// notification tells one of a List's addresses what happened to a Contact.
// specification: Events, Notification message
func (c *composer) notification(id string, n *audience.Notification) (*gomail.Msg, error) {
	letter := c.notice(n)
	from := c.listSender(&n.Schema.List)
	from.to, from.key, from.subject = n.Address, "n/"+id, oneLine(letter.Title)
	m, err := c.message(from)
	if err != nil {
		return nil, err
	}
	m.SetBodyString(gomail.TypeTextPlain, letter.text())
	m.AddAlternativeString(gomail.TypeTextHTML, letter.html())
	return m, nil
}

// notice says what a notification tells.
func (c *composer) notice(n *audience.Notification) *builtIn {
	happened := map[audience.Event][3]string{
		audience.EventSubscribe:     {" subscribed to ", "Subscribed", "New subscription"},
		audience.EventUnsubscribe:   {" unsubscribed from ", "Unsubscribed", "Unsubscription"},
		audience.EventUpdateProfile: {" changed their details on ", "Changed", "Changed details"},
	}[n.Event]
	b := &builtIn{Title: who(n) + happened[0] + n.Schema.List.Name, Heading: happened[2], List: n.Schema.List.Name}
	b.Rows = append(b.Rows, row{happened[1], clock(n.Schema, n.Time)})
	if n.Details == nil {
		b.Before = who(n) + " has been removed since, so there is nothing left to show."
		return b
	}
	b.Rows = append(b.Rows, contactRows(n.Schema, n.Details)...)
	b.Rows = append(b.Rows, consentRows(n.Schema, n.Consent)...)
	b.Button = "Show the Contact"
	b.Link = c.link(audience.LinkContact, audience.DeliveryKey{List: n.List, Contact: n.Contact, Time: n.Time, Cause: causeNotification})
	b.After = "You receive this because your address is in the settings of the List."
	return b
}

// causeNotification stands in links of a notification for what was delivered.
const causeNotification = "n"

// who is how a Contact is called in a sentence.
func who(n *audience.Notification) string {
	if n.Details != nil {
		if email := n.Details.Values.Get(n.Schema.Email().ID); email != "" {
			return email
		}
		if mobile := n.Schema.Mobile(); mobile != nil && n.Details.Values.Get(mobile.ID) != "" {
			return n.Details.Values.Get(mobile.ID)
		}
	}
	return "Contact " + strconv.FormatInt(int64(n.Contact), 10)
}

func contactRows(schema *audience.Schema, contact *audience.Contact) []row {
	var rows []row
	for i := range schema.Fields {
		f := &schema.Fields[i]
		if value := contact.Values.Get(f.ID); value != "" {
			rows = append(rows, row{f.Name, value})
		}
	}
	var answers []string
	for i := range schema.Preferences {
		p := &schema.Preferences[i]
		if agrees, answered := contact.Prefs[p.ID]; answered {
			answers = append(answers, p.Name+": "+yesNo(agrees))
		}
	}
	if answers != nil {
		rows = append(rows, row{"List preferences", strings.Join(answers, "\n")})
	}
	return append(rows, row{"Status", status(schema, contact)}, row{"Contact ID", strconv.FormatInt(int64(contact.ID), 10)})
}

// status says what keeps a Contact from receiving mail, or that nothing does.
func status(schema *audience.Schema, contact *audience.Contact) string {
	var says []string
	if contact.IsUnsubscribed {
		says = append(says, "unsubscribed")
	} else {
		says = append(says, "subscribed")
	}
	switch {
	case contact.IsBounceDeactivated && !contact.IsActive:
		says = append(says, "deactivated after bounces")
	case !contact.IsActive:
		says = append(says, "deactivated")
	}
	switch {
	case contact.DoubleOptIn:
		says = append(says, "confirmed "+clock(schema, contact.DoubleOptInTime))
	case schema.List.DoubleOptIn:
		says = append(says, "not confirmed yet")
	}
	return strings.Join(says, ", ")
}

func consentRows(schema *audience.Schema, consent *audience.LedgerRow) []row {
	if consent == nil {
		return nil
	}
	says := map[audience.ConsentType]string{
		audience.ConsentGDPR:        "GDPR",
		audience.ConsentDirect:      "direct",
		audience.ConsentNotRecorded: "not recorded",
	}[consent.Type]
	rows := []row{{"Consent", says + ", " + clock(schema, consent.Time)}}
	if consent.Text != "" {
		rows = append(rows, row{"Consent text", consent.Text})
	}
	if consent.IP != "" {
		rows = append(rows, row{"IP address", consent.IP})
	}
	return rows
}

// clock writes a moment in the Account's time zone.
func clock(schema *audience.Schema, unix int64) string {
	return schema.LocalTime(unix).Format("2 January 2006, 15:04:05 (UTC-07:00)")
}

func yesNo(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}
