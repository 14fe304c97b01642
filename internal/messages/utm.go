package messages

import (
	"cmp"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the UTM parameters of the links of a Message. Package mail adds them to links in mails, and a tracked link
// leads to the URL with them, which it does not contain itself: so reports and conditions have the URL as the author
// wrote it. decisions.md: 156

// utmAttributes are the keys of enlist.UTMAttributes for a Message.
func utmAttributes() (all []enlist.Attribute[Message]) {
	for _, a := range enlist.UTMAttributes {
		all = append(all, enlist.Attribute[Message]{Name: a.Name, Type: a.Type,
			Get: func(m *Message) enlist.Value {
				u := m.OwnUTM()
				return a.Get(&u)
			},
			Set: func(m *Message, in enlist.Input) error {
				u := m.OwnUTM()
				err := a.Set(&u, in)
				m.UTM = u.String()
				return err
			}})
	}
	return all
}

// OwnUTM returns what the Message says about UTM parameters.
func (m *Message) OwnUTM() enlist.UTM {
	u, err := enlist.ParseUTM(m.UTM)
	if err != nil {
		return enlist.UTM{} // a later version may store another form
	}
	return u
}

// LinkTag returns what is added to the links of a Message, or nil. campaign is the name of the Batch, or "".
func (s *Service) LinkTag(m *Message, list, campaign string, key *enlist.LinkKey) *enlist.LinkTag {
	account := s.accounts.Settings().Of(m.AccountID).UTM
	if m.UTM == "" && !account.IsOn() {
		return nil
	}
	return m.OwnUTM().Tag(account, list, cmp.Or(campaign, m.Name), key)
}

// UTM returns the UTM parameters of an Account.
func (s *Service) UTM(account enlist.AccountID) enlist.UTM {
	return s.accounts.Settings().Of(account).UTM
}

// TrackedLink returns the URL of a tracked link and what its Message needs for LinkTag. Errors: NoLink.
func TrackedLink(tx *db.Tx, id enlist.LinkID) (url string, m *Message, err error) {
	m = new(Message)
	err = tx.Row([]any{&url, (*int64)(&m.ID), (*int64)(&m.AccountID), &m.Name, &m.UTM}, `SELECT link.url, link.message_id,
		coalesce(message.account_id, 0), coalesce(message.name, ''), coalesce(message.utm, '')
		FROM link LEFT JOIN message ON message.id = link.message_id WHERE link.id = ?`, int64(id))
	if err == nil && m.ID == 0 {
		err = enlist.ErrNoLink
	}
	return url, m, err
}
