package enlist

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
	TrackingPolicy TrackingPolicy // of Lists that have none
	SharesTracking bool           // a decision about being recorded holds for all Lists of the Account
	ChoseTracking  bool           // a user has chosen the policy
	CreationTime   int64
}

// NoContactLimit is the ContactLimit of an Account that may store any number of Contacts.
const NoContactLimit = -1
