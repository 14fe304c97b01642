package audience

// This file has the record of an Account, the identifiers of all records, and the
// database methods for Accounts.

// The types of identifiers. The database assigns the IDs of one type in ascending
// order from 1. They are unique in the whole database, and no ID is used twice.
type (
	AccountID    int64
	KeyID        int64
	ListID       int64
	FieldID      int64
	ContactID    int64
	PreferenceID int64
	FolderID     int64
	MessageID    int64
	WebhookID    int64
	LinkID       int64 // of the URL that a tracked link leads to

	AutoresponderID int64
	SendingDomainID int64
	BatchID         int64
	FileID          int64
	ContentID       int64 // of the bytes of a file; a file that is overwritten gets other content
	WebhookTargetID int64 // of a URL and secret that webhooks share
	ImportID        int64
)

// Account owns Lists and keys. TimeZone is an IANA name such as "Australia/Sydney" or
// "UTC". It decides what "today" means for the date Fields of the Account.
type Account struct {
	ID           AccountID
	Name         string
	TimeZone     string
	ContactLimit int64 // largest number of Contacts in all its Lists together, or NoContactLimit
	// SendingDomains is a list of domains, separated by spaces, that its senders may have besides its SendingDomain
	// records. Without both, its senders may have any domain.
	SendingDomains string
	Retention      Retention
	CreationTime   int64
}

// NoContactLimit is the ContactLimit of an Account that may store any number of Contacts.
const NoContactLimit = -1

// AccountTx reads and changes the Accounts of a database, in a transaction.
type AccountTx interface {
	// Accounts returns all Accounts in order of ID.
	Accounts() ([]Account, error)
	// Account returns one Account. If no Account has the ID, the error is of kind Internal,
	// because the domain calls Account only with the AccountID of a key or of a List.
	Account(id AccountID) (*Account, error)
	// AddAccount inserts an Account with its FirstFolders and sets its ID.
	AddAccount(a *Account) error
	// UpdateAccount stores the name, the time zone, the limit, the domains and the Retention.
	UpdateAccount(a *Account) error
	// AccountContacts returns how many Contacts all Lists of an Account have. If the
	// Account has a limit, then after a call in an Update no other transaction can change
	// the number until the Update ends.
	AccountContacts(id AccountID) (int64, error)
}
