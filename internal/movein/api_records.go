package movein

import (
	"context"
	"fmt"
	"io"
	"slices"

	"enlist/api"
	"enlist/internal/enlist"
)

// This file reads the records and files of another service with the same API. A method that the service does not have is skipped.

// Lists implements Source.
func (s *API) Lists(ctx context.Context) ([]Record, error) {
	return s.all(ctx, "searchLists")
}

// IDFactor implements Source: all IDs stay the same.
func (s *API) IDFactor() int64 { return 0 }

// UseIDFactor implements Source.
func (s *API) UseIDFactor(int64) error { return nil }

// Problems implements Source: store_*.go find all problems.
func (s *API) Problems() []Problem { return nil }

// Skipped implements Source.
func (s *API) Skipped() []string { return s.skipped }

// wholeBy has the methods that return a whole record, by those that return parts of all records: without the secret of a
// webhook, or the blocks of a saved block.
var wholeBy = map[string]string{"searchWebhooks": "getWebhookById", "searchSavedBlocks": "getSavedBlockById"}

// Search implements Source.
func (s *API) Search(ctx context.Context, method string, params ...any) ([]Record, error) {
	found, err := s.all(ctx, method, params...)
	whole := wholeBy[method]
	if err := s.optional(method, err); err != nil || whole == "" {
		return found, err
	}
	return s.whole(ctx, whole, found)
}

// whole returns the records as a method returns them by their IDs.
func (s *API) whole(ctx context.Context, method string, found []Record) ([]Record, error) {
	for i := range found {
		whole, err := s.byID(ctx, method, found[i].ID())
		if err := s.optional(method, err); err != nil {
			return nil, err
		}
		if len(whole) > 0 {
			found[i] = whole
		}
	}
	return found, nil
}

// Fields implements Source.
func (s *API) Fields(ctx context.Context, list int64, _ []enlist.Field) ([]Record, error) {
	return s.all(ctx, "searchFields", list)
}

// Message implements Source.
func (s *API) Message(ctx context.Context, id int64) (Record, error) {
	return s.byID(ctx, "getMessageById", id, true)
}

// byID returns the only record of a reply.
func (s *API) byID(ctx context.Context, method string, id int64, more ...any) (Record, error) {
	in, err := s.call(ctx, method, append([]any{id}, more...)...)
	if err != nil {
		return nil, err
	}
	whole, err := records(method, in)
	if err == nil && (len(whole) != 1 || whole[0].ID() != id) {
		err = fmt.Errorf("%s: expected the record %d in the reply", method, id)
	}
	if err != nil {
		return nil, err
	}
	return whole[0], nil
}

// FileContent implements Source. The API has no method for the content, only a link to it.
func (s *API) FileContent(ctx context.Context, file Record) (content io.ReadCloser, size int64, err error) {
	notRefused := func(err error) bool { return enlist.KindOf(err) == enlist.Internal }
	err = s.repeat(ctx, fmt.Sprintf("file %d", file.ID()), notRefused, func() (err error) {
		content, size, err = s.files.Read(ctx, file.Text("url"))
		return err
	})
	return content, size, err
}

// optional returns nil if the error says that the service does not have the method. It reports this once.
func (s *API) optional(method string, err error) error {
	if !isCode(err, api.CodeMethodNotFound) {
		return err
	}
	if !s.skips(method) {
		s.skipped = append(s.skipped, method)
		s.report("the other service does not have " + method + ": skipped")
	}
	return nil
}

// skips reports whether a call has shown that the service does not have the method.
func (s *API) skips(method string) bool { return slices.Contains(s.skipped, method) }

// Unsubscribers implements Source. The entries have no IDs, and new ones are the last ones. Each page begins with the
// last entry of the page before. If that is another entry, one was removed meanwhile, and the reading begins again.
func (s *API) Unsubscribers(ctx context.Context, store func([]Record) error) (read int, err error) {
	const method = "searchPreviousUnsubscribers"
	var pending []Record // not stored yet; equal entries must be stored together
	for restarts := 0; ; {
		page, err := s.search(ctx, method, []any{0}, nil, max(read-1, 0), "time")
		if err := s.optional(method, err); err != nil || s.skips(method) {
			return 0, err
		}
		if read > 0 {
			if len(page) == 0 || !sameRecord(page[0], pending[len(pending)-1]) {
				restarts++
				if restarts == maxAttempts {
					return 0, fmt.Errorf("%s: the entries change while they are read, or the pages are not in the order of time", method)
				}
				read, pending = 0, nil
				continue
			}
			page = page[1:]
		}
		read, pending = read+len(page), append(pending, page...)
		next := len(pending)
		if len(page) > 0 {
			next = beginOfLastTime(pending)
		}
		if err := store(pending[:next]); err != nil || len(page) == 0 {
			return read, err
		}
		pending = pending[next:]
	}
}

// beginOfLastTime returns the position of the first of the last entries with the same time. The next page may have more
// of them.
func beginOfLastTime(entries []Record) int {
	i := len(entries) - 1
	for last := entries[i].Int("time"); i > 0 && entries[i-1].Int("time") == last; {
		i--
	}
	return i
}

// sameRecord reports whether two entries of the Unsubscriber List are equal.
func sameRecord(a, b Record) bool {
	for _, key := range []string{"contact_id", "list_id", "address_type", "address", "time"} {
		if a.Text(key) != b.Text(key) {
			return false
		}
	}
	return true
}
