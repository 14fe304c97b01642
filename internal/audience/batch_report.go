package audience

import (
	"context"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file has the numbers of a Batch. They come from the row of the Batch and from its sums, so a report takes the
// same time for every number of recipients and events. decisions.md: 61

// BatchReport is the numbers of a Batch.
type BatchReport struct {
	Batch
	BatchSums
	Periods []PeriodSums // the periods with events, in order of time
	Agents  []AgentSums

	Editions  []Edition
	ByVariant []VariantSums
}

// PeriodSums are the BatchSums of one period.
type PeriodSums struct {
	Time int64 // beginning of the period
	BatchSums
}

// NotOpened returns the number of mails that the mail server has accepted, that have not bounced and were not opened: the
// rows of the kind RowsNotOpened. It is too small by the mails that were opened before their outcome is stored.
func (r *BatchReport) NotOpened() int64 {
	return max(0, r.Sent-(r.Bounced-r.Refused)-r.Opened()+r.Contradicted)
}

// contradicted returns what a recipient adds to BatchCounts.Contradicted, so that BatchReport.NotOpened is exact. Most
// mails are either opened or bounced. A mail that was opened and bounced is subtracted twice from the sent ones, so it
// adds 1. An opened mail that counts as not sent, because its outcome was unknown, adds 1 too, and so does a bounced
// mail that the recipient has reported as spam. The caller adds the difference when the recipient or its events change.
func (r *Recipient) contradicted(events []RecipientEvent) int64 {
	opened := count(eventOf(events, EventOpened, 0) != nil)
	switch {
	case !r.wasHandedOver() && r.Status != RecipientSkipped:
		return 0 // no outcome is counted yet
	case r.Sent == 0, r.Status == RecipientBounced:
		return opened
	}
	return count(eventOf(events, EventBounced, 0) != nil)
}

// Unsent returns the number of recipients whose mail is not sent yet.
func (r *BatchReport) Unsent() int64 { return max(0, r.toSend()-r.processed()) }

// Emails returns the number of recipients that get the mail or have got it.
func (r *BatchReport) Emails() int64 { return r.toSend() }

// Devices returns the number of opened mails by device.
func (r *BatchReport) Devices() map[pace.Device]int64 {
	devices := make(map[pace.Device]int64)
	for i := range r.Agents {
		devices[r.Agents[i].Device] += r.Agents[i].Opened
	}
	return devices
}

// ClientSums is the number of opened mails of a group of mail programs.
type ClientSums struct {
	pace.MailClient
	Opened int64
}

// Clients returns the number of opened mails by group of mail programs, without the groups that have none.
func (r *BatchReport) Clients() (all []ClientSums) {
	opened := make(map[string]int64)
	for i := range r.Agents {
		opened[r.Agents[i].Client] += r.Agents[i].Opened
	}
	for _, c := range pace.MailClients() {
		if opened[c.Key] > 0 {
			all = append(all, ClientSums{c, opened[c.Key]})
		}
	}
	return all
}

// BatchReport returns the numbers of a Batch. Errors: NoBatch, Denied. decisions.md: 61
func (s *Service) BatchReport(ctx context.Context, c *enlist.Caller, id enlist.BatchID) (*BatchReport, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*BatchReport, error) {
		b, err := loadBatch(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		r := &BatchReport{Batch: *b}
		r.Periods, err = LoadBatchSums(tx, id)
		if err != nil {
			return nil, err
		}
		for i := range r.Periods {
			r.BatchSums.add(&r.Periods[i].BatchSums)
		}
		r.Agents, err = BatchAgents(tx, id)
		if err != nil {
			return nil, err
		}
		r.Editions, err = Editions(tx, id)
		if err != nil {
			return nil, err
		}
		r.ByVariant, err = b.variantSums(tx)
		return r, err
	})
}

// add adds other sums.
func (s *BatchSums) add(o *BatchSums) {
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

// BatchLinks returns the numbers of each link of a Batch: the links of its Message, and all others that were clicked.
// Errors: NoBatch, Denied.
func (s *Service) BatchLinks(ctx context.Context, c *enlist.Caller, id enlist.BatchID) ([]LinkSums, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]LinkSums, error) {
		b, err := loadBatch(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		return linksOf(tx, b)
	})
}

// linksOf returns the links of a Batch in order of ID.
func linksOf(tx *db.Tx, b *Batch) ([]LinkSums, error) {
	var all []LinkSums
	for _, message := range b.messages() {
		links, err := MessageLinks(tx, message)
		if err != nil {
			return nil, err
		}
		links, err = sentLinks(tx, b.ID, message, links)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			all = append(all, LinkSums{Link: l.ID, URL: l.URL})
		}
	}
	slices.SortFunc(all, func(a, b LinkSums) int { return int(a.Link - b.Link) })
	clicked, err := BatchLinks(tx, b.ID)
	if err != nil {
		return nil, err
	}
	for i := range clicked {
		if at, found := slices.BinarySearchFunc(all, clicked[i].Link, byLink); found {
			all[at] = clicked[i]
		} else {
			all = slices.Insert(all, at, clicked[i])
		}
	}
	return all, nil
}

// sentLinks returns those links of a Message that are in an Edition which the Batch has sent. If it has sent none, or has the
// figures of an autoresponder, these are the links that the Message has now.
func sentLinks(tx *db.Tx, id enlist.BatchID, message enlist.MessageID, links []MessageLink) ([]MessageLink, error) {
	editions, err := Editions(tx, id)
	if err != nil {
		return nil, err
	}
	editions = slices.DeleteFunc(editions, func(e Edition) bool { return e.Message != message })
	var newest int64
	for i := range links {
		newest = max(newest, links[i].Until)
	}
	if len(editions) == 0 {
		editions = []Edition{{MessageTime: newest}}
	}
	return slices.DeleteFunc(slices.Clone(links), func(l MessageLink) bool {
		return l.Until != 0 && !slices.ContainsFunc(editions, func(e Edition) bool {
			return l.Since <= e.MessageTime && e.MessageTime <= l.Until
		})
	}), nil
}

func byLink(s LinkSums, id enlist.LinkID) int { return int(s.Link - id) }
