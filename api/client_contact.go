// This file has the operations on one Contact, and searches of Contacts.

package api

import "context"

// Details are named values of a record. Names are Field names or field_<id> for a
// Contact, and the keys of the record for a List, a Field and the like. Unknown
// names are ignored.
type Details map[string]any

// ConsentType says what kind of consent a person gave. specification: Consent
type ConsentType string

// The consent types.
const (
	ConsentGDPR        ConsentType = "gdpr"
	ConsentDirect      ConsentType = "direct"
	ConsentNotRecorded ConsentType = "not_recorded"
)

// Consent describes how a person agreed to be on a List. The zero Consent counts
// as ConsentNotRecorded.
type Consent struct {
	Type        ConsentType
	Text        string          // the accepted text or a summary, up to 255 characters; ConsentGDPR requires it
	Preferences map[string]bool // by name of the List preference; a missing one keeps its answer
	IPAddress   string          // the person's last known address
}

// params appends the four positional parameters of consent.
func (c Consent) params(before ...any) []any {
	preferences := c.Preferences
	if preferences == nil {
		preferences = map[string]bool{}
	}
	return append(before, c.Type, c.Text, preferences, c.IPAddress)
}

// SubscribeContact adds a Contact to a List, or updates the Contact that has the
// same address. It returns the Contact's ID. Codes: CodeNoList,
// CodeInvalidEmail, CodeInvalidConsent, CodeConsentRequired, CodeContactLimit.
// specification: subscribeContact
func (c *Client) SubscribeContact(ctx context.Context, list int64, details Details, consent Consent) (int64, error) {
	return call[int64](ctx, c, "subscribeContact", consent.params(list, details)...)
}

// ResubscribeContact clears a Contact's unsubscribe flag and returns its ID.
// Codes: CodeNoList, CodeNoContact, CodeInvalidConsent, CodeConsentRequired.
// specification: resubscribeContact
func (c *Client) ResubscribeContact(ctx context.Context, list, contact int64, consent Consent) (int64, error) {
	return call[int64](ctx, c, "resubscribeContact", consent.params(list, contact)...)
}

// SearchContacts returns the Contacts of a List that match. returned names the
// values to return: Field names, system keys or field_<id>; without names it
// returns all values. Invalid criteria are CodeInvalidSearch.
// specification: searchContacts
func (c *Client) SearchContacts(ctx context.Context, list int64, q Query, returned ...string) ([]Contact, error) {
	return call[[]Contact](ctx, c, "searchContacts", append(q.params(list), returnedFields(returned))...)
}

// CountContacts counts the Contacts of a List that match.
func (c *Client) CountContacts(ctx context.Context, list int64, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countContacts", list, criteria.param())
}

// GetContactByID returns one Contact; returned names its values as in
// SearchContacts. Codes: CodeNoList, CodeNoContact.
func (c *Client) GetContactByID(ctx context.Context, list, contact int64, returned ...string) (*Contact, error) {
	return callOne[Contact](ctx, c, "getContactById", list, contact, returnedFields(returned))
}

// returnedFields asks for all values when there are no names.
func returnedFields(names []string) []string {
	if len(names) == 0 {
		return []string{"all"}
	}
	return names
}

// UnsubscribeContact unsubscribes every Contact of a List that has the email or
// mobile address, and returns the List's ID. With list 0 it only adds the
// address to the Account's Unsubscriber List. specification: unsubscribeContact
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
// first. Unlike in a Query, limit 0 returns all.
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
