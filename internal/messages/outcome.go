package messages

import "fmt"

// Undelivered says why a mail was not sent. Package mail creates it. Package sending decides
// whether to try again, and stores a final failure.
type Undelivered struct {
	Permanent bool   // another attempt cannot succeed
	Recipient bool   // the mail server refused the recipient's address
	Unknown   bool   // the mail server may have accepted the mail
	Slower    Slower // for which mails the mail server asks for a lower rate
	Code      int    // the reply code of the mail server; 0 if it sent no reply
	Detail    string // the text of the reply, or a description of the failure
	Err       error  // the cause, for the log
}

// Slower says for which mails a mail server asks for a lower rate. "" is none.
type Slower string

const (
	SlowerDomain Slower = "domain" // those to the domains of the recipient's provider
	SlowerRelay  Slower = "relay"  // all mails that it gets
)

// Error returns the text that operators and callers see.
func (u *Undelivered) Error() string {
	switch {
	case u.Code != 0:
		return fmt.Sprintf("the mail server answered %d %s", u.Code, u.Detail)
	case u.Err != nil && u.Detail != "":
		return u.Detail + ": " + u.Err.Error()
	case u.Err != nil:
		return u.Err.Error()
	}
	return u.Detail
}

func (u *Undelivered) Unwrap() error { return u.Err }
