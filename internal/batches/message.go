package batches

import (
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// CheckUnused refuses a change of a Message that autoresponders or open Batches send. field is the
// key that the error names, or "" for the complete Message.
func CheckUnused(tx *db.Tx, m *messages.Message, field string) error {
	batches, err := Batches(tx, m.AccountID, BatchFilter{Open: true})
	if err != nil {
		return err
	}
	for i := range batches {
		if b := &batches[i]; b.sends(m.ID) {
			return enlist.Invalid(field, fmt.Sprintf("Batch %d sends the Message and has not ended; cancel it first",
				b.ID))
		}
	}
	all, err := Autoresponders(tx, m.AccountID)
	if err != nil {
		return err
	}
	n := 0
	for i := range all {
		if all[i].MessageID == m.ID {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return enlist.Invalid(field, fmt.Sprintf("autoresponders that send the Message: %d; "+
		"delete them first, or give them another Message", n))
}
