package movein

import (
	"context"

	"enlist/api"
	"enlist/internal/enlist"

	"golang.org/x/sync/errgroup"
)

// This file reads consents from another service with the same API. The API has them only Contact by Contact, so several
// calls run at the same time.

const (
	// consentCalls is the number of calls that run at the same time.
	consentCalls = 8

	consentsMethod    = "getContactConsents"
	preferencesMethod = "getContactPreferences"
)

// Consents implements Source.
func (s *API) Consents(ctx context.Context, list int64, hasPreferences bool, ids []enlist.ContactID) (
	[]Consents, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	if err := s.askForMethods(ctx, list, ids[0]); err != nil {
		return nil, err
	}
	hasPreferences = hasPreferences && !s.skips(preferencesMethod)
	if s.skips(consentsMethod) && !hasPreferences {
		return nil, nil
	}
	found := make([]Consents, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(consentCalls)
	for i, id := range ids {
		group.Go(func() error {
			found[i].Contact = id
			return ignoreGone(s.readConsent(ctx, list, hasPreferences, &found[i]))
		})
	}
	return found, group.Wait()
}

// askForMethods finds out once which of the two methods the service has.
func (s *API) askForMethods(ctx context.Context, list int64, id enlist.ContactID) error {
	if s.consentMethods {
		return nil
	}
	_, err := s.call(ctx, consentsMethod, list, id, 1, 0, true)
	s.onlyConsents = isCode(err, api.CodeInvalidParameters)
	if s.onlyConsents {
		_, err = s.call(ctx, consentsMethod, list, id)
	}
	if err := s.optional(consentsMethod, ignoreGone(err)); err != nil {
		return err
	}
	_, err = s.call(ctx, preferencesMethod, list, id)
	s.consentMethods = true
	return s.optional(preferencesMethod, ignoreGone(err))
}

// ignoreGone returns nil for a Contact or a List that was deleted meanwhile.
func ignoreGone(err error) error {
	if isCode(err, api.CodeNoContact) || isCode(err, api.CodeNoList) {
		return nil
	}
	return err
}

// readConsent reads the consents of one Contact.
func (s *API) readConsent(ctx context.Context, list int64, hasPreferences bool, c *Consents) error {
	for more := !s.skips(consentsMethod); more; {
		params := []any{list, c.Contact, pageSize, len(c.Rows)}
		if !s.onlyConsents {
			params = append(params, true) // also the rows of confirmations and unsubscriptions
		}
		in, err := s.call(ctx, consentsMethod, params...)
		if err != nil {
			return err
		}
		page, err := records(consentsMethod, in)
		if err != nil {
			return err
		}
		c.Rows = append(c.Rows, page...)
		more = len(page) == pageSize
	}
	if !hasPreferences {
		return nil
	}
	in, err := s.call(ctx, preferencesMethod, list, c.Contact)
	if err != nil {
		return err
	}
	c.Preferences = recordOf(in)
	return nil
}
