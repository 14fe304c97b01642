package contacts

import (
	"context"
	"crypto/sha256"
	"fmt"

	"enlist/internal/address"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file limits the mails that a person can ask for without being known: requests to confirm and links to the
// settings. Anyone can type any address, so without a limit a program would flood a mailbox. reference.md: event.confirm

// MailboxInterval is the shortest time between two such mails to a mailbox, in seconds.
const MailboxInterval = 10 * 60

// AskedMail is a kind of mails, which has its own limit.
type AskedMail string

const (
	AskedConfirmation AskedMail = "confirm"
	AskedLink         AskedMail = "link"
)

// TakeMailbox reports whether a mail of a List may go to an address now, and then stores that it does. It refuses the
// mail if one of the kind went to any address of the same mailbox less than MailboxInterval ago, also if the Contact of
// that mail is gone. key is the Contact's.
func TakeMailbox(tx *db.Tx, list enlist.ListID, kind AskedMail, key string, now int64) (bool, error) {
	hash := sha256.Sum256(fmt.Appendf(nil, "%s %d %s", kind, list, address.Mailbox(key)))
	// A time far ahead was stored while the clock was wrong.
	n, err := tx.Exec(`INSERT INTO asked_mailbox (hash, time) VALUES (?1, ?2)
		ON CONFLICT (hash) DO UPDATE SET time = excluded.time
		WHERE asked_mailbox.time <= ?3 OR asked_mailbox.time > ?4`,
		hash[:], now, now-MailboxInterval, now+MailboxInterval)
	return n > 0, err
}

// forgottenBatch is the number of rows that a transaction of ForgetMailboxes deletes.
const forgottenBatch = 1000

// ForgetMailboxes deletes the rows that refuse no mail any more.
func (s *Service) ForgetMailboxes(ctx context.Context) error {
	for {
		n, err := db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (int64, error) {
			return tx.Exec(`DELETE FROM asked_mailbox WHERE hash IN
				(SELECT hash FROM asked_mailbox WHERE time <= ? OR time > ?`+db.Limited+")",
				now-MailboxInterval, now+MailboxInterval, int64(forgottenBatch))
		})
		if err != nil || n < forgottenBatch {
			return err
		}
	}
}
