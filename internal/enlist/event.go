package enlist

// Event says what happened to a Contact. An autoresponder's event_type has the same values.
type Event string

// The events that cause mail.
const (
	EventSubscribe     Event = "subscribe"
	EventUnsubscribe   Event = "unsubscribe"
	EventUpdateProfile Event = "update_profile"
	EventConfirm       Event = "confirm"
	EventAPIUpload     Event = "api_upload" // added by addContacts
)
