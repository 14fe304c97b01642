package reports_test

import (
	"fmt"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/reports"
)

func TestHistoryOfAContact(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(2), []apptest.Rule[*apptest.SentBatch]{
		{Name: "the history of a Contact has its mails with their opens and clicks", Test: historyOfAContact},
	})
}

func historyOfAContact(f *apptest.SentBatch) {
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Click(f.Contacts[0], f.Links[1], apptest.PersonAgent)
	f.Open(f.Contacts[1], apptest.PersonAgent)
	var w apptest.Rows[reports.MailHistory]
	f.Must(f.App.Reports.ContactHistory(f.Context(), f.Caller, f.News, f.Contacts[0], &w))
	if len(w.All) != 1 || w.All[0].Batch != f.ID || w.All[0].Name != "May" {
		f.Fatalf("the history is %+v", w.All)
	}
	got := make(map[string]int)
	for _, e := range w.All[0].Events {
		got[fmt.Sprint(e.Kind, " ", e.URL)]++
	}
	apptest.Same(f.T, "the events", got, map[string]int{"opened ": 1, "clicked ": 1, "link https://b.example/": 1})
	a := apptest.NewAutoresponder(f)
	open := enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: a.Send(f.Contacts[1])[0]}
	f.Must(f.App.Sending.Opened(f.Context(), open, apptest.PersonAgent))
	w = apptest.Rows[reports.MailHistory]{}
	f.Must(f.App.Reports.ContactHistory(f.Context(), f.Caller, f.News, f.Contacts[1], &w))
	if len(w.All) != 2 || w.All[0].Autoresponder != a.Autoresponder || len(w.All[0].Events) != 1 || len(w.All[1].Events) != 1 {
		f.Errorf("the history with a mail of an autoresponder is %+v, want an open of each mail", w.All)
	}
	err := f.App.Reports.ContactHistory(f.Context(), f.NewCaller(), f.News, f.Contacts[0], &w)
	f.Refused(err, enlist.NoList, "")
	err = f.App.Reports.ContactHistory(f.Context(), f.Caller, f.News, 1<<40, &w)
	f.Refused(err, enlist.NoContact, "")
}
