package batches

import (
	"fmt"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file warns of a test of variants whose winner could not be chosen by opens or clicks, because too few of them
// would be measured. decisions.md: 162

// LeastMeasured is the number of mails of each variant that must be measured, if others are not: those must say something
// about the others. With 50 mails, a rate of 20 % is known to about 11 points.
const LeastMeasured = 50

// FindingFewMeasured is the code of the warning.
const FindingFewMeasured messages.FindingCode = "few_measured"

// measures reports whether opens or clicks choose a winner for other recipients.
func (b *Batch) measures() bool {
	return b.Variants != nil && b.Variants.By != WinnerByHand && b.Variants.Share < 100
}

// countMeasured returns of how many recipients the numbers can be known that choose the winner.
func (b *Batch) countMeasured(tx *db.Tx, schema *enlist.Schema, ids []enlist.ContactID) (measured int64, err error) {
	if !b.measures() || b.Untracked {
		return 0, nil
	}
	tracks := schema.TracksClicks
	if b.Variants.By == WinnerByOpens {
		tracks = schema.TracksOpens
	}
	counts, err := contacts.CountTracking(tx, schema.List.ID, ids)
	for consent, n := range counts {
		if tracks(consent) {
			measured += n
		}
	}
	return measured, err
}

// concludeMeasured adds the warning.
func (k *batchCheck) concludeMeasured() {
	all, variants := k.result.Recipients, int64(0)
	if !k.measures() || k.measured >= all {
		return
	}
	variants = int64(len(k.Variants.All))
	each := k.measured * k.Variants.Share / 100 / variants
	if each >= LeastMeasured {
		return
	}
	k.add(messages.Finding{Level: messages.FindingWarning, Code: FindingFewMeasured,
		Text: fmt.Sprintf("%s of only %d of %d recipients can be measured, which is about %d for each variant: with fewer than %d, "+
			"the first variant wins", k.Variants.By, k.measured, all, each, LeastMeasured)})
}
