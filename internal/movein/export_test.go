package movein

import (
	"context"
	"time"

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
