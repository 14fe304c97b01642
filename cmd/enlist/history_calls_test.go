package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/http/httptrace"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"enlist/api"
	"enlist/internal/db/pgtest"
)

// This file has the callers of a history.

// callAll lets callers send all calls. Of hundred commits, about cut lose the connection.
func (h *history) callAll(callers, cut int) {
	var starting atomic.Bool // a server that starts needs all its transactions
	var commits atomic.Uint64
	if h.proxy != nil {
		h.proxy.CutCommits(func() pgtest.Cut {
			random := rand.New(rand.NewPCG(h.seed, commits.Add(1)))
			if starting.Load() || random.IntN(100) >= cut {
				return pgtest.NoCut
			}
			return []pgtest.Cut{pgtest.CutBefore, pgtest.CutAfter}[random.IntN(2)]
		})
	}
	faults := make(chan serverFault, historyCalls)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			for n := h.begun.Add(1); n <= historyCalls; n = h.begun.Add(1) {
				if f, isFault := h.faults[n]; isFault {
					faults <- f
				}
				h.callOne(int(n))
			}
		})
	}
	go func() {
		all.Wait()
		close(faults)
	}()
	for f := range faults {
		starting.Store(true)
		h.stop(f.server, f.signal)
		h.start(f.server)
		starting.Store(false)
	}
}

// historyMethods are the methods that a caller draws from.
var historyMethods = strings.Fields(`subscribeContact subscribeContact subscribeContact subscribeContact addContacts
	resubscribeContact unsubscribeContactById unsubscribeContact unsubscribeAll editContacts editContacts deleteContacts deleteContacts
	searchContacts searchContacts getContactById getContactConsents`)

// callOne sends the call with a number. All choices depend on the seed and the number.
func (h *history) callOne(n int) {
	random := rand.New(rand.NewPCG(h.seed, uint64(n)<<32))
	g := h.groups[random.IntN(len(h.groups))]
	c := historyCall{number: n, method: historyMethods[random.IntN(len(historyMethods))]}
	if g.limit > 0 && random.IntN(10) == 0 {
		c.method = "countContacts"
	}
	address := g.addresses[random.IntN(len(g.addresses))]
	switch c.method {
	case "editContacts":
		if c.contact = g.contact(random); random.IntN(2) == 0 {
			c.address = address
		}
	case "resubscribeContact", "unsubscribeContactById", "deleteContacts", "getContactById", "getContactConsents":
		c.contact = g.contact(random)
	case "countContacts":
	default:
		c.address = address
	}
	if !c.reads() && random.IntN(3) == 0 {
		h.callWithKey(g, c, random)
		return
	}
	h.send(g, c, random)
}

// callWithKey sends a call twice with its Idempotency-Key: at once, or one after the other. Sometimes it uses the key of another call.
func (h *history) callWithKey(g *callGroup, c historyCall, random *rand.Rand) {
	c.key = c.number
	again := rand.New(rand.NewPCG(random.Uint64(), 0))
	other := c
	if c.method != "deleteContacts" && random.IntN(8) == 0 {
		other.number += historyCalls // other parameters with the same key
	}
	if random.IntN(2) == 0 {
		h.send(g, c, random)
		h.send(g, other, again)
		return
	}
	var both sync.WaitGroup
	both.Go(func() { h.send(g, c, random) })
	both.Go(func() { h.send(g, other, again) })
	both.Wait()
}

// contact returns the ID of one of the last Contacts that callers know, or of none.
func (g *callGroup) contact(random *rand.Rand) int64 {
	g.idMu.Lock()
	defer g.idMu.Unlock()
	if len(g.ids) == 0 {
		return 1 << 40
	}
	last := g.ids[max(0, len(g.ids)-3):]
	return last[random.IntN(len(last))]
}

// learn stores the ID of a Contact for the calls that follow.
func (g *callGroup) learn(id int64) {
	g.idMu.Lock()
	defer g.idMu.Unlock()
	if !slices.Contains(g.ids, id) {
		g.ids = append(g.ids, id)
	}
}

// send sends a call to one of the servers and records it. If the server cannot be reached, it takes the other one.
func (h *history) send(g *callGroup, c historyCall, random *rand.Rand) {
	for server := random.IntN(2); ; server = 1 - server {
		ctx, cancel := context.WithCancel(h.t.Context())
		if random.IntN(10) == 0 {
			delay := rand.N(3 * time.Millisecond)
			ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
				WroteRequest: func(httptrace.WroteRequestInfo) { time.AfterFunc(delay, cancel) }})
		}
		client := h.client(server, g.key)
		if c.key != 0 {
			client = client.Idempotent(fmt.Sprint(c.key))
		}
		id := g.begin(c)
		reply, err := g.call(ctx, client, c)
		cancel()
		if failed, ok := errors.AsType[*net.OpError](err); ok && failed.Op == "dial" {
			g.remove(id)
			continue
		}
		if reply.contact != 0 {
			g.learn(reply.contact)
		}
		if reply.text != "" {
			g.end(id, reply)
		}
		return
	}
}

// call sends a call. The reply has no text if the outcome is unknown.
func (g *callGroup) call(ctx context.Context, client *api.Client, c historyCall) (reply historyReply, err error) {
	consent := api.Consent{Type: api.ConsentDirect, Text: c.text(), IPAddress: c.ip()}
	values := api.Details{"Email": c.address, "First Name": c.text()}
	switch c.method {
	case "subscribeContact":
		reply.contact, err = client.SubscribeContact(ctx, g.list, values, consent)
		reply.text = replyContact(reply.contact)
	case "addContacts":
		var added map[int]int64
		added, err = client.AddContacts(ctx, g.list, []api.Details{values}, api.AddOptions{IPAddress: c.ip()})
		reply.contact, reply.text = added[0], replyContact(added[0])
		if reply.contact == 0 {
			reply.text = replyLeftOut
		}
	case "resubscribeContact":
		reply.contact, err = client.ResubscribeContact(ctx, g.list, c.contact, consent)
		reply.text = replyContact(reply.contact)
	case "unsubscribeContactById":
		_, err = client.UnsubscribeContactByID(ctx, g.list, c.contact, c.ip())
		reply.text = replyDone
	case "unsubscribeContact":
		_, err = client.UnsubscribeContact(ctx, g.list, c.address, c.ip())
		reply.text = replyDone
	case "unsubscribeAll":
		_, err = client.UnsubscribeContact(ctx, 0, c.address, c.ip())
		reply.text = replyDone
	case "editContacts":
		values["id"] = c.contact
		if c.address == "" {
			delete(values, "Email")
		}
		var changed map[int64]bool
		changed, err = client.EditContacts(ctx, g.list, []api.Details{values}, false)
		reply.text = replyDoneIf(changed[c.contact])
	case "deleteContacts":
		var deleted map[int64]bool
		deleted, err = client.DeleteContacts(ctx, g.list, []int64{c.contact}, api.Query{})
		reply.text = replyDoneIf(deleted[c.contact])
	default:
		reply, err = g.read(ctx, client, c)
	}
	return replyTo(reply, err), err
}

// read sends a call that changes nothing.
func (g *callGroup) read(ctx context.Context, client *api.Client, c historyCall) (reply historyReply, err error) {
	switch c.method {
	case "countContacts":
		var n int64
		n, err = client.CountContacts(ctx, g.list, nil)
		reply.text = fmt.Sprint(n)
	case "searchContacts":
		var found []api.Contact
		found, err = client.SearchContacts(ctx, g.list, api.Query{Criteria: api.Criteria{api.Test{"Email", "exactly", c.address}}})
		shown := []modelContact{}
		for i := range found {
			shown = append(shown, modelOf(&found[i]))
			reply.contact = found[i].ID
		}
		reply.text = fmt.Sprint(shown)
	case "getContactById":
		var found *api.Contact
		if found, err = client.GetContactByID(ctx, g.list, c.contact); err == nil {
			reply.text = fmt.Sprint(modelOf(found))
		}
	case "getContactConsents":
		var found []api.ConsentRecord
		found, err = client.GetContactConsents(ctx, g.list, c.contact, 0, 0, true)
		rows := []string{}
		for _, r := range slices.Backward(found) {
			rows = append(rows, ledgerRow(r.Method, r.IPAddress, r.ConsentText))
		}
		reply.text = fmt.Sprint(rows)
	}
	return reply, err
}

// replyTo returns the reply, or the refusal. After an internal error the caller does not know what has happened.
func replyTo(reply historyReply, err error) historyReply {
	refused, isRefused := errors.AsType[*api.Error](err)
	switch {
	case err == nil:
		return reply
	case !isRefused || slices.Contains([]api.Code{api.CodeInternal, api.CodeUndefined, api.CodeTooManyConcurrent}, refused.Code):
		return historyReply{}
	}
	return historyReply{text: fmt.Sprintf("error %d", refused.Code)}
}

func replyDoneIf(is bool) string {
	if is {
		return replyDone
	}
	return replyNotFound
}

func modelOf(c *api.Contact) modelContact {
	return modelContact{c.ID, c.Values["Email"], c.Values["First Name"], c.IsUnsubscribed}
}
