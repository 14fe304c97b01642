package audience

import "context"

// Store keeps everything. Its functions may run more than once and must have no
// effect but through Tx, and must not call the Store again.
type Store interface {
	// View runs fn on one snapshot for reads that take microseconds: look-ups.
	View(ctx context.Context, fn func(Tx) error) error
	// Search is View for reads that may look at every Contact of a List. It has
	// few places and a time limit; when none comes free in time, or the limit is
	// over, the error is of kind Busy.
	Search(ctx context.Context, fn func(Tx) error) error
	// Stream is Search for replies that go out while they are read, as slowly as
	// a client takes them. It has places of its own.
	Stream(ctx context.Context, fn func(Tx) error) error
	// ViewPrimary is Stream for what a change has to know first: fn sees whatever was
	// committed when ViewPrimary was called. What a Search or a Stream sees may be a
	// little older, where who runs the service allows that. decisions.md: 55
	ViewPrimary(ctx context.Context, fn func(Tx) error) error
	// Update runs fn and makes all its changes durable before it returns nil;
	// after an error none of them is stored.
	Update(ctx context.Context, fn func(Tx) error) error
	// UpdateTogether is Update for a function that mostly does no more than add a
	// Contact with an address, by its comparison form: the functions of several
	// callers may be carried out at once.
	UpdateTogether(ctx context.Context, list ListID, key string, fn func(Tx) error) error
	// CachedKey returns a key and its Account as a transaction has last seen them,
	// without asking the database; false when none has. They may have changed
	// since: confirm in a transaction.
	CachedKey(hash KeyHash) (*Key, *Account, bool)
	// CachedSchema returns a List as a transaction has last seen it, likewise. A
	// transaction that sees the same returns the same pointer.
	CachedSchema(id ListID) (*Schema, bool)
	// BuildIndex makes the database's own index of a key, in place of one that is not
	// complete, and returns its size in bytes. Others read and write meanwhile, but
	// for writers on SQLite. ErrIndexBusy when somebody else is at it.
	BuildIndex(ctx context.Context, id SearchIndexID, list ListID, k *SearchKey) (bytes int64, err error)
	// DropIndex drops it, also when there is none. ErrIndexBusy likewise.
	DropIndex(ctx context.Context, id SearchIndexID) error
	// BuiltIndexes are those that the database has, by ID.
	BuiltIndexes(ctx context.Context) ([]BuiltIndex, error)
	// Ready returns nil when the database answers and can be written to.
	Ready(ctx context.Context) error
	Close() error
}

// Tx is one transaction. Others may write at the same time, but definitions
// (Accounts, keys, Folders, Lists, Fields, Messages, autoresponders, webhooks) do
// not change beside it, and Contacts that it has read stay as they are until it
// ends, as do a retry, a delivery, a target and an Account's number of Contacts
// that it has asked for, all in an Update only. What is not found is an error of the kind named; a
// write that would break uniqueness says so in its result. Slices and Schemas
// that it returns may be shared and must not be changed.
type Tx interface {
	// Accounts, keys and Folders.
	Accounts() ([]Account, error)
	Account(id AccountID) (*Account, error) // Internal when unknown
	AddAccount(a *Account) error            // sets ID and makes its first List Folder
	UpdateAccount(a *Account) error         // name, time zone, limit
	AccountContacts(id AccountID) (int64, error)
	KeyByHash(hash KeyHash) (*Key, error) // InvalidKey when unknown; expiry is not looked at
	Keys() ([]Key, error)                 // of all Accounts, by ID
	AddKey(k *Key, hash KeyHash) error    // sets ID
	RevokeKey(id KeyID, at int64) error   // InvalidKey when unknown
	TouchKeys(used map[KeyID]int64) error // raises LastUsedTime
	Folders(account AccountID) ([]Folder, error)
	AddFolder(f *Folder) error    // sets ID
	UpdateFolder(f *Folder) error // its name
	DeleteFolder(id FolderID) error

	// Lists with their Fields and preferences.
	Lists(account AccountID) ([]List, error) // by ID, with ContactCount and FolderName; deleted ones left out
	Schema(id ListID) (*Schema, error)       // NoList when unknown or deleted
	ContactCount(id ListID) (int64, error)
	AddList(l *List) error           // sets ID
	UpdateList(l *List) error        // all but ID, AccountID, creator and creation
	MarkListDeleted(id ListID) error // from now on the List is unknown
	DropList(id ListID) error        // a hidden List that has no Contacts any more
	AddField(f *Field) error         // sets ID
	UpdateField(f *Field) error
	DeleteField(list ListID, id FieldID) error
	AddPreference(p *Preference) error // sets ID
	DeletePreference(list ListID, id PreferenceID) error

	// Indexes that searches need. A Schema has those of its List that are ready.
	SearchIndexes(since int64) ([]SearchIndex, error)                     // of all Lists, by ID, with what they saved since the day of that time
	SearchIndex(id SearchIndexID) (x *SearchIndex, found bool, err error) // without that
	IndexPlace(list ListID) (int64, error)                                // the Place of its indexes
	AddSearchIndex(x *SearchIndex) (added bool, err error)                // sets ID; false: the List has one of the key
	UpdateSearchIndex(x *SearchIndex) error                               // State, ByHand, times and Error
	RemoveSearchIndex(id SearchIndexID) error                             // one that is not ready
	RecordIndexUse(used map[SearchIndexID]IndexUse, at int64) error       // raises LastUsed
	DeleteIndexUse(before int64) error

	// Messages, autoresponders and webhooks. A Schema has those of its List.
	Messages(account AccountID) ([]Message, error)             // by ID, without their contents
	Message(account AccountID, id MessageID) (*Message, error) // NoMessage
	AddMessage(m *Message) error                               // sets ID
	UpdateMessage(m *Message) error                            // all but ID, AccountID, creator and creation
	DeleteMessage(id MessageID) error                          // with the targets of its links
	Autoresponders(account AccountID) ([]Autoresponder, error) // by ID; those of deleted Lists left out
	AddAutoresponder(a *Autoresponder) error                   // sets ID
	UpdateAutoresponder(a *Autoresponder) error                // all but ID, AccountID, creator and creation
	DeleteAutoresponder(id AutoresponderID) error
	Webhooks(account AccountID) ([]Webhook, error) // by ID; those of deleted Lists left out
	AddWebhook(w *Webhook) error                   // sets ID and Target
	UpdateWebhook(w *Webhook) error                // all but ID, AccountID and creation; sets Target
	DeleteWebhook(id WebhookID) error              // its events stay

	// Targets of webhooks, and the events on their way there.
	WebhookTarget(id WebhookTargetID) (t *WebhookTarget, found bool, err error)
	FindWebhookTarget(w *Webhook) error                                                  // sets Target to that of the webhook's Account, URL and Secret, adding it
	UpdateWebhookTarget(t *WebhookTarget) error                                          // how far the delivery is
	MarkWebhookScheduled(id WebhookTargetID, now, before int64) (marked bool, err error) // notes that a wake-up was stored, unless one after before waits
	SetWebhookFailing(id WebhookTargetID, is bool) error                                 // is_failing
	DropWebhookTarget(id WebhookTargetID) error                                          // unless a webhook or an event has it
	OrphanedWebhookTargets() ([]WebhookTargetID, error)                                  // failing ones that no webhook has any more
	AddWebhookEvent(e *WebhookEvent) error
	WebhookEvents(id WebhookTargetID, upto int64, limit int) ([]WebhookEvent, error)                 // the oldest ones, in their order; upto 0: any
	RemoveWebhookEvents(id WebhookTargetID, events []WebhookEvent) error                             // those delivered
	DeleteWebhookEvents(id WebhookTargetID, webhook WebhookID, limit int) (removed int, err error)   // webhook 0: of all
	MoveWebhookEvents(webhook WebhookID, from, to WebhookTargetID, limit int) (moved int, err error) // the oldest ones

	// What is sent to Contacts.
	MarkConfirmationRequested(list ListID, id ContactID, now, before int64) (marked bool, err error) // notes that a confirmation was asked for, unless one was after before
	MarkSubscriptionPending(list ListID, id ContactID) error                                         // until it is confirmed
	IsSubscriptionPending(list ListID, id ContactID) (bool, error)                                   // or has waited, before it was confirmed
	RaiseContactTimes(list ListID, id ContactID, message, open, click int64) error                   // last_message_time and so on; 0 leaves one as it is
	Delivery(k DeliveryKey) (*Delivery, bool, error)
	PutDelivery(d *Delivery) error                                            // adds it or replaces the one with its key
	Deliveries(list ListID, contact ContactID, limit int) ([]Delivery, error) // newest first; limit 0: all
	BouncesSince(list ListID, contact ContactID) (int64, error)               // bounces of what was sent until then count no more
	SetBouncesSince(list ListID, contact ContactID, at int64) error
	LinkTargets(message MessageID, urls []string) ([]LinkID, error)  // of URLs as they stand in a Message, adding new ones
	LinkTarget(id LinkID) (message MessageID, url string, err error) // NoLink
	Secret(name string, fresh []byte) ([]byte, error)                // the value, which is fresh where there was none

	// Contacts.
	Contact(list ListID, id ContactID) (*Contact, error)                                              // NoContact
	ContactByKey(list ListID, key string) (*Contact, error)                                           // the first one with the address; NoContact
	ContactsByAddress(list ListID, key, mobile string, after ContactID, limit int) ([]Contact, error) // Key equal, or Mobile equal; "" matches nothing
	InsertContact(c *Contact) (inserted bool, err error)                                              // sets ID and counts it; IsFirst and a taken Key: false
	InsertOrFind(c *Contact) (existing *Contact, err error)                                           // InsertContact of a first one; or the one who has the Key
	UpdateContact(c *Contact) error                                                                   // values, key, flags and times of c
	SearchContacts(s *Search, each func(*Contact) error) error                                        // c is only good during the call
	AnsweredByIndex(s *Search) bool                                                                   // whether finding or counting looks at few Contacts, by an index
	CountContacts(s *Search) (int64, error)                                                           // Where only
	LastContactID(list ListID) (ContactID, error)                                                     // 0 when it is empty
	RemoveContactsUpTo(list ListID, upto ContactID, limit int) (removed int, err error)
	RemoveContactsByID(list ListID, ids []ContactID) (removed []ContactID, err error)                     // those that were there, by ID
	PromoteDuplicate(list ListID, key string) error                                                       // of the first with an address, who has it no more
	DeleteFieldValues(list ListID, field FieldID, after ContactID, limit int) (last ContactID, err error) // 0 when done
	Duplicates(list ListID) (addresses int64, err error)                                                  // addresses that more than one Contact has

	// Consent, the Unsubscriber List and retries.
	AddLedgerRow(r *LedgerRow) error
	LedgerRows(list ListID, contact ContactID, limit, offset int64) ([]LedgerRow, error) // newest first
	AddUnsubscriber(account AccountID, u *Unsubscriber) error
	Unsubscribers(account AccountID, list ListID, each func(*Unsubscriber) error) error      // list 0: all; by time, then entry
	HasUnsubscribed(account AccountID, list ListID, email, mobile string) (bool, error)      // by comparison forms; list 0: from any, or none in particular
	ClaimRetry(account AccountID, key KeyID, r *Retry, now int64) (result []byte, err error) // nil: first time
	SaveRetry(account AccountID, key KeyID, r *Retry, result []byte, now int64) error
	DeleteRetries(before int64) error

	// LockListForBulk says, first of all, that this Update changes many Contacts of a
	// List in whatever order: those that get in each other's way run in turn.
	LockListForBulk(list ListID) error

	// LockDefinitions sees to it that no other Update overlaps this one: those that wrote
	// before are over, and those that come begin after it. The function may run
	// again from the start for that.
	LockDefinitions() error

	// Enqueue stores what this transaction sets in motion.
	Enqueue(e Effect) error
}

// Retry makes a call that is sent twice happen once. decisions.md: 30
type Retry struct {
	Header      string   // the Idempotency-Key
	Fingerprint [32]byte // of method and parameters, without the API key
}
