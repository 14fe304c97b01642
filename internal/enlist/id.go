package enlist

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
	SegmentID       int64
	FormID          int64
)
