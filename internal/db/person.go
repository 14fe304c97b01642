package db

import (
	"slices"
	"strings"

	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads rows about one person: of the table that a package has described, and of the queue.

// PersonTable is a table with data about persons. A row is found by its Contact, by its address, or by both.
type PersonTable struct {
	Name    string
	Columns string // that an export contains; ":json" follows the name of a column with JSON
	Contact string // WHERE clause for a Contact; its arguments are the List and the Contact
	Order   string // ORDER BY clause after it
	Former  bool   // the rows of deleted Contacts stay
	Address string // column with an address; "": none
	Key     string // primary key of a table with such a column

	// LookUp finds the rows of a table whose key begins with List and Batch. It returns a statement for the rows that
	// satisfy a further test, and its first argument.
	LookUp func(tx *Tx, list enlist.ListID, columns, table, further string) (query string, first any, err error)
}

// Names returns the names of the columns.
func (t *PersonTable) Names() []string {
	return strings.Fields(strings.ReplaceAll(t.Columns, ":json", ""))
}

// Rows calls each for the rows about a person.
func (t *PersonTable) Rows(tx *Tx, p *enlist.Person, each func([]enlist.PersonValue) error) error {
	contacts := p.Contacts
	if t.Former {
		contacts = slices.Concat(contacts, p.Former)
	}
	for _, c := range contacts {
		query, args := t.selected()+" WHERE "+t.Contact, []any{int64(c.List), int64(c.Contact)}
		if t.LookUp != nil {
			found, first, err := t.LookUp(tx, c.List, strings.Join(t.Names(), ", "), t.Name, t.Contact)
			if err != nil {
				return err
			}
			query, args = found, slices.Insert(args, 0, first)
		}
		if err := t.query(tx, each, query+t.Order, args...); err != nil {
			return err
		}
	}
	if t.Address == "" {
		return nil
	}
	return t.mails(tx, p, each)
}

// mails calls each for the rows of other Contacts' mails that have one of the addresses. No index has the address, so
// all mails of the Account are read.
func (t *PersonTable) mails(tx *Tx, p *enlist.Person, each func([]enlist.PersonValue) error) error {
	inLists, lists, err := OneOfIDs(tx, p.Lists)
	if err != nil {
		return err
	}
	test, addresses, err := tx.OneOfTexts(p.Addresses)
	if err != nil {
		return err
	}
	return t.Where(tx, func(row []enlist.PersonValue) error { // it begins with the List and the Contact
		if p.Has(enlist.ListID(row[0].Value.(int64)), enlist.ContactID(row[1].Value.(int64))) {
			return nil
		}
		return each(row)
	}, "list_id"+inLists+" AND lower("+t.Address+")"+test+" ORDER BY "+t.Key, lists, addresses)
}

// Where calls each for the rows that a WHERE clause finds.
func (t *PersonTable) Where(tx *Tx, each func([]enlist.PersonValue) error, where string, args ...any) error {
	return t.query(tx, each, t.selected()+" WHERE "+where, args...)
}

func (t *PersonTable) selected() string {
	return "SELECT " + strings.Join(t.Names(), ", ") + " FROM " + t.Name
}

// query calls each for the rows of a query, which selects the columns.
func (t *PersonTable) query(tx *Tx, each func([]enlist.PersonValue) error, query string, args ...any) error {
	columns := strings.Fields(t.Columns)
	isJSON := make([]bool, len(columns))
	for i := range columns {
		columns[i], isJSON[i] = strings.CutSuffix(columns[i], ":json")
	}
	row := make([]enlist.PersonValue, len(columns), len(columns)+3)
	return tx.Each(func(c *Cursor) error {
		for i, name := range columns {
			row[i] = enlist.PersonValue{Name: name, Value: plainValue(c, isJSON[i])}
		}
		return each(row)
	}, query, args...)
}

// plainValue returns the next column as a number, a text, JSON or nil.
func plainValue(c *Cursor, isJSON bool) any {
	v := c.Value()
	switch _, isNumber := v.(int64); {
	case v == nil, isNumber:
		return v
	case isJSON && TextOf(v) == "":
		return jsontext.Value("[]")
	case isJSON:
		return jsontext.Value(TextOf(v))
	}
	return TextOf(v)
}

// JobsOfPerson calls each for the jobs about one of the Contacts, and for those whose arguments contain an address.
// The queue has no index for them, so it is read completely.
func JobsOfPerson(tx *Tx, p *enlist.Person, each func([]enlist.PersonValue) error) error {
	return tx.Each(func(c *Cursor) error {
		account, list, contact := enlist.AccountID(c.Int()), c.Int(), c.Int()
		id, kind, state, args := c.Int(), c.Text(), c.Text(), c.Text()
		named := account == p.Account && p.Mentions(args)
		if !named && !p.Has(enlist.ListID(list), enlist.ContactID(contact)) {
			return nil
		}
		return each([]enlist.PersonValue{{Name: "id", Value: id}, {Name: "kind", Value: kind},
			{Name: "state", Value: state}, {Name: "arguments", Value: jsontext.Value(args)}})
	}, "SELECT "+tx.SQL.JobNumber("account_id")+", "+tx.SQL.JobNumber("list_id")+", "+tx.SQL.JobNumber("contact_id")+
		", id, kind, CAST(state AS TEXT), "+
		tx.SQL.JobText+" FROM river_job WHERE CAST(state AS TEXT) <> 'completed' ORDER BY id")
}

// EraseJobs deletes jobs. It keeps jobs that run, and returns their number.
func EraseJobs(tx *Tx, ids []int64) (running int64, err error) {
	test, arg, err := OneOfIDs(tx, ids)
	if err != nil {
		return 0, err
	}
	if err := tx.Do("DELETE FROM river_job WHERE CAST(state AS TEXT) <> 'running' AND id"+test, arg); err != nil {
		return 0, err
	}
	return tx.Number("SELECT count(*) FROM river_job WHERE id"+test, arg)
}

// ContainsOneOf returns a test whether a column of text contains one of several texts in lower case, and its arguments.
func ContainsOneOf(tx *Tx, column string, texts []string) (test string, args []any) {
	tests := make([]string, len(texts))
	for i, text := range texts {
		tests[i] = tx.SQL.Position + "(lower(" + column + "), CAST(? AS TEXT)) > 0"
		args = append(args, text)
	}
	return strings.Join(tests, " OR "), args
}

// InJSON returns texts as a string in JSON has them, without the quotation marks.
func InJSON(texts []string) ([]string, error) {
	all := make([]string, len(texts))
	for i, text := range texts {
		quoted, err := jsontext.AppendQuote(nil, text)
		if err != nil {
			return nil, err
		}
		all[i] = string(quoted[1 : len(quoted)-1])
	}
	return all, nil
}

// EachText calls each with the rows of a query, which selects an ID and a text.
func (t *Tx) EachText(each func(id int64, text string), query string, args ...any) error {
	return t.Each(func(row *Cursor) error {
		each(row.Int(), row.Text())
		return nil
	}, query, args...)
}
