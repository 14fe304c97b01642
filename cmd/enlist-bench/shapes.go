package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"time"

	"enlist/internal/audience"
	"enlist/internal/enlist"
)

// This file lists the searches that the parts "indexes" and "growth" measure. It runs a search over HTTP or in this
// process.

// shape is a kind of search whose time is measured.
type shape struct {
	name   string
	method string
	params string // JSON of the parameters after the List; MIDDLE stands for half of the List's number of Contacts
	target time.Duration
}

// indexed are searches that use an index. The server builds the index after the first searches.
var indexed = []shape{
	{"exactly a rare value", "searchContacts", `[["Last Name","exactly","Kowalska 4711"]]`, 400 * time.Microsecond},
	{"a range of dates, sorted by them, 100", "searchContacts", `[["Born","greater_than","1990-01-31"]],100,0,"Born"`,
		1200 * time.Microsecond},
	{"two Fields, by creation_time, 100", "searchContacts",
		`[["State","exactly","NSW"],["Postcode","exactly","2008"]],100,0,"creation_time"`, 3 * time.Millisecond},
	{"two common values, by creation_time, 100", "searchContacts",
		`[["State","exactly","NSW"],["Member","exactly","yes"]],100,0,"creation_time"`, 3 * time.Millisecond},
	{"the page in the middle, by a date", "searchContacts", `[],100,MIDDLE,"Born"`, 60 * time.Millisecond},
	{"the count of a common value", "countContacts", `[["State","exactly","NSW"]]`, 20 * time.Millisecond},
	{"one of three values", "searchContacts", `[["Last Name","in","Kowalska 1,Kowalska 2,Kowalska 3"]]`, 0},
	{"one Field or another, 100", "searchContacts",
		`[["Last Name","exactly","Kowalska 4711"],"OR",["Born","exactly","1990-01-31"]]`, 0},
	{"starts_with, 100", "searchContacts", `[["Last Name","starts_with","Kowalska 471"]]`, 0},
}

// scanned are searches that read every Contact: their Fields have no index yet, and no Contact matches.
var scanned = []shape{
	{"the first search on a Field", "searchContacts", `[["First Name","exactly","Nowhere"]]`, 400 * time.Millisecond},
	{"contains, the first time", "searchContacts", `[["Comment","contains","autumn"]]`, 300 * time.Millisecond},
	{"ends_with, the first time", "searchContacts", `[["Colours","ends_with","purple"]]`, 300 * time.Millisecond},
}

// body returns the JSON of the call.
func (s *shape) body(list enlist.ListID, contacts int) string {
	params := strings.ReplaceAll(s.params, "MIDDLE", fmt.Sprint(contacts/2))
	return fmt.Sprintf(`{"id":1,"method":"%s","params":["%s",%d,%s]}`, s.method, apiKey, list, params)
}

// query returns the search in the form of package audience.
func (s *shape) query(contacts int) (q enlist.Query, err error) {
	var params []any
	if err := json.Unmarshal([]byte("["+strings.ReplaceAll(s.params, "MIDDLE", fmt.Sprint(contacts/2))+"]"),
		&params); err != nil {
		return q, err
	}
	var tests []enlist.Criteria
	either := false
	for _, part := range params[0].([]any) {
		test, ok := part.([]any)
		if !ok {
			either = true // "OR"
			continue
		}
		value := enlist.Input{Kind: enlist.InputText, Text: test[2].(string)}
		tests = append(tests, enlist.Criteria{Key: test[0].(string), Operator: test[1].(string), Value: value})
	}
	switch {
	case either:
		q.Criteria = &enlist.Criteria{Any: tests}
	case len(tests) > 0:
		q.Criteria = &enlist.Criteria{All: tests}
	}
	q.Limit = 100
	if len(params) > 1 {
		q.Limit, q.Offset, q.SortBy = int64(params[1].(float64)), int64(params[2].(float64)), params[3].(string)
	}
	return q, nil
}

// discard receives the Contacts that a search finds, and ignores them.
type discard struct{}

func (discard) Begin([]enlist.Column, bool) error { return nil }
func (discard) Contact(*enlist.Contact) error     { return nil }

// within runs the search in this process and returns its duration. The duration includes
// the work of the database and the decoding of its rows, but no HTTP and no JSON.
func (s *shape) within(ctx context.Context, service *audience.Service, caller *enlist.Caller, list enlist.ListID,
	contacts int) (time.Duration, error) {
	q, err := s.query(contacts)
	if err != nil {
		return 0, err
	}
	began := time.Now()
	if s.method == "countContacts" {
		_, err = service.CountContacts(ctx, caller, list, q.Criteria)
	} else {
		err = service.SearchContacts(ctx, caller, list, q, nil, discard{})
	}
	return time.Since(began), err
}

// goal returns the target for the table, empty if the search has no target.
func (s *shape) goal() string {
	if s.target == 0 {
		return ""
	}
	return milliseconds(s.target)
}

// client is one connection that is kept alive.
type client struct {
	conn net.Conn
	to   *process
	buf  []byte
}

func dial(to *process) (*client, error) {
	conn, err := net.Dial("tcp", to.addr)
	return &client{conn, to, make([]byte, replyRoom)}, err
}

// call sends a call, waits for the reply and returns the duration.
func (c *client) call(body string) (time.Duration, error) {
	request := post(c.to, body, 0)
	began := time.Now()
	if _, err := c.conn.Write(request); err != nil {
		return 0, err
	}
	reply, err := readReply(c.conn, c.buf)
	if err == nil && !succeeded(reply) {
		err = fmt.Errorf("the server answered %.300s", reply)
	}
	return time.Since(began), err
}
