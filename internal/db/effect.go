package db

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Effect is work that a change causes. Package jobs does the work later, at least once. The
// transaction of the change stores the Effect as a job. Kind returns the name of the job's
// queue, and the fields are stored as JSON. Jobs that an older version stored may still wait, so
// the Kind and the meaning of a field must never change.
type Effect interface{ Kind() string }

// Attempts is the number of attempts after which the queue stops trying a job. The queue keeps
// such a job, so that the operator can inspect it. Package sending spreads the attempts of a mail
// over a day.
const Attempts = 19

// Timed is an Effect whose job must not start before a time.
type Timed interface {
	Effect
	// DueTime returns the earliest time at which the job may start, in Unix seconds.
	DueTime() int64
}

// Job is one run of an Effect. The function of a subject that does the work gets it beside the Effect. After an error
// the queue runs the job again. A Later, a Retry or a Final says when, or never.
type Job struct {
	ID          int64
	Created     time.Time
	Attempt     int // number of this attempt; the first one is 1
	MaxAttempts int
	Postponed   int // how often a Later has put the job back
}

// Later is the error of a job that could not be tried yet. The job runs again after this time. The run does not count
// as an attempt.
type Later time.Duration

// Error implements error.
func (l Later) Error() string { return fmt.Sprintf("the job runs again in %s", time.Duration(l)) }

// LaterWithoutSlot returns the error of a job that found no free slot: 1 s the first time, and then twice as long
// each time, at most 16 s. So thousands of such jobs cause few fetches.
func LaterWithoutSlot(j Job) Later {
	return Later(min(time.Second<<min(j.Postponed, 10), 16*time.Second))
}

// Retry is the error of a failed attempt. The next attempt begins after the time, and not when the queue would choose.
type Retry struct {
	Err   error
	After time.Duration
}

// Error implements error.
func (r *Retry) Error() string { return r.Err.Error() }

// Unwrap returns the cause.
func (r *Retry) Unwrap() error { return r.Err }

// Final is the error of a job that can never succeed. The queue keeps the job for the operator, and does not run it.
type Final struct{ Err error }

// Error implements error.
func (f *Final) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Final) Unwrap() error { return f.Err }

// Periodic is work that each process does when it starts, and again after each interval. A subject returns its own, and
// package jobs runs it.
type Periodic struct {
	Name  string // for the log
	Every time.Duration
	Do    func(context.Context) error
	// IfChanged is for work that only follows what the database has: without a commit of any process since its last run,
	// it is not done again, unless the last run ended with an error.
	IfChanged bool
}

// ErrAgain is the error of a Periodic that is to run again after its interval, although no transaction has been committed.
// The log does not have it.
var ErrAgain = errors.New("not finished")
