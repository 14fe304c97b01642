package messages

import "enlist/internal/enlist"

// SendTest sends a Message to an address of the caller.
type SendTest struct {
	Account enlist.AccountID `json:"account_id"`
	Message enlist.MessageID `json:"message_id"`
	List    enlist.ListID    `json:"list_id"`    // 0: none
	Contact enlist.ContactID `json:"contact_id"` // whose values the mail shows; 0: none
	Address string           `json:"address"`
	Time    int64            `json:"time"`
	Token   string           `json:"token"` // makes the Message-ID unique
}

// Kind implements Effect.
func (SendTest) Kind() string { return "send_test" }
