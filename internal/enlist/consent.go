package enlist

// ConsentType says what a person agreed to. reference.md: Consent
type ConsentType string

const ConsentGDPR ConsentType = "gdpr"

// PreferenceChoice is a person's answer to the List preference with this Name.
type PreferenceChoice struct {
	Name  string `json:"name"`
	Agree bool   `json:"agree"`
}

// LedgerRow is one entry of the consent ledger: a consent, or another change of a subscription. It is never
// deleted, and only changed when the person is erased: then Text, IP, Preferences and ImportRow become empty.
type LedgerRow struct {
	ListID      ListID
	ContactID   ContactID
	Time        int64
	Method      string      // the published name of the operation, such as subscribeContact, or one of the Methods
	Type        ConsentType // "" for a change without a consent, such as an unsubscription
	Text        string
	IP          string
	Preferences []PreferenceChoice // only preferences that are defined on the List
	KeyID       KeyID
	KeyName     string          // not stored in the ledger: package contacts reads it from the key
	ImportID    ImportID        // the import that the row comes from; 0: none
	ImportRow   int64           // the number of its row in the file
	Tracking    TrackingConsent // what the person decided about being recorded; then Type is ""
	TextVersion string          // of a Text about being recorded, for example the number of a privacy policy
}
