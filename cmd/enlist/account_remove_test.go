package main

import (
	"errors"
	"slices"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/sending"
)

// A removed Account leaves no rows but those that are evidence, and another Account keeps all of its own.
func TestARemovedAccountLeavesOnlyEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, aRemovedAccountLeavesOnlyEvidence)
}

func aRemovedAccountLeavesOnlyEvidence(t *testing.T, e dbtest.Engine) {
	ctx, url := t.Context(), e.New(t)
	store := must(openDatabase(ctx, config.Serve{Database: config.Database{DB: url}}, true, nil, nil))(t)
	must(app.New(store, time.Now).Bootstrap(ctx, ""))(t)
	must(0, store.Close())(t)
	command := func(args ...string) {
		t.Helper()
		if status, _, failed := enlistCommand(nil, append(args, "--db", url)...); status != 0 {
			t.Fatalf("%q: status %d: %s", args, status, failed)
		}
	}
	command("account", "add", "--name", "Shop")
	for _, account := range []string{"1", "2"} {
		command("list", "add", "--name", "Customers", "--account", account)
		command("key", "create", "--name", "web", "--level", "full", "--account", account)
		command("message", "add", "--name", "News", "--subject", "News", "--set", "text_content=Hello", "--account", account)
		command("webhook", "add", "--object", "contact", "--event", "created", "--url", "https://example.com/hook", "--account", account)
		command("settings", "set", "--account", account, "max-file=5MiB")
		command("user", "invite", "li@example.com", "--name", "Li", "--level", "full", "--account", account)
	}
	for list, message := range map[string]string{"2": "1", "3": "2"} {
		command("autoresponder", "add", "--list", list, "--message", message, "--event", "subscribe", "--account", map[string]string{"2": "1", "3": "2"}[list])
	}
	subscribe := func(s *app.App, account enlist.AccountID, list enlist.ListID) error {
		c, err := s.Accounts.Operator(ctx, account)
		if err == nil {
			_, err = s.Contacts.Subscribe(ctx, c, contacts.SubscribeRequest{List: list, Details: details(nil, value{"Email", "ann@example.com"})})
		}
		if err == nil {
			_, err = s.Messages.SaveBlocks(ctx, c, "Foot", `[{"type":"line"}]`)
		}
		if err == nil {
			_, err = s.Contacts.Unsubscribe(ctx, c, contacts.UnsubscribeRequest{List: list, Address: "ann@example.com"})
		}
		return err
	}
	must(0, withService(ctx, config.Database{DB: url}, func(s *app.App) error {
		if err := subscribe(s, 1, 2); err != nil {
			return err
		}
		return subscribe(s, 2, 3)
	}))(t)
	must(0, withStore(ctx, config.Database{DB: url}, func(s *database) error {
		return s.Update(ctx, func(tx *db.Tx) error {
			return errors.Join(sending.PutQueueAge(tx, 1, sending.QueueAge{Age: 60}), sending.PutQueueAge(tx, 2, sending.QueueAge{Age: 60}))
		})
	}))(t)
	command("batch", "add", "--message", "2", "--list", "3", "--at", "2999-01-31T09:00", "--account", "2", "--yes")
	command("batch", "add", "--message", "2", "--list", "3", "--exclude-batch", "3", "--at", "2999-01-31T09:00", "--account", "2", "--yes")
	before := rowsOf(t, url, 1)
	command("account", "remove", "2", "--name", "Shop")
	after, left := rowsOf(t, url, 1), rowsOf(t, url, 2)
	for _, table := range tablesOfAccounts {
		if isEvidence := slices.Contains([]string{"audit", "unsubscriber"}, table); left[table] > 0 != isEvidence || after[table] != before[table] {
			t.Errorf("%s has %d rows of the removed Account, and %d of the other one, which had %d", table, left[table], after[table], before[table])
		}
	}
	if status, found, failed := enlistCommand(nil, "doctor", "--db", url); e.Name == dbtest.SQLite.Name && status != 0 {
		t.Errorf("doctor: status %d: %s%s", status, found, failed)
	}
}

// tablesOfAccounts are the tables with a column account_id.
var tablesOfAccounts = []string{"api_key", "folder", "list", "unsubscriber", "retry", "message", "autoresponder", "webhook_target", "webhook",
	"batch", "file", "file_content", "import", "account_move", "audit", "sending_domain", "setting", "segment", "saved_block", "form", "membership", "session", "queue_age"}

// rowsOf counts the rows of an Account.
func rowsOf(t *testing.T, url string, account enlist.AccountID) map[string]int64 {
	t.Helper()
	count := make(map[string]int64)
	must(0, withStore(t.Context(), config.Database{DB: url}, func(s *database) error {
		return s.View(t.Context(), func(tx *db.Tx) error {
			for _, table := range tablesOfAccounts {
				if err := tx.Each(func(row *db.Cursor) error {
					count[table] = row.Int()
					return nil
				}, "SELECT count(*) FROM "+table+" WHERE account_id = ?", int64(account)); err != nil {
					return err
				}
			}
			return nil
		})
	}))(t)
	return count
}
