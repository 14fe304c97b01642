package recipients

import (
	"cmp"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores how many mails of each edition of its Messages a Batch has sent. An edit of a Message makes a new
// edition for the recipients that have not got it. decisions.md: 79

// Edition is a state of a Message that a Batch has sent.
type Edition struct {
	Variant     int64 // number of the variant; 0: the Batch has no variants
	Message     enlist.MessageID
	MessageTime int64      // last_modified_time of the Message
	Subject     string     // with merge fields
	FirstTime   int64      // when the first mail was stored
	Sent        int64      // mails that the mail server has accepted
	Unmeasured  Unmeasured // of these
}

// EditionAttributes are the keys of an Edition, in their order on the wire.
var EditionAttributes = []enlist.Attribute[Edition]{
	enlist.ReadOnlyInt("variant", func(e *Edition) int64 { return e.Variant }),
	enlist.ReadOnlyInt("message_id", func(e *Edition) enlist.MessageID { return e.Message }),
	enlist.ReadOnlyInt("message_time", func(e *Edition) int64 { return e.MessageTime }),
	enlist.ReadOnlyText("subject", func(e *Edition) string { return e.Subject }),
	enlist.ReadOnlyInt("first_sent_time", func(e *Edition) int64 { return e.FirstTime }),
	enlist.ReadOnlyInt("sent_count", func(e *Edition) int64 { return e.Sent }),
}

func mapEditionSums(m *db.Mapper, e *Edition) {
	m.Fixed("sent", &e.Sent)
	MapUnmeasured(m, &e.Unmeasured)
}

var addToEdition = addTo("batch_edition", []string{"batch_id", "variant", "message_id", "message_time"},
	[]string{"subject", "first_time"}, mapEditionSums)

func addEdition(tx *db.Tx, batch enlist.BatchID, e *Edition) error {
	return tx.Do(addToEdition, int64(batch), e.Variant, int64(e.Message), e.MessageTime, e.Subject, e.FirstTime, e.Sent,
		e.Unmeasured.Opens, e.Unmeasured.Clicks)
}

// Editions returns the Editions of a Batch.
func Editions(tx *db.Tx, batch enlist.BatchID) ([]Edition, error) {
	return db.RowsOf(tx, func(row *db.Cursor) Edition {
		return Edition{Variant: row.Int(), Message: enlist.MessageID(row.Int()),
			MessageTime: row.Int(), Subject: row.Text(), FirstTime: row.Int(), Sent: row.Int(),
			Unmeasured: Unmeasured{row.Int(), row.Int()}}
	}, `SELECT variant, message_id, message_time, subject, first_time, sent, unmeasured_opens, unmeasured_clicks
		FROM batch_edition WHERE batch_id = ? ORDER BY variant, first_time, message_time`, int64(batch))
}

// byEdition compares Editions in the order in which a transaction adds to them.
func byEdition(a, b Edition) int {
	return cmp.Or(cmp.Compare(a.Variant, b.Variant), cmp.Compare(a.Message, b.Message),
		cmp.Compare(a.MessageTime, b.MessageTime))
}
