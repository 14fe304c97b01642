package db_test

import (
	"fmt"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

func retries(o apptest.Store) {
	t, s := o.T, o.Engine
	const day = 24 * 60 * 60
	r := &enlist.Retry{Header: "abc", Fingerprint: [32]byte{1}}
	claim := func(account enlist.AccountID, key enlist.KeyID, r *enlist.Retry, now int64) (result string, err error) {
		err = s.Update(t.Context(), func(tx *db.Tx) error {
			saved, err := tx.ClaimRetry(account, key, r, now)
			if enlist.KindOf(err) == enlist.NotFound {
				err = tx.SaveRetry(account, key, r, []byte("41"), now)
			}
			result = string(saved)
			return err
		})
		return result, err
	}
	for _, step := range []struct {
		rule    string
		account enlist.AccountID
		key     enlist.KeyID
		now     int64
		want    string
	}{
		{"the first call has no saved result", 1, 1, 1000, ""},
		{"a repeated call within a day gets the saved result", 1, 1, 1000 + day - 1, "41"},
		{"a call with another API key gets no saved result", 1, 2, 1000, ""},
		{"a call of another Account gets no saved result", 2, 1, 1000, ""},
		{"the result expires after a day", 1, 1, 1000 + day, ""},
		{"after the expiry, a repeated call gets the new saved result", 1, 1, 1001 + day, "41"},
	} {
		t.Run(step.rule, func(t *testing.T) {
			got, err := claim(step.account, step.key, r, step.now)
			if err != nil || got != step.want {
				t.Errorf("result %q, error %v, want %q", got, err, step.want)
			}
		})
	}
	_, err := claim(1, 1, &enlist.Retry{Header: "abc", Fingerprint: [32]byte{2}}, 1002+day)
	apptest.WantKind(t, "other parameters", err, enlist.InvalidParameters)
	for _, want := range []int64{2, 1, 0} { // three results are saved, and one call removes two at most
		apptest.Update(t, s, func(tx *db.Tx) error {
			n, err := tx.DeleteRetries(1<<40, 2)
			if n != want {
				t.Errorf("DeleteRetries removed %d results, want %d", n, want)
			}
			return err
		})
	}
	if got, err := claim(1, 1, r, 1003+day); got != "" || err != nil {
		t.Errorf("after DeleteRetries: result %q, error %v; want no saved result", got, err)
	}
}

// expiredRetries stores more expired results than one transaction removes.
func expiredRetries(o apptest.Store) {
	t, s := o.T, o.Engine
	const results, day = 1200, db.RetryLife
	save := func(header string, at int64) {
		apptest.Update(t, s, func(tx *db.Tx) error {
			return tx.SaveRetry(1, 1, &enlist.Retry{Header: header}, []byte("1"), at)
		})
	}
	apptest.Update(t, s, func(tx *db.Tx) error {
		for i := range int64(results) {
			if err := tx.SaveRetry(1, 1, &enlist.Retry{Header: fmt.Sprint("expired ", i)}, []byte("1"), i); err != nil {
				return err
			}
		}
		return nil
	})
	save("current", results)
	counted := &apptest.CountingStore{Engine: s}
	service := app.New(counted, func() time.Time { return time.Unix(results+day, 0) })
	if err := service.Accounts.DeleteExpiredRetries(t.Context()); err != nil {
		t.Fatal(err)
	}
	if counted.Updates < results/200 {
		t.Errorf("%d results were removed in %d Updates, want at most 200 in one Update", results, counted.Updates)
	}
	apptest.Update(t, s, func(tx *db.Tx) error {
		n, err := tx.DeleteRetries(1<<40, 10)
		if n != 1 {
			t.Errorf("%d results are left, want the one that has not expired", n)
		}
		return err
	})
}
