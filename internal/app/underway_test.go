package app_test

import (
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/enlist"
)

func TestUnderWay(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewBatches, []apptest.Rule[*apptest.Batches]{
		{Name: "the menu counts Batches and Imports of the Lists of a person, and knows of held mails", Test: underWay},
	})
}

func underWay(f *apptest.Batches) {
	restricted, key := *f.Caller, *f.Caller.Key
	key.Lists = []enlist.ListID{f.AddList()}
	restricted.Key = &key
	// want compares what a person of all Lists and one of another List see.
	want := func(what string, all, other app.UnderWay) {
		f.Helper()
		for _, p := range []struct {
			c    *enlist.Caller
			want app.UnderWay
		}{{f.Caller, all}, {&restricted, other}, {f.NewCaller(), app.UnderWay{Held: all.Held}}} {
			if got, err := f.App.UnderWay(f.Context(), p.c); err != nil || got != p.want {
				f.Errorf("%s: %+v, %v; want %+v", what, got, err, p.want)
			}
		}
	}
	want("nothing", app.UnderWay{}, app.UnderWay{})
	f.Add(apptest.Whole(f.News))
	f.AddAt(f.Now.Add(time.Hour).Unix(), apptest.Whole(f.News))
	paused := f.Add(apptest.Whole(f.News))
	f.Edit(paused, "pause")
	_, err := f.AddImport(f.News, "Email\nann@example.com\n", nil)
	f.Must(err)
	want("one of each", app.UnderWay{Batches: 1, Imports: 1}, app.UnderWay{})
	f.Must(f.App.Sending.HoldMails(f.Context(), "a test"))
	want("all mails are held", app.UnderWay{Batches: 1, Imports: 1, Held: true}, app.UnderWay{Held: true})
}
