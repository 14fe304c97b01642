package enlist

// Autoresponder is a rule of a List: after an Event of a Contact, the server sends a Message to
// the Contact, at once or later. The rules for callers are in batches/autoresponder.go.
// autoresponder_due.go computes the due time. At the due time, messages/prepare.go decides
// whether the server still sends the Message.
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
	FolderID         FolderID // 0: no Folder
	TimeZone         string   // IANA name; "": the Account's time zone
	IsActive         bool
	CriteriaType     string    // CriteriaImmediate, CriteriaDelay or CriteriaSpecific
	Timestamp        int64     // for CriteriaSpecific: the time to send; 0: use SpecificHour and SpecificMinute
	OffsetValue      int64     // how many periods to wait
	OffsetPeriod     string    // minute, hour, day or week
	SpecificHour     int64     // 0 to 23
	SpecificMinute   int64     // 0 to 59
	Untracked        bool      // its mails have no tracking pixel and no tracked links
	SegmentID        SegmentID // whose Contacts get the Message; 0: all Contacts
}

// The values of CriteriaType.
const (
	CriteriaImmediate = "immediate" // at the event
	CriteriaDelay     = "delay"     // an offset after the event
	CriteriaSpecific  = "specific"  // at Timestamp, or at SpecificHour and SpecificMinute after the offset
)

// The periods of an offset. Days and weeks are calendar days: the offset ends at the same time
// of day, even if daylight saving time begins or ends in between.
const (
	PeriodMinute = "minute"
	PeriodHour   = "hour"
	PeriodDay    = "day"
	PeriodWeek   = "week"
)

// MaxOffset returns the largest OffsetValue for a period, which is about ten years. It returns 0
// for an unknown period.
func MaxOffset(period string) int64 {
	const days = 10 * 366
	return map[string]int64{
		PeriodMinute: days * 24 * 60, PeriodHour: days * 24, PeriodDay: days, PeriodWeek: 10 * 53,
	}[period]
}
