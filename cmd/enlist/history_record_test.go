package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
)

// This file records a history: when calls begin, and when and with what reply they end.

// recorder records the calls on Contacts whose addresses no other recorder's calls have. Its methods may be called at
// the same time.
type recorder struct {
	modelRules

	mu     sync.Mutex
	events []porcupine.Event
	open   map[int]historyCall // calls without a reply, by their ID in the history
	next   int
}

// begin records that a call begins, and returns its ID in the history. A call that is sent again is another one.
func (r *recorder) begin(c historyCall) (id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.open == nil {
		r.open = make(map[int]historyCall)
	}
	r.next++
	r.open[r.next] = c
	r.events = append(r.events, porcupine.Event{Kind: porcupine.CallEvent, Value: c, Id: r.next, ClientId: r.next})
	return r.next
}

// end records a reply. A call without a reply stays open.
func (r *recorder) end(id int, reply historyReply) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.open, id)
	r.events = append(r.events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: reply, Id: id, ClientId: id})
}

// remove removes a call that the server has not received.
func (r *recorder) remove(id int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.removeOpen(id)
}

func (r *recorder) removeOpen(id int) {
	delete(r.open, id)
	for i, e := range r.events {
		if e.Id == id {
			r.events = append(r.events[:i:i], r.events[i+1:]...)
			return
		}
	}
}

// close ends the calls without a reply. They may have taken place at any time after they began, or after all others,
// which means never. Those that certainly had no effect are removed, because each more of them doubles the number of
// orders.
func (r *recorder) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	var seen strings.Builder // all that replies and the ledger say
	byRow := make(map[string]int64)
	for id, rows := range r.ledger {
		for _, row := range rows {
			byRow[row] = id
		}
	}
	for _, e := range r.events {
		if reply, ok := e.Value.(historyReply); ok {
			seen.WriteString(reply.text)
		}
	}
	for id, c := range r.open {
		contact, isStored := byRow[c.row()]
		switch {
		case c.reads(),
			c.subscribes() && !isStored,
			c.unsubscribes() && !isStored && c.key == 0,
			c.method == "editContacts" && c.address == "" && !strings.Contains(seen.String(), c.text()+" ") && c.key == 0:
			r.removeOpen(id)
		default:
			r.events = append(r.events, porcupine.Event{Kind: porcupine.ReturnEvent, Value: historyReply{contact: contact}, Id: id, ClientId: id})
		}
	}
	clear(r.open)
}

// check looks for an order of the calls in which the model returns each reply. Such a search takes milliseconds; the
// limit only keeps a test from running for hours.
func (r *recorder) check(t *testing.T) {
	t.Helper()
	switch result, info := porcupine.CheckEventsVerbose(r.model(), r.events, 5*time.Minute); result {
	case porcupine.Ok:
	case porcupine.Unknown:
		t.Error("no order of the calls was found in 5 minutes: make the histories shorter")
	default:
		t.Errorf("no order of the calls explains their replies. The history:\n%s%s", r, r.explain(&info))
	}
}

// explain returns the longest order that the model explains, with the states between its calls, and the calls that are
// left.
func (r *recorder) explain(info *porcupine.LinearizationInfo) string {
	var longest []porcupine.Operation
	for _, order := range info.PartialLinearizationsOperations()[0] {
		if len(order) > len(longest) {
			longest = order
		}
	}
	left := make(map[int]string) // by the ID in the history
	for _, e := range r.events {
		left[e.Id] += fmt.Sprintf(" %+v", e.Value)
	}
	var text strings.Builder
	state := r.model().Init().(*listState)
	text.WriteString("The longest order that the model explains:\n")
	for _, o := range longest {
		state, _ = state.step(o.Input.(historyCall), o.Output.(historyReply))
		fmt.Fprintf(&text, "%4d%s, then %s\n", o.ClientId, left[o.ClientId], state.all())
		delete(left, o.ClientId)
	}
	text.WriteString("The calls that are left:\n")
	for _, id := range slices.Sorted(maps.Keys(left)) {
		fmt.Fprintf(&text, "%4d%s\n", id, left[id])
	}
	return text.String()
}

// String returns a line for each beginning and end.
func (r *recorder) String() string {
	var text strings.Builder
	for _, e := range r.events {
		what := "ends"
		if e.Kind == porcupine.CallEvent {
			what = "begins"
		}
		fmt.Fprintf(&text, "%4d %s: %+v\n", e.Id, what, e.Value)
	}
	return text.String()
}
