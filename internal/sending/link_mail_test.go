package sending_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests mails as pages, and the mail with the link to the settings.

// covers: decision 133, spec merge.web_version
func TestMailsAsPages(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "an archive has what a public List got as a whole, for a Contact without values", Test: archive},
		{Name: "a mail of an archive is composed once for each version of its Message and its List", Test: archiveIsComposedOnce},
		{Name: "a mail as a page is that of no Contact, also after the Contact is gone", Test: mailAsPage},
		{Name: "the link to the settings is mailed once in ten minutes, also to who has left", Test: linkIsMailed},
	})
}

// plainComposer shows for whom a mail is composed.
type plainComposer struct{ messages.Composer }

func (plainComposer) Preview(_ context.Context, m *messages.OutgoingMail) (*messages.ComposedMail, error) {
	return &messages.ComposedMail{Subject: m.Message.Subject, HTML: fmt.Sprintf("archived %t, Contact %d", m.Archived, m.Contact.ID)}, nil
}

func mailAsPage(f *apptest.Batches) {
	ann := f.SubscribeMany(f.News, 1)[0]
	created := f.Now.Unix()
	d := enlist.DeliveryKey{List: f.News, Contact: ann, Time: created, Cause: batches.CauseBatch(f.Add(apptest.Whole(f.News)))}
	f.SendAll(nil)
	f.App.Messages.SetComposer(plainComposer{})
	shows := func(want string) {
		f.Helper()
		m, err := f.App.Sending.ViewMail(f.Context(), d)
		f.Must(err)
		if got := fmt.Sprint(m); m == nil && want != "" || m != nil && m.HTML != want {
			f.Errorf("the page is %s, want %q", got, want)
		}
	}
	const page = "archived true, Contact 0"
	shows(page)
	f.EditEmail(f.News, ann, "other@example.com")
	shows(page)
	_, err := f.App.Contacts.DeleteContacts(f.Context(), f.Caller, contacts.DeleteRequest{List: f.News, Contacts: []enlist.ContactID{ann}})
	f.Must(err)
	shows(page)
	f.Must(f.App.Messages.DeleteMessage(f.Context(), f.Caller, f.Message))
	shows("")
}

func linkIsMailed(f *apptest.Batches) {
	ann := f.SubscribeMany(f.News, 1)[0]
	_, err := f.App.Contacts.UnsubscribeByID(f.Context(), f.Caller, contacts.ContactRequest{List: f.News, Contact: ann})
	f.Must(err)
	for i, c := range []struct {
		pass time.Duration
		sent bool
	}{{0, true}, {time.Minute, false}, {10 * time.Minute, true}} {
		f.Now = f.Now.Add(c.pass)
		f.Must(f.App.Sending.SendLink(f.Context(), f.News, " A0@example.com "))
		m, err := f.App.Messages.LinkMail(f.Context(), contacts.SendLink{List: f.News, Contact: ann, Time: f.Now.Unix()})
		f.Must(err)
		if (m != nil) != c.sent {
			f.Errorf("the mail %d is %+v", i, m)
		}
		if m != nil {
			f.Must(f.App.Sending.RecordSent(f.Context(), []messages.Delivery{f.App.Sending.Sent(m, "Your settings")}))
		}
	}
	if n := f.Jobs(contacts.SendLink{}.Kind()); n != 2 {
		f.Errorf("%d jobs wait, want 2", n)
	}
}
