package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"enlist/internal/db"
)

// This file notices that the database file is damaged: by the error of any statement, and by a check of the complete
// file. From then on the store stores no changes, because each could spread the damage.

// damage looks for damage in the errors of statements.
type damage struct{ db.Damage }

// note looks at the error of a statement and returns it. A nil value looks at nothing.
func (d *damage) note(err error) error {
	if d != nil && err != nil && isDamaged(err) {
		d.Found(err)
	}
	return err
}

// check returns an error that wraps db.ErrDamaged after a sign of damage.
func (d *damage) check() error {
	if d == nil {
		return nil
	}
	return d.Check()
}

// Inspect reads the complete structure of the file, at most until the context ends. It returns an error that wraps
// db.ErrDamaged if the file is damaged, and then the store stores no changes any more. A file of a million Contacts
// (287 MB) takes 0.9 s of processor time, and as long as the disk needs to read it.
func (s *Store) Inspect(ctx context.Context) error {
	reads := sql.OpenDB(&connector{path: s.files.main.path, files: s.files, damage: s.damage})
	defer reads.Close()
	problems, err := runCheck(ctx, reads, structureCheck)
	if len(problems) > 0 {
		s.damage.Found(errors.New(problems[0]))
	}
	return errors.Join(s.damage.check(), err)
}
