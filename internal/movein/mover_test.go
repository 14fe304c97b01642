package movein_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/movein"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }

// target is a database with one new Account.
type target struct {
	store    db.Engine
	service  *app.App
	caller   *enlist.Caller
	problems []string
}

func newTarget(t *testing.T, e dbtest.Engine) *target {
	t.Helper()
	store := e.Own(t)
	to := &target{store: store, service: app.New(store, time.Now)}
	_, err := to.service.Bootstrap(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	to.caller, err = to.service.Accounts.Operator(t.Context(), 1)
	if err != nil {
		t.Fatal(err)
	}
	return to
}

// move runs a Mover that does not wait between attempts.
func (to *target) move(ctx context.Context, url string, quick bool) (*movein.Result, error) {
	to.problems = nil
	client := api.NewClient(url, "key")
	defer client.Close()
	from := movein.NewAPI(client, url, true, func(string) {})
	from.SetWait(func(ctx context.Context, _ time.Duration) error { return ctx.Err() })
	m := &movein.Mover{Service: to.service, Caller: to.caller, From: from, Source: url, Quick: quick,
		Report: func(string) {},
		Problem: func(p movein.Problem) {
			to.problems = append(to.problems, fmt.Sprintf("%s %d %s: %s", p.Record, p.ID, p.Key, p.Reason))
		}}
	return m.Run(ctx)
}

// contacts returns the Contacts of the List 7 by ID.
func (to *target) contacts(t *testing.T) map[int64]enlist.Contact {
	t.Helper()
	found := make(map[int64]enlist.Contact)
	err := to.store.View(t.Context(), func(tx *db.Tx) error {
		ids, err := contacts.IDsUpTo(tx, 7, 0, 1<<40, 1000)
		if err != nil {
			return err
		}
		all, err := contacts.AllByID(tx, 7, ids)
		for _, c := range all {
			found[int64(c.ID)] = c
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// A service that sends numbers as texts, lacks methods and sends short pages can be moved. Values that the rules
// refuse are reported with their Contact and Field, and the Contact is kept.
//
// covers: decision 87
func TestAnOlderServiceMoves(t *testing.T) { dbtest.EachParallel(t, anOlderServiceMoves) }

func anOlderServiceMoves(t *testing.T, e dbtest.Engine) {
	source, url := startOlder(t, 5)
	source.contacts[1].born = "31/02/1980"
	source.contacts[2].note = "much too long for ten characters"
	source.contacts[3].email = "no address"
	source.contacts[4].unsubscribed = true
	to := newTarget(t, e)
	result := must(to.move(t.Context(), url, false))(t)
	if l := result.Lists[0]; !l.Equal() || l.AtSource != 5 || l.LeftOut != 1 || l.Stored != 4 || l.Name != "Old club" {
		t.Errorf("the List is %+v", l)
	}
	if got := strings.Join(result.Skipped, " "); got != "searchListPreferences searchFiles searchAutoresponders searchWebhooks getContactConsents getContactPreferences" {
		t.Errorf("skipped %s", got)
	}
	if result.Unsubscribers != 5 || result.StoredUnsubs != 5 {
		t.Errorf("%d of %d entries of the Unsubscriber List moved, want 5", result.StoredUnsubs, result.Unsubscribers)
	}
	for _, want := range []string{
		"segment 52 criteria: the criteria name Batches", "segment 53 criteria: no key", "saved_block 61 blocks: a condition names this Segment",
		"message 32 blocks: the criteria name Batches", "message 32 blocks: a condition names this Segment",
		"field 24 : ", "field 25 type: ", "message 31 subject: ", "message 31 attachments: ", "contact 1003 Born: ",
		"contact 1006 Note: ", "contact 1009 Email: ", "contact 1009 : the Contact has no valid email address",
	} {
		found := 0
		for _, p := range to.problems {
			if strings.HasPrefix(p, want) {
				found++
			}
		}
		if found != 1 {
			t.Errorf("%d problems %q in %q, want 1", found, want, to.problems)
		}
	}
	to.wantNamedRecords(t)
	c := to.contacts(t)[1012]
	if !c.IsUnsubscribed || !c.DoubleOptIn || c.DoubleOptInTime != 1500000002 || c.Created != 1500000001 || c.Values.Get(23) != "1980-01-31" {
		t.Errorf("the Contact is %+v", c)
	}
}

// wantNamedRecords checks the Segments and the blocks that name them.
func (to *target) wantNamedRecords(t *testing.T) {
	t.Helper()
	ctx, got := t.Context(), ""
	for _, s := range must(to.service.Contacts.SearchSegments(ctx, to.caller, 7, enlist.Query{}))(t) {
		got += fmt.Sprintln(s.ID, s.Name, s.Criteria.JSON())
	}
	for _, s := range must(to.service.Messages.SavedBlocks(ctx, to.caller))(t) {
		got += fmt.Sprintln(s.ID, s.Name, s.CreationTime, must(to.service.Messages.SavedBlock(ctx, to.caller, s.ID))(t).Blocks)
	}
	m := must(to.service.Messages.Message(ctx, to.caller, 32))(t)
	got += fmt.Sprintln(m.ID, m.IsTemplate, m.Blocks)
	want := `51 Noted [["field_22","not",""]]
52 Opened [["id","in",[]],"OR",["id","greater_than",0],["Note","exactly","x"]]
61 Foot 1500000000 [{"type":"line","show_if":[["segment_id","in","51,99"]]}]
62 foot (2) 0 [{"type":"text","text":"x"}]
32 true [{"type":"columns","right":[{"type":"line","show_if":[["field_22","exactly","x"],["segment_id","exactly",53]]}],"left_if":[["id","in",[]]]}]
`
	if got != want {
		t.Errorf("there is\n%swant\n%s", got, want)
	}
}

// A move that is stopped at any call continues, without losing or repeating a record, also if the source changes.
func TestAStoppedMoveContinues(t *testing.T) { dbtest.EachParallel(t, aStoppedMoveContinues) }

func aStoppedMoveContinues(t *testing.T, e dbtest.Engine) {
	source, url := startOlder(t, 5)
	to := newTarget(t, e)
	var result *movein.Result
	for stopAt := 1; result == nil; stopAt += 3 {
		ctx, stop := context.WithCancel(t.Context())
		calls := 0
		source.before = func(string) bool {
			calls++
			if calls == stopAt {
				stop()
			}
			return true
		}
		must(to.service.Bootstrap(t.Context(), ""))(t) // as each process does when it starts
		found, err := to.move(ctx, url, false)
		stop()
		switch {
		case err == nil:
			result = found
		case !errors.Is(err, context.Canceled):
			t.Fatal(err)
		}
		if stopAt%5 == 1 {
			source.mu.Lock()
			source.remove(stopAt % len(source.contacts))
			source.add(fmt.Sprintf("late%d@example.com", stopAt))
			source.mu.Unlock()
			result = nil // the next run brings the change
		}
		if stopAt > 200 {
			t.Fatal("the move does not end")
		}
	}
	if l := result.Lists[0]; !l.Equal() || l.Stored != 5 {
		t.Errorf("the List is %+v", l)
	}
	stored := to.contacts(t)
	for _, c := range source.contacts {
		if got := stored[c.id]; got.Key != c.email {
			t.Errorf("Contact %d has the address %q, want %q", c.id, got.Key, c.email)
		}
	}
	if result.StoredUnsubs != 5 {
		t.Errorf("the Unsubscriber List has %d entries, want 5", result.StoredUnsubs)
	}
	var folders []string
	for _, folderType := range []string{accounts.FolderOfLists, accounts.FolderOfMessages, accounts.FolderOfFiles} {
		for _, f := range must(to.service.Accounts.SearchFolders(t.Context(), to.caller, folderType, enlist.Query{}))(t) {
			folders = append(folders, f.Name)
		}
	}
	if want := []string{"Main", "Messages", "Files"}; !slices.Equal(folders, want) {
		t.Errorf("the Folders are %q, want that of the other service and new ones of other types: %q", folders, want)
	}
	to.checkDays(t)
}

// checkDays compares the sums of all days of the List 7 with its Contacts. decisions.md: 130
func (to *target) checkDays(t *testing.T) {
	t.Helper()
	var receiving, stored int64
	all := to.contacts(t)
	for _, c := range all {
		if c.State().Receiving {
			receiving++
		}
	}
	must(0, to.store.View(t.Context(), func(tx *db.Tx) error {
		days, err := lists.CountedDays(tx, 7, 0)
		for _, d := range days {
			n := &d.Counts
			receiving -= n[enlist.DayAdded] - n[enlist.DayLeft] - n[enlist.DayRemoved] - n[enlist.DayBounced]
			stored += n[enlist.DayContacts]
		}
		return err
	}))(t)
	if receiving != 0 || stored != int64(len(all)) {
		t.Errorf("the days lack %d Contacts that can get mail; they have %d of %d Contacts", receiving, stored, len(all))
	}
}

// A person who was erased here is not brought back by a later run, although the other service still has them: neither as a
// Contact, also if another Contact gets the address there, nor with the address on the Unsubscriber List.
//
// covers: decision 99
func TestAMoveLeavesErasedPersonsOut(t *testing.T) {
	dbtest.EachParallel(t, aMoveLeavesErasedPersonsOut)
}

func aMoveLeavesErasedPersonsOut(t *testing.T, e dbtest.Engine) {
	source, url := startOlder(t, 5)
	source.contacts[1].email, source.contacts[1].unsubscribed = "b@example.com", true // it has two equal entries
	to := newTarget(t, e)
	first := must(to.move(t.Context(), url, false))(t)
	if l := first.Lists[0]; l.Erased != 0 || first.ErasedUnsubs != 0 {
		t.Errorf("before the erasure the result is %+v", first)
	}
	for _, person := range []string{"person0@example.com", "b@example.com"} {
		must(to.service.Privacy.ErasePerson(t.Context(), to.caller, person))(t)
	}
	source.mu.Lock()
	source.modified++
	source.contacts[3].email, source.contacts[3].modified = "PERSON0@example.com", source.modified
	source.mu.Unlock()
	for _, quick := range []bool{true, false} {
		result := must(to.move(t.Context(), url, quick))(t)
		l := result.Lists[0]
		if !quick && (!l.Equal() || l.Erased != 3 || l.LeftOut != 0 || l.Stored != 2) {
			t.Errorf("the List is %+v, want three Contacts of erased persons left out", l)
		}
		if result.ErasedUnsubs != 2 {
			t.Errorf("%d entries of the Unsubscriber List were left out, want 2", result.ErasedUnsubs)
		}
		for id, c := range to.contacts(t) {
			if c.Key == "person0@example.com" || c.Key == "b@example.com" {
				t.Errorf("the move has brought back %s as Contact %d", c.Key, id)
			}
		}
	}
	must(0, to.store.View(t.Context(), func(tx *db.Tx) error {
		return contacts.Unsubscribers(tx, &contacts.UnsubscriberSearch{Account: 1}, func(u *contacts.Unsubscriber) error {
			if strings.HasPrefix(u.AddressKey, "person0@") || strings.HasPrefix(u.AddressKey, "b@") {
				t.Errorf("the Unsubscriber List has %+v", u)
			}
			return nil
		})
	}))(t)
}

// Contacts that are removed and added while pages are read are missed by no page. Calls without a valid reply are
// repeated. A quick run reads only the changed Contacts.
func TestChangesDuringAMove(t *testing.T) {
	source, url := startOlder(t, 8)
	to, n := newTarget(t, dbtest.SQLite), 0
	source.before = func(method string) bool {
		if method != "searchContacts" {
			return true
		}
		n++
		if n == 4 {
			source.remove(0)
			source.remove(3)
			source.add("during@example.com")
		}
		return n%3 != 0
	}
	result := must(to.move(t.Context(), url, false))(t)
	if l := result.Lists[0]; !l.Equal() || l.Stored != 7 || l.Removed != 1 { // the other one was not read yet
		t.Errorf("the List is %+v", l)
	}
	source.before = func(string) bool { return true }
	source.modified++
	source.contacts[2].email, source.contacts[2].modified = "changed@example.com", source.modified
	calls := source.calls
	result = must(to.move(t.Context(), url, true))(t)
	if l := result.Lists[0]; l.Changed != 1 || l.Added != 0 || l.Checksum != "" ||
		to.contacts(t)[source.contacts[2].id].Key != "changed@example.com" {
		t.Errorf("after a quick run the List is %+v", l)
	}
	if calls = source.calls - calls; calls > 31 {
		t.Errorf("the quick run made %d calls", calls)
	}
	source.modified++
	source.contacts[2].unsubscribed, source.contacts[2].modified = true, source.modified
	must(to.move(t.Context(), url, true))(t)
	to.checkDays(t)
}

// A move needs an empty Account that is alone in its database, continues only from the same source, and ends when
// programs add records here.
//
// covers: decision 87
func TestAMoveIsRefused(t *testing.T) {
	ctx, name := t.Context(), []enlist.Detail{{Key: "name", Value: enlist.Input{Kind: enlist.InputText, Text: "Mine"}}}
	_, url := startOlder(t, 3)
	_, otherURL := startOlder(t, 1)
	refused := func(to *target, url, want string) {
		t.Helper()
		if _, err := to.move(ctx, url, false); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	used := newTarget(t, dbtest.SQLite)
	must(used.service.Lists.AddList(ctx, used.caller, name))(t)
	refused(used, url, "the Account has the List 2: give a new database")

	shared := newTarget(t, dbtest.SQLite)
	must(shared.service.Accounts.AddAccount(ctx, accounts.AccountDetails{Name: "Other", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit}))(t)
	refused(shared, url, "the database has 2 Accounts")

	to := newTarget(t, dbtest.SQLite)
	refused(to, "http://127.0.0.1:1/api", "refused") // nothing listens there, and the move has not begun
	must(to.move(ctx, url, false))(t)
	refused(to, otherURL, "moves in from "+url)
	must(to.service.Contacts.AddContacts(ctx, to.caller, contacts.AddRequest{List: 7, Contacts: [][]enlist.Detail{{
		{Key: "Email", Value: enlist.Input{Kind: enlist.InputText, Text: "new@example.com"}}}}}))(t)
	refused(to, url, "programs already use this Account")
}
