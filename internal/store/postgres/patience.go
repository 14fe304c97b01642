package postgres

import (
	"context"
	"time"
)

// patienceGap lies between two tries to reach a server.
const patienceGap = 500 * time.Millisecond

// patiently runs do, which reaches for the server, again for as long as it cannot
// be reached: machines start in any order. Whoever is refused there is told at once.
func patiently(ctx context.Context, o Options, do func() error) error {
	limited, cancel := context.WithTimeout(ctx, o.Patience)
	defer cancel()
	for told := false; ; told = true {
		err := do()
		if !lost(err) || limited.Err() != nil {
			return err
		}
		if !told {
			o.Log.Warn("the database cannot be reached yet: waiting for it", "seconds", o.Patience.Seconds(), "error", err)
		}
		select {
		case <-limited.Done():
			return err
		case <-time.After(patienceGap):
		}
	}
}
