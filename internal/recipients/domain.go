package recipients

import (
	"cmp"
	"slices"

	"enlist/internal/enlist"
	"enlist/internal/mail/reply"
	"enlist/internal/pace"
)

// This file has the numbers of a Batch by group of recipients' domains and by the reason for which mails did not
// arrive. The transaction that changes a recipient adds to them, as it does to the counts of the Batch.
// decisions.md: 131

// DomainSums are the numbers of the mails of a Batch to a group of domains.
type DomainSums struct {
	Group    string       // of pace.Provider
	Reason   BounceReason // of Refused, Bounced, Deferred and Failed; "" in rows that have other numbers
	Sent     int64        // accepted by the mail server
	Refused  int64
	Bounced  int64 // refused, or reported as undeliverable later
	Deferred int64 // mails whose first attempt failed for a time
	Failed   int64 // not sent, or reported as refused, for a reason that is not the address

	Opened, HumanOpened, Clicked, HumanClicked int64 // as of Sums

	Unmeasured Unmeasured // of the mails that have arrived
}

// Add adds other numbers.
func (s *DomainSums) Add(o *DomainSums) {
	s.Sent += o.Sent
	s.Refused += o.Refused
	s.Bounced += o.Bounced
	s.Deferred += o.Deferred
	s.Failed += o.Failed
	s.Opened += o.Opened
	s.HumanOpened += o.HumanOpened
	s.Clicked += o.Clicked
	s.HumanClicked += o.HumanClicked
	s.Unmeasured.Opens += o.Unmeasured.Opens
	s.Unmeasured.Clicks += o.Unmeasured.Clicks
}

// Delivered returns the number of mails that arrived, as far as is known.
func (s *DomainSums) Delivered() int64 { return max(0, s.Sent-(s.Bounced-s.Refused)) }

// MeasuredOpens returns the number of mails that arrived with a tracking pixel.
func (s *DomainSums) MeasuredOpens() int64 { return max(0, s.Delivered()-s.Unmeasured.Opens) }

// MeasuredClicks returns the number of mails that arrived with tracked links.
func (s *DomainSums) MeasuredClicks() int64 { return max(0, s.Delivered()-s.Unmeasured.Clicks) }

// DomainChanges are what a transaction adds to the DomainSums of a Batch.
type DomainChanges []DomainSums

// To returns the numbers for an address without a reason.
func (d *DomainChanges) To(address string) *DomainSums { return d.because(address, "") }

// Because returns the numbers for an address and the reason that a text of a mail server names.
func (d *DomainChanges) Because(address, detail string) *DomainSums {
	return d.because(address, ReasonOf(detail))
}

func (d *DomainChanges) because(address string, reason BounceReason) *DomainSums {
	group := pace.Provider(address)
	i := slices.IndexFunc(*d, func(s DomainSums) bool { return s.Group == group && s.Reason == reason })
	if i < 0 {
		i = len(*d)
		*d = append(*d, DomainSums{Group: group, Reason: reason})
	}
	return &(*d)[i]
}

// CountReported counts a mail whose report is the first sign that the mail server accepted it, or the first one that it
// did not arrive. counts are what the report changes in the counts of the Batch, and detail is the Detail of the recipient
// before: the reason for which the mail counted as failed.
func (d *DomainChanges) CountReported(address, detail string, counts *Counts) {
	if counts.Sent != 0 || counts.Unmeasured != (Unmeasured{}) {
		n := d.To(address)
		n.Sent += counts.Sent
		n.Unmeasured.Opens += counts.Unmeasured.Opens
		n.Unmeasured.Clicks += counts.Unmeasured.Clicks
	}
	if counts.Failed != 0 {
		d.Because(address, detail).Failed += counts.Failed
	}
}

// sort puts the numbers in the order in which all transactions lock their rows.
func (d DomainChanges) sort() {
	slices.SortFunc(d, func(a, b DomainSums) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Reason, b.Reason))
	})
}

// BounceReason says in a word why a mail server did not take a mail.
type BounceReason string

// The reasons.
const (
	ReasonUnknownAddress BounceReason = "unknown_address"
	ReasonDisabled       BounceReason = "disabled"    // the mailbox exists and takes no mail
	ReasonFull           BounceReason = "full"        // the mailbox, or the disk of its server
	ReasonUnreachable    BounceReason = "unreachable" // the domain has no mail server, or it does not answer
	ReasonPolicy         BounceReason = "policy"      // the provider does not want this mail or this sender; see reply.Fault
	ReasonContent        BounceReason = "content"     // the mail is too large, or of a form that is not taken
	ReasonOther          BounceReason = "other"
)

// reasonsOfKinds has the reasons of the kinds of replies.
var reasonsOfKinds = map[reply.Kind]BounceReason{
	reply.UnknownAddress: ReasonUnknownAddress, reply.Moved: ReasonUnknownAddress, reply.Disabled: ReasonDisabled,
	reply.Full: ReasonFull, reply.NoDomain: ReasonUnreachable, reply.Unreachable: ReasonUnreachable,
	reply.Policy: ReasonPolicy, reply.Sender: ReasonPolicy, reply.Content: ReasonContent,
}

// ReasonOf returns the reason that the reply of a mail server or the text of a report names. One that is the sender's
// fault is the Fault, if this is known.
func ReasonOf(detail string) BounceReason {
	reason := cmp.Or(reasonsOfKinds[reply.Judge("", detail, false)], ReasonOther)
	if reason == ReasonPolicy {
		reason = cmp.Or(BounceReason(reply.FaultOf(detail)), ReasonPolicy)
	}
	return reason
}

// isFault reports whether a reason is a Fault of the sender.
func (r BounceReason) isFault() bool { return slices.Contains(reply.Faults(), reply.Fault(r)) }

// HasFaults reports whether numbers tell the faults of the sender apart. Those of earlier versions have ReasonPolicy.
func HasFaults(sums []DomainSums) bool {
	return slices.ContainsFunc(sums, func(s DomainSums) bool { return s.Reason.isFault() })
}

// DomainAttributes are the keys of the numbers of a group of domains, in their order on the wire.
var DomainAttributes = []enlist.Attribute[DomainSums]{
	enlist.ReadOnlyText("domain", func(s *DomainSums) string { return s.Group }),
	enlist.ReadOnlyInt("sent_count", func(s *DomainSums) int64 { return s.Sent }),
	enlist.ReadOnlyInt("refused_count", func(s *DomainSums) int64 { return s.Refused }),
	enlist.ReadOnlyInt("bounce_count", func(s *DomainSums) int64 { return s.Bounced }),
	enlist.ReadOnlyInt("deferred_count", func(s *DomainSums) int64 { return s.Deferred }),
	enlist.ReadOnlyInt("opened_count", func(s *DomainSums) int64 { return s.Opened }),
	enlist.ReadOnlyInt("human_opened_count", func(s *DomainSums) int64 { return s.HumanOpened }),
	enlist.ReadOnlyInt("unique_contact_click", func(s *DomainSums) int64 { return s.Clicked }),
	enlist.ReadOnlyInt("human_contact_click", func(s *DomainSums) int64 { return s.HumanClicked }),
	enlist.ReadOnlyInt("failed_count", func(s *DomainSums) int64 { return s.Failed }),
	enlist.ReadOnlyInt("measured_opens", (*DomainSums).MeasuredOpens),
	enlist.ReadOnlyInt("measured_clicks", (*DomainSums).MeasuredClicks),
}

// ReasonAttributes are the keys of the numbers of a reason, in their order on the wire.
var ReasonAttributes = []enlist.Attribute[DomainSums]{
	enlist.ReadOnlyText("reason", func(s *DomainSums) BounceReason { return s.Reason }),
	enlist.ReadOnlyInt("refused_count", func(s *DomainSums) int64 { return s.Refused }),
	enlist.ReadOnlyInt("bounce_count", func(s *DomainSums) int64 { return s.Bounced }),
	enlist.ReadOnlyInt("deferred_count", func(s *DomainSums) int64 { return s.Deferred }),
	enlist.ReadOnlyInt("failed_count", func(s *DomainSums) int64 { return s.Failed }),
}
