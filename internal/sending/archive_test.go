package sending_test

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests the archives of public Lists. TestMailsAsPages runs it.

func archive(f *apptest.Batches) {
	all := f.SubscribeMany(f.News, 2)
	whole := f.Add(apptest.Whole(f.News))
	some := f.Add(batches.PopulationRequest{List: f.News, Type: "contacts", Contacts: all[:1]})
	f.SendAll(nil)
	waits := f.AddAt(f.Now.Unix()+3600, apptest.Whole(f.News))
	f.App.Messages.SetComposer(plainComposer{})
	if a, err := f.App.Sending.Archive(f.Context(), f.News); a != nil || err != nil {
		f.Errorf("a List that is not public has the archive %+v, %v", a, err)
	}
	_, err := f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("is_public", true))
	f.Must(err)
	a, err := f.App.Sending.Archive(f.Context(), f.News)
	f.Must(err)
	if len(a.Mails) != 1 || a.Mails[0].Batch != whole || a.Mails[0].Subject != "Hello" {
		f.Errorf("the archive has %+v, want the Batch %d", a.Mails, whole)
	}
	m, err := f.App.Sending.ArchivedMail(f.Context(), f.News, whole)
	f.Must(err)
	if m == nil || m.HTML != "archived true, Contact 0" {
		f.Errorf("the mail is %+v", m)
	}
	other := f.AddList("is_public", true)
	for _, c := range []struct {
		list  enlist.ListID
		batch enlist.BatchID
	}{{f.News, some}, {f.News, waits}, {other, whole}, {99999, whole}} {
		if m, err := f.App.Sending.ArchivedMail(f.Context(), c.list, c.batch); m != nil || err != nil {
			f.Errorf("the Batch %d of the List %d is shown: %+v, %v", c.batch, c.list, m, err)
		}
	}
}

// countingComposer counts the mails that it composes.
type countingComposer struct {
	plainComposer
	composed *atomic.Int64
}

func (c countingComposer) Preview(ctx context.Context, m *messages.OutgoingMail) (*messages.ComposedMail, error) {
	c.composed.Add(1)
	return c.plainComposer.Preview(ctx, m)
}

func archiveIsComposedOnce(f *apptest.Batches) {
	f.SubscribeMany(f.News, 2)
	batch := f.Add(apptest.Whole(f.News))
	f.SendAll(nil)
	_, err := f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("is_public", true))
	f.Must(err)
	f.Now = f.Now.Add(time.Minute)
	var composed atomic.Int64
	f.App.Messages.SetComposer(countingComposer{composed: &composed})
	asked := func(want int64, subject string) {
		f.Helper()
		composed.Store(0)
		var readers sync.WaitGroup
		for range 30 {
			readers.Go(func() {
				m, err := f.App.Sending.ArchivedMail(f.Context(), f.News, batch)
				if err != nil || m == nil || m.Subject != subject {
					f.Errorf("the mail is %+v, %v, want %q", m, err, subject)
				}
			})
		}
		readers.Wait()
		if n := composed.Load(); n < 1 || n > want {
			f.Errorf("the mail was composed %d times, want at most %d", n, want)
		}
	}
	slots := int64(2) // two requests may begin at the same time
	asked(slots, "Hello")
	_, err = f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("subject", "Changed"))
	f.Must(err)
	asked(30, "Changed") // another change could have the same time
	f.Now = f.Now.Add(time.Minute)
	asked(slots, "Changed")
	_, err = f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("name", "Other"))
	f.Must(err)
	asked(slots, "Changed")
	_, err = f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("is_public", false))
	f.Must(err)
	if m, err := f.App.Sending.ArchivedMail(f.Context(), f.News, batch); m != nil || err != nil {
		f.Errorf("a List that is not public any more has %+v, %v", m, err)
	}
}
