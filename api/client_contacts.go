package api

import "context"

// Details are named values of a Contact, by Field name or field_<id>, or of a
// List or a Field, by the key of the record.
type Details map[string]any

// ConsentType says what a person agreed to.
type ConsentType string

// The consent types.
const (
	ConsentGDPR        ConsentType = "gdpr"
	ConsentDirect      ConsentType = "direct"
	ConsentNotRecorded ConsentType = "not_recorded"
)

// Consent is what is known about a person's agreement. The zero Consent is
// ConsentNotRecorded.
type Consent struct {
	Type        ConsentType
	Text        string          // summary of what was accepted, 255 characters at most; needed with ConsentGDPR
	Preferences map[string]bool // by name of the List preference; those left out stay as they are
	IPAddress   string          // the person's last known one
}

func (c Consent) params(before ...any) []any {
	preferences := c.Preferences
	if preferences == nil {
		preferences = map[string]bool{}
	}
	return append(before, c.Type, c.Text, preferences, c.IPAddress)
}

// SubscribeContact adds a Contact to a List, or updates the one that has the
// same address, and returns its ID. specification: subscribeContact
func (c *Client) SubscribeContact(ctx context.Context, list int64, details Details, consent Consent) (int64, error) {
	return call[int64](ctx, c, "subscribeContact", consent.params(list, details)...)
}

// ResubscribeContact clears a Contact's unsubscribe flag and returns its ID.
// specification: resubscribeContact
func (c *Client) ResubscribeContact(ctx context.Context, list, contact int64, consent Consent) (int64, error) {
	return call[int64](ctx, c, "resubscribeContact", consent.params(list, contact)...)
}

// SearchContacts returns the Contacts of a List that match, with the values
// named: Field names, system keys or field_<id>; everything when none is named.
// specification: searchContacts
func (c *Client) SearchContacts(ctx context.Context, list int64, q Query, returned ...string) ([]Contact, error) {
	return call[[]Contact](ctx, c, "searchContacts", append(q.params(list), returnedFields(returned))...)
}

// CountContacts counts the Contacts of a List that match.
func (c *Client) CountContacts(ctx context.Context, list int64, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countContacts", list, criteria.param())
}

// GetContactByID returns one Contact, with the values named as in SearchContacts.
func (c *Client) GetContactByID(ctx context.Context, list, contact int64, returned ...string) (*Contact, error) {
	return callOne[Contact](ctx, c, "getContactById", list, contact, returnedFields(returned))
}

func returnedFields(names []string) []string {
	if len(names) == 0 {
		return []string{"all"}
	}
	return names
}

// UnsubscribeContact unsubscribes every Contact of a List that has the email
// or mobile address, and returns the List's ID. List 0 only puts the address
// on the Unsubscriber List.
func (c *Client) UnsubscribeContact(ctx context.Context, list int64, address string) (int64, error) {
	return call[int64](ctx, c, "unsubscribeContact", list, address)
}

// UnsubscribeContactByID unsubscribes one Contact and returns the List's ID.
func (c *Client) UnsubscribeContactByID(ctx context.Context, list, contact int64) (int64, error) {
	return call[int64](ctx, c, "unsubscribeContactById", list, contact)
}

// DeactivateContact clears is_active and returns the Contact's ID.
func (c *Client) DeactivateContact(ctx context.Context, list, contact int64) (int64, error) {
	return call[int64](ctx, c, "deactivateContact", list, contact)
}

// ReactivateContact sets is_active and returns the Contact's ID.
func (c *Client) ReactivateContact(ctx context.Context, list, contact int64) (int64, error) {
	return call[int64](ctx, c, "reactivateContact", list, contact)
}

// ConfirmContact sets double_opt_in and returns the Contact's ID.
func (c *Client) ConfirmContact(ctx context.Context, list, contact int64) (int64, error) {
	return call[int64](ctx, c, "confirmContact", list, contact)
}

// GetContactPreferences returns a Contact's answers to the List's preferences.
func (c *Client) GetContactPreferences(ctx context.Context, list, contact int64) (map[string]bool, error) {
	return call[map[string]bool](ctx, c, "getContactPreferences", list, contact)
}

// GetContactConsents returns a Contact's rows of the consent ledger, newest
// first; limit 0 returns all.
func (c *Client) GetContactConsents(ctx context.Context, list, contact, limit, offset int64) ([]ConsentRecord, error) {
	return call[[]ConsentRecord](ctx, c, "getContactConsents", list, contact, limit, offset)
}

// SearchPreviousUnsubscribers returns rows of the Unsubscriber List; list 0 means all Lists.
func (c *Client) SearchPreviousUnsubscribers(ctx context.Context, list int64, q Query) ([]Unsubscriber, error) {
	return call[[]Unsubscriber](ctx, c, "searchPreviousUnsubscribers", q.params(list)...)
}

// CountPreviousUnsubscribers counts rows of the Unsubscriber List; list 0 means all Lists.
func (c *Client) CountPreviousUnsubscribers(ctx context.Context, list int64, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countPreviousUnsubscribers", list, criteria.param())
}
