package enlist

// This file has the record of a List.

// DefaultCountryCode is the telephone country code of a List for which a program says none. The published API has it, and
// pages ask.
const DefaultCountryCode = 61

// List is a set of Contacts, whose values are defined by Fields. In a new List all flags are
// false by default, except DisallowDuplicates.
type List struct {
	ID                 ListID
	AccountID          AccountID
	CreatorKeyID       KeyID
	CreatorName        string
	Name               string
	CreationTime       int64
	LastModifiedTime   int64
	OnRegister         string // addresses, separated by commas, that are notified of each subscription
	OnUpdate           string
	OnUnsubscribe      string
	DisallowDuplicates bool
	SendToDuplicates   bool
	FolderID           FolderID
	FolderName         string
	ContactCount       int64
	CountryCode        int64 // telephone country code for national numbers
	VirtualNumber      string
	SMSStopWords       string
	SMSResponseAction  string // "do_nothing"
	SMSResponseFields  string
	AddressTypes       string // "email,mobile"
	GDPR               bool
	DoubleOptIn        bool
	TrackOpens         bool
	TrackClicks        bool
	OpenPolicy         TrackingPolicy // whose opens are recorded; it has no effect without TrackOpens
	ClickPolicy        TrackingPolicy // as OpenPolicy
	FromName           string
	FromAddress        string
	Language           string // ISO 639-1, of the List's pages and requests to confirm; "": that of the browser
	ConfirmSubject     string // of the request to confirm; "" stands for the text of the language, like ConfirmText
	ConfirmText        string
	ConsentText        string // what subscribers agree to when they confirm
	Imprint            string // who sends the mails; paragraphs
	Public             bool   // subscribers of other Lists may see and join it, and its Messages have an archive
	Description        string // for subscribers; paragraphs
	FarewellText       string // what subscribers read who have left; paragraphs
	PreferencesText    string // what subscribers read above their settings; paragraphs
	TrackingText       string // what people agree to who allow to record opens and clicks; "": a text of the language
}

// Recipients returns the addresses that are notified of an event, separated by commas. It
// returns "" if there are none.
func (l *List) Recipients(event Event) string {
	switch event {
	case EventSubscribe:
		return l.OnRegister
	case EventUpdateProfile:
		return l.OnUpdate
	case EventUnsubscribe:
		return l.OnUnsubscribe
	}
	return ""
}

// HasTextsIn reports whether the texts of the List fit a reader of a language: they have that of the List, which may not
// be known, and "" stands for any reader.
func (l *List) HasTextsIn(language string) bool {
	return language == "" || l.Language == "" || l.Language == language
}
