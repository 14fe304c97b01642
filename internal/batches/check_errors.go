package batches

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file refuses to send what checkBatch calls an error: addBatch, unpause and reschedule, unless the Batch has the
// option force. The sender looks again before it takes recipients, because the Message can be edited at any time.
// reference.md: batch.force; decisions.md: 91

// ReasonNoContent is the reason of a Batch that the sender has paused.
const ReasonNoContent = "its Message has no content: write it, then continue the Batch"

// contentErrors returns the errors that CheckBatch finds in the content of a Batch, without those about the sender. It
// reads some Contacts for the values of a first recipient. It composes mails, so it must not run in an Update.
func (s *Service) contentErrors(ctx context.Context, c *enlist.Caller, r *BatchRequest) ([]messages.Finding, error) {
	if r.Options.Force {
		return nil, nil
	}
	check, err := db.View(ctx, s.db, c, func(tx *db.Tx) (*batchCheck, error) {
		b, err := s.newBatch(tx, c, r, s.db.Now().Unix())
		if err != nil {
			return nil, err
		}
		k := b.check()
		return k, k.readFirst(tx)
	})
	if err != nil {
		return nil, err
	}
	var errors []messages.Finding
	for i := range check.contents {
		inContent, err := s.messages.CheckContent(ctx, check.sample(i))
		if err != nil {
			return nil, err
		}
		for _, f := range inContent {
			if f.Level == messages.FindingError && !slices.Contains(errors, f) { // variants often have the same ones
				errors = append(errors, f)
			}
		}
	}
	return errors, nil
}

// readFirst reads the contents, and Contacts of the first population until one is a recipient, but only one step.
func (k *batchCheck) readFirst(tx *db.Tx) error {
	if err := k.readContents(tx); err != nil {
		return err
	}
	k.fields = nil // so that step reads only the first recipient
	step, err := k.step(tx, 0)
	if err != nil {
		return err
	}
	k.schema = step.schema
	k.take(0, step)
	return nil
}

// refuseErrors returns the error of a Batch with such findings, or nil if there are none.
func refuseErrors(findings []messages.Finding) error {
	if len(findings) == 0 {
		return nil
	}
	texts := make([]string, len(findings))
	for i, f := range findings {
		texts[i] = f.Text + " (" + string(f.Code) + ")"
	}
	return enlist.Invalid("message_id", strings.Join(texts, "; ")+
		". Correct it with editMessage, or call addBatch with the option force")
}

// LacksContent reports whether the Batch must not send one of its contents, because it is empty.
func (b *Batch) LacksContent(contents []MailContent) bool {
	for i := range contents {
		if !b.IsForced && !contents[i].Message.HasContent() {
			return true
		}
	}
	return false
}

// requireContent refuses to start a Batch that would send a Message without content. A Batch without a Message fails
// later.
func (b *Batch) requireContent(tx *db.Tx) error {
	contents, err := b.Contents(tx)
	switch {
	case err != nil:
		return enlist.IgnoreKind(enlist.NoMessage, err)
	case b.LacksContent(contents):
		return enlist.Invalid("batch_id", "its Message has no content: write it with editMessage first")
	}
	return nil
}
