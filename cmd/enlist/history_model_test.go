package main

import (
	"fmt"
	"maps"
	"slices"

	"github.com/anishathalye/porcupine"
)

// This file is the model of histories. It says what the documentation promises about calls on the Contacts of a List
// that disallows duplicates, as if the calls ran one after another. porcupine looks for such an order of a history: each
// call in it takes place between its beginning and its end, and returns what the model returns.

// historyCall is a call of a history.
type historyCall struct {
	number  int    // the IP address, the consent text and the name that the call sends tell it from other calls
	key     int    // the Idempotency-Key, a number; 0: none
	method  string // of the API, or readAll: the state at the end of a history
	address string
	contact int64
}

// Values that a call sends.
func (c historyCall) text() string { return fmt.Sprintf("call %d", c.number) }
func (c historyCall) ip() string   { return fmt.Sprintf("10.0.%d.%d", c.number/250, c.number%250) }

// reads reports whether the call changes nothing.
func (c historyCall) reads() bool {
	return slices.Contains([]string{"searchContacts", "getContactById", "getContactConsents", "countContacts"}, c.method)
}

// subscribes reports whether the call adds a row to the ledger, unless it is refused.
func (c historyCall) subscribes() bool {
	return c.method == "subscribeContact" || c.method == "resubscribeContact"
}

// unsubscribes reports whether the call has no effect, or adds a row to the ledger.
func (c historyCall) unsubscribes() bool {
	return c.method == "unsubscribeContact" || c.method == "unsubscribeContactById"
}

// row is the row of the ledger that the call can add.
func (c historyCall) row() string {
	if c.subscribes() {
		return ledgerRow(c.method, c.ip(), c.text())
	}
	return ledgerRow(c.method, c.ip(), "")
}

// ledgerRow is a row of the consent ledger.
func ledgerRow(method, ip, text string) string { return fmt.Sprintf("%s from %s %q", method, ip, text) }

// historyReply is the reply to a call.
type historyReply struct {
	text    string // "": the call was not answered, so the model accepts it with any reply
	contact int64  // the ID of the Contact that the call returned. If it was not answered, the ledger says which one.
}

const (
	methodReadAll  = "readAll"
	replyNoContact = "error 304"
	replyDone      = "done"
	replyLeftOut   = "left out"
	replyNotFound  = "not found"
)

func replyContact(id int64) string { return fmt.Sprintf("Contact %d", id) }

// listState is the state of the Contacts that calls of a history use.
type listState struct {
	*modelRules
	contacts []modelContact     // in the order of their IDs
	rows     map[int64]int      // number of rows in the consent ledger by Contact, also of deleted ones
	left     []string           // the Unsubscriber List, sorted
	notified map[int64]int      // number of notifications to the List's owner, by Contact
	saved    map[int]savedReply // by Idempotency-Key
	wrong    bool               // a call has added a row that the ledger does not have
	ended    bool               // the calls that follow did not take place
}

// modelRules are the same for all states of a history.
type modelRules struct {
	limit    int  // largest number of Contacts; 0: none
	notifies bool // a subscription notifies the List's owner
	// ledger has the rows at the end, the oldest first. The rows of a Contact are in the order of the calls, so most orders
	// need not be tried.
	ledger map[int64][]string
}

type modelContact struct {
	id           int64
	address      string
	name         string
	unsubscribed bool
}

// savedReply is the reply that is stored under an Idempotency-Key, and the number of its call.
type savedReply struct {
	call int
	text string
}

func (s *listState) clone() *listState {
	return &listState{s.modelRules, slices.Clone(s.contacts), maps.Clone(s.rows), slices.Clone(s.left), maps.Clone(s.notified), maps.Clone(s.saved), s.wrong, s.ended}
}

// step returns the state after a call, and whether the call may return the reply.
func (s *listState) step(c historyCall, r historyReply) (*listState, bool) {
	if s.ended {
		return s, r.text == ""
	}
	if saved, repeated := s.saved[c.key]; repeated && c.key != 0 {
		want := saved.text
		if saved.call != c.number {
			want = "error 310" // the key was used with other parameters
		}
		return s, r.text == "" || r.text == want
	}
	next := s.clone()
	want, refused := next.apply(c, r)
	if refused {
		next = s
	} else if c.key != 0 {
		next.saved[c.key] = savedReply{c.number, want}
	}
	return next, !next.wrong && (r.text == "" || r.text == want)
}

// apply changes the state and returns the reply. A refused call changes nothing.
func (s *listState) apply(c historyCall, r historyReply) (reply string, refused bool) {
	byID := slices.IndexFunc(s.contacts, func(m modelContact) bool { return m.id == c.contact })
	byAddress := slices.IndexFunc(s.contacts, func(m modelContact) bool { return m.address == c.address })
	full := s.limit != 0 && len(s.contacts) >= s.limit
	switch c.method {
	case "subscribeContact":
		if byAddress < 0 && full {
			return "error 330", true
		}
		if byAddress < 0 {
			return s.add(c, r.contact), false
		}
		m := &s.contacts[byAddress]
		if m.unsubscribed {
			s.notify(m.id)
		}
		m.name, m.unsubscribed = c.text(), false
		s.record(m.id, c.row())
		return replyContact(m.id), false
	case "addContacts": // of one row
		switch {
		case byAddress >= 0 || full && r.text == replyLeftOut:
			return replyLeftOut, false
		case full:
			return "error 330", true
		}
		return s.add(c, r.contact), false
	case "resubscribeContact":
		if byID < 0 {
			return replyNoContact, true
		}
		s.contacts[byID].unsubscribed = false
		s.record(c.contact, c.row())
		return replyContact(c.contact), false
	case "unsubscribeContactById":
		if byID < 0 {
			return replyNoContact, true
		}
		s.unsubscribe(byID, c)
		return replyDone, false
	case "unsubscribeContact":
		if byAddress >= 0 {
			s.unsubscribe(byAddress, c)
		}
		return replyDone, false
	case "unsubscribeAll": // unsubscribeContact for all Lists changes no Contact
		if byAddress >= 0 {
			s.record(s.contacts[byAddress].id, c.row())
		}
		s.leave(0, c.address)
		return replyDone, false
	case "editContacts": // sets the name, or the name and the address
		if byID < 0 || c.address != "" && byAddress >= 0 && byAddress != byID {
			return "error 320", true
		}
		s.contacts[byID].name = c.text()
		if c.address != "" {
			s.contacts[byID].address = c.address
		}
		return replyDone, false
	case "deleteContacts":
		if byID < 0 {
			return replyNotFound, false
		}
		s.contacts = slices.Delete(s.contacts, byID, byID+1)
		return replyDone, false
	}
	return s.read(c, byID, byAddress), false
}

// read returns the reply of a call that changes nothing.
func (s *listState) read(c historyCall, byID, byAddress int) string {
	switch {
	case c.method == methodReadAll:
		s.ended = true
		return s.all()
	case c.method == "countContacts":
		return fmt.Sprint(len(s.contacts))
	case c.method == "searchContacts" && byAddress < 0:
		return "[]"
	case c.method == "searchContacts":
		return fmt.Sprint(s.contacts[byAddress : byAddress+1])
	case byID < 0:
		return replyNoContact
	case c.method == "getContactConsents":
		return fmt.Sprint(s.ledger[c.contact][:s.rows[c.contact]])
	}
	return fmt.Sprint(s.contacts[byID])
}

// add adds a Contact with the ID that the server has chosen. An ID is never used again.
func (s *listState) add(c historyCall, id int64) string {
	s.wrong = s.wrong || s.rows[id] > 0
	s.contacts = append(s.contacts, modelContact{id, c.address, c.text(), false})
	slices.SortFunc(s.contacts, func(a, b modelContact) int { return int(a.id - b.id) })
	s.record(id, c.row())
	if c.subscribes() {
		s.notify(id)
	}
	return replyContact(id)
}

// unsubscribe has no effect on a Contact that is unsubscribed.
func (s *listState) unsubscribe(i int, c historyCall) {
	m := &s.contacts[i]
	if m.unsubscribed {
		return
	}
	m.unsubscribed = true
	s.leave(m.id, m.address)
	s.record(m.id, c.row())
}

// record adds a row to the consent ledger.
func (s *listState) record(id int64, row string) {
	n := s.rows[id]
	s.rows[id]++
	s.wrong = s.wrong || n >= len(s.ledger[id]) || s.ledger[id][n] != row
}

// notify stores a notification, which is sent later.
func (s *listState) notify(id int64) {
	if s.notifies {
		s.notified[id]++
	}
}

// leave adds an entry to the Unsubscriber List.
func (s *listState) leave(id int64, address string) {
	s.left = append(s.left, fmt.Sprintf("%d %s", id, address))
	slices.Sort(s.left)
}

// all returns the state as the database shows it.
func (s *listState) all() string {
	return fmt.Sprintf("Contacts %v, rows of the ledger %v, Unsubscriber List %v, notifications %v", s.contacts, s.rows, s.left, s.notified)
}

// model returns the model with its rules.
func (rules *modelRules) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any {
			return &listState{modelRules: rules, rows: make(map[int64]int), notified: make(map[int64]int),
				saved: make(map[int]savedReply)}
		},
		Step: func(state, call, reply any) (bool, any) {
			next, ok := state.(*listState).step(call.(historyCall), reply.(historyReply))
			return ok, next
		},
		Equal: func(a, b any) bool {
			x, y := a.(*listState), b.(*listState)
			return x == y || x.ended == y.ended && slices.Equal(x.contacts, y.contacts) && slices.Equal(x.left, y.left) &&
				maps.Equal(x.rows, y.rows) && maps.Equal(x.notified, y.notified) && maps.Equal(x.saved, y.saved)
		},
		DescribeOperation: func(call, reply any) string { return fmt.Sprintf("%+v: %s", call, reply.(historyReply).text) },
		DescribeState:     func(state any) string { return state.(*listState).all() },
	}
}
