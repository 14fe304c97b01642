package messages_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests what is saved while a user writes, and the versions of a Message, on both engines.

// covers: decision 158
func TestVersions(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewSentBatch(2), []apptest.Rule[*apptest.SentBatch]{
		{Name: "saves by a page are one version for ten minutes, and a button ends it", Test: savesOfAPage},
		{Name: "what a program has stored, and what was sent, stay as versions", Test: storedAndSent},
		{Name: "what was sent stays when a program changes it", Test: sentAndChanged},
		{Name: "the last 50 versions are kept", Test: lastVersions},
		{Name: "drafts do not count among them", Test: lastDrafts},
		{Name: "a save by itself changes nothing that is to be sent", Test: queuedStays},
		{Name: "nor does a button other than the one that saves", Test: otherButtons},
		{Name: "a save by itself over a newer text, or with a mistake, is a draft of its page", Test: drafts},
		{Name: "saves of a page that arrive in another order keep the last one", Test: order},
		{Name: "a save without a page does not replace a newer text", Test: withoutPage},
		{Name: "a version of a page stays when another page or a restored version replaces its text", Test: otherPages},
		{Name: "versions are removed with their Message", Test: removedVersions},
		{Name: "a save by itself does not wait for transactions that write something else", Test: savesBesideWriters},
	})
}

// writer is a page on which a user writes.
type writer struct {
	*apptest.SentBatch
	user    *enlist.Caller
	message enlist.MessageID
	page    string
	number  int64
	seen    string
}

func newWriter(f *apptest.SentBatch, name string, user int64) *writer {
	c := *f.Caller
	key := *c.Key
	key.Name = name
	c.Key, c.User = &key, user
	return &writer{SentBatch: f, user: &c, message: f.AddMessage("June"), page: name}
}

// at returns the page of another tab or user.
func (w *writer) at(page, name string, user int64) *writer {
	other := newWriter(w.SentBatch, name, user)
	other.message, other.page = w.message, page
	other.look()
	return other
}

// look loads the page.
func (w *writer) look() { w.seen = enlist.VersionOf(messages.WholeMessageAttributes, w.stored()) }

func (w *writer) stored() *messages.Message {
	m, err := w.App.Messages.Message(w.Context(), w.user, w.message)
	w.Must(err)
	return m
}

func (w *writer) request(text string) messages.Save {
	w.number++
	return messages.Save{Message: w.message, Details: apptest.Details("html_content", text), Page: w.page, Number: w.number, Seen: w.seen}
}

// types saves a text by itself.
func (w *writer) types(text string) messages.SavedByItself {
	w.T.Helper()
	saved, err := w.App.Messages.Autosave(w.Context(), w.user, w.request(text))
	w.Must(err)
	w.seen = saved.Seen
	return saved
}

// ends saves a text by a button.
func (w *writer) ends(text string) {
	w.T.Helper()
	save := w.request(text)
	save.IsEnded = true
	w.Must(w.App.Messages.SaveMessage(w.Context(), w.user, save))
	w.look()
}

// versions returns the versions: the kind, who has written it, whether it was sent, and the text.
func (w *writer) versions() (all []string) {
	versions, err := w.App.Messages.Versions(w.Context(), w.user, w.message)
	w.Must(err)
	for i := range versions {
		_, m, err := w.App.Messages.Version(w.Context(), w.user, w.message, versions[i].ID)
		w.Must(err)
		text := fmt.Sprintf("%s %s %s", versions[i].Kind, versions[i].UserName, m.HTML)
		if versions[i].IsSent {
			text += " sent"
		}
		all = append(all, text)
	}
	return all
}

func (w *writer) want(want ...string) {
	w.T.Helper()
	if got := w.versions(); !slices.Equal(got, want) {
		w.T.Errorf("the versions are %q, want %q", got, want)
	}
}

func savesOfAPage(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	first := "saved test key " + w.stored().HTML
	w.look()
	audited := len(f.AuditLog(f.Caller.Account.ID))
	for i, text := range []string{"a", "ab", "abc"} {
		if saved := w.types(text); saved.IsDraft || saved.Time != f.Now.Unix() || w.stored().HTML != text {
			f.T.Errorf("save %d is %+v, and the Message is %q", i, saved, w.stored().HTML)
		}
		f.Pass(3 * time.Minute)
	}
	if n := len(f.AuditLog(f.Caller.Account.ID)) - audited; n != 1 {
		f.T.Errorf("the audit log has %d rows about the saves of a version", n)
	}
	w.want("auto Ann abc", first)
	f.Pass(2 * time.Minute)
	w.types("abcd")
	w.want("auto Ann abcd", "auto Ann abc", first)
	w.ends("done")
	w.ends("done")
	w.want("saved Ann done", "auto Ann abc", first)
	changed := w.stored().LastModifiedTime
	f.Pass(time.Minute)
	w.types("done")
	if w.stored().LastModifiedTime != changed {
		f.T.Error("a save that changes nothing changes the Message")
	}
	w.types("done, and more")
	w.want("auto Ann done, and more", "saved Ann done", "auto Ann abc", first)
}

func storedAndSent(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.message = f.Message // which was sent
	sent := w.stored().HTML
	w.look()
	f.Pass(time.Hour)
	w.ends("one")
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, w.message, apptest.Details("html_content", "of a program"))
	f.Must(err)
	f.Pass(time.Hour)
	w.look()
	w.ends("two")
	w.want("saved Ann two", "saved  of a program", "saved Ann one", "saved test key "+sent+" sent")
}

func sentAndChanged(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.message = f.Message // which was sent
	sent := "saved test key " + w.stored().HTML + " sent"
	program := func(text string) {
		f.Pass(time.Hour)
		_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, w.message, apptest.Details("html_content", text))
		f.Must(err)
	}
	send := func() {
		f.Pass(time.Hour)
		f.Add(apptest.Whole(f.News))
		f.SendAll(nil)
	}
	program("one")
	program("two") // "one" was not sent
	w.want(sent)
	f.Pass(time.Hour)
	w.ends("three")
	send()
	program("four")
	w.want("saved Ann three sent", "saved  two", sent)
	f.Pass(time.Hour)
	w.ends("five")
	send()
	f.Pass(time.Hour)
	f.Update(func(tx *db.Tx) error { // as a version before this one has done it
		return tx.Do("UPDATE message SET html_content = 'six', last_modified_time = ? WHERE id = ?", f.Now.Unix(), int64(w.message))
	})
	w.ends("seven")
	w.want("saved Ann seven", "saved  six", "saved Ann five sent", "saved  four", "saved Ann three sent", "saved  two", sent)
}

func lastVersions(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	for i := range 60 {
		w.ends(fmt.Sprint(i))
	}
	if all := w.versions(); len(all) != 50 || all[0] != "saved Ann 59" || all[49] != "saved Ann 10" {
		f.T.Errorf("there are %d versions, from %s to %s", len(all), all[len(all)-1], all[0])
	}
}

func lastDrafts(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.ends("text")
	w.types("more")
	for i := range 55 {
		tab := w.at(fmt.Sprint("tab ", i), "Ann", 7)
		tab.seen = "an older text"
		tab.types(fmt.Sprint("draft ", i))
	}
	all := w.versions()
	if n := len(all); n != 53 || all[0] != "draft Ann draft 54" || all[49] != "draft Ann draft 5" || all[50] != "auto Ann more" {
		f.T.Errorf("there are %d versions: %q", n, all)
	}
	for i := range 55 {
		w.ends(fmt.Sprint(i))
	}
	if all := w.versions(); len(all) != 100 || all[99] != "draft Ann draft 5" {
		f.T.Errorf("there are %d versions: %q", len(all), all)
	}
}

func queuedStays(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.look()
	w.types("before")
	_, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller, apptest.Details("list_id", int(f.News), "message_id", int(w.message),
		"event_type", "subscribe"))
	f.Must(err)
	for _, text := range []string{"a draft", "the draft"} {
		if saved := w.types(text); saved.Why != messages.DraftQueued || w.stored().HTML != "before" {
			f.T.Errorf("%q is saved as %+v, and the Message is %q", text, saved, w.stored().HTML)
		}
	}
	if all := w.versions(); all[0] != "draft Ann the draft" || len(all) != 3 {
		f.T.Errorf("the versions are %q", all)
	}
	drafts, err := f.App.Messages.Drafts(f.Context(), f.Caller)
	if f.Must(err); drafts[w.message] != f.Now.Unix() || len(drafts) != 1 {
		f.T.Errorf("the drafts are %v", drafts)
	}
	w.ends("the draft")
	if all := w.versions(); w.stored().HTML != "the draft" || strings.Contains(strings.Join(all, " "), "draft Ann") {
		f.T.Errorf("after the button, the Message is %q, and the versions are %q", w.stored().HTML, all)
	}
}

func otherButtons(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.look()
	press := func(text string) error { return f.App.Messages.SaveMessage(f.Context(), w.user, w.request(text)) }
	f.Must(press("before"))
	_, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller, apptest.Details("list_id", int(f.News), "message_id", int(w.message),
		"event_type", "subscribe"))
	f.Must(err)
	f.Must(press("before"))
	for _, text := range []string{"half a", "half a text"} {
		w.number = 5 // the button has the number of the last save by itself
		err = press(text)
		if kept, ok := errors.AsType[*messages.KeptAsDraft](err); !ok || kept.Why != messages.DraftQueued || kept.Time != f.Now.Unix() {
			f.T.Errorf("the save is answered with %v", err)
		}
		f.Refused(err, enlist.InvalidParameters, "autoresponders that send the Message")
		if all := w.versions(); w.stored().HTML != "before" || all[0] != "draft Ann "+text || len(all) != 3 {
			f.T.Errorf("the Message is %q, and the versions are %q", w.stored().HTML, all)
		}
	}
	f.Must(press("before"))
	w.want("auto Ann before", "saved test key ")
}

func drafts(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.look()
	tab, bob := w.at("second tab", "Ann", 7), w.at("page of Bob", "Bob", 8)
	w.types("Ann's")
	for _, other := range []*writer{tab, bob} {
		if saved := other.types("by " + other.page); saved.Why != messages.DraftChanged || w.stored().HTML != "Ann's" {
			f.T.Errorf("a save over a newer text is %+v, and the Message is %q", saved, w.stored().HTML)
		}
	}
	w.types("Ann's again")
	wrong := w.request("with a mistake")
	wrong.Details = append(wrong.Details, apptest.Details("from_address", "no address")...)
	saved, err := f.App.Messages.Autosave(f.Context(), w.user, wrong)
	f.Must(err)
	if saved.Why != messages.DraftWrong || saved.Detail == "" || w.stored().HTML != "Ann's again" {
		f.T.Errorf("a save with a mistake is %+v", saved)
	}
	all := w.versions()
	if len(all) != 5 || all[0] != "draft Ann with a mistake" || all[1] != "draft Bob by page of Bob" || all[2] != "draft Ann by second tab" {
		f.T.Errorf("the versions are %q", all)
	}
	versions, err := f.App.Messages.Versions(f.Context(), w.user, w.message)
	f.Must(err)
	f.Must(f.App.Messages.DeleteVersion(f.Context(), w.user, w.message, versions[1].ID))
	if all := w.versions(); len(all) != 4 || all[1] != "draft Ann by second tab" {
		f.T.Errorf("without a draft, the versions are %q", all)
	}
	f.Refused(f.App.Messages.DeleteVersion(f.Context(), f.Restricted(f.News), w.message, versions[0].ID), enlist.Denied, "")
	_, err = f.App.Messages.Versions(f.Context(), f.NewCaller(), w.message)
	f.Refused(err, enlist.NoMessage, "")
	_, _, err = f.App.Messages.Version(f.Context(), f.Caller, f.Message, versions[0].ID)
	f.Refused(err, enlist.NoMessage, "")
}

// order saves as a browser does that leaves a page: it does not wait for the answer to an earlier save.
func order(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.look()
	early, late := w.request("early"), w.request("late")
	save := func(save messages.Save, why messages.DraftWhy) {
		f.T.Helper()
		saved, err := f.App.Messages.Autosave(f.Context(), w.user, save)
		if f.Must(err); saved.Why != why || saved.IsDraft != (why != "") {
			f.T.Errorf("the save %d is answered with %+v, want %q", save.Number, saved, why)
		}
	}
	save(late, "")
	save(early, messages.DraftOlder)
	save(late, "")
	early.Number = late.Number
	save(early, messages.DraftOlder)
	if text := w.stored().HTML; text != "late" {
		f.T.Errorf("the Message is %q", text)
	}
	later := w.request("later") // of the same page, which has not seen "late"
	saved, err := f.App.Messages.Autosave(f.Context(), w.user, later)
	if f.Must(err); saved.IsDraft || w.stored().HTML != "later" {
		f.T.Errorf("the last save is %+v, and the Message is %q", saved, w.stored().HTML)
	}
	_, err = f.App.Messages.EditMessage(f.Context(), f.Caller, w.message, apptest.Details("html_content", "of a program"))
	f.Must(err)
	early, late = w.request("early draft"), w.request("late draft")
	save(late, messages.DraftChanged)
	save(early, messages.DraftOlder)
	save(late, messages.DraftChanged)
	w.look()
	early.Seen = w.seen // else it could go into the Message
	save(early, messages.DraftOlder)
	if all := w.versions(); w.stored().HTML != "of a program" || all[0] != "draft Ann late draft" {
		f.T.Errorf("the Message is %q, and the versions are %q", w.stored().HTML, all)
	}
}

func withoutPage(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	first, second := w.at("", "Ann", 7), w.at("", "Ann", 7)
	first.page, second.page = "", ""
	first.ends("newer")
	if saved := second.types("over it"); saved.Why != messages.DraftChanged || w.stored().HTML != "newer" {
		f.T.Errorf("the save is %+v, and the Message is %q", saved, w.stored().HTML)
	}
}

func otherPages(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	first := "saved test key " + w.stored().HTML
	w.look()
	w.types("first tab")
	tab := w.at("second tab", "Ann", 7)
	tab.types("second tab")
	w.want("auto Ann second tab", "auto Ann first tab", first)
	restored := messages.Save{Message: w.message, Details: apptest.Details("html_content", "restored"), IsEnded: true}
	f.Must(f.App.Messages.SaveMessage(f.Context(), w.user, restored))
	w.want("saved Ann restored", "auto Ann second tab", "auto Ann first tab", first)
}

func removedVersions(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 7)
	w.ends("text")
	f.Must(f.App.Messages.DeleteMessage(f.Context(), f.Caller, w.message))
	f.Update(func(tx *db.Tx) error {
		n, err := tx.Number("SELECT count(*) FROM message_version WHERE message_id = ?", int64(w.message))
		if n != 0 {
			f.T.Errorf("%d versions are left", n)
		}
		return err
	})
}

func savesBesideWriters(f *apptest.SentBatch) {
	w := newWriter(f, "Ann", 1)
	w.look()
	f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error {
		if !tx.SQL.ConcurrentWriters {
			return nil // all transactions wait for each other
		}
		if err := tx.Do("UPDATE list SET name = name WHERE id = ?", int64(f.News)); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(f.Context(), 20*time.Second)
		defer cancel()
		_, err := f.App.Messages.Autosave(ctx, w.user, messages.Save{Message: w.message, Page: w.page, Number: 1, Seen: w.seen,
			Details: apptest.Details("subject", "Typed")})
		return err
	}))
}
