package audience

import "context"

// Unsubscribe unsubscribes every Contact of the List with an email or mobile address; list 0 only adds it to the Unsubscriber List.
func (s *Service) Unsubscribe(ctx context.Context, c *Caller, list ListID, address string) (ListID, error) {
	panic("being written")
}

// UnsubscribeByID unsubscribes one Contact.
func (s *Service) UnsubscribeByID(ctx context.Context, c *Caller, list ListID, id ContactID) (ListID, error) {
	panic("being written")
}

// Deactivate sets is_active to false.
func (s *Service) Deactivate(ctx context.Context, c *Caller, list ListID, id ContactID) (ContactID, error) {
	panic("being written")
}

// Reactivate sets is_active to true and clears is_bounce_deactivated.
func (s *Service) Reactivate(ctx context.Context, c *Caller, list ListID, id ContactID) (ContactID, error) {
	panic("being written")
}

// Confirm sets double_opt_in and its time.
func (s *Service) Confirm(ctx context.Context, c *Caller, list ListID, id ContactID) (ContactID, error) {
	panic("being written")
}

// ContactPreferences returns a Contact's answers to the List's preferences.
func (s *Service) ContactPreferences(ctx context.Context, c *Caller, list ListID, id ContactID) ([]PreferenceChoice, error) {
	panic("being written")
}

// ContactConsents returns a Contact's rows of the consent ledger, newest first.
func (s *Service) ContactConsents(ctx context.Context, c *Caller, list ListID, id ContactID, limit, offset int64) ([]LedgerRow, error) {
	panic("being written")
}
