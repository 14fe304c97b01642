package postgres

import (
	"errors"
	"strings"
	"testing"

	"enlist/internal/db"
)

// After any statement has found damage, the store stores no changes, also none of the job queue, and Ready says what to
// do. Reading goes on.
func TestDamageThatAStatementFindsStopsChanges(t *testing.T) {
	for _, c := range []struct {
		name, code string
		damaged    bool
		by         func(*Store, func(*db.Tx) error) error
	}{
		{"a look-up of a damaged page", "XX001", true, func(s *Store, fn func(*db.Tx) error) error { return s.View(t.Context(), fn) }},
		{"a search of a damaged index", "XX002", true, func(s *Store, fn func(*db.Tx) error) error { return s.Search(t.Context(), fn) }},
		{"a change", "XX001", true, func(s *Store, fn func(*db.Tx) error) error { return s.Update(t.Context(), fn) }},
		{"another error of the server", "XX000", false, func(s *Store, fn func(*db.Tx) error) error { return s.View(t.Context(), fn) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := open(t)
			if _, err := s.jobs.Exec(t.Context(), "CREATE FUNCTION read_page() RETURNS bigint LANGUAGE plpgsql AS "+
				"$$BEGIN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = '"+c.code+"'; END$$"); err != nil {
				t.Fatal(err)
			}
			if err := s.Ready(t.Context()); err != nil {
				t.Fatalf("before the page is read: %v", err)
			}
			if err := c.by(s, func(tx *db.Tx) error { _, err := tx.Number("SELECT read_page()"); return err }); sqlState(err) != c.code {
				t.Fatalf("the statement ended with %v", err)
			}
			if !c.damaged {
				if err := s.Ready(t.Context()); err != nil {
					t.Errorf("after an error without damage: %v", err)
				}
				return
			}
			ran := false
			if err := s.Update(t.Context(), func(*db.Tx) error { ran = true; return nil }); !errors.Is(err, db.ErrDamaged) || ran {
				t.Errorf("a change ended with %v, function run: %v; want a refusal", err, ran)
			}
			if _, err := s.jobs.Exec(t.Context(), "SELECT 1"); !errors.Is(err, db.ErrDamaged) {
				t.Errorf("the job queue gets a connection: %v", err)
			}
			if err := s.Ready(t.Context()); !errors.Is(err, db.ErrDamaged) || !strings.Contains(err.Error(), "enlist restore") ||
				!strings.Contains(err.Error(), "invalid page in block 7") {
				t.Errorf("Ready returns %v, want an error that says what to do", err)
			}
			if problems, err := s.Check(t.Context()); err != nil || len(problems) == 0 || !strings.Contains(problems[len(problems)-1], "is damaged") {
				t.Errorf("Check returns %q, %v; want the damage", problems, err)
			}
			if err := s.View(t.Context(), db.ProbeRead); err != nil {
				t.Errorf("a look-up after the damage: %v", err)
			}
		})
	}
}
