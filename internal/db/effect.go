package db

// Effect is work that a change causes. Package jobs does the work later, at least once. The
// transaction of the change stores the Effect as a job. Kind returns the name of the job's
// queue, and the fields are stored as JSON. Jobs that an older version stored may still wait, so
// the Kind and the meaning of a field must never change.
type Effect interface{ Kind() string }

// Attempts is the number of attempts after which the queue stops trying a job. The queue keeps
// such a job, so that the operator can inspect it. Package jobs spreads the attempts of a mail
// over a day.
const Attempts = 19

// Timed is an Effect whose job must not start before a time.
type Timed interface {
	Effect
	// DueTime returns the earliest time at which the job may start, in Unix seconds.
	DueTime() int64
}
