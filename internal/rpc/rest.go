package rpc

import (
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"enlist/api"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
	"enlist/internal/reports"
)

// This file has what packages exports and httpapi share with the calls: criteria, records of Contacts, errors and the
// delay for invalid keys.

// ParseCriteria reads a text of JSON as the parameter search_criteria of a call. It returns nil for a text without a
// triple. Published returns the code of its errors.
func ParseCriteria(text string) (*enlist.Criteria, error) {
	if text == "" {
		return nil, nil
	}
	if !jsontext.Value(text).IsValid() {
		return nil, refuse(api.CodeInvalidSearch, "search_criteria: the text is not valid JSON")
	}
	names := []string{"api_key", "search_criteria"}
	var s source
	var a arena
	reader := newParamsReader(&s, &a, []byte(`["",`+text+`]`))
	if _, err := reader.measure(names, len(names)); err != nil {
		return nil, err
	}
	values, err := reader.rest(names)
	if err != nil {
		return nil, err
	}
	p := params{names: names, values: values, arena: &a}
	found := p.criteria(1)
	return found, p.err
}

// Published returns the published code of an error, and its message as in the reply to a call. ok is false for an error
// whose text can contain internal details.
func Published(err error) (code api.Code, message string, ok bool) {
	w, ok := expose(err, nil)
	return w.code, w.message, ok
}

// DelayFailure waits before the answer to a request with an invalid or missing key, as for a call. reference.md:
// auth.delay
func (h *Handler) DelayFailure(r *http.Request) {
	h.failures.wait(r.Context(), clientAddress(r.RemoteAddr), 1)
}

// ContactEncoder encodes Contacts as searchContacts returns them.
type ContactEncoder struct{ columns []column }

// NewContactEncoder returns the encoder of records with these columns.
func NewContactEncoder(of []enlist.Column) ContactEncoder {
	var c columns
	return ContactEncoder{c.prepare(of)}
}

// Append appends the record of a Contact.
func (e ContactEncoder) Append(b []byte, c *enlist.Contact) []byte {
	return appendContact(b, e.columns, c)
}

// ProofEncoder encodes the proof of a Contact: its consents as getContactConsents returns them, its entries of the
// Unsubscriber List as searchPreviousUnsubscribers, and its mails as getContactDeliveries.
type ProofEncoder struct {
	unsubscribe func([]byte, *contacts.Unsubscriber) []byte
	mail        func([]byte, *reports.ContactDelivery) []byte
}

// NewProofEncoder returns the encoder of proofs.
func NewProofEncoder() ProofEncoder {
	return ProofEncoder{Encoder(contacts.UnsubscriberAttributes), Encoder(reports.ContactDeliveryAttributes)}
}

// Append appends an object with an array of each.
func (e ProofEncoder) Append(b []byte, p *privacy.Proof) []byte {
	b = appendArray(append(b, `{"consents":`...), p.Consents, appendLedgerRow)
	b = appendArray(append(b, `,"unsubscribes":`...), p.Unsubscribes, e.unsubscribe)
	b = appendArray(append(b, `,"deliveries":`...), p.Deliveries, e.mail)
	return append(b, '}')
}
