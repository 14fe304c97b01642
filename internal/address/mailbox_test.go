package address

import "testing"

// covers: spec event.confirm
func TestAddressesOfOneMailboxAreEqual(t *testing.T) {
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"mira@example.com", "Mira+news@example.com", true},
		{"mira+a@example.com", "mira+b+c@example.com", true},
		{"m.i.ra@gmail.com", "mira+x@googlemail.com", true},
		{"mi.ra@example.com", "mira@example.com", false},
		{"mira@example.com", "mira@example.net", false},
		{"+mira@example.com", "+noor@example.com", false},
		{"+61412345678", "+61412345679", false},
	} {
		if same := Mailbox(c.one) == Mailbox(c.other); same != c.same {
			t.Errorf("%s and %s have the mailboxes %s and %s, want them equal: %v", c.one, c.other, Mailbox(c.one), Mailbox(c.other), c.same)
		}
	}
}
