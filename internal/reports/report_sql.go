package reports

import (
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/sending"
)

// This file reads the sums of a Batch. batchrows.go reads its recipients.

// LoadBatchSums returns the sums of a Batch for each period.
func LoadBatchSums(tx *db.Tx, batch enlist.BatchID) (all []PeriodSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		p := PeriodSums{Time: row.Int()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		batches.MapBatchSums(&m, &p.BatchSums)
		all = append(all, p)
		return m.Err
	}, `SELECT time, `+sending.SumsOf(batches.MapBatchSums)+
		` FROM batch_sum WHERE batch_id = ? GROUP BY time ORDER BY time`, int64(batch))
	return all, err
}

// BatchLinks returns the numbers of the links of a Batch that were clicked.
func BatchLinks(tx *db.Tx, batch enlist.BatchID) (all []batches.LinkSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		l := batches.LinkSums{Link: enlist.LinkID(row.Int()), URL: row.Text()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		batches.MapLinkSums(&m, &l)
		all = append(all, l)
		return m.Err
	}, `SELECT link_id, max(url), `+sending.SumsOf(batches.MapLinkSums)+
		` FROM batch_link WHERE batch_id = ? GROUP BY link_id ORDER BY link_id`,
		int64(batch))
	return all, err
}

// BatchAgents returns the numbers of opened mails of a Batch by program.
func BatchAgents(tx *db.Tx, batch enlist.BatchID) (all []batches.AgentSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		all = append(all, batches.AgentSums{Device: pace.Device(row.Text()), Client: row.Text(), Opened: row.Int()})
		return nil
	}, `SELECT device, mail_client, CAST(sum(opened) AS BIGINT) FROM batch_agent WHERE batch_id = ?
		GROUP BY device, mail_client ORDER BY device, mail_client`, int64(batch))
	return all, err
}
