package movein

import (
	"context"
	"io"
	"time"

	"enlist/internal/app"
	"enlist/internal/enlist"
)

// SetWait replaces the waiting between two attempts of a call.
func (s *API) SetWait(wait func(context.Context, time.Duration) error) { s.wait = wait }

// ReplaceLinks returns a text with the paths of one moved file in place of its link, and the links that are reported.
func ReplaceLinks(link string, id enlist.FileID, text string, key *enlist.LinkKey) (replaced string, unknown []string) {
	l := newFileLinks()
	l.add(link, id, true)
	replaced = l.replace(text, key, func(link, _ string) { unknown = append(unknown, link) })
	return replaced, unknown
}

// Records are a Mover whose functions store records without a Source.
type Records struct {
	*Mover
	problems []Problem
}

func NewRecords(a *app.App, c *enlist.Caller) *Records {
	r := new(Records)
	r.Mover = &Mover{Service: a, Caller: c, move: new(move), Problem: func(p Problem) { r.problems = append(r.problems, p) }}
	return r
}

// MoveUnsubscribers returns how many entries were added.
func (r *Records) MoveUnsubscribers(ctx context.Context, records []Record) (added int, problems []Problem, err error) {
	added, _, err = r.storeUnsubscribers(ctx, records)
	return added, r.problems, err
}

func (r *Records) MoveFile(ctx context.Context, record Record, open func() (io.ReadCloser, int64, error)) (bool, []Problem, error) {
	moved, err := r.storeFile(ctx, record, open)
	return moved, r.problems, err
}

func (r *Records) MoveMessage(ctx context.Context, record Record) ([]Problem, error) {
	err := r.storeMessage(ctx, record)
	return r.problems, err
}
