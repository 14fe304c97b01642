package reply

import "testing"

// covers: decision 50
func TestBlameNeedsEvidenceAboutTheAddress(t *testing.T) {
	for _, c := range []struct {
		status, text string
		want         Kind
	}{
		{"", "550 5.1.1 <ann@spam.example>: Recipient address rejected: User unknown", UnknownAddress},
		{"", "550 Requested action not taken: mailbox unavailable", UnknownAddress},
		{"5.0.0", "553 5.3.0 <ann@example.com>... No such user here", UnknownAddress},
		{"5.7.1", "553 Invalid recipient ann@example.com (Mode: normal)", UnknownAddress},
		{"5.0.0", "550 5.4.4 Host not found", NoDomain},
		{"", "DNS type 'mx' lookup of example.com responded with code NXDOMAIN", NoDomain},
		{"", "550 5.7.13 Disabled recipient address", Disabled},
		{"", "551 the user has moved; please try <bob@example.com>", Moved},
		{"", "552 5.2.2 mailbox full", Full},
		{"4.4.1", "connect to mx.example.net[192.0.2.1]:25: Connection timed out", Unreachable},

		{"", "550", Unclear},
		{"5.0.0", "", Unclear},
		{"5.1.0", "550 no", Unclear},
		{"", "550 Denied by policy", Policy},
		{"", "550 Relaying denied", Policy},
		{"", "550 Ip frequency limited", Policy},
		{"5.0.0", "550 DMARC check failed", Policy},
		{"5.0.0", "553 192.0.2.10 is on a block list", Policy},
		{"5.1.1", "550 5.7.26 Unauthenticated email from example.com is not accepted", Policy},
		{"5.1.1", "550 rejected as spam", Policy},
		{"5.1.3", "553 http://www.spamhaus.org/query/bl?ip=192.0.2.222", Policy},
		{"5.2.1", "550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents it", Policy},
		{"5.0.0", "552 Too many recipients", Policy},
		{"", "550 5.1.0 <news@example.test> sender rejected", Sender},
		{"", "after MAIL FROM:<news@example.test>: 553 example.test does not exist", Sender},
		{"5.4.6", "554 5.4.6 Too many hops", Loop},
		{"", "552 message size exceeds fixed limit", Content},
		{"5.3.0", "554 Recipient address rejected: Internal system error", System},
		{"", "554 no such user (in reply to end of DATA command)", Unclear},
		{"", "554 5.1.1 no such user (in reply to end of DATA command)", UnknownAddress},
		{"", "554 dd This account has been disabled or discontinued (in reply to end of DATA command)", Disabled},
	} {
		if got := Judge(c.status, c.text, false); got != c.want {
			t.Errorf("%s %q: got %q, want %q", c.status, c.text, got, c.want)
		}
	}
}

// An IP address, a version or a number is no status code.
func TestOnlyStatusCodesAreRead(t *testing.T) {
	if got := Codes("5.1.1 192.5.1.1 8.2.234.1 (#4.4.1) 550-5.7.26. 15.1.1 2.0.0"); len(got) != 3 {
		t.Errorf("got the codes %q, want 5.1.1, 4.4.1 and 5.7.26", got)
	}
}
