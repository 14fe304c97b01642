package messages

import (
	"testing"

	"enlist/internal/enlist"
)

// covers: spec event.confirm, decision 46
func TestContactReceivesWhatItsStatusAllows(t *testing.T) {
	list, doubleOptIn := enlist.NewSchema(enlist.List{}, nil, nil), enlist.NewSchema(enlist.List{DoubleOptIn: true}, nil, nil)
	for _, c := range []struct {
		name    string
		schema  *enlist.Schema
		contact enlist.Contact
		event   enlist.Event
		want    bool
	}{
		{"subscribed", list, enlist.Contact{IsActive: true}, enlist.EventSubscribe, true},
		{"uploaded", list, enlist.Contact{IsActive: true}, enlist.EventAPIUpload, true},
		{"unsubscribed after the subscription", list, enlist.Contact{IsActive: true, IsUnsubscribed: true}, enlist.EventSubscribe, false},
		{"changed and unsubscribed", list, enlist.Contact{IsActive: true, IsUnsubscribed: true}, enlist.EventUpdateProfile, false},
		{"deactivated", list, enlist.Contact{}, enlist.EventSubscribe, false},
		{"unsubscribed", list, enlist.Contact{IsActive: true, IsUnsubscribed: true}, enlist.EventUnsubscribe, true},
		{"unsubscribed and deactivated", list, enlist.Contact{IsUnsubscribed: true}, enlist.EventUnsubscribe, false},
		{"subscribed again after unsubscribing", list, enlist.Contact{IsActive: true}, enlist.EventUnsubscribe, false},
		{"subscribed, not confirmed", doubleOptIn, enlist.Contact{IsActive: true}, enlist.EventSubscribe, false},
		{"uploaded, not confirmed", doubleOptIn, enlist.Contact{IsActive: true}, enlist.EventAPIUpload, false},
		{"unsubscribed, never confirmed", doubleOptIn, enlist.Contact{IsActive: true, IsUnsubscribed: true}, enlist.EventUnsubscribe, false},
		{"unsubscribed, confirmed", doubleOptIn, enlist.Contact{IsActive: true, IsUnsubscribed: true, DoubleOptIn: true}, enlist.EventUnsubscribe, true},
		{"confirmed", doubleOptIn, enlist.Contact{IsActive: true, DoubleOptIn: true}, enlist.EventConfirm, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.contact.Receives(c.schema, c.event); got != c.want {
				t.Errorf("the Contact receives mail: %v, want %v", got, c.want)
			}
		})
	}
}
