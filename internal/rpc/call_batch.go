package rpc

import (
	"cmp"
	"strings"

	"enlist/api"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file has the methods of Batches. Each method reads its parameters, calls the service and
// writes the result.

// addBatch returns the queue ID of the new Batch. reference.md: addBatch
func addBatch(c *call) error {
	r := batches.BatchRequest{Message: enlist.MessageID(c.id(1)), Populations: c.populations(2),
		SendTime: c.sendTime(3), IsTest: c.flag(4), Options: c.batchOptions(5)}
	if c.err != nil {
		return c.err
	}
	id, err := c.service.Batches.AddBatch(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}

// checkBatch returns what is probably wrong with a Batch. reference.md: checkBatch
func checkBatch(c *call) error {
	r := batches.BatchRequest{Message: enlist.MessageID(c.id(1)), Populations: c.populations(2),
		Options: c.batchOptions(3)}
	if c.err != nil {
		return c.err
	}
	check, err := c.service.Batches.CheckBatch(c.ctx, c.caller, r)
	if err != nil {
		return err
	}
	c.reply.buf = appendBatchCheck(c.reply.buf, check)
	return nil
}

// addBatchByContactSearch returns the queue ID of the new Batch. Its parameter is_scheduled has no
// effect: a send_time in the future schedules the Batch. reference.md: addBatchByContactSearch
func addBatchByContactSearch(c *call) error {
	r := batches.BatchRequest{Message: enlist.MessageID(c.id(1)), SendTime: c.sendTime(4)}
	lists, criteria := c.contactIDs(2), c.criteria(3)
	c.flag(5)
	if c.err != nil {
		return c.err
	}
	for _, list := range lists {
		p := batches.PopulationRequest{List: enlist.ListID(list), Criteria: criteria}
		r.Populations = append(r.Populations, p)
	}
	id, err := c.service.Batches.AddBatch(c.ctx, c.caller, r)
	return writeInt(c, id, err)
}

// editBatch returns true. reference.md: editBatch
func editBatch(c *call) error {
	id, command, at := enlist.BatchID(c.id(1)), c.requiredText(2), c.sendTime(3)
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.Batches.EditBatch(c.ctx, c.caller, id, command, at))
}

// getBatchIDByQueueID returns the ID of a Batch, or 0 while the server prepares the Batch.
func getBatchIDByQueueID(c *call) error {
	id := enlist.BatchID(c.id(1))
	if c.err != nil {
		return c.err
	}
	batch, err := c.service.Batches.BatchOfQueue(c.ctx, c.caller, id)
	if enlist.KindOf(err) == enlist.NoBatch {
		return &refusal{code: api.CodeUndefined, name: "Undefined Error", detail: "no Batch with this queue ID"}
	}
	return writeInt(c, batch, err)
}

// chooseBatchWinner returns true. reference.md: chooseBatchWinner
func chooseBatchWinner(c *call) error {
	id, variant := enlist.BatchID(c.id(1)), c.id(2)
	if c.err != nil {
		return c.err
	}
	return writeTrue(c, c.service.Sending.ChooseWinner(c.ctx, c.caller, id, variant))
}

// getAutoresponderBatchID returns the ID of the Batch that has the figures of an autoresponder.
func getAutoresponderBatchID(c *call) error {
	id := enlist.AutoresponderID(c.id(1))
	if c.err != nil {
		return c.err
	}
	batch, err := c.service.Batches.AutoresponderBatch(c.ctx, c.caller, id)
	return writeInt(c, batch, err)
}

// getAllCurrentBatches returns the Batches that have not ended.
func getAllCurrentBatches(c *call) error {
	rows, err := c.service.Batches.CurrentBatches(c.ctx, c.caller)
	return writeRecords(c, encoder(batches.CurrentBatchAttributes), rows, err)
}

// countBatches returns the number of Batches that match.
func countBatches(c *call) error {
	criteria := c.criteria(1)
	if c.err != nil {
		return c.err
	}
	n, err := c.service.Batches.CountBatches(c.ctx, c.caller, criteria)
	return writeInt(c, n, err)
}

// getBatchStatus returns the send_status of a Batch and its two numbers.
func getBatchStatus(c *call) error {
	id := enlist.BatchID(c.id(1))
	if c.err != nil {
		return c.err
	}
	b, err := c.service.Batches.Batch(c.ctx, c.caller, id)
	return writeObject(c, encoder(batches.BatchStatusAttributes), b, err)
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
