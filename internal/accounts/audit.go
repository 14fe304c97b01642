package accounts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file writes the audit log: one row for each administrative act, in the transaction of the act. So an act that
// was acknowledged has its row, and an act that failed has none. audit_search.go reads the log. decisions.md: 103

// AuditRow is an entry of the audit log. Rows are added and never changed. Only the erasure of a person empties Before
// and After of the rows that contain the person's address. Only a Retention deletes rows
// (privacy/retention_apply.go).
type AuditRow struct {
	ID        int64
	AccountID enlist.AccountID // 0: the act was about the complete database
	Time      int64
	Method    string        // a method of the API, a request such as "GET /api/exports", or a command such as "enlist key create"
	KeyID     enlist.KeyID  // 0: the command line, or a person
	KeyName   string        // at the time of the act
	User      string        // who ran the command: user of the operating system, "@" and the machine; or the email address of a person; "" for a call
	IP        string        // from which the call came; "" for a command
	Object    string        // the kind of the record, such as "List"
	ObjectID  int64         // 0: the record has no ID
	ListID    enlist.ListID // that the record belongs to; 0: none
	Before    string        // JSON object of the values that the act changed, as they were; "": erased
	After     string        // as they are after the act
}

// actorKey is the key of the Actor in a context.
type actorKey struct{}

// WithActor returns a context for the methods that need no key, such as AddKey and Operator. The command line sets it.
func WithActor(ctx context.Context, a enlist.Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// callerKey is the key of a Caller in a context.
type callerKey struct{}

// WithCaller returns a context for the same methods. The rows of the audit log then have the key of the Caller.
func WithCaller(ctx context.Context, c *enlist.Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// AuditObject is the record that an act is about.
type AuditObject struct {
	Kind string // such as "List"
	ID   int64
	List enlist.ListID // that it belongs to; 0: none
}

// AuditValues are values of a record by the names of their attributes. nil means that there is no record.
type AuditValues map[string]any

// SettableValues returns the values of a record that callers can set.
func SettableValues[T any](attributes []enlist.Attribute[T], record *T) AuditValues {
	values := make(AuditValues)
	for i := range attributes {
		if a := &attributes[i]; a.Set != nil {
			values[a.Name] = plainAuditValue(a.Get(record))
		}
	}
	return values
}

// plainAuditValue returns a value as JSON has it.
func plainAuditValue(v enlist.Value) any {
	switch v.Kind {
	case enlist.KeyInt:
		return v.Int
	case enlist.KeyBool:
		return v.Int != 0
	}
	return v.Text
}

// Audit adds a row to the audit log. before is nil for a new record, and after for one that was deleted. The row gets
// only the values that differ. An act that changes nothing has a row too: the caller gave the order.
func Audit(tx *db.Tx, c *enlist.Caller, now int64, on AuditObject, before, after AuditValues) error {
	r := &AuditRow{Time: now, Method: c.Actor.Method, KeyID: c.Key.ID, User: c.Actor.User, IP: c.Actor.IP(),
		Object: on.Kind, ObjectID: on.ID, ListID: on.List,
		Before: before.changed(after), After: after.changed(before)}
	if c.Account != nil {
		r.AccountID = c.Account.ID
	}
	if c.Key.ID != 0 {
		r.KeyName = c.Key.Name
	}
	return AddAuditRow(tx, r)
}

// changed returns the values that others does not have, as a JSON object. If others is nil, it leaves out empty values.
func (v AuditValues) changed(others AuditValues) string {
	differ := make(AuditValues)
	for name, value := range v {
		other, known := others[name]
		switch {
		case known && equalAuditValues(value, other):
		case !known && (value == "" || value == int64(0) || value == false):
		default:
			differ[name] = shownAuditValue(name, value)
		}
	}
	return differ.json()
}

// json returns a JSON object, with the names in order.
func (v AuditValues) json() string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false) // an erasure looks for addresses as they are spelled
	if err := e.Encode(v); err != nil {
		panic(err) // only texts, numbers, booleans and lists of IDs are values
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// equalAuditValues compares values that can be lists.
func equalAuditValues(a, b any) bool {
	return AuditValues{"": a}.json() == AuditValues{"": b}.json()
}

// maxAudited is the largest length in bytes of a text that a row contains. A longer text is replaced by its length and
// its hash, so that a row has a bounded size.
const maxAudited = 1000

// shownAuditValue returns a value without secrets, and bounded.
func shownAuditValue(name string, value any) any {
	text, isText := value.(string)
	switch {
	case !isText:
		return value
	case name == "secret":
		return "changed"
	case name == "url": // programs put tokens into the query of the URL of a webhook
		before, _, hasQuery := strings.Cut(text, "?")
		if hasQuery {
			text = before + "?…"
		}
	}
	if len(text) > maxAudited {
		sum := sha256.Sum256([]byte(text))
		return map[string]any{"bytes": len(text), "sha256": hex.EncodeToString(sum[:])}
	}
	return text
}

// maxAuditedIDs is the largest number of IDs that a row lists.
const maxAuditedIDs = 100

// AuditIDs adds the IDs of many records to the values: the first of them, and how many there are.
func AuditIDs[N ~int64](v AuditValues, name string, ids []N) {
	v["count"] = int64(len(ids))
	v[name] = ids[:min(len(ids), maxAuditedIDs)]
}

// RecordAct adds a row about the complete database to the audit log, in a transaction of its own. It is for acts that
// no Service does, such as a backup. values describe the act: they are texts, numbers and booleans.
func (s *Service) RecordAct(ctx context.Context, kind string, values map[string]any) error {
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		return Audit(tx, OperatorIn(ctx, nil), now, AuditObject{Kind: kind}, nil, values)
	})
}
