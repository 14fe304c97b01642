package batches_test

import (
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests that errors of the check stop a Batch.

// edit changes the Message of the fixture.
func edit(f *apptest.Batches, pairs ...any) {
	f.Helper()
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details(pairs...))
	f.Must(err)
}

func errorsStopABatch(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	r := batches.BatchRequest{Message: f.Message, Populations: []batches.PopulationRequest{apptest.Whole(f.News)}}
	f.Composer.Found = []messages.Finding{{Level: messages.FindingWarning, Code: batches.FindingNoSubject, Text: "no subject"},
		{Level: messages.FindingError, Code: batches.FindingTooLong, Text: "too long"}, messages.NoContent()}
	_, err := f.App.Batches.AddBatch(f.Context(), f.Caller, r)
	const want = "too long (too_long); the Message has no content (no_content). Correct it with editMessage, or call addBatch with the option force"
	if enlist.KindOf(err) != enlist.InvalidParameters || !strings.Contains(err.Error(), want) {
		f.Errorf("AddBatch returned %v, want InvalidParameters: %s", err, want)
	}
	if n := len(f.Composer.Checked); n != 1 || f.Composer.Checked[0].Contact.ID == 0 {
		f.Errorf("the composer checked %d mails, want one to a recipient", n)
	}
	f.App.Messages.SetComposer(nil)
	edit(f, "text_content", " \n")
	if _, err := f.App.Batches.AddBatch(f.Context(), f.Caller, r); enlist.KindOf(err) != enlist.InvalidParameters {
		f.Errorf("without a composer, AddBatch returned %v, want InvalidParameters", err)
	}
	f.Composer.Found = nil
	r.Options.Force = true
	id := f.AddChecked(r)
	if got := f.SendAll(nil); len(got) != 2 {
		f.Errorf("the forced Batch was sent to %d Contacts, want 2", len(got))
	}
	f.WantStatus(id, batches.BatchCompleted)
}

func emptiedMessageStopsABatch(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	id := f.Add(apptest.Whole(f.News))
	edit(f, "text_content", "")
	f.WantAddresses(f.SendAll(nil))
	if b := f.Batch(id); b.Status != batches.BatchPaused || b.Reason != batches.ReasonNoContent {
		f.Errorf("the Batch is %s: %q, want it paused because of its content", b.Status, b.Reason)
	}
	for _, command := range []string{"unpause", "reschedule"} {
		err := f.App.Batches.EditBatch(f.Context(), f.Caller, id, command, f.Now.Unix()+60)
		if enlist.KindOf(err) != enlist.InvalidParameters {
			f.Errorf("%s returned %v, want InvalidParameters", command, err)
		}
	}
	edit(f, "text_content", "Hello again")
	f.Must(f.App.Batches.EditBatch(f.Context(), f.Caller, id, "unpause", 0))
	f.Prepare(id)
	if got := f.SendAll(nil); len(got) != 2 {
		f.Errorf("after the Message got content, the Batch was sent to %d Contacts, want 2", len(got))
	}
}
