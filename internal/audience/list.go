package audience

// This file has the record of a List and the database methods for it.

// DefaultCountryCode is the telephone country code of a new List.
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
	FromName           string
	FromAddress        string
}

// ListTx reads and changes Lists, in a transaction.
type ListTx interface {
	// Lists returns the Lists of an Account in order of ID, without deleted Lists.
	// ContactCount and FolderName are set.
	Lists(account AccountID) ([]List, error)
	// Schema returns a List with its Fields and everything else in its definition. The
	// error is of kind NoList if the List is unknown or deleted.
	Schema(id ListID) (*Schema, error)
	// ContactCount returns the number of Contacts of a List.
	ContactCount(id ListID) (int64, error)
	// AddList inserts a List and sets its ID.
	AddList(l *List) error
	// UpdateList stores everything but the ID, the Account, the creator and the
	// time of creation.
	UpdateList(l *List) error
	// MarkListDeleted hides a List: from now on Schema and Lists do not return it.
	MarkListDeleted(id ListID) error
	// DropList deletes the row of a hidden List that has no Contacts any more.
	DropList(id ListID) error
	// LastContactID returns the highest ID of a List's Contacts, or 0 if it has none.
	LastContactID(list ListID) (ContactID, error)
	// RemoveContactsUpTo deletes at most limit Contacts with an ID of at most upto, and
	// returns their number. If removed is less than limit, no such Contact is left.
	RemoveContactsUpTo(list ListID, upto ContactID, limit int) (removed int, err error)
	// Duplicates returns the number of addresses that more than one Contact of a List has.
	Duplicates(list ListID) (addresses int64, err error)
}
