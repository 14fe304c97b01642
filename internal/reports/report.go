package reports

import (
	"context"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/pace"
	"enlist/internal/recipients"
	"enlist/internal/sending"
)

// This file has the numbers of a Batch. They come from the row of the Batch and from its sums, so a report takes the
// same time for every number of recipients and events. decisions.md: 61

// BatchReport is the numbers of a Batch.
type BatchReport struct {
	batches.Batch
	recipients.Sums
	Periods []recipients.PeriodSums // the periods with events, in order of time
	Domains []recipients.DomainSums // by group of domains and reason, in this order
	Agents  []recipients.AgentSums

	Editions  []recipients.Edition
	ByVariant []sending.VariantSums
}

// NotOpened returns the number of mails that the mail server has accepted, that have not bounced and were not opened:
// the rows of the kind RowsNotOpened. It is too small by the mails that were opened before their outcome is stored.
func (r *BatchReport) NotOpened() int64 {
	return max(0, r.Sent-(r.Bounced-r.Refused)-r.Opened()+r.Contradicted)
}

// MeasuredNotOpened returns NotOpened without the mails that had no tracking pixel, whose opens are unknown.
func (r *BatchReport) MeasuredNotOpened() int64 { return max(0, r.NotOpened()-r.Unmeasured.Opens) }

// Unsent returns the number of recipients whose mail is not sent yet.
func (r *BatchReport) Unsent() int64 { return max(0, r.ToSend()-r.Processed()) }

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
func (r *BatchReport) Clients() (clients []ClientSums) {
	opened := make(map[string]int64)
	for i := range r.Agents {
		opened[r.Agents[i].Client] += r.Agents[i].Opened
	}
	for _, c := range pace.MailClients() {
		if opened[c.Key] > 0 {
			clients = append(clients, ClientSums{c, opened[c.Key]})
		}
	}
	return clients
}

// BatchReport returns the numbers of a Batch. Errors: NoBatch, Denied. decisions.md: 61
func (s *Service) BatchReport(ctx context.Context, c *enlist.Caller, id enlist.BatchID) (*BatchReport, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (*BatchReport, error) {
		b, err := batches.Load(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		r := &BatchReport{Batch: *b}
		r.Periods, err = recipients.PeriodsOf(tx, id)
		if err != nil {
			return nil, err
		}
		for i := range r.Periods {
			r.Sums.Add(&r.Periods[i].Sums)
		}
		r.Domains, err = recipients.DomainsOf(tx, id)
		if err != nil {
			return nil, err
		}
		r.Agents, err = recipients.AgentsOf(tx, id)
		if err != nil {
			return nil, err
		}
		r.Editions, err = recipients.Editions(tx, id)
		if err != nil {
			return nil, err
		}
		r.ByVariant, err = sending.SumsOfVariants(tx, b)
		return r, err
	})
}

// BatchLinks returns the numbers of each link of a Batch: the links of its Message, and all others that were clicked.
// Errors: NoBatch, Denied.
func (s *Service) BatchLinks(ctx context.Context, c *enlist.Caller, id enlist.BatchID) ([]recipients.LinkSums, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]recipients.LinkSums, error) {
		b, err := batches.Load(tx, c, id, false)
		if err != nil {
			return nil, err
		}
		return linksOf(tx, b)
	})
}

// linksOf returns the links of a Batch in order of ID.
func linksOf(tx *db.Tx, b *batches.Batch) ([]recipients.LinkSums, error) {
	var sums []recipients.LinkSums
	for _, message := range b.Messages() {
		links, err := messages.Links(tx, message)
		if err != nil {
			return nil, err
		}
		links, err = sending.SentLinks(tx, b.ID, message, links)
		if err != nil {
			return nil, err
		}
		for _, l := range links {
			sums = append(sums, recipients.LinkSums{Link: l.ID, URL: l.URL})
		}
	}
	slices.SortFunc(sums, func(a, b recipients.LinkSums) int { return int(a.Link - b.Link) })
	clicked, err := recipients.LinksOf(tx, b.ID)
	if err != nil {
		return nil, err
	}
	for i := range clicked {
		if at, found := slices.BinarySearchFunc(sums, clicked[i].Link, byLink); found {
			sums[at] = clicked[i]
		} else {
			sums = slices.Insert(sums, at, clicked[i])
		}
	}
	return sums, nil
}

func byLink(s recipients.LinkSums, id enlist.LinkID) int { return int(s.Link - id) }
