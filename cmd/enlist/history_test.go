package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/pgtest"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/search"
	"enlist/internal/seeds"
)

// This test checks histories of concurrent calls. history_calls_test.go has the callers, history_record_test.go the
// recorder and history_model_test.go the model.

// Two servers on one database get concurrent calls that change the same few Contacts. Some callers lose the reply, some
// repeat a call with its Idempotency-Key, servers are killed and stopped, and connections to PostgreSQL end at COMMIT.
// An order of the calls explains all replies and, at the end, the Contacts, the consent ledger, the Unsubscriber List
// and the notifications. A call without an answer may have taken place or not.
//
// covers: spec event.notification, event.effects, idempotency, limit.contacts, consent.ledger, subscribeContact.rule.8, decision 27, 44
func TestSeededHistoriesFollowTheModel(t *testing.T) {
	if testing.Short() {
		t.Skip("starts many processes: make proof runs it")
	}
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		runs := map[string]int{"sqlite": 24, "postgres": 12, "citus": 3}[e.Name]
		seeds.Run(t, runs, func(t *testing.T, random *rand.Rand) { runHistory(t, e, random) })
	})
}

const (
	historyCalls   = 300
	historyPersons = 4 // each has two addresses
	historyLimit   = 3 // Contacts of the second Account
)

// history is one run.
type history struct {
	*crash
	seed    uint64
	store   *database // to prepare the run, and to read the state at the end
	service *app.App
	groups  []*callGroup
	servers [2]historyServer
	proxy   *pgtest.Proxy // between the servers and PostgreSQL; nil: SQLite
	begun   atomic.Int64  // number of calls
	faults  map[int64]serverFault
}

// callGroup has addresses of a List. No call changes Contacts of two groups.
type callGroup struct {
	recorder
	account   enlist.AccountID
	list      int64
	key       string // of the API
	addresses []string

	idMu sync.Mutex
	ids  []int64 // of Contacts, as callers learn them
}

// serverFault ends a server.
type serverFault struct {
	server int
	signal os.Signal
}

func runHistory(t *testing.T, e dbtest.Engine, random *rand.Rand) {
	h := &history{crash: newCrash(t, e, "smtp://127.0.0.1:1"), seed: random.Uint64(), faults: make(map[int64]serverFault)}
	h.store = h.open()
	defer h.store.Close()
	h.prepare(random)
	for range random.IntN(4) {
		signal := []os.Signal{os.Kill, os.Kill, syscall.SIGTERM}[random.IntN(3)]
		h.faults[random.Int64N(historyCalls)] = serverFault{random.IntN(2), signal}
	}
	if e.Name != dbtest.SQLite.Name {
		h.proxy = pgtest.NewProxy(t, h.db)
		h.db = h.proxy.URL(h.db)
	}
	for i := range h.servers {
		h.start(i)
	}
	h.callAll(6+random.IntN(7), random.IntN(15))
	for i := range h.servers {
		h.stop(i, []os.Signal{os.Kill, syscall.SIGTERM}[random.IntN(2)])
	}
	for _, g := range h.groups {
		h.finish(g)
		g.check(t)
	}
	h.crash.check(h.store)
}

// prepare adds two Accounts with a List. The second Account may store historyLimit Contacts.
func (h *history) prepare(random *rand.Rand) {
	ctx := h.t.Context()
	h.service, _ = newService(h.store)
	must(h.service.Bootstrap(ctx, h.key))(h.t)
	limited := must(h.service.Accounts.AddAccount(ctx, accounts.AccountDetails{Name: "limited", TimeZone: "UTC",
		ContactLimit: historyLimit}))(h.t)
	_, limitedKey, err := h.service.Accounts.AddKey(ctx, accounts.KeyDetails{Account: limited.ID, Name: "limited", Level: enlist.Full})
	for _, key := range []string{h.key, must(limitedKey, err)(h.t)} {
		caller := must(h.service.Accounts.Authenticate(ctx, key))(h.t)
		notifies := random.IntN(2) == 0
		owner := map[bool]string{true: "owner@example.com"}[notifies]
		list := must(h.service.Lists.AddList(ctx, caller, apptest.Details("name", "News", "on_register_address", owner)))(h.t)
		must(h.service.Lists.AddField(ctx, caller, list, apptest.Details("name", "First Name", "type", "text")))(h.t)
		add := func(limit int, addresses ...string) {
			rules := modelRules{limit: limit, notifies: notifies, ledger: make(map[int64][]string)}
			h.groups = append(h.groups, &callGroup{recorder: recorder{modelRules: rules}, account: caller.Account.ID,
				list: int64(list), key: key, addresses: addresses})
		}
		if key == limitedKey {
			add(historyLimit, "limited1@example.com", "limited2@example.com", "limited3@example.com", "limited4@example.com", "limited5@example.com")
			continue
		}
		for i := range historyPersons {
			add(0, fmt.Sprintf("person%d@example.com", i), fmt.Sprintf("person%d@example.org", i))
		}
	}
}

// historyServer is a server that starts again after it was ended.
type historyServer struct {
	mu      sync.Mutex
	process *process
	clients map[string]*api.Client // by the key of the API
}

func (h *history) start(i int) {
	s := &h.servers[i]
	p := h.process()
	h.t.Cleanup(func() { p.end(os.Kill) }) // has no effect if the process has ended
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process, s.clients = p, make(map[string]*api.Client)
	for _, g := range h.groups {
		if s.clients[g.key] == nil {
			s.clients[g.key] = api.NewClient(p.url, g.key)
		}
	}
}

func (h *history) stop(i int, signal os.Signal) {
	s := &h.servers[i]
	s.process.end(signal)
	for _, c := range s.clients {
		c.Close()
	}
}

// client returns the client of a server that last started.
func (h *history) client(i int, key string) *api.Client {
	s := &h.servers[i]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.clients[key]
}

// finish records the state of the database, in one transaction.
func (h *history) finish(g *callGroup) {
	h.t.Helper()
	s := listState{rows: make(map[int64]int), notified: make(map[int64]int)}
	id := g.begin(historyCall{method: methodReadAll})
	err := h.store.View(h.t.Context(), func(tx *db.Tx) (err error) {
		s.contacts, err = h.contactsOf(tx, g)
		if err != nil {
			return err
		}
		for _, c := range s.contacts {
			g.learn(c.id)
		}
		for _, id := range g.ids {
			rows, err := contacts.LedgerRows(tx, enlist.ListID(g.list), enlist.ContactID(id), 0, 0)
			if err != nil {
				return err
			}
			for _, r := range slices.Backward(rows) {
				g.ledger[id] = append(g.ledger[id], ledgerRow(r.Method, r.IP, r.Text))
				s.rows[id]++
			}
		}
		if err := readNotifications(tx, g.ids, s.notified); err != nil {
			return err
		}
		return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: g.account}, func(u *contacts.Unsubscriber) error {
			if slices.Contains(g.addresses, u.Address) {
				s.leave(int64(u.ContactID), u.Address)
			}
			return nil
		})
	})
	if err != nil {
		h.t.Fatal(err)
	}
	g.end(id, historyReply{text: s.all()})
	g.close()
}

// contactsOf returns the Contacts with addresses of a group, and checks the counter of the List.
func (h *history) contactsOf(tx *db.Tx, g *callGroup) (all []modelContact, err error) {
	schema, err := lists.Schema(tx, enlist.ListID(g.list))
	if err != nil {
		return nil, err
	}
	rows := int64(0)
	query := &enlist.Search{Schema: schema, Columns: enlist.Columns{System: true, All: true}}
	err = search.Contacts(tx, query, func(c *enlist.Contact) error {
		rows++
		email, name := c.Values.Get(schema.Email().ID), c.Values.Get(schema.FieldNamed("First Name").ID)
		if slices.Contains(g.addresses, email) {
			all = append(all, modelContact{int64(c.ID), email, name, c.IsUnsubscribed})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if count, err := tx.ContactCount(schema.List.ID); err != nil || count != rows {
		h.t.Errorf("the List has %d Contacts, but counts %d: %v", rows, count, err)
	}
	return all, nil
}

// readNotifications counts the notifications about Contacts in the queue. No mail server answers, so they stay there.
func readNotifications(tx *db.Tx, ids []int64, count map[int64]int) error {
	return tx.Each(func(row *db.Cursor) error {
		if id, n := row.Int(), row.Int(); slices.Contains(ids, id) {
			count[id] = int(n)
		}
		return nil
	}, "SELECT CAST(args ->> 'contact_id' AS BIGINT), count(*) FROM river_job WHERE kind = 'notify' GROUP BY 1")
}
