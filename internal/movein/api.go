package movein

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"enlist/api"
	"enlist/internal/enlist"
	"enlist/internal/publicnet"
)

// This file calls another service with the same API: it repeats calls that failed for a reason that may pass, and reads
// long results in pages. api_records.go has the records that it reads.

const (
	// pageSize is the number of records that one call asks for.
	pageSize = 1000
	// callTime is the longest time of one call.
	callTime = 2 * time.Minute
	// maxAttempts is how often a call is sent. Between two attempts the wait doubles, from firstWait to longestWait, so
	// all attempts together last about five minutes. Before the first valid reply, the URL is possibly wrong, and
	// there are only a few attempts.
	maxAttempts   = 12
	firstAttempts = 3
	firstWait     = 500 * time.Millisecond
	longestWait   = time.Minute
)

// API is a Source: a service with the same API.
type API struct {
	client *api.Client
	wait   func(ctx context.Context, d time.Duration) error
	report func(line string)

	files    *Downloads
	answered atomic.Bool // the service has sent a valid reply
	skipped  []string    // methods that the service does not have
	// consentMethods says that the service was asked which methods for consents it has, and onlyConsents that its
	// getContactConsents has no parameter with_changes.
	consentMethods, onlyConsents bool
}

// NewAPI returns a Source that calls the service at a URL with a Client. It limits the Client's replies, redirects and,
// unless the service may be private, addresses: then a call returns publicnet.ErrNotPublic. report gets a line for each
// call that is repeated.
func NewAPI(client *api.Client, server string, private bool, report func(line string)) *API {
	dial := publicDialer().DialContext
	if private {
		dial = (&net.Dialer{Timeout: callTime}).DialContext
	}
	calls := http.DefaultTransport.(*http.Transport).Clone()
	calls.DialContext = dial
	client.HTTP.Transport = limitedReplies{calls, maxReply}
	client.HTTP.CheckRedirect = sameHost
	return &API{client: client, wait: sleep, report: report, files: &Downloads{newFileClient(server, dial)}}
}

// call calls a method and returns its result. The error is an *api.Error if the service refused the call.
func (s *API) call(ctx context.Context, method string, params ...any) (in enlist.Input, err error) {
	err = s.repeat(ctx, method, mayPass, func() (err error) {
		in, err = s.try(ctx, method, params)
		return err
	})
	return in, err
}

// repeat calls do again, after a pause, while it returns an error that may pass. what names the call in the report.
func (s *API) repeat(ctx context.Context, what string, mayPass func(error) bool, do func() error) error {
	wait := firstWait
	for attempt := 1; ; attempt++ {
		err := do()
		if err == nil || !mayPass(err) {
			s.answered.Store(true)
			return err
		}
		if ctx.Err() != nil || attempt == maxAttempts || attempt == firstAttempts && !s.answered.Load() {
			return err
		}
		s.report(fmt.Sprintf("%s failed, the next attempt is in %s: %v", what, wait, err))
		if err := s.wait(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, longestWait)
	}
}

func (s *API) try(ctx context.Context, method string, params []any) (in enlist.Input, err error) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	var result json.RawMessage
	if err := s.client.Call(ctx, method, params, &result); err != nil {
		return in, tooLarge(err)
	}
	in, err = enlist.InputOfJSON(result)
	if err != nil {
		return in, fmt.Errorf("%s: read result: %w", method, err)
	}
	return in, nil
}

// mayPass reports whether a call may succeed later: the service had an internal error or too much to do, or there is no
// valid reply.
func mayPass(err error) bool {
	if _, large := errors.AsType[*http.MaxBytesError](err); large || errors.Is(err, publicnet.ErrNotPublic) {
		return false
	}
	refused, ok := errors.AsType[*api.Error](err)
	if !ok {
		return true
	}
	switch refused.Code {
	case api.CodeInternal, api.CodeNoResponse, api.CodeTooManyConcurrent:
		return true
	}
	return false
}

// isCode reports whether the service refused a call with a code.
func isCode(err error, code api.Code) bool {
	refused, ok := errors.AsType[*api.Error](err)
	return ok && refused.Code == code
}

// sleep waits for a time, or until ctx ends.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// search returns one page of a search.
func (s *API) search(ctx context.Context, method string, before []any, criteria api.Criteria, offset int,
	sortBy string, after ...any) ([]Record, error) {
	if criteria == nil {
		criteria = api.Criteria{}
	}
	params := slices.Concat(before, []any{criteria, pageSize, offset, sortBy, api.Ascending}, after)
	in, err := s.call(ctx, method, params...)
	if err != nil {
		return nil, err
	}
	return records(method, in)
}

// all returns every record of a search, in the order of the IDs. The records are few: Folders, Lists, Fields and
// Messages. A page may be shorter than asked for, and a service may ignore the page, so the search ends at a page
// without a new ID.
func (s *API) all(ctx context.Context, method string, before ...any) (found []Record, err error) {
	known := make(map[int64]bool)
	for {
		page, err := s.search(ctx, method, before, nil, len(found), "id")
		if err != nil {
			return nil, err
		}
		fresh := 0
		for _, record := range page {
			id := record.ID()
			if id <= 0 {
				return nil, fmt.Errorf("%s: a record has no ID", method)
			}
			if !known[id] {
				known[id] = true
				fresh++
				found = append(found, record)
			}
		}
		if fresh == 0 {
			return found, nil
		}
	}
}

// Contacts implements Source. The order by ID makes the pages safe: a Contact that is added or removed meanwhile moves
// no other one to another page.
func (s *API) Contacts(ctx context.Context, list, after, since int64) ([]Record, error) {
	const method = "searchContacts"
	criteria := api.Criteria{api.Test{"id", "greater_than", after}}
	if since > 0 {
		criteria = append(criteria, api.Test{"last_modified_time", "greater_than", since - 1})
	}
	// Other services ignore names that they do not know.
	page, err := s.search(ctx, method, []any{list}, criteria, 0, "id",
		append([]string{"all"}, enlist.LaterNames()...))
	if err != nil {
		return nil, err
	}
	for _, record := range page {
		if record.ID() <= after {
			return nil, fmt.Errorf("%s: List %d: the Contacts are not in the order of their IDs above %d",
				method, list, after)
		}
		after = record.ID()
	}
	return page, nil
}

// LastModified implements Source.
func (s *API) LastModified(ctx context.Context, list int64) (int64, error) {
	const method = "searchContacts"
	in, err := s.call(ctx, method, list, api.Criteria{}, 1, 0, "last_modified_time", api.Descending,
		[]string{"id", "last_modified_time"})
	if err != nil {
		return 0, err
	}
	page, err := records(method, in)
	if err != nil || len(page) == 0 {
		return 0, err
	}
	return page[0].Int("last_modified_time"), nil
}
