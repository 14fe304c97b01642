package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"
)

// This file repeats a transaction after a lost connection, a deadlock or a change of
// definitions (retry). It also waits for the server when a process opens the database
// (waitForServer).

const maxAttempts = 20

// retry calls do until do returns false for again, but at most maxAttempts times. The pauses
// between attempts are random, so that two transactions that collided do not collide again. The
// pauses grow up to a second. If ctx has a time limit, attempts that fail because of a lost
// connection do not count towards maxAttempts.
func retry(ctx context.Context, do func() (again bool, err error)) error {
	counted := 0
	for attempt := 1; ; attempt++ {
		again, err := do()
		if _, limited := ctx.Deadline(); !limited || !lost(err) {
			counted++
		}
		if !again || counted >= maxAttempts {
			return err
		}
		if errors.Is(err, errNeedsLock) || errors.Is(err, errStale) {
			continue
		}
		pause := min(time.Second, time.Millisecond<<min(attempt, 10))
		if sleep(ctx, rand.N(pause)) != nil {
			return err
		}
	}
}

// sleep waits for the time d. It returns an error if ctx ends earlier.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// waitPause is the pause between two attempts to reach a server.
const waitPause = 500 * time.Millisecond

// waitForServer repeats do while the server cannot be reached, for o.WaitForServer at most. The
// machine of the server may start later than the machine of this process. If the server answers
// with an error, for example about a wrong password, waitForServer returns at once.
func waitForServer(ctx context.Context, o Options, do func() error) error {
	limited, cancel := context.WithTimeout(ctx, o.WaitForServer)
	defer cancel()
	for logged := false; ; logged = true {
		err := do()
		if !lost(err) || limited.Err() != nil {
			return err
		}
		if !logged {
			o.Log.Warn("the database cannot be reached yet: waiting for it",
				"seconds", o.WaitForServer.Seconds(), "error", err)
		}
		if sleep(limited, waitPause) != nil {
			return err
		}
	}
}
