package enlist

import (
	"slices"
	"strconv"
)

// This file has the keys of criteria that find Contacts by the Batches that were sent to them. A
// Contact can have several Batches, so these keys are no columns, and no search can sort by them.

// Names of the keys. The operand is the ID of a Batch.
const (
	KeyBatchSent    = "batch_sent" // the mail server has accepted the mail
	KeyBatchOpened  = "batch_opened"
	KeyBatchClicked = "batch_clicked"
	// The mail was accepted with a tracking pixel, or with tracked links. So a Contact who has the first and not
	// KeyBatchOpened did not open the mail, as far as can be known.
	KeyBatchOpensMeasured  = "batch_opens_measured"
	KeyBatchClicksMeasured = "batch_clicks_measured"
)

// IsBatchKey reports whether a key is one of a Batch. A Field with this name takes precedence in criteria of callers.
func IsBatchKey(name string) bool {
	return slices.ContainsFunc(batchKeys, func(k SearchKey) bool { return k.Name == name })
}

// batchKeys are the keys of Contacts with the type KeyBatch. reference.md: compare.batch
var batchKeys = []SearchKey{
	{Name: KeyBatchSent, Type: KeyBatch, Searchable: true, AfterField: true},
	{Name: KeyBatchOpened, Type: KeyBatch, Searchable: true, AfterField: true},
	{Name: KeyBatchClicked, Type: KeyBatch, Searchable: true, AfterField: true},
	{Name: KeyBatchOpensMeasured, Type: KeyBatch, Searchable: true, AfterField: true},
	{Name: KeyBatchClicksMeasured, Type: KeyBatch, Searchable: true, AfterField: true},
}

// InBatch returns the operand of a test of one Batch.
func InBatch(id BatchID) Input {
	return Input{Kind: InputNumber, Text: strconv.FormatInt(int64(id), 10)}
}

// EventBatches returns the Batches whose opens or clicks a condition tests.
func (c *Condition) EventBatches() (ids []BatchID) {
	if c == nil {
		return nil
	}
	for _, inner := range slices.Concat(c.All, c.Any) {
		ids = append(ids, inner.EventBatches()...)
	}
	if c.Key != nil && c.Key.Type == KeyBatch && (c.Key.Name == KeyBatchOpened || c.Key.Name == KeyBatchClicked) {
		for _, o := range c.Operands {
			if !o.Absent && !o.Impossible {
				ids = append(ids, BatchID(o.Int))
			}
		}
	}
	return ids
}
