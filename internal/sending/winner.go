package sending

import (
	"context"
	"fmt"
	"math"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file chooses the winner of the variants of a Batch, by hand or by the events of the test. The Batch is sending
// then, so the sender that looks for a slice chooses: no job can be lost, and a pause or a closed calendar delays it.

// waitsForWinner is the end of the lease of a slice whose recipients wait for the winner. It is the end of the year
// 9999.
const waitsForWinner = batches.MaxTimestamp

func lease(b *batches.Batch, test bool) int64 {
	if b.Variants == nil || test || b.Variants.Chosen != 0 {
		return 0
	}
	return waitsForWinner
}

// VariantSums are the numbers of the mails of a variant.
type VariantSums struct {
	Number  int64
	Message enlist.MessageID
	Subject string // "" for a variant with the subject of its Message
	Sent    int64
	Winner  bool
	recipients.Sums
	Unmeasured recipients.Unmeasured // of the mails that were sent
}

// MeasuredOpens returns the number of mails that were sent with a tracking pixel.
func (s *VariantSums) MeasuredOpens() int64 { return max(0, s.Sent-s.Unmeasured.Opens) }

// MeasuredClicks returns the number of mails that were sent with tracked links.
func (s *VariantSums) MeasuredClicks() int64 { return max(0, s.Sent-s.Unmeasured.Clicks) }

// VariantAttributes are the keys of the numbers of a variant, in their order on the wire.
var VariantAttributes = []enlist.Attribute[VariantSums]{
	enlist.ReadOnlyInt("variant", func(s *VariantSums) int64 { return s.Number }),
	enlist.ReadOnlyInt("message_id", func(s *VariantSums) enlist.MessageID { return s.Message }),
	enlist.ReadOnlyText("subject", func(s *VariantSums) string { return s.Subject }),
	enlist.ReadOnlyInt("sent_count", func(s *VariantSums) int64 { return s.Sent }),
	enlist.ReadOnlyInt("opened_count", func(s *VariantSums) int64 { return s.Opened() }),
	enlist.ReadOnlyInt("human_opened_count", func(s *VariantSums) int64 { return s.HumanOpened }),
	enlist.ReadOnlyInt("unique_contact_click", func(s *VariantSums) int64 { return s.Clicked }),
	enlist.ReadOnlyInt("human_contact_click", func(s *VariantSums) int64 { return s.HumanClicked }),
	enlist.ReadOnlyFlag("is_winner", func(s *VariantSums) bool { return s.Winner }),
	enlist.ReadOnlyInt("measured_opens", (*VariantSums).MeasuredOpens),
	enlist.ReadOnlyInt("measured_clicks", (*VariantSums).MeasuredClicks),
}

// ChooseWinner makes a variant of a Batch the winner, which the recipients outside of the test get. Errors: NoBatch,
// Denied, InvalidParameters. decisions.md: 77
func (s *Service) ChooseWinner(ctx context.Context, c *enlist.Caller, id enlist.BatchID, number int64) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		b, err := batches.Load(tx, c, id, true)
		switch {
		case err != nil:
			return err
		case b.Variants == nil:
			return enlist.Invalid("batch_id", "the Batch has no variants")
		case b.Ended():
			return b.Refuse("given a winner")
		case number < 1 || number > int64(len(b.Variants.All)):
			return enlist.Invalid("variant", fmt.Sprintf("expected 1 to %d", len(b.Variants.All)))
		case b.Variants.Chosen == number:
			return nil
		case b.Variants.Chosen != 0:
			return enlist.Invalid("variant", fmt.Sprintf("variant %d is the winner already", b.Variants.Chosen))
		}
		before := b.AuditValues()
		if err := setWinner(tx, b, number, "chosen by "+c.Key.Name, now); err != nil {
			return err
		}
		if err := accounts.Audit(tx, c, now, b.Audited(), before, b.AuditValues()); err != nil {
			return err
		}
		return tx.Enqueue(batches.PrepareBatch{Batch: id}) // wakes the sender
	})
}

// setWinner stores the winner, and frees the slices that wait for it.
func setWinner(tx *db.Tx, b *batches.Batch, number int64, verdict string, now int64) error {
	b.Variants.Chosen, b.Variants.Time, b.Variants.Verdict = number, now, verdict
	if err := b.Save(tx); err != nil {
		return err
	}
	return recipients.EndWait(tx, b.ID, waitsForWinner, now)
}

// chooseWinner chooses the winner when it is time: some hours after the first mail, and at once if the test has ended
// without a mail.
func chooseWinner(tx *db.Tx, b *batches.Batch, now int64) error {
	v := b.Variants
	if v == nil || v.Chosen != 0 || v.By == batches.WinnerByHand || v.Share == 100 {
		return nil
	}
	if b.FirstSent == 0 {
		_, next, err := recipients.FreeSlice(tx, b.ID, now)
		if enlist.KindOf(err) != enlist.NotFound || next != waitsForWinner {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
	} else if now < b.FirstSent+v.Hours*enlist.Hour {
		return nil
	}
	sums, err := SumsOfVariants(tx, b)
	if err != nil {
		return err
	}
	number, verdict := winner(v, sums)
	return setWinner(tx, b, number, verdict, now)
}

// SumsOfVariants returns the numbers of each variant.
func SumsOfVariants(tx *db.Tx, b *batches.Batch) ([]VariantSums, error) {
	if b.Variants == nil {
		return nil, nil
	}
	variants := make([]VariantSums, len(b.Variants.All))
	for i, v := range b.Variants.All {
		variants[i] = VariantSums{Number: int64(i + 1), Message: v.Message, Subject: v.Subject,
			Winner: b.Variants.Chosen == int64(i+1)}
	}
	editions, err := recipients.Editions(tx, b.ID)
	if err != nil {
		return nil, err
	}
	for i := range editions {
		if n := editions[i].Variant; n > 0 && n <= int64(len(variants)) {
			v := &variants[n-1]
			v.Sent += editions[i].Sent
			v.Unmeasured.Opens += editions[i].Unmeasured.Opens
			v.Unmeasured.Clicks += editions[i].Unmeasured.Clicks
		}
	}
	sums, err := recipients.PartSums(tx, b.ID)
	for part := range sums {
		if n := part / recipients.SumParts; n > 0 && n <= int64(len(variants)) {
			ofPart := sums[part]
			variants[n-1].Add(&ofPart)
		}
	}
	return variants, err
}

// significant is the difference, in standard deviations, above which two rates differ with a probability of 95 %.
const significant = 1.96

// winner returns the number of the winner, and why it is this one: the best variant, or the first one if too few mails
// of a variant are measured.
func winner(v *batches.Variants, variants []VariantSums) (number int64, verdict string) {
	for i := range variants {
		s := &variants[i]
		if n := s.measured(v.By); n < s.Sent && n < batches.LeastMeasured {
			return 1, fmt.Sprintf("variant 1, because only %d of %d mails of variant %d are measured, and %d are needed", n, s.Sent,
				s.Number, batches.LeastMeasured)
		}
	}
	return best(v, variants)
}

// measured returns the number of mails whose opens, or whose clicks, are recorded.
func (s *VariantSums) measured(by batches.WinnerBy) int64 {
	if by == batches.WinnerByOpens {
		return s.MeasuredOpens()
	}
	return s.MeasuredClicks()
}

// best returns the number of the variant with the highest rate, the first of several, and says whether the difference
// to the next one is large enough. It compares them by the two-proportion z-test.
func best(v *batches.Variants, variants []VariantSums) (number int64, verdict string) {
	count, noun := func(s *VariantSums) int64 { return s.HumanClicked }, "clicked"
	if v.By == batches.WinnerByOpens {
		count, noun = func(s *VariantSums) int64 { return s.HumanOpened }, "opened"
	}
	of := func(s *VariantSums) int64 { return s.measured(v.By) }
	rate := func(s *VariantSums) float64 { return float64(count(s)) / float64(max(1, of(s))) }
	first, second := &variants[0], (*VariantSums)(nil)
	for i := range variants[1:] {
		switch s := &variants[i+1]; {
		case rate(s) > rate(first):
			first, second = s, first
		case second == nil || rate(s) > rate(second):
			second = s
		}
	}
	verdict = fmt.Sprintf("variant %d was %s by persons in %.1f %% of %d mails, variant %d in %.1f %% of %d",
		first.Number, noun, 100*rate(first), of(first), second.Number, 100*rate(second), of(second))
	z := zScore(count(first), of(first), count(second), of(second))
	if z < significant {
		return first.Number, fmt.Sprintf("%s; the difference is too small to be sure (z = %.2f, and 1.96 is needed)",
			verdict, z)
	}
	return first.Number, fmt.Sprintf("%s; the difference is significant (z = %.2f)", verdict, z)
}

// zScore returns the difference of two proportions in standard deviations, or 0 if there are no data.
func zScore(x1, n1, x2, n2 int64) float64 {
	if n1 == 0 || n2 == 0 {
		return 0
	}
	a, b := float64(n1), float64(n2)
	pooled := float64(x1+x2) / (a + b)
	deviation := math.Sqrt(pooled * (1 - pooled) * (1/a + 1/b))
	if deviation == 0 || math.IsNaN(deviation) {
		return 0
	}
	return (float64(x1)/a - float64(x2)/b) / deviation
}
