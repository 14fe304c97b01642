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

// NewRecords returns a Mover whose functions store records without a Source.
func NewRecords(a *app.App, c *enlist.Caller) *Mover {
	return &Mover{Service: a, Caller: c, move: new(move)}
}

// MoveUnsubscribers returns how many entries were added.
func (m *Mover) MoveUnsubscribers(ctx context.Context, records []Record) (added int, problems []Problem, err error) {
	stored, err := m.storeUnsubscribers(ctx, records)
	return stored.added, stored.problems, err
}

func (m *Mover) MoveFile(ctx context.Context, record Record, open func() (io.ReadCloser, int64, error)) (bool, []Problem, error) {
	return m.storeFile(ctx, record, open)
}

func (m *Mover) MoveMessage(ctx context.Context, record Record) (bool, []Problem, error) {
	return m.storeMessage(ctx, record)
}
