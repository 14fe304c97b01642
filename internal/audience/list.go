package audience

// DefaultCountryCode is the telephone country code of a new List.
const DefaultCountryCode = 61

// List holds Contacts, described by Fields. The zero flags are the defaults of
// a new List but for DisallowDuplicates, which is true.
type List struct {
	ID                 ListID
	AccountID          AccountID
	CreatorKeyID       KeyID
	CreatorName        string
	Name               string
	CreationTime       int64
	LastModifiedTime   int64
	OnRegister         string // addresses, comma-separated, that hear of each new subscription
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
	FromName           string
	FromAddress        string
}

// Preference is a named choice that Contacts of a List agree to or decline.
type Preference struct {
	ID     PreferenceID
	ListID ListID
	Name   string
}

// Folder groups Lists (Type "list"), Messages ("message") or files ("file").
type Folder struct {
	ID           FolderID
	AccountID    AccountID
	Name         string
	Type         string
	CreationTime int64
	ItemCount    int64
}

// Schema is a List with all that gives its Contacts their shape. It is shared
// between calls and never changed; a change to the List makes a new one.
// List.ContactCount is not kept in it: ask Tx.ContactCount.
type Schema struct {
	List        List
	Fields      []Field // in display order as decisions.md: 40 means it: by position, hidden ones last, then by ID
	Preferences []Preference

	TimeZone       string // the Account's
	Autoresponders []Autoresponder
	Webhooks       []Webhook     // that listen to it: its own, and the Account's for all Lists
	SearchIndexes  []SearchIndex // those that are ready; times and uses are not kept up to date in it

	byName map[string]*Field
	byID   map[FieldID]*Field
	prefs  map[string]*Preference
	email  *Field
	mobile *Field
	whole  []Column // of a Contact
}

// NewSchema sorts nothing and copies nothing: fields come in display order.
func NewSchema(list List, fields []Field, preferences []Preference) *Schema {
	s := &Schema{List: list, Fields: fields, Preferences: preferences,
		byName: make(map[string]*Field, len(fields)), byID: make(map[FieldID]*Field, len(fields)),
		prefs: make(map[string]*Preference, len(preferences))}
	for i := range preferences {
		s.prefs[preferences[i].Name] = &preferences[i]
	}
	for i := range fields {
		f := &fields[i]
		s.byName[f.Name], s.byID[f.ID] = f, f
		switch f.AddressType {
		case AddressEmail:
			s.email = f
		case AddressMobile:
			s.mobile = f
		}
	}
	s.whole = wholeContact(s)
	return s
}

// Field returns the Field of an ID, nil when the List has none.
func (s *Schema) Field(id FieldID) *Field { return s.byID[id] }

// FieldNamed returns the Field of an exact name, nil when the List has none.
func (s *Schema) FieldNamed(name string) *Field { return s.byName[name] }

// Email returns the List's email Field, which every List has.
func (s *Schema) Email() *Field { return s.email }

// Mobile returns the List's mobile Field, nil when it has none.
func (s *Schema) Mobile() *Field { return s.mobile }

// ListTx reads and changes Lists as a whole, in a transaction.
type ListTx interface {
	// Lists returns the Lists of an Account by ID, with ContactCount and FolderName
	// and without deleted ones.
	Lists(account AccountID) ([]List, error)
	// Schema returns a List with its Fields and all else that belongs to its
	// definition. Its error is of kind NoList when the List is unknown or deleted.
	Schema(id ListID) (*Schema, error)
	// ContactCount counts the Contacts of a List.
	ContactCount(id ListID) (int64, error)
	// AddList inserts a List and sets its ID.
	AddList(l *List) error
	// UpdateList stores everything but the ID, the Account, the creator and the
	// time of creation.
	UpdateList(l *List) error
	// MarkListDeleted hides a List: from now on Schema and Lists do not know it.
	MarkListDeleted(id ListID) error
	// DropList deletes the row of a hidden List that has no Contacts any more.
	DropList(id ListID) error
	// LastContactID returns the highest ID of a List's Contacts, 0 when it has none.
	LastContactID(list ListID) (ContactID, error)
	// RemoveContactsUpTo deletes up to limit Contacts with an ID of at most upto, and
	// returns their number. Fewer than limit means that none is left.
	RemoveContactsUpTo(list ListID, upto ContactID, limit int) (removed int, err error)
	// Duplicates counts the addresses that more than one Contact of a List has.
	Duplicates(list ListID) (addresses int64, err error)
}
