package audience

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file reads the sums of a Batch. batchrows.go reads its recipients.

// LoadBatchSums returns the sums of a Batch for each period.
func LoadBatchSums(tx *db.Tx, batch enlist.BatchID) (all []PeriodSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		p := PeriodSums{Time: row.Int()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapBatchSums(&m, &p.BatchSums)
		all = append(all, p)
		return m.Err
	}, `SELECT time, `+sumsOf(mapBatchSums)+` FROM batch_sum WHERE batch_id = ? GROUP BY time ORDER BY time`, int64(batch))
	return all, err
}

// PartSums returns the sums of a Batch for each part.
func PartSums(tx *db.Tx, batch enlist.BatchID) (map[int64]BatchSums, error) {
	all := make(map[int64]BatchSums)
	return all, tx.Each(func(row *db.Cursor) error {
		var s BatchSums
		part := row.Int()
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapBatchSums(&m, &s)
		all[part] = s
		return m.Err
	}, `SELECT part, `+sumsOf(mapBatchSums)+` FROM batch_sum WHERE batch_id = ? GROUP BY part`, int64(batch))
}

// BatchLinks returns the numbers of the links of a Batch that were clicked.
func BatchLinks(tx *db.Tx, batch enlist.BatchID) (all []LinkSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		l := LinkSums{Link: enlist.LinkID(row.Int()), URL: row.Text()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapLinkSums(&m, &l)
		all = append(all, l)
		return m.Err
	}, `SELECT link_id, max(url), `+sumsOf(mapLinkSums)+` FROM batch_link WHERE batch_id = ? GROUP BY link_id ORDER BY link_id`,
		int64(batch))
	return all, err
}

// BatchAgents returns the numbers of opened mails of a Batch by program.
func BatchAgents(tx *db.Tx, batch enlist.BatchID) (all []AgentSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		all = append(all, AgentSums{Device: pace.Device(row.Text()), Client: row.Text(), Opened: row.Int()})
		return nil
	}, `SELECT device, mail_client, CAST(sum(opened) AS BIGINT) FROM batch_agent WHERE batch_id = ?
		GROUP BY device, mail_client ORDER BY device, mail_client`, int64(batch))
	return all, err
}

// sumsOf returns the sums of the columns that a mapping describes. The CAST is for PostgreSQL, whose sums are of
// another type.
func sumsOf[T any](numbers func(*db.Mapper, *T)) string {
	m := new(db.Mapper)
	numbers(m, new(T))
	text := ""
	for i, c := range m.Columns {
		if i > 0 {
			text += ", "
		}
		text += "CAST(sum(" + c.Name + ") AS BIGINT)"
	}
	return text
}
