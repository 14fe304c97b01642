package audience

import (
	"strconv"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/events"
)

// The files delivery_*.go have the steps of a mail to a Contact. When the job runs,
// delivery_prepare.go decides whether to send the mail. Package mail composes and sends it.
// delivery_outcome.go stores the result. delivery_bounce.go handles reports of bounces and
// complaints, which can arrive days later. delivery_history.go shows the deliveries to callers.

// DeliveryKey identifies one mail to a Contact by the event that caused it. The same event
// and cause give the same key, so a job that runs twice finds the delivery of its first run.
type DeliveryKey struct {
	List    enlist.ListID
	Contact enlist.ContactID
	Time    int64  // of the event
	Cause   string // CauseConfirmation or CauseAutoresponder; there are others for links in notifications and in test mails
}

// CauseConfirmation is the Cause of a request to confirm a subscription.
const CauseConfirmation = "c"

// CauseAutoresponder returns the Cause of an autoresponder's Message.
func CauseAutoresponder(id enlist.AutoresponderID) string {
	return "a" + strconv.FormatInt(int64(id), 10)
}

// autoresponder returns the ID in a Cause that CauseAutoresponder returned. For other causes it
// returns 0.
func (k DeliveryKey) autoresponder() enlist.AutoresponderID {
	return enlist.AutoresponderID(k.idAfter("a"))
}

// idAfter returns the ID in a Cause that begins with a prefix. For other causes it returns 0.
func (k DeliveryKey) idAfter(prefix string) int64 {
	id, ok := strings.CutPrefix(k.Cause, prefix)
	if !ok {
		return 0
	}
	n, _ := strconv.ParseInt(id, 10, 64) // CauseAutoresponder or CauseBatch wrote a number
	return n
}

// String joins the four parts with "-". Links and envelope addresses contain it.
func (k DeliveryKey) String() string {
	b := strconv.AppendInt(nil, int64(k.List), 10)
	b = strconv.AppendInt(append(b, '-'), int64(k.Contact), 10)
	b = strconv.AppendInt(append(b, '-'), k.Time, 10)
	return string(append(append(b, '-'), k.Cause...))
}

// parseDeliveryKey reads the text that String returns. It also accepts other spellings of a
// number, such as "007". LinkKey refuses them, because it compares the complete text.
func parseDeliveryKey(text string) (k DeliveryKey, ok bool) {
	parts := strings.Split(text, "-")
	if len(parts) != 4 {
		return k, false
	}
	var numbers [3]int64
	for i := range numbers {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return k, false
		}
		numbers[i] = n
	}
	return DeliveryKey{enlist.ListID(numbers[0]), enlist.ContactID(numbers[1]), numbers[2], parts[3]}, true
}

// Delivery is the stored result of one mail to a Contact.
type Delivery struct {
	DeliveryKey
	MessageID enlist.MessageID // 0: the request to confirm
	Address   string
	Subject   string // with the values of the merge fields, if the mail was composed
	SentTime  int64
	Status    DeliveryStatus
	Detail    string // the mail server's reply, or the text of a bounce or complaint report
}

// hasNoTexts reports whether a Retention has removed the address and the texts of a delivery that did not bounce.
func (d *Delivery) hasNoTexts() bool { return d.Address == "" && d.Subject == "" && d.Detail == "" }

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
	Delivery DeliveryKey
	Schema   *enlist.Schema
	Contact  *enlist.ByID
	Address  string   // the Contact's Email
	Message  *Message // nil: the request to confirm the subscription
	Files    []MessageFile
}

// Notification is the content of a mail that notifies one of a List's addresses of an event.
type Notification struct {
	events.Notify
	Schema  *enlist.Schema
	Details *enlist.ByID      // nil if the Contact was removed after the event
	Consent *enlist.LedgerRow // nil if the event stored no consent
}
