package messages

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/limiter"
)

// This file sends a Message to a few addresses of the caller, so that the caller sees it in mail programs. Such a
// mail is a job like other mails, but no delivery: no report counts it.

// maxTestAddresses is the largest number of addresses of one call.
const maxTestAddresses = 5

// TestRequest says which mail to send to which addresses.
type TestRequest struct {
	Message   enlist.MessageID
	Addresses []string
	List      enlist.ListID    // 0: the merge fields of the Message have no values
	Contact   enlist.ContactID // whose values the mail shows; 0: merge fields have no values
}

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

// SendTestMessage sends a Message to addresses, with "[test]" before its subject. A user who may not see Contacts sends
// it without the values of one. Errors: NoMessage, NoList,
// Denied, NoContact, InvalidParameters, and InvalidEmail for an address that is not valid.
func (s *Service) SendTestMessage(ctx context.Context, c *enlist.Caller, r TestRequest) error {
	token := rand.Text() // makes the Message-ID of each mail unique
	isCounted := false
	if !seesContacts(c) {
		r.Contact = 0
	}
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		m, err := s.trialMail(tx, c, &Typed{Message: r.Message, List: r.List, Contact: r.Contact}, nil)
		if err == nil {
			err = requireTests(c, r.Addresses)
		}
		if err != nil {
			return err
		}
		if _, _, err := m.FillSender(); err != nil {
			return enlist.Invalid("message_id", "the email cannot be sent: "+err.Error())
		}
		if n := len(r.Addresses); n < 1 || n > maxTestAddresses {
			return enlist.Invalid("addresses", fmt.Sprintf("expected 1 to %d email addresses", maxTestAddresses))
		}
		if isCounted { // the function runs again
		} else if _, _, isCounted = s.trials.Take(int64(c.Account.ID), trialRate, s.db.Now()); !isCounted {
			return enlist.Refuse(enlist.Busy, "the Account has sent %d test emails in the last minutes; try again in a minute", trialRate.Burst)
		}
		var sent []string
		for i, text := range r.Addresses {
			spelling, key, ok := address.ParseEmail(text)
			if !ok {
				return &enlist.Error{Kind: enlist.InvalidEmail, Field: "addresses",
					Detail: enlist.Quoted(text) + " is not an email address"}
			}
			if slices.Contains(sent, key) {
				continue
			}
			sent = append(sent, key)
			e := SendTest{Account: c.Account.ID, Message: r.Message, List: r.List, Contact: r.Contact,
				Address: spelling,
				Time:    now, Token: token + strconv.Itoa(i)}
			if err := tx.Enqueue(e); err != nil {
				return err
			}
		}
		return accounts.Audit(tx, c, now, accounts.AuditObject{Kind: "Message", ID: int64(r.Message)}, nil,
			accounts.AuditValues{"test_addresses": strings.Join(sent, ", ")})
	})
}

// requireTests refuses a user who may not send tests, or not to all of the addresses.
func requireTests(c *enlist.Caller, addresses []string) error {
	_, own, _ := address.ParseEmail(c.Actor.User)
	isOther := func(text string) bool {
		_, key, ok := address.ParseEmail(text)
		return !ok || key != own
	}
	switch {
	case c.May(enlist.Send):
		return nil
	case !c.May(enlist.SendTests):
		return enlist.RequireSending(c)
	case slices.ContainsFunc(addresses, isOther):
		return enlist.Invalid("addresses", "you may send tests only to your own address")
	}
	return nil
}

// trialRate is how often an Account sends test mails: each of up to maxTestAddresses.
var trialRate = limiter.Rate{Interval: time.Minute, Burst: 20}

// TestMail returns the mail of a job. It returns nil if the Message, the List or the Contact is gone.
func (s *Service) TestMail(ctx context.Context, e SendTest) (*OutgoingMail, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*OutgoingMail, error) {
		account, err := accounts.ByID(tx, e.Account)
		if err != nil {
			return nil, err
		}
		caller := &enlist.Caller{Account: account, Key: new(enlist.Key)} // may access every List of the Account
		m, err := s.trialMail(tx, caller, &Typed{Message: e.Message, List: e.List, Contact: e.Contact}, nil)
		switch enlist.KindOf(err) {
		case enlist.NoMessage, enlist.NoList, enlist.NoContact, enlist.InvalidParameters:
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		m.Message = TestEdition(m.Message)
		m.Delivery = enlist.DeliveryKey{List: e.List, Time: e.Time, Cause: causeTrial + e.Token}
		m.Address = e.Address
		return m, nil
	})
}

// TestEdition returns a Message with "[test]" before its subject.
func TestEdition(m *Message) *Message {
	test := *m
	test.Subject = "[test] " + m.Subject
	return &test
}
