// This file has the operations on one Contact, and the searches of Contacts and of
// the Unsubscriber List.

package api

import "context"

// Details maps names to values of a record. For a Contact, a name is the name of a
// Field or field_<id>. For a List, a Field or another record, a name is a key of
// the record. The server ignores unknown names.
type Details map[string]any

// ConsentType says what kind of consent a person gave. specification: Consent
type ConsentType string

// The consent types.
const (
	ConsentGDPR        ConsentType = "gdpr"
	ConsentDirect      ConsentType = "direct"
	ConsentNotRecorded ConsentType = "not_recorded"
)

// Consent describes how a person agreed to be on a List. The zero Consent means
// ConsentNotRecorded.
type Consent struct {
	Type        ConsentType
	Text        string          // the accepted text or a summary, up to 255 characters; required for ConsentGDPR
	Preferences map[string]bool // maps the name of a List preference to the answer; a preference without an entry keeps its old answer
	IPAddress   string          // last known IP address of the person
}

// params appends the four parameters of consent to the slice before.
func (c Consent) params(before ...any) []any {
	preferences := c.Preferences
	if preferences == nil {
		preferences = map[string]bool{}
	}
	return append(before, c.Type, c.Text, preferences, c.IPAddress)
}

// SubscribeContact adds a Contact to a List, or updates the Contact that has the
// same address. It returns the Contact's ID. Its errors include the codes CodeNoList,
// CodeInvalidEmail, CodeInvalidConsent, CodeConsentRequired and CodeContactLimit.
// specification: subscribeContact
func (c *Client) SubscribeContact(ctx context.Context, list int64, details Details, consent Consent) (int64, error) {
	return call[int64](ctx, c, "subscribeContact", consent.params(list, details)...)
}

// ResubscribeContact clears a Contact's unsubscribe flag and returns its ID.
// Its errors include the codes CodeNoList, CodeNoContact, CodeInvalidConsent and
// CodeConsentRequired.
// specification: resubscribeContact
func (c *Client) ResubscribeContact(ctx context.Context, list, contact int64, consent Consent) (int64, error) {
	return call[int64](ctx, c, "resubscribeContact", consent.params(list, contact)...)
}

// SearchContacts returns the Contacts of a List that match the query. returned has
// the names of the values to return: Field names, system keys or field_<id>.
// Without names, SearchContacts returns all values. If the criteria are invalid,
// the error has the code CodeInvalidSearch.
// specification: searchContacts
func (c *Client) SearchContacts(ctx context.Context, list int64, q Query, returned ...string) ([]Contact, error) {
	return call[[]Contact](ctx, c, "searchContacts", append(q.params(list), returnedFields(returned))...)
}

// CountContacts returns the number of Contacts of a List that match the criteria.
func (c *Client) CountContacts(ctx context.Context, list int64, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countContacts", list, criteria.param())
}

// GetContactByID returns one Contact. returned has the names of the values to
// return, as for SearchContacts. Its errors include the codes CodeNoList and
// CodeNoContact.
func (c *Client) GetContactByID(ctx context.Context, list, contact int64, returned ...string) (*Contact, error) {
	return callOne[Contact](ctx, c, "getContactById", list, contact, returnedFields(returned))
}

// returnedFields returns names, or "all" if there are no names.
func returnedFields(names []string) []string {
	if len(names) == 0 {
		return []string{"all"}
	}
	return names
}

// UnsubscribeContact unsubscribes every Contact of a List that has the email
// address or mobile number. It returns the List's ID. If list is 0, it adds
// the address to the Unsubscriber List of the Account and changes no Contact.
// ipAddress is the IP address of the person, if it is known: give one at most.
// specification: unsubscribeContact
func (c *Client) UnsubscribeContact(ctx context.Context, list int64, address string, ipAddress ...string) (int64, error) {
	return call[int64](ctx, c, "unsubscribeContact", withIP(ipAddress, list, address)...)
}

// withIP returns the parameters of a call, with the IP address of the person at the end if it is known.
func withIP(ipAddress []string, params ...any) []any {
	for _, ip := range ipAddress {
		params = append(params, ip)
	}
	return params
}

// UnsubscribeContactByID unsubscribes one Contact and returns the List's ID.
// ipAddress is as in UnsubscribeContact.
func (c *Client) UnsubscribeContactByID(ctx context.Context, list, contact int64, ipAddress ...string) (int64, error) {
	return call[int64](ctx, c, "unsubscribeContactById", withIP(ipAddress, list, contact)...)
}

// DeactivateContact sets is_active of a Contact to false and returns the Contact's ID.
func (c *Client) DeactivateContact(ctx context.Context, list, contact int64) (int64, error) {
	return call[int64](ctx, c, "deactivateContact", list, contact)
}

// ReactivateContact sets is_active of a Contact to true and returns the Contact's ID.
func (c *Client) ReactivateContact(ctx context.Context, list, contact int64) (int64, error) {
	return call[int64](ctx, c, "reactivateContact", list, contact)
}

// ConfirmContact sets double_opt_in of a Contact to true and returns the Contact's ID.
// ipAddress is as in UnsubscribeContact.
func (c *Client) ConfirmContact(ctx context.Context, list, contact int64, ipAddress ...string) (int64, error) {
	return call[int64](ctx, c, "confirmContact", withIP(ipAddress, list, contact)...)
}

// GetContactPreferences returns a Contact's answers to the preferences of the
// List. The keys of the map are the names of the preferences.
func (c *Client) GetContactPreferences(ctx context.Context, list, contact int64) (map[string]bool, error) {
	return call[map[string]bool](ctx, c, "getContactPreferences", list, contact)
}

// GetContactConsents returns the consents in a Contact's consent ledger, newest first.
// If limit is 0, it returns all rows. In a Query, a Limit of 0 means 100 records.
func (c *Client) GetContactConsents(ctx context.Context, list, contact, limit, offset int64) ([]ConsentRecord, error) {
	return call[[]ConsentRecord](ctx, c, "getContactConsents", list, contact, limit, offset)
}

// GetContactLedger is GetContactConsents for all rows of the ledger. Rows with an empty ConsentType record another
// change of the subscription, such as a confirmation or an unsubscription; Method says which.
func (c *Client) GetContactLedger(ctx context.Context, list, contact, limit, offset int64) ([]ConsentRecord, error) {
	return call[[]ConsentRecord](ctx, c, "getContactConsents", list, contact, limit, offset, true)
}

// SearchPreviousUnsubscribers returns the rows of the Unsubscriber List that match
// the query. If list is 0, it searches the rows of all Lists.
func (c *Client) SearchPreviousUnsubscribers(ctx context.Context, list int64, q Query) ([]Unsubscriber, error) {
	return call[[]Unsubscriber](ctx, c, "searchPreviousUnsubscribers", q.params(list)...)
}

// CountPreviousUnsubscribers returns the number of rows of the Unsubscriber List
// that match the criteria. If list is 0, it counts the rows of all Lists.
func (c *Client) CountPreviousUnsubscribers(ctx context.Context, list int64, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countPreviousUnsubscribers", list, criteria.param())
}
