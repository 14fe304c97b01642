package movein

import (
	"context"
	"fmt"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file changes what blocks and criteria of another service name and what is another one here. Lists, Fields and
// Segments keep their IDs. Links to files have another signature. Batches do not move, and a later Batch may get an ID that
// one had there.

// blocksOf returns the blocks of a record as a tree. ok is false if it has none, or if they are no JSON.
func blocksOf(record Record) (blocks enlist.Input, ok bool) {
	for i := range record {
		if record[i].Key != "blocks" {
			continue
		}
		if blocks = record[i].Value; blocks.Kind == enlist.InputText && blocks.Text != "" {
			read, err := enlist.InputOfJSON([]byte(blocks.Text))
			return read, err == nil
		}
		return blocks, blocks.Kind == enlist.InputArray && len(blocks.Items) > 0
	}
	return blocks, false
}

// with returns the record with another value of a key that it has.
func (r Record) with(key string, value enlist.Input) Record {
	changed := append(Record(nil), r...)
	for i := range changed {
		if changed[i].Key == key {
			changed[i].Value = value
		}
	}
	return changed
}

// changed returns a copy of a tree of blocks. text changes the texts, and condition the criteria of conditions.
func changed(in enlist.Input, text func(string) string, condition func(*enlist.Criteria)) enlist.Input {
	if strings.HasSuffix(in.Name, "_if") {
		if criteria, err := enlist.ReadCriteria(&in); err == nil && criteria != nil {
			condition(criteria)
			if read, err := enlist.InputOfJSON([]byte(criteria.JSON())); err == nil {
				read.Name = in.Name
				return read
			}
		}
		return in
	}
	if in.Kind == enlist.InputText {
		in.Text = text(in.Text)
	}
	items := make([]enlist.Input, len(in.Items))
	for i := range in.Items {
		items[i] = changed(in.Items[i], text, condition)
	}
	in.Items = items
	return in
}

// withoutBatches makes each test of Batches one as if no mail of theirs had been sent, which is what it says here: their
// IDs may be those of other Batches later. It reports whether there is such a test. schema is nil for blocks, which belong
// to no List.
func withoutBatches(c *enlist.Criteria, schema *enlist.Schema) (found bool) {
	if enlist.IsBatchKey(c.Key) && (schema == nil || schema.FieldNamed(c.Key) == nil) {
		isNot := c.IsNot()
		*c = enlist.Criteria{Key: "id", Operator: "in", Value: enlist.Input{Kind: enlist.InputArray}}
		if isNot {
			c.Operator, c.Value = "greater_than", enlist.Input{Kind: enlist.InputNumber, Text: "0"}
		}
		return true
	}
	for _, parts := range [][]enlist.Criteria{c.All, c.Any} {
		for i := range parts {
			found = withoutBatches(&parts[i], schema) || found
		}
	}
	return found
}

const reasonBatches = "the criteria name Batches, which do not move: it is as if no mail of theirs had been sent"

// conditions returns the record with conditions of its blocks as they are here. It reports those that name what has not
// moved.
func (r *reader) conditions(tx *db.Tx, account enlist.AccountID) error {
	blocks, ok := blocksOf(r.record)
	if !ok {
		return nil
	}
	var named []enlist.SegmentID
	batches := false
	blocks = changed(blocks, func(text string) string { return text }, func(c *enlist.Criteria) {
		batches = withoutBatches(c, nil) || batches
		named = append(named, c.SegmentsNamed()...)
	})
	missing, err := contacts.MissingSegments(tx, account, named)
	if err != nil {
		return err
	}
	r.record = r.record.with("blocks", blocks)
	if batches {
		r.refuseValue("blocks", enlist.Input{}, reasonBatches)
	}
	for _, id := range missing {
		r.refuseValue("blocks", enlist.TextInput(fmt.Sprint(id)), "a condition names this Segment, which has not moved: nobody sees the block")
	}
	return nil
}

// segments stores the Segments of the List.
func (l *listMove) segments(records []Record) error {
	schema, err := lists.Schema(l.tx, l.list.ID)
	if err != nil {
		return err
	}
	for _, record := range records {
		r := l.reader("segment", record)
		r.about.List = l.list.ID
		if err := r.segment(l.tx, schema, l.now); err != nil {
			return err
		}
	}
	return nil
}

func (r *reader) segment(tx *db.Tx, schema *enlist.Schema, now int64) error {
	s := contacts.Segment{ID: enlist.SegmentID(r.record.ID()), AccountID: schema.List.AccountID, ListID: schema.List.ID,
		Name: r.line("name"), CreationTime: r.int("creation_time"), LastModifiedTime: r.int("last_modified_time")}
	in, err := enlist.InputOfJSON([]byte(r.record.Text("criteria")))
	if err == nil {
		s.Criteria, err = enlist.ReadCriteria(&in)
	}
	if err != nil {
		r.refuse("criteria", err.Error())
		return nil
	}
	if s.Criteria != nil && withoutBatches(s.Criteria, schema) {
		r.refuse("criteria", reasonBatches)
	}
	if err := contacts.RestoreSegment(tx, schema, now, &s); err != nil {
		return r.refuseError("criteria", err)
	}
	return nil
}

// storeSavedBlock stores a saved block. Its files must have moved before. moved is false if it is left out.
func (m *Mover) storeSavedBlock(ctx context.Context, record Record) (moved bool, err error) {
	err = m.step(ctx, func(w *writing) error {
		r := w.reader("saved_block", record)
		if err := r.conditions(w.tx, w.caller.Account.ID); err != nil {
			return err
		}
		s := messages.SavedBlock{ID: record.ID(), AccountID: w.caller.Account.ID, Name: r.line("name"),
			CreationTime: r.int("creation_time"), LastModifiedTime: r.int("last_modified_time")}
		err := m.Service.Messages.RestoreSaved(w.tx, w.caller, &s, r.record.value("blocks"))
		if moved = err == nil; moved {
			return nil
		}
		return r.refuseError("", err)
	})
	return moved, err
}
