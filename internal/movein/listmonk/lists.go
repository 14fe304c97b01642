package listmonk

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/lists"
	"enlist/internal/movein"

	"github.com/jackc/pgx/v5"
)

// Lists implements movein.Source.
func (d *Database) Lists(ctx context.Context) ([]movein.Record, error) {
	found, err := d.records(ctx, "lists", "SELECT id, name, "+seconds("created_at")+" AS creation_time, "+
		seconds("updated_at")+` AS last_modified_time, optin::text = 'double' AS double_opt_in_required,
		coalesce(description, '') AS description, status::text AS status,
		(SELECT count(*) FROM subscriber_lists WHERE list_id = lists.id) AS contact_count FROM lists ORDER BY id`)
	if err != nil {
		return nil, err
	}
	for _, l := range found {
		if status := l.Text("status"); status != "active" {
			d.refuse(movein.Problem{Record: "list", ID: l.ID(), Key: "status", Value: status,
				Reason: "Lists have no status: the List is like the others"})
		}
	}
	d.factor = factorFor(found)
	return found, d.reportWithoutList(ctx)
}

// reportWithoutList reports the subscribers that are in no list, because a Contact needs a List.
func (d *Database) reportWithoutList(ctx context.Context) error {
	var n int64
	err := d.conn.QueryRow(ctx, `SELECT count(*) FROM subscribers
		WHERE NOT EXISTS (SELECT 1 FROM subscriber_lists WHERE subscriber_id = subscribers.id)`).Scan(&n)
	if err != nil {
		return fmt.Errorf("count listmonk's subscribers without a list: %w", err)
	}
	if n > 0 {
		d.refuse(movein.Problem{Record: "subscriber", Key: "count", Value: fmt.Sprint(n),
			Reason: "these subscribers are in no list: add them to one in listmonk, and run the command again"})
	}
	return nil
}

// factorFor returns a power of ten that is more than ten times the greatest ID of a list, so that listmonk can add
// lists during the move.
func factorFor(lists []movein.Record) int64 {
	factor := int64(100)
	for _, l := range lists {
		for factor <= 10*l.ID() {
			factor *= 10
		}
	}
	return factor
}

// maxFactor keeps the IDs of Contacts below 2^53: programs in JavaScript read greater ones wrongly.
const maxFactor = 1_000_000

// IDFactor implements movein.Source.
func (d *Database) IDFactor() int64 { return d.factor }

// UseIDFactor implements movein.Source.
func (d *Database) UseIDFactor(factor int64) error {
	if needed := d.factor / 10; needed > factor || factor > maxFactor {
		return fmt.Errorf("the IDs of listmonk's lists are too great for the IDs of Contacts, which are the ID of the "+
			"subscriber times %d plus the ID of the list: begin again with a new database", factor)
	}
	d.factor = factor
	return nil
}

// Search implements movein.Source: the campaigns and templates as Messages, and the media as files.
func (d *Database) Search(ctx context.Context, method string, _ ...any) ([]movein.Record, error) {
	switch method {
	case "searchMessages":
		return d.records(ctx, "campaigns",
			"SELECT id * $1::bigint AS id FROM campaigns UNION ALL SELECT id * $1 + $2 FROM templates ORDER BY id",
			messageFactor, ofTemplate)
	case "searchFiles":
		return d.files(ctx)
	}
	return nil, nil
}

// Skipped implements movein.Source.
func (d *Database) Skipped() []string { return nil }

// The Fields of every List, in the order of their IDs.
const (
	emailField = iota + 1
	nameField
	firstNameField
	lastNameField
	uuidField
	firstAttribute // the attributes have this ID and the following ones
)

// fieldNames are the names of the Fields of every List, from emailField on.
var fieldNames = []string{"Email", "Name", "First Name", "Last Name", "UUID"}

// fieldsOfList is the greatest number of Fields of a List. The ID of a Field is the ID of its list times this, plus the
// number of the Field.
const fieldsOfList = 1000

// listFields are the Fields of a List.
type listFields struct {
	first      int64 // ID of the Fields, without their number
	attributes map[string]enlist.Field
}

// Fields implements movein.Source. An attribute gets a Field of its name. The Field of an attribute inside another one
// has both names with a dot between them. A stored Field keeps its ID and its type.
func (d *Database) Fields(ctx context.Context, list int64, stored []enlist.Field) ([]movein.Record, error) {
	guesses, err := d.guess(ctx, list)
	if err != nil {
		return nil, err
	}
	f := &listFields{first: list * fieldsOfList, attributes: make(map[string]enlist.Field)}
	d.fields[list] = f
	var records []movein.Record
	for i, name := range fieldNames {
		record := movein.Record{number("id", f.first+int64(i)+1), text("name", name), text("type", "text")}
		if i+1 == emailField {
			record = append(record, text("address_type", "email"))
		}
		records = append(records, record)
	}
	next := f.first + firstAttribute
	for i := range stored {
		next = max(next, int64(stored[i].ID)+1)
	}
	for _, attribute := range slices.Sorted(maps.Keys(guesses)) {
		name := fieldName(attribute)
		guessed := guesses[attribute].Field() // the types are guessed as for an import
		record := movein.Record(guessed.Details(name))
		i := slices.IndexFunc(stored, func(s enlist.Field) bool { return s.Name == name })
		id := next
		if i >= 0 {
			id = int64(stored[i].ID)
			record = movein.Record{text("name", name), text("type", string(stored[i].Type)),
				text("values_array", stored[i].Values), text("time_format", stored[i].TimeFormat),
				flag("allow_update", stored[i].AllowUpdate), flag("show_in_form", stored[i].ShowInForm)}
		} else {
			next++
		}
		if id >= f.first+fieldsOfList {
			d.refuse(movein.Problem{Record: "field", List: enlist.ListID(list), Key: attribute,
				Reason: fmt.Sprintf("a List has at most %d Fields", fieldsOfList-1)})
			continue
		}
		records = append(records, append(record, number("id", id)))
		f.attributes[attribute] = enlist.Field{ID: enlist.FieldID(id), Type: enlist.FieldType(record.Text("type")),
			Values: record.Text("values_array")}
	}
	return records, nil
}

// fieldName returns the name of the Field of an attribute. A Field must not have the name of a system key, or of another
// Field of the List. The comparison ignores letter case.
func fieldName(attribute string) string {
	name := strings.TrimSpace(attribute)
	isOther := func(other string) bool { return strings.EqualFold(name, other) }
	if lists.Reserved(name) || lists.Reserved(strings.ToLower(name)) || slices.ContainsFunc(fieldNames, isOther) {
		return name + " (attribute)"
	}
	return name
}

// valueOf returns a value of an attribute as its Field accepts it: nil, a bool, a json.Number or a string.
func valueOf(f *enlist.Field, value any) enlist.Input {
	var text string
	switch v := value.(type) {
	case nil:
		return enlist.Input{}
	case bool:
		text = fmt.Sprint(v)
	case json.Number:
		text = string(v)
	case string:
		text = v
	}
	if f.Type == enlist.Checkbox && f.Values == imports.TickChoice {
		ticked, ok := imports.TickOf(text)
		switch {
		case ticked:
			text = imports.TickChoice
		case ok:
			text = ""
		}
	}
	return enlist.TextInput(text)
}

// guess returns what the attributes of all subscribers of a list can be.
func (d *Database) guess(ctx context.Context, list int64) (map[string]*imports.Guess, error) {
	guesses := make(map[string]*imports.Guess)
	for after, n := int64(0), pageSize; n == pageSize; {
		n = 0
		err := d.each(ctx, "attributes", func(row pgx.CollectableRow) error {
			var attributes []byte
			if err := row.Scan(&after, &attributes); err != nil {
				return err
			}
			n++
			for _, v := range flatten(attributes) {
				if guesses[v.attribute] == nil {
					guesses[v.attribute] = imports.NewGuess()
				}
				guesses[v.attribute].See(v.value)
			}
			return nil
		}, `SELECT subscriber_id, attribs::text FROM subscriber_lists JOIN subscribers ON id = subscriber_id
			WHERE list_id = $1 AND subscriber_id > $2 ORDER BY subscriber_id LIMIT $3`, list, after, pageSize)
		if err != nil {
			return nil, err
		}
	}
	return guesses, nil
}

// attributeValue is a value of an attribute: nil, a bool, a json.Number or a string.
type attributeValue struct {
	attribute string
	value     any
}

// flatten returns the attributes of a subscriber, and those one level inside of them.
func flatten(attributes []byte) (values []attributeValue) {
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader(attributes))
	decoder.UseNumber()
	if err := decoder.Decode(&all); err != nil {
		return nil // attribs may be any JSON, and only an object has attributes
	}
	for _, attribute := range slices.Sorted(maps.Keys(all)) {
		inner, isObject := all[attribute].(map[string]any)
		if !isObject {
			values = append(values, attributeValue{attribute, plain(all[attribute])})
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(inner)) {
			values = append(values, attributeValue{attribute + "." + name, plain(inner[name])})
		}
	}
	return values
}

// plain returns a value without structure: the items of an array of texts and numbers, separated by commas, and any
// other array or object as JSON.
func plain(value any) any {
	var items []string
	switch v := value.(type) {
	case map[string]any:
		return asJSON(v)
	case []any:
		for _, item := range v {
			switch item := item.(type) {
			case json.Number:
				items = append(items, string(item))
			case string:
				if strings.Contains(item, ",") {
					return asJSON(v)
				}
				items = append(items, item)
			default:
				return asJSON(v)
			}
		}
		return strings.Join(items, ",")
	}
	return value
}

func asJSON(value any) string {
	encoded, err := json.Marshal(value)
	if err != nil {
		return "" // not reached: the value comes from JSON
	}
	return string(encoded)
}
