package sending

import (
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file pauses a Batch that too many recipients complain about, or whose mails bounce too often.

// maxBounces and maxComplaints are the numbers of bounces and of complaints that pause a Batch, while about 1,000 mails
// are sent. Providers stop accepting mail from senders with higher rates. decisions.md: 59
const (
	maxBounces    = 50
	maxComplaints = 3
)

// pauseReported pauses a Batch if too many of its last mails bounced, or if too many recipients complained meanwhile.
func pauseReported(tx *db.Tx, id enlist.BatchID) error {
	b, err := batches.LockBatch(tx, id)
	switch {
	case err != nil || b.Status != batches.BatchSending:
		return err
	case b.RecentBounces >= maxBounces:
		b.Reason = "of the last 1,000 mails, 5 % bounced: check the addresses before you continue"
	case b.RecentComplaints >= maxComplaints:
		b.Reason = "of the last 1,000 mails, 0.3 % had complaints: check the Message and the List before you continue"
	default:
		return nil
	}
	b.Status = batches.BatchPaused
	return batches.SetBatchState(tx, b)
}
