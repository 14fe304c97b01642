package audience

// ConsentType says what a person agreed to. specification: Consent
type ConsentType string

// The consent types.
const (
	ConsentGDPR        ConsentType = "gdpr"
	ConsentDirect      ConsentType = "direct"
	ConsentNotRecorded ConsentType = "not_recorded"
)

// MaxConsentText is the longest consent text, in characters. specification: Limits
const MaxConsentText = 255

// Consent is what the caller says about a person's agreement.
type Consent struct {
	Type        ConsentType // "" counts as ConsentNotRecorded
	Text        string
	Preferences []PreferenceChoice
	IP          string // the Contact's last known IP address as it was sent; "" when not given
}

// PreferenceChoice is a person's answer to one List preference, by name.
type PreferenceChoice struct {
	Name  string `json:"name"`
	Agree bool   `json:"agree"`
}

// LedgerRow is one entry of the consent ledger: written once, never changed.
type LedgerRow struct {
	ListID      ListID
	ContactID   ContactID
	Time        int64
	Method      string // the operation, by its published name
	Type        ConsentType
	Text        string
	IP          string
	Preferences []PreferenceChoice // those defined on the List
	KeyID       KeyID
	KeyName     string // filled when it is read
}

// Unsubscriber is one row of the Unsubscriber List: the Account's permanent
// record of addresses that ever unsubscribed.
type Unsubscriber struct {
	ContactID   ContactID // 0 when the address belonged to no Contact
	ListID      ListID    // 0 when it was unsubscribed from no List in particular
	AddressType AddressType
	Address     string // as it was stored or given
	AddressKey  string // comparison form
	Time        int64
}
