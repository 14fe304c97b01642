package audience

import "testing"

// covers: decision 46, decision 47
func TestContactReceivesWhatItsStatusAllows(t *testing.T) {
	list, doubleOptIn := NewSchema(List{}, nil, nil), NewSchema(List{DoubleOptIn: true}, nil, nil)
	for _, c := range []struct {
		name    string
		schema  *Schema
		contact Contact
		event   Event
		want    bool
	}{
		{"subscribed", list, Contact{IsActive: true}, EventSubscribe, true},
		{"uploaded", list, Contact{IsActive: true}, EventAPIUpload, true},
		{"unsubscribed after the subscription", list, Contact{IsActive: true, IsUnsubscribed: true}, EventSubscribe, false},
		{"changed and unsubscribed", list, Contact{IsActive: true, IsUnsubscribed: true}, EventUpdateProfile, false},
		{"deactivated", list, Contact{}, EventSubscribe, false},
		{"unsubscribed", list, Contact{IsActive: true, IsUnsubscribed: true}, EventUnsubscribe, true},
		{"unsubscribed and deactivated", list, Contact{IsUnsubscribed: true}, EventUnsubscribe, false},
		{"subscribed again after unsubscribing", list, Contact{IsActive: true}, EventUnsubscribe, false},
		{"subscribed, not confirmed", doubleOptIn, Contact{IsActive: true}, EventSubscribe, false},
		{"uploaded, not confirmed", doubleOptIn, Contact{IsActive: true}, EventAPIUpload, false},
		{"unsubscribed, never confirmed", doubleOptIn, Contact{IsActive: true, IsUnsubscribed: true}, EventUnsubscribe, false},
		{"unsubscribed, confirmed", doubleOptIn, Contact{IsActive: true, IsUnsubscribed: true, DoubleOptIn: true}, EventUnsubscribe, true},
		{"confirmed", doubleOptIn, Contact{IsActive: true, DoubleOptIn: true}, EventConfirm, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := c.contact.receives(c.schema, c.event); got != c.want {
				t.Errorf("the Contact receives mail: %v, want %v", got, c.want)
			}
		})
	}
}
