package rpc

import (
	"cmp"
	"strings"

	"enlist/api"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file has the methods of Batches and of their numbers and recipients. params_batch.go reads the options, and
// reply_batch.go encodes the reports.

// readBatch reads the parameters of addBatch. reference.md: addBatch
func readBatch(p *params, i int) batches.BatchRequest {
	return batches.BatchRequest{Message: enlist.MessageID(p.id(i)), Populations: p.populations(i + 1),
		SendTime: p.sendTime(i + 2), IsTest: p.flag(i + 3), Options: p.batchOptions(i + 4)}
}

// readBatchToCheck reads the parameters of checkBatch. reference.md: checkBatch
func readBatchToCheck(p *params, i int) batches.BatchRequest {
	return batches.BatchRequest{Message: enlist.MessageID(p.id(i)), Populations: p.populations(i + 1),
		Options: p.batchOptions(i + 2)}
}

// readBatchOfLists reads the parameters of addBatchByContactSearch. The last one, is_scheduled, has no effect: a
// send_time in the future schedules the Batch. reference.md: addBatchByContactSearch
func readBatchOfLists(p *params, i int) batches.BatchRequest {
	r := batches.BatchRequest{Message: enlist.MessageID(p.id(i)), SendTime: p.sendTime(i + 3)}
	lists, criteria := p.contactIDs(i+1), p.criteria(i+2)
	p.flag(i + 4)
	for _, list := range lists {
		r.Populations = append(r.Populations, batches.PopulationRequest{List: enlist.ListID(list), Criteria: criteria})
	}
	return r
}

// writeBatchOfQueue writes the ID of a Batch, or 0 while the server prepares the Batch.
func writeBatchOfQueue(c *call, id enlist.BatchID, err error) error {
	if enlist.KindOf(err) == enlist.NoBatch {
		return &refusal{code: api.CodeUndefined, name: "Undefined Error", detail: "no Batch with this queue ID"}
	}
	return writeInt(c, id, err)
}

// writeStatistics writes the published numbers of a Batch. reference.md: getBatchStatistics
func writeStatistics(c *call, r *reports.BatchReport, err error) error {
	if err == nil {
		c.reply.buf = appendBatchStatistics(c.reply.buf, r, !c.before33())
	}
	return err
}

// batchRows returns a method that returns the recipients of a Batch with a kind of event.
func batchRows(kind recipients.EventKind) func(*call) error {
	return func(c *call) error {
		r := reports.RowsRequest{Batch: enlist.BatchID(c.id(1)), Kind: kind}
		q := c.query(2)
		if c.err != nil {
			return c.err
		}
		w := newBatchRowWriter(c.reply, kind)
		return w.end(c.service.Reports.BatchRows(c.ctx, c.caller, r, q, w))
	}
}

// getBatchLinkContacts returns the recipients that clicked a link.
func getBatchLinkContacts(c *call) error {
	r := reports.RowsRequest{Batch: enlist.BatchID(c.id(1)), Kind: recipients.EventLink, URL: c.requiredText(2)}
	q := c.query(3)
	if c.err != nil {
		return c.err
	}
	w := newBatchRowWriter(c.reply, r.Kind)
	return w.end(c.service.Reports.BatchRows(c.ctx, c.caller, r, q, w))
}

// getBatchContactLinks returns the links that a recipient clicked.
func getBatchContactLinks(c *call) error {
	id, send, q := enlist.BatchID(c.id(1)), enlist.ContactID(c.id(2)), c.query(3)
	if c.err != nil {
		return c.err
	}
	rows, err := c.service.Reports.ContactLinks(c.ctx, c.caller, id, send, q)
	if err != nil {
		return err
	}
	w := newBatchRowWriter(c.reply, recipients.EventLink)
	if err := w.Begin(true); err != nil {
		return err
	}
	for i := range rows {
		if err := w.Row(&rows[i]); err != nil {
			return err
		}
	}
	return w.end(nil)
}

// sendTime reads a Unix time that the caller may omit. It returns 0 for an omitted time.
func (p *params) sendTime(i int) int64 { return p.amount(i, 0) }

// populations reads the populations of a Batch: an array of objects, or one object.
func (p *params) populations(i int) []batches.PopulationRequest {
	v := p.at(i)
	switch {
	case v.Omitted():
		return nil
	case v.Kind == enlist.InputObject:
		return []batches.PopulationRequest{p.population(i, v)}
	case v.Kind != enlist.InputArray:
		p.refuse(i, "an array of populations")
		return nil
	}
	all := make([]batches.PopulationRequest, len(v.Items))
	for j := range v.Items {
		item := unboxOnce(&v.Items[j])
		if item.Kind != enlist.InputObject {
			p.refusePart(i, "an array of objects", item)
			return nil
		}
		all[j] = p.population(i, item)
	}
	return all
}

// population reads one population. Names of members may have any letter case.
func (p *params) population(i int, v *enlist.Input) (r batches.PopulationRequest) {
	for j := range v.Items {
		item := v.Items[j].Unbox()
		if item.Omitted() {
			continue
		}
		switch strings.ToLower(v.Items[j].Name) {
		case "list_id":
			n, ok := item.AsInt()
			if !ok {
				n = -1 // no List has this ID, so the service answers with 303
			}
			r.List = enlist.ListID(n)
		case "type":
			r.Type = p.word(i, "a population whose type is a string", &item)
		case "time":
			r.Time = p.word(i, "a population whose time is now or send", &item)
		case "contact_list":
			r.Contacts = p.contactList(i, &v.Items[j])
		case "segment_id":
			r.Segment = enlist.SegmentID(cmp.Or(asID(&item), -1)) // 0 is no Segment; it must not mean the whole List
		}
	}
	return r
}

// word reads a member of a population that is a text.
func (p *params) word(i int, expected string, v *enlist.Input) string {
	if v.Kind != enlist.InputText {
		p.refusePart(i, expected, v)
	}
	return v.Text
}

// contactList reads the IDs of Contacts: an array of IDs, or one ID.
func (p *params) contactList(i int, v *enlist.Input) []enlist.ContactID {
	items := v.Items
	if v.Kind != enlist.InputArray {
		items = []enlist.Input{*v}
	}
	ids := make([]enlist.ContactID, len(items))
	for j := range items {
		n, ok := items[j].AsInt()
		if !ok {
			p.refusePart(i, "a contact_list of IDs", &items[j])
			return nil
		}
		ids[j] = enlist.ContactID(n)
	}
	return ids
}
