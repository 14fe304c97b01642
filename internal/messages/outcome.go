package messages

import "fmt"

// Undelivered says why a mail was not sent. Package mail creates it. Package sending decides
// whether to try again, and stores a final failure.
type Undelivered struct {
	Permanent bool   // another attempt cannot succeed
	Recipient bool   // the mail server refused the recipient's address
	Unknown   bool   // the mail server may have accepted the mail
	Slower    bool   // the mail server asks for fewer mails
	Code      int    // the reply code of the mail server; 0 if it sent no reply
	Detail    string // the text of the reply, or a description of the failure
	Err       error  // the cause, for the log
}

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
