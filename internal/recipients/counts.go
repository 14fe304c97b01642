package recipients

import (
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the counts of a Batch, and the reasons for which Contacts get no mail of it.

// Counts are the numbers of a Batch. Each transaction that changes a recipient also adds to
// them, so a report reads one row.
type Counts struct {
	Recipients   int64
	Sent         int64 // accepted by the mail server
	Refused      int64 // refused by the mail server because of the address
	Bounced      int64 // refused, or reported as undeliverable later
	Failed       int64 // not sent for another reason
	Skipped      int64 // recipients that must not get the mail any more
	Complained   int64
	Unsubscribed int64 // by the link in the mail, or by a complaint
	Deactivated  int64 // Contacts that a bounce of this Batch deactivated
	Repeated     int64 // sent again, because the first outcome is unknown
	Doubtful     int64 // not sent again although the outcome is unknown
	Contradicted int64 // mails that other counts have twice; see Recipient.Contradicted

	// Contacts that were left out or skipped, by reason.
	LeftUnsubscribed, LeftInactive, LeftUnconfirmed, LeftNoAddress, LeftSuppressed, LeftDuplicate, LeftSentBefore,
	LeftExcluded, LeftGone int64

	Unmeasured Unmeasured // of the mails that have arrived
}

// Unmeasured are the numbers of mails whose opens and clicks are not recorded. decisions.md: 162
type Unmeasured struct{ Opens, Clicks int64 }

// Count adds n mails, which are not measured as u says.
func (s *Unmeasured) Count(u enlist.Unmeasured, n int64) {
	if u&enlist.UnmeasuredOpens != 0 {
		s.Opens += n
	}
	if u&enlist.UnmeasuredClicks != 0 {
		s.Clicks += n
	}
}

// MapUnmeasured describes the columns of the numbers.
func MapUnmeasured(m *db.Mapper, s *Unmeasured) {
	m.Fixed("unmeasured_opens", &s.Opens)
	m.Fixed("unmeasured_clicks", &s.Clicks)
}

// Leave adds n to the count of a reason.
func (c *Counts) Leave(reason LeftOut, n int64) {
	switch reason {
	case LeftUnsubscribed:
		c.LeftUnsubscribed += n
	case LeftInactive:
		c.LeftInactive += n
	case LeftUnconfirmed:
		c.LeftUnconfirmed += n
	case LeftNoAddress:
		c.LeftNoAddress += n
	case LeftSuppressed:
		c.LeftSuppressed += n
	case LeftDuplicate:
		c.LeftDuplicate += n
	case LeftSentBefore:
		c.LeftSentBefore += n
	case LeftExcluded:
		c.LeftExcluded += n
	case LeftGone:
		c.LeftGone += n
	}
}

// LeftOut says why a Contact gets no mail of a Batch.
type LeftOut string

// The reasons.
const (
	LeftUnsubscribed LeftOut = "unsubscribed"
	LeftInactive     LeftOut = "inactive"
	LeftUnconfirmed  LeftOut = "unconfirmed" // the List requires a confirmation
	LeftNoAddress    LeftOut = "no address"
	LeftSuppressed   LeftOut = "suppressed"  // the address is on the Unsubscriber List for all Lists
	LeftDuplicate    LeftOut = "duplicate"   // another recipient of the Batch has the address
	LeftSentBefore   LeftOut = "sent before" // only for populations of type unsent
	LeftExcluded     LeftOut = "excluded"    // by the options of the Batch
	LeftGone         LeftOut = "gone"        // the List has no such Contact
)

// ToSend returns the number of recipients that get the mail, or have got it.
func (c *Counts) ToSend() int64 { return c.Recipients - c.Skipped }

// Delivered returns the number of mails that arrived, as far as is known: the rows of the kind RowsDelivered.
func (c *Counts) Delivered() int64 { return max(0, c.Sent-(c.Bounced-c.Refused)) }

// MeasuredOpens returns the number of mails that arrived with a tracking pixel.
func (c *Counts) MeasuredOpens() int64 { return max(0, c.Delivered()-c.Unmeasured.Opens) }

// MeasuredClicks returns the number of mails that arrived with tracked links.
func (c *Counts) MeasuredClicks() int64 { return max(0, c.Delivered()-c.Unmeasured.Clicks) }

// Processed returns the number of recipients whose mail was sent, has failed permanently, or is doubtful for ever.
func (c *Counts) Processed() int64 { return c.Sent + c.Refused + c.Failed + c.Doubtful }

// WhyLeftOut says why a Contact must not get the mail of a Batch. It returns "" for a Contact that may.
// reference.md: event.confirm
func WhyLeftOut(c *enlist.Contact, schema *enlist.Schema) LeftOut {
	switch {
	case c.IsUnsubscribed:
		return LeftUnsubscribed
	case !c.IsActive:
		return LeftInactive
	case !strings.Contains(c.Key, "@"):
		return LeftNoAddress
	case schema.List.DoubleOptIn && !c.DoubleOptIn:
		return LeftUnconfirmed
	}
	return ""
}
