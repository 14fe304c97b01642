package forms

import (
	"time"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file stores Forms and their days. Forms are definitions: none changes during an
// Update.

func mapForm(m *db.Mapper, f *Form) {
	m.ID("id", (*int64)(&f.ID))
	m.Fixed("account_id", (*int64)(&f.AccountID))
	m.Fixed("list_id", (*int64)(&f.ListID))
	m.Value("name", &f.Name)
	m.Value("field_ids", &f.FieldIDs)
	m.Value("required_ids", &f.RequiredIDs)
	m.Value("preference_ids", &f.PreferenceIDs)
	m.Value("title", &f.Title)
	m.Value("introduction", &f.Introduction)
	m.Value("button", &f.Button)
	m.Value("consent", &f.Consent)
	m.Value("thanks", &f.Thanks)
	m.Value("redirect_url", &f.RedirectURL)
	m.Value("language", &f.Language)
	m.Value("translations", &f.Translations)
	m.Value("sites", &f.Sites)
	m.Value("is_open", &f.Open)
	m.Value("asks_tracking", &f.AsksTracking)
	m.Value("tracking_text", &f.TrackingText)
	m.Fixed("creation_time", &f.CreationTime)
	m.Value("last_modified_time", &f.LastModifiedTime)
}

var formTable = db.NewMapping("form", mapForm)

// errNoForm is the same for an ID that does not exist and for the ID of another List.
var errNoForm = enlist.Invalid("form_id", "the List has no Form with this ID")

// inList returns a Form of a List. Errors: InvalidParameters if the List has none with the ID.
func inList(tx *db.Tx, list enlist.ListID, id enlist.FormID) (*Form, error) {
	return formTable.One(tx, errNoForm, "WHERE list_id = ? AND id = ?", int64(list), int64(id))
}

// ofList returns the Forms of a List with their counts, in the order of their IDs.
func ofList(tx *db.Tx, list enlist.ListID) ([]Form, error) {
	return withCounts(tx, "= ?", int64(list))
}

// withCounts returns the Forms whose List passes a test with an argument, with their counts, in the order of their IDs.
func withCounts(tx *db.Tx, test string, arg any) ([]Form, error) {
	all, err := formTable.All(tx, "WHERE list_id "+test+" ORDER BY id", arg)
	if err != nil {
		return nil, err
	}
	at := make(map[enlist.FormID]*Form)
	for i := range all {
		at[all[i].ID] = &all[i]
	}
	return all, tx.Each(func(row *db.Cursor) error {
		if f := at[enlist.FormID(row.Int())]; f != nil {
			f.Shown, f.Sent, f.Confirmed = row.Int(), row.Int(), row.Int()
		}
		return nil
	}, `SELECT form_id, CAST(sum(shown) AS BIGINT), CAST(sum(sent) AS BIGINT), CAST(sum(confirmed) AS BIGINT)
		FROM form_day WHERE form_id IN (SELECT id FROM form WHERE list_id `+test+`) GROUP BY form_id`, arg)
}

// count adds to the day of a Form. It counts nothing if the List has no such Form: records of another service keep the
// ID of their form.
func count(tx *db.Tx, schema *enlist.Schema, id enlist.FormID, now int64, d Day) error {
	return tx.Do(`INSERT INTO form_day (form_id, day, shown, sent, confirmed)
		SELECT id, CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT), CAST(? AS BIGINT) FROM form
			WHERE id = ? AND list_id = ?
		ON CONFLICT (form_id, day) DO UPDATE SET shown = form_day.shown + excluded.shown,
			sent = form_day.sent + excluded.sent, confirmed = form_day.confirmed + excluded.confirmed`,
		enlist.DayOf(now, schema.TimeZone), d.Shown, d.Sent, d.Confirmed, int64(id), int64(schema.List.ID))
}

// days returns the days of a Form from first to last.
func days(tx *db.Tx, id enlist.FormID, first, last time.Time) (all []Day, err error) {
	at := make(map[int64]int) // the position of a date in all
	for day := first; !day.After(last); day = day.AddDate(0, 0, 1) {
		at[enlist.DayOf(day.Unix(), "")] = len(all)
		all = append(all, Day{Day: day})
	}
	return all, tx.Each(func(row *db.Cursor) error {
		if i, ok := at[row.Int()]; ok {
			all[i].Shown, all[i].Sent, all[i].Confirmed = row.Int(), row.Int(), row.Int()
		}
		return nil
	}, "SELECT day, shown, sent, confirmed FROM form_day WHERE form_id = ? AND day >= ? AND day <= ?", int64(id),
		enlist.DayOf(first.Unix(), ""), enlist.DayOf(last.Unix(), ""))
}

func remove(tx *db.Tx, id enlist.FormID) error {
	if err := tx.Define("DELETE FROM form WHERE id = ?", int64(id)); err != nil {
		return err
	}
	return tx.Do("DELETE FROM form_day WHERE form_id = ?", int64(id))
}

// RemoveOf removes the Forms of a List.
func RemoveOf(tx *db.Tx, list enlist.ListID) error {
	if err := tx.Do("DELETE FROM form_day WHERE form_id IN (SELECT id FROM form WHERE list_id = ?)", int64(list)); err != nil {
		return err
	}
	return tx.Do("DELETE FROM form WHERE list_id = ?", int64(list))
}

// Texts calls each with the texts of the Forms of an Account.
func Texts(tx *db.Tx, account enlist.AccountID, each func(id int64, text string)) error {
	return tx.EachText(each, `SELECT id, title || ' ' || introduction || ' ' || button || ' ' || consent || ' ' || thanks
			|| ' ' || translations || ' ' || tracking_text
		FROM form WHERE account_id = ? ORDER BY 1`, int64(account))
}
