package batches

import (
	"cmp"
	"slices"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file reads the sums of Batches, for reports.

// PeriodSums are the BatchSums of one period.
type PeriodSums struct {
	Time         int64 // beginning of the period
	Unsubscribed int64 // mails by which the recipient unsubscribed; also the complaints
	Complained   int64
	BatchSums
}

// PeriodsOf returns the sums of a Batch for each period.
func PeriodsOf(tx *db.Tx, batch enlist.BatchID) (all []PeriodSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		p := PeriodSums{Time: row.Int()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapBatchSums(&m, &p.BatchSums)
		all = append(all, p)
		return m.Err
	}, `SELECT time, `+sumsOf(mapBatchSums)+
		` FROM batch_sum WHERE batch_id = ? GROUP BY time ORDER BY time`, int64(batch))
	if err != nil {
		return nil, err
	}
	return withDepartures(tx, batch, all)
}

// withDepartures adds the departures and complaints to the sums of periods, which are in order of time.
func withDepartures(tx *db.Tx, batch enlist.BatchID, all []PeriodSums) ([]PeriodSums, error) {
	err := tx.Each(func(row *db.Cursor) error {
		time := row.Int()
		i, found := slices.BinarySearchFunc(all, time, func(p PeriodSums, at int64) int { return cmp.Compare(p.Time, at) })
		if !found {
			all = slices.Insert(all, i, PeriodSums{Time: time})
		}
		all[i].Unsubscribed, all[i].Complained = row.Int(), row.Int()
		return nil
	}, "SELECT time, unsubscribed, complained FROM batch_departure WHERE batch_id = ? ORDER BY time", int64(batch))
	return all, err
}

// LinksOf returns the numbers of the links of a Batch that were clicked.
func LinksOf(tx *db.Tx, batch enlist.BatchID) (all []LinkSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		l := LinkSums{Link: enlist.LinkID(row.Int()), URL: row.Text()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapLinkSums(&m, &l)
		all = append(all, l)
		return m.Err
	}, `SELECT link_id, max(url), `+sumsOf(mapLinkSums)+
		` FROM batch_link WHERE batch_id = ? GROUP BY link_id ORDER BY link_id`,
		int64(batch))
	return all, err
}

// AgentsOf returns the numbers of opened mails of a Batch by program.
func AgentsOf(tx *db.Tx, batch enlist.BatchID) (all []AgentSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		all = append(all, AgentSums{Device: pace.Device(row.Text()), Client: row.Text(), Opened: row.Int()})
		return nil
	}, `SELECT device, mail_client, CAST(sum(opened) AS BIGINT) FROM batch_agent WHERE batch_id = ?
		GROUP BY device, mail_client ORDER BY device, mail_client`, int64(batch))
	return all, err
}

// DomainsOf returns the numbers of a Batch by group of domains and by reason.
func DomainsOf(tx *db.Tx, batch enlist.BatchID) (all []DomainSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		s := DomainSums{Group: row.Text(), Reason: BounceReason(row.Text())}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapDomainSums(&m, &s)
		all = append(all, s)
		return m.Err
	}, `SELECT domain, reason, `+sumsOf(mapDomainSums)+
		` FROM batch_domain WHERE batch_id = ? GROUP BY domain, reason ORDER BY domain, reason`, int64(batch))
	return all, err
}

// SumsByBatch returns the sums of Batches. One without events has none.
func SumsByBatch(tx *db.Tx, ids []enlist.BatchID) (map[enlist.BatchID]BatchSums, error) {
	sums := make(map[enlist.BatchID]BatchSums)
	among, arg, err := db.OneOfIDs(tx, ids)
	if err != nil || len(ids) == 0 {
		return sums, err
	}
	return sums, tx.Each(func(row *db.Cursor) error {
		id, s := enlist.BatchID(row.Int()), BatchSums{}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapBatchSums(&m, &s)
		sums[id] = s
		return m.Err
	}, "SELECT batch_id, "+sumsOf(mapBatchSums)+" FROM batch_sum WHERE batch_id"+among+" GROUP BY batch_id", arg)
}

// DeleteSums deletes the slices and the sums of a Batch, whose recipients are deleted.
func DeleteSums(tx *db.Tx, batch enlist.BatchID) error {
	for _, table := range []string{"batch_slice", "batch_sum", "batch_link", "batch_agent", "batch_departure", "batch_domain",
		"batch_edition"} {
		if err := tx.Do("DELETE FROM "+table+" WHERE batch_id = ?", int64(batch)); err != nil {
			return err
		}
	}
	return nil
}
