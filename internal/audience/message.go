package audience

// Message is what is sent to Contacts: an email (Type "email") with merge
// fields such as {{First Name}} or {{First Name|friend}}, or an SMS.
type Message struct {
	ID               MessageID
	AccountID        AccountID
	CreatorKeyID     KeyID
	CreatorName      string
	CreationTime     int64
	LastModifiedTime int64
	Type             string // MessageEmail or MessageSMS
	Name             string
	FolderID         FolderID // 0: in none
	EmailType        string   // html, plain-html, plain or raw_html
	Subject          string
	HTML             string
	Text             string
	SMS              string
	FromName         string
	FromAddress      string
	ReplyTo          string
}

// The Message types.
const (
	MessageEmail = "email"
	MessageSMS   = "sms"
)

// The email types: html has its style sheets put into the elements, raw_html
// goes out as it is, plain-html is plain text from which an HTML part is made,
// and plain has no HTML part.
const (
	EmailHTML      = "html"
	EmailPlainHTML = "plain-html"
	EmailPlain     = "plain"
	EmailRawHTML   = "raw_html"
)

// Autoresponder sends a Message to a Contact because of an Event, at once or
// later.
type Autoresponder struct {
	ID               AutoresponderID
	AccountID        AccountID
	ListID           ListID
	CreatorKeyID     KeyID
	CreatorName      string
	CreationTime     int64
	LastModifiedTime int64
	MessageID        MessageID
	Event            Event
	FolderID         FolderID
	TimeZone         string // IANA name; "": the Account's
	IsActive         bool
	CriteriaType     string // CriteriaImmediate, CriteriaDelay or CriteriaSpecific
	Timestamp        int64  // of CriteriaSpecific: that very moment; 0: by hour and minute
	OffsetValue      int64
	OffsetPeriod     string // minute, hour, day or week
	SpecificHour     int64  // 0 to 23
	SpecificMinute   int64  // 0 to 59
}

// When an autoresponder sends.
const (
	CriteriaImmediate = "immediate"
	CriteriaDelay     = "delay"
	CriteriaSpecific  = "specific"
)
