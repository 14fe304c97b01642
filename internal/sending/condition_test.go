package sending_test

import (
	"context"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests which blocks with conditions the mails of Batches and autoresponders and their web versions have.

// covers: spec message.show_if, decision 165
func TestMailsWithConditions(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "each Contact gets the blocks whose condition it meets when the mail is composed", Test: batchShowsBlocks},
		{Name: "a Segment that a block of a waiting Message names is not deleted", Test: segmentOfBlockStays},
	})
}

// conditional makes the Message of the fixture one of blocks, of which only Contacts with an address see the second.
func conditional(f *apptest.Batches, criteria string) {
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("email_type", "blocks",
		"blocks", `[{"type":"text","text":"all"},{"type":"text","text":"some","show_if":[`+criteria+`]}]`))
	f.Must(err)
}

const (
	bothBlocks = `[{"type":"text","text":"all"},{"type":"text","text":"some"}]`
	firstBlock = `[{"type":"text","text":"all"}]`
)

// blocksComposer composes mails that have the blocks of their Messages as HTML.
type blocksComposer struct{ plainComposer }

func (blocksComposer) Preview(_ context.Context, m *messages.OutgoingMail) (*messages.ComposedMail, error) {
	return &messages.ComposedMail{HTML: m.Message.Blocks}, nil
}

func batchShowsBlocks(f *apptest.Batches) {
	ids := f.SubscribeMany(f.News, 3)
	conditional(f, `["Email","contains","a1"]`)
	f.Add(apptest.Whole(f.News))
	mails := f.Mails(f.Lease("one"))
	for i := range mails {
		want := firstBlock
		if mails[i].Contact.ID == ids[1] {
			want = bothBlocks
		}
		if got := mails[i].Message.Blocks; got != want {
			f.Errorf("the mail to %s has %s, want %s", mails[i].Address, got, want)
		}
	}
	if len(mails) != 3 {
		f.Errorf("there are %d mails, want 3", len(mails))
	}
	f.App.Messages.SetComposer(blocksComposer{})
	view := func(d enlist.DeliveryKey) string {
		page, err := f.App.Sending.ViewMail(f.Context(), d)
		f.Must(err)
		return page.HTML
	}
	if got := view(mails[1].Delivery); got != bothBlocks {
		f.Errorf("the web version has %s", got)
	}
	if got := view(mails[0].Delivery); got != firstBlock {
		f.Errorf("the web version of another Contact has %s", got)
	}
	f.EditEmail(f.News, ids[1], "other@example.com")
	if got := view(mails[1].Delivery); got != firstBlock {
		f.Errorf("the web version of a Contact that has changed has %s", got)
	}
}

func segmentOfBlockStays(f *apptest.Batches) {
	f.SubscribeMany(f.News, 1)
	segment := f.SetSegment(f.News, "Readers", emailContains("a0"))
	conditional(f, string(enlist.InSegment(segment).JSON()[1:len(enlist.InSegment(segment).JSON())-1]))
	id := f.AddAt(f.Now.Unix()+3600, apptest.Whole(f.News))
	err := f.App.Contacts.DeleteSegment(f.Context(), f.Caller, f.News, segment)
	f.Refused(err, enlist.InvalidParameters, "block of Message")
	f.Edit(id, "cancel")
	f.Must(f.App.Contacts.DeleteSegment(f.Context(), f.Caller, f.News, segment))
}
