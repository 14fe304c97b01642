package messages

import (
	"strconv"

	"enlist/internal/enlist"
	"enlist/internal/events"
)

// The files delivery_*.go have the steps of a mail to a Contact. When the job runs,
// prepare.go decides whether to send the mail. Package mail composes and sends it.
// sending/outcome.go stores the result. sending/bounce.go handles reports of bounces and
// complaints, which can arrive days later. reports/history.go shows the deliveries to callers.

// CauseConfirmation is the Cause of a request to confirm a subscription.
const CauseConfirmation = "c"

// CauseLink is the Cause of a mail with the link to the settings of a subscriber.
const CauseLink = "p"

// CauseAutoresponder returns the Cause of an autoresponder's Message.
func CauseAutoresponder(id enlist.AutoresponderID) string {
	return "a" + strconv.FormatInt(int64(id), 10)
}

// Delivery is the stored result of one mail to a Contact.
type Delivery struct {
	enlist.DeliveryKey
	MessageID enlist.MessageID // 0: the request to confirm, or the link to the settings
	Address   string
	Subject   string // with the values of the merge fields, if the mail was composed
	SentTime  int64
	Status    DeliveryStatus
	Detail    string // the mail server's reply, or the text of a bounce or complaint report

	Unmeasured enlist.Unmeasured // of a mail that was sent now; it is stored with the recipient
}

// HasNoTexts reports whether a Retention has removed the address and the texts of a delivery that did not bounce.
func (d *Delivery) HasNoTexts() bool { return d.Address == "" && d.Subject == "" && d.Detail == "" }

// DeliveryStatus says how a delivery ended.
type DeliveryStatus string

// The delivery statuses.
const (
	DeliverySent       DeliveryStatus = "sent"       // the mail server accepted it
	DeliveryBounced    DeliveryStatus = "bounced"    // refused permanently because of the address
	DeliveryFailed     DeliveryStatus = "failed"     // not sent for another reason, after all attempts
	DeliveryComplained DeliveryStatus = "complained" // the recipient reported it as spam
)

// OutgoingMail is a mail that must be sent to a Contact now.
type OutgoingMail struct {
	Delivery  enlist.DeliveryKey
	Schema    *enlist.Schema
	Contact   *enlist.Contact
	Address   string   // the Contact's Email
	Message   *Message // nil: the request to confirm the subscription or, with CauseLink, the link to the settings
	Files     []MessageFile
	Campaign  string // name of the Batch; "": it has none, or the mail is of no Batch
	Untracked bool   // it has no tracking pixel and no tracked links, whatever the List says
	Archived  bool   // it is shown to anyone who has the URL: it has no values and links of one person
	Recorded  bool   // a trial of a mail whose opens or clicks are recorded: it has the link to the page about this
	Problem   string // why the mail of an autoresponder cannot be sent; "" if it can
}

// Unmeasured returns what of the mail is not recorded. The mail is composed by it, and its result stored with it.
// decisions.md: 162
func (m *OutgoingMail) Unmeasured() (u enlist.Unmeasured) {
	untracked := m.Untracked || m.Message == nil || m.Message.Asks || m.Message.EmailType == EmailPlain // no HTML part
	if untracked || !m.Schema.TracksOpens(m.Contact.TrackingConsent) {
		u = enlist.UnmeasuredOpens
	}
	if untracked || !m.Schema.TracksClicks(m.Contact.TrackingConsent) {
		u |= enlist.UnmeasuredClicks
	}
	return u
}

// Notification is the content of a mail that notifies one of a List's addresses of an event.
type Notification struct {
	events.Notify
	Schema  *enlist.Schema
	Details *enlist.Contact   // nil if the Contact was removed after the event
	Consent *enlist.LedgerRow // nil if the event stored no consent
}
