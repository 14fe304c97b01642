package audience

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// DeliveryKey names one thing that was to be sent to a Contact: because of which
// event, by the time of it, and what.
type DeliveryKey struct {
	List    ListID
	Contact ContactID
	Time    int64  // of the event
	Cause   string // CauseConfirmation or CauseAutoresponder
}

// CauseConfirmation is the request to confirm a subscription.
const CauseConfirmation = "c"

// CauseAutoresponder is an autoresponder's Message.
func CauseAutoresponder(id AutoresponderID) string { return "a" + strconv.FormatInt(int64(id), 10) }

// autoresponder is the one whose Message it is, 0 where it is none's.
func (k DeliveryKey) autoresponder() AutoresponderID {
	id, ok := strings.CutPrefix(k.Cause, "a")
	if !ok {
		return 0
	}
	n, _ := strconv.ParseInt(id, 10, 64) // the cause was made by CauseAutoresponder
	return AutoresponderID(n)
}

// Delivery is what became of one thing that was to be sent to a Contact.
type Delivery struct {
	DeliveryKey
	MessageID MessageID // 0: the request to confirm
	Address   string
	Subject   string
	SentTime  int64
	Status    DeliveryStatus
	Detail    string // what the mail server said
}

// DeliveryStatus says how a delivery ended.
type DeliveryStatus string

// The delivery statuses.
const (
	DeliverySent       DeliveryStatus = "sent"
	DeliveryBounced    DeliveryStatus = "bounced"    // refused for good because of the address
	DeliveryFailed     DeliveryStatus = "failed"     // given up on for another reason
	DeliveryComplained DeliveryStatus = "complained" // the recipient called it spam
)

// Notification is what a message to one of a List's addresses tells about a Contact.
type Notification struct {
	Notify
	Schema  *Schema
	Details *Contact   // nil when it was removed meanwhile
	Consent *LedgerRow // nil when the event left none
}

// OutgoingMail is something to be sent to a Contact now.
type OutgoingMail struct {
	Delivery DeliveryKey
	Schema   *Schema
	Contact  *Contact
	Address  string   // the Contact's Email
	Message  *Message // nil: the request to confirm the subscription
}

// Undelivered says why something was not sent. Package mail makes it; what it
// leads to is decided here and in package jobs.
type Undelivered struct {
	Permanent bool   // trying again is no use
	Recipient bool   // it is the address that was refused
	Code      int    // of the mail server's reply, 0 when there was none
	Detail    string // the reply, or what else happened
	Err       error
}

func (u *Undelivered) Error() string {
	switch {
	case u.Code != 0:
		return fmt.Sprintf("the mail server answered %d %s", u.Code, u.Detail)
	case u.Err != nil && u.Detail != "":
		return u.Detail + ": " + u.Err.Error()
	case u.Err != nil:
		return u.Err.Error()
	}
	return u.Detail
}

func (u *Undelivered) Unwrap() error { return u.Err }

// ErrSendingPaused says that sending was not tried: the mail server does not answer,
// and everybody waits for one to find out when it does again.
var ErrSendingPaused = errors.New("sending pauses: the mail server does not answer")

// DeliveryTx reads and changes what is noted about mail to Contacts, in a
// transaction. Times are Unix seconds.
type DeliveryTx interface {
	// Delivery returns one delivery. Its error is of kind NotFound when there is none.
	// In an Update, no other transaction can store one with the key until this one ends.
	Delivery(k DeliveryKey) (*Delivery, error)
	// PutDelivery inserts a delivery or replaces the one with its key.
	PutDelivery(d *Delivery) error
	// Deliveries returns the deliveries to a Contact, the newest first; limit 0 means all.
	Deliveries(list ListID, contact ContactID, limit int) ([]Delivery, error)
	// MarkConfirmationRequested notes that the server asks a Contact to confirm. It
	// returns false and changes nothing when it has asked after before.
	MarkConfirmationRequested(list ListID, id ContactID, now, before int64) (marked bool, err error)
	// MarkSubscriptionPending notes that autoresponders of a subscription wait for its
	// confirmation.
	MarkSubscriptionPending(list ListID, id ContactID) error
	// IsSubscriptionPending reports whether that was noted, also after the confirmation.
	IsSubscriptionPending(list ListID, id ContactID) (bool, error)
	// RaiseContactTimes raises last_message_time, last_open_time and last_click_time
	// of a Contact; 0 leaves one as it is.
	RaiseContactTimes(list ListID, id ContactID, message, open, click int64) error
	// BouncesSince returns the time up to which bounces of a Contact do not count.
	BouncesSince(list ListID, contact ContactID) (int64, error)
	// SetBouncesSince sets that time: bounces of mail that was sent until then no
	// longer count.
	SetBouncesSince(list ListID, contact ContactID, at int64) error
}
