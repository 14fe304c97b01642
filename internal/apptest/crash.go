package apptest

import (
	"context"
	"errors"

	"enlist/internal/app"
	"enlist/internal/db"
)

// CrashingStore is a Store whose nth Update fails, either before it runs or after its commit.
type CrashingStore struct {
	db.Engine
	At    int
	After bool   // the Update fails after its commit
	Then  func() // if not nil, this function runs before the nth Update, and the nth Update does not fail
	seen  int
}

var ErrCrash = errors.New("the process died")

func (c *CrashingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	c.seen++
	if c.seen != c.At {
		return c.Engine.Update(ctx, fn)
	}
	if c.Then != nil {
		c.Then()
		return c.Engine.Update(ctx, fn)
	}
	if !c.After {
		return ErrCrash
	}
	if err := c.Engine.Update(ctx, fn); err != nil {
		return err
	}
	return ErrCrash
}

// Crashes repeats a call until it succeeds. In each attempt before that, the process seems to die:
// first before an Update, then after the commit of this Update, then before the next Update, and so on.
func Crashes[R any](o *Account, call func(*app.App) (R, error)) R {
	o.Helper()
	for i := 2; ; i++ {
		store := &CrashingStore{Engine: o.Store, At: i / 2, After: i%2 == 1}
		result, err := call(app.New(store, o.Clock))
		if err == nil {
			if i < 6 {
				o.Errorf("the process died %d times, want at least 4", i-2)
			}
			return result
		}
		if !errors.Is(err, ErrCrash) {
			o.Fatal(err)
		}
	}
}

// CountingStore is a Store that counts its Updates, their effects, and the Contacts that they write.
type CountingStore struct {
	db.Engine
	Updates            int
	Effects, Most      int
	Writes, MostWrites int
}

func (c *CountingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	effects, writes := 0, 0
	err := c.Engine.Update(ctx, func(tx *db.Tx) error {
		effects, writes = 0, 0
		return Watch{
			Effect: func(db.Effect) { effects++ },
			Statement: func(query string, args []any) error {
				writes += writtenContacts(query, args)
				return nil
			},
		}.Run(fn)(tx)
	})
	c.Updates++
	c.Effects, c.Most = c.Effects+effects, max(c.Most, effects)
	c.Writes, c.MostWrites = c.Writes+writes, max(c.MostWrites, writes)
	return err
}
