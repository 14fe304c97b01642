package recipients

import (
	"cmp"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/pace"
)

// This file stores the sums of Batches, and reads them for reports.

// mapBatchSums describes the columns to which AddSums adds.
func mapBatchSums(m *db.Mapper, s *Sums) {
	m.Fixed("opens", &s.Opens)
	m.Fixed("image_opened", &s.ImageOpened)
	m.Fixed("click_opened", &s.ClickOpened)
	m.Fixed("human_opened", &s.HumanOpened)
	m.Fixed("clicks", &s.Clicks)
	m.Fixed("clicked", &s.Clicked)
	m.Fixed("links_clicked", &s.LinksClicked)
	m.Fixed("human_clicked", &s.HumanClicked)
	m.Fixed("human_links_clicked", &s.HumanLinks)
}

// mapLinkSums describes the columns to which AddLink adds.
func mapLinkSums(m *db.Mapper, s *LinkSums) {
	m.Fixed("clicks", &s.Clicks)
	m.Fixed("contacts", &s.Contacts)
	m.Fixed("humans", &s.Humans)
}

var (
	addBatchSums = addTo("batch_sum", []string{"batch_id", "time", "part"}, nil, mapBatchSums)
	addBatchLink = addTo("batch_link", []string{"batch_id", "link_id", "part"}, []string{"url"}, mapLinkSums)
)

// addTo returns an INSERT that adds to the numbers of a row if the row exists. Its arguments are the columns of the
// key, the columns that only an insertion sets, and the numbers.
func addTo[T any](table string, key, fixed []string, numbers func(*db.Mapper, *T)) string {
	m := new(db.Mapper)
	numbers(m, new(T))
	columns := append(append([]string{}, key...), fixed...)
	set := make([]string, len(m.Columns))
	for i, c := range m.Columns {
		columns = append(columns, c.Name)
		set[i] = c.Name + " = " + table + "." + c.Name + " + excluded." + c.Name
	}
	return "INSERT INTO " + table + " (" + strings.Join(columns, ", ") + ") VALUES (?" +
		strings.Repeat(", ?", len(columns)-1) + ") ON CONFLICT (" + strings.Join(key, ", ") + ") DO UPDATE SET " +
		strings.Join(set, ", ")
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

// AddSums adds to a part of the sums of a period.
func AddSums(tx *db.Tx, batch enlist.BatchID, period, part int64, s *Sums) error {
	m := db.Mapper{Job: db.Inserted, Args: []any{int64(batch), period, part}}
	mapBatchSums(&m, s)
	return tx.Do(addBatchSums, m.Args...)
}

// PartSums returns the sums of a Batch for each part.
func PartSums(tx *db.Tx, batch enlist.BatchID) (map[int64]Sums, error) {
	byPart := make(map[int64]Sums)
	return byPart, tx.Each(func(row *db.Cursor) error {
		var s Sums
		part := row.Int()
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapBatchSums(&m, &s)
		byPart[part] = s
		return m.Err
	}, `SELECT part, `+sumsOf(mapBatchSums)+` FROM batch_sum WHERE batch_id = ? GROUP BY part`, int64(batch))
}

// AddLink adds to a part of the numbers of a link.
func AddLink(tx *db.Tx, batch enlist.BatchID, part int64, s *LinkSums) error {
	m := db.Mapper{Job: db.Inserted, Args: []any{int64(batch), int64(s.Link), part, s.URL}}
	mapLinkSums(&m, s)
	return tx.Do(addBatchLink, m.Args...)
}

// AddAgent adds to a part of the numbers of opens by program.
func AddAgent(tx *db.Tx, batch enlist.BatchID, part int64, s *AgentSums) error {
	return tx.Do(`INSERT INTO batch_agent (batch_id, device, mail_client, part, opened) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (batch_id, device, mail_client, part) DO UPDATE SET opened = batch_agent.opened + excluded.opened`,
		int64(batch), string(s.Device), s.Client, part, s.Opened)
}

// AddDeparture adds to the departures and complaints of a period. The transaction has locked the row of the Batch.
// These numbers are no columns of batch_sum, because few of its rows would have any.
func AddDeparture(tx *db.Tx, batch enlist.BatchID, period, unsubscribed, complained int64) error {
	return tx.Do(`INSERT INTO batch_departure (batch_id, time, unsubscribed, complained) VALUES (?, ?, ?, ?)
		ON CONFLICT (batch_id, time) DO UPDATE SET unsubscribed = batch_departure.unsubscribed + excluded.unsubscribed,
			complained = batch_departure.complained + excluded.complained`, int64(batch), period, unsubscribed, complained)
}

// PeriodsOf returns the sums of a Batch for each period.
func PeriodsOf(tx *db.Tx, batch enlist.BatchID) (periods []PeriodSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		p := PeriodSums{Time: row.Int()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapBatchSums(&m, &p.Sums)
		periods = append(periods, p)
		return m.Err
	}, `SELECT time, `+sumsOf(mapBatchSums)+
		` FROM batch_sum WHERE batch_id = ? GROUP BY time ORDER BY time`, int64(batch))
	if err != nil {
		return nil, err
	}
	return withDepartures(tx, batch, periods)
}

// withDepartures adds the departures and complaints to the sums of periods, which are in order of time.
func withDepartures(tx *db.Tx, batch enlist.BatchID, periods []PeriodSums) ([]PeriodSums, error) {
	err := tx.Each(func(row *db.Cursor) error {
		time := row.Int()
		i, found := slices.BinarySearchFunc(periods, time,
			func(p PeriodSums, at int64) int { return cmp.Compare(p.Time, at) })
		if !found {
			periods = slices.Insert(periods, i, PeriodSums{Time: time})
		}
		periods[i].Unsubscribed, periods[i].Complained = row.Int(), row.Int()
		return nil
	}, "SELECT time, unsubscribed, complained FROM batch_departure WHERE batch_id = ? ORDER BY time", int64(batch))
	return periods, err
}

// LinksOf returns the numbers of the links of a Batch that were clicked.
func LinksOf(tx *db.Tx, batch enlist.BatchID) (links []LinkSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		l := LinkSums{Link: enlist.LinkID(row.Int()), URL: row.Text()}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapLinkSums(&m, &l)
		links = append(links, l)
		return m.Err
	}, `SELECT link_id, max(url), `+sumsOf(mapLinkSums)+
		` FROM batch_link WHERE batch_id = ? GROUP BY link_id ORDER BY link_id`,
		int64(batch))
	return links, err
}

// AgentsOf returns the numbers of opened mails of a Batch by program.
func AgentsOf(tx *db.Tx, batch enlist.BatchID) ([]AgentSums, error) {
	return db.RowsOf(tx, func(row *db.Cursor) AgentSums {
		return AgentSums{Device: pace.Device(row.Text()), Client: row.Text(), Opened: row.Int()}
	}, `SELECT device, mail_client, CAST(sum(opened) AS BIGINT) FROM batch_agent WHERE batch_id = ?
		GROUP BY device, mail_client ORDER BY device, mail_client`, int64(batch))
}

// DomainsOf returns the numbers of a Batch by group of domains and by reason.
func DomainsOf(tx *db.Tx, batch enlist.BatchID) (domains []DomainSums, err error) {
	err = tx.Each(func(row *db.Cursor) error {
		s := DomainSums{Group: row.Text(), Reason: BounceReason(row.Text())}
		m := db.Mapper{Job: db.Selected, Cursor: row}
		mapDomainSums(&m, &s)
		domains = append(domains, s)
		return m.Err
	}, `SELECT domain, reason, `+sumsOf(mapDomainSums)+
		` FROM batch_domain WHERE batch_id = ? GROUP BY domain, reason ORDER BY domain, reason`, int64(batch))
	return domains, err
}

// SumsByBatch returns the sums of Batches. One without events has none.
func SumsByBatch(tx *db.Tx, ids []enlist.BatchID) (map[enlist.BatchID]Sums, error) {
	sums := make(map[enlist.BatchID]Sums)
	among, arg, err := db.OneOfIDs(tx, ids)
	if err != nil || len(ids) == 0 {
		return sums, err
	}
	return sums, tx.Each(func(row *db.Cursor) error {
		id, s := enlist.BatchID(row.Int()), Sums{}
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
