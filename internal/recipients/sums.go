package recipients

import (
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file has the sums of opens and clicks. The transaction that stores an event adds to them.

// Sums are the numbers of opens and clicks of a Batch in a period.
type Sums struct {
	Opens        int64 // requests for the image
	ImageOpened  int64 // mails that were opened first by the image
	ClickOpened  int64 // mails that were opened first by a click
	HumanOpened  int64 // mails that a person opened
	Clicks       int64
	Clicked      int64 // mails in which a link was clicked
	LinksClicked int64 // pairs of a mail and a clicked link
	HumanClicked int64 // mails in which a person clicked a link
	HumanLinks   int64 // pairs of a mail and a link that a person clicked
}

// Opened returns the number of opened mails.
func (s *Sums) Opened() int64 { return s.ImageOpened + s.ClickOpened }

// LinkSums are the numbers of clicks of one link of a Batch.
type LinkSums struct {
	Link     enlist.LinkID
	URL      string // as in the Message
	Clicks   int64
	Contacts int64 // mails in which the link was clicked
	Humans   int64 // mails in which a person clicked the link
}

// AgentSums is the number of mails that were opened first on a kind of device with a mail program.
type AgentSums struct {
	Device pace.Device
	Client string
	Opened int64
}

// SumParts is the number of rows into which each sum of a Batch, or of one of its variants, is divided.
const SumParts = 16

// Add adds other sums.
func (s *Sums) Add(o *Sums) {
	s.Opens += o.Opens
	s.ImageOpened += o.ImageOpened
	s.ClickOpened += o.ClickOpened
	s.HumanOpened += o.HumanOpened
	s.Clicks += o.Clicks
	s.Clicked += o.Clicked
	s.LinksClicked += o.LinksClicked
	s.HumanClicked += o.HumanClicked
	s.HumanLinks += o.HumanLinks
}

// PeriodSums are the Sums of one period.
type PeriodSums struct {
	Time         int64 // beginning of the period
	Unsubscribed int64 // mails by which the recipient unsubscribed; also the complaints
	Complained   int64
	Sums
}
