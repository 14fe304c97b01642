package messages_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file tests which files the versions of a Message show.

// covers: decision 158
func TestVersionsShowNoFilesOfOthers(t *testing.T) {
	apptest.Run(t, apptest.Own, newImages, []apptest.Rule[*images]{
		{Name: "a draft does not keep a file of another Account, and no version shows it", Test: (*images).ofAnotherAccount},
		{Name: "nor a file of Messages that a person of some Lists does not see", Test: (*images).ofOtherLists},
	})
}

// mailShown is a Composer that keeps the Message of the last mail.
type mailShown struct {
	messages.Composer
	last *messages.Message
}

func (k *mailShown) Preview(_ context.Context, m *messages.OutgoingMail) (*messages.ComposedMail, error) {
	k.last = m.Message
	return new(messages.ComposedMail), nil
}

func (k *mailShown) Check(context.Context, *messages.OutgoingMail) ([]messages.Finding, error) {
	return nil, nil
}

// imageBlocks returns blocks with a text and images.
func imageBlocks(ids ...enlist.FileID) string {
	text := `[{"type":"text","text":"Look"}`
	for _, id := range ids {
		text += fmt.Sprintf(`,{"type":"columns","left":[{"type":"image","file":%d}]}`, id)
	}
	return text + "]"
}

// wantShown saves blocks by itself, and checks the files that the draft shows: also if it had them before.
func (f *images) wantShown(c *enlist.Caller, message enlist.MessageID, blocks string, allowed, forbidden enlist.FileID) {
	f.Helper()
	shown := new(mailShown)
	f.App.Messages.SetComposer(shown)
	m, err := f.App.Messages.Message(f.Context(), c, message)
	f.Must(err)
	saved, err := f.App.Messages.Autosave(f.Context(), c, messages.Save{Message: message, Details: apptest.Details("blocks", blocks),
		Page: "page", Number: 1, Seen: enlist.VersionOf(messages.WholeMessageAttributes, m)})
	if f.Must(err); saved.Why != messages.DraftWrong {
		f.Errorf("the save is %+v", saved)
	}
	all, err := f.App.Messages.Versions(f.Context(), c, message)
	f.Must(err)
	for i, text := range []string{"a new draft", "an old one"} {
		v, with, err := f.App.Messages.Version(f.Context(), c, message, all[0].ID)
		f.Must(err)
		_, err = f.App.Messages.PreviewVersion(f.Context(), c, message, all[0].ID)
		f.Must(err)
		details, err := v.Details()
		f.Must(err)
		key := fmt.Sprintf(`"file":%d`, forbidden)
		for _, of := range []string{with.Blocks, shown.last.Blocks} {
			if strings.Contains(of, key) || !strings.Contains(of, fmt.Sprintf(`"file":%d`, allowed)) || !strings.Contains(of, "Look") {
				f.Errorf("%s shows %s", text, of)
			}
		}
		if i == 0 && strings.Contains(fmt.Sprint(details), key) {
			f.Errorf("the draft is %v", details)
		}
		_, pictures := with.Words()
		for _, p := range pictures {
			if p.File == fmt.Sprint(forbidden) {
				f.Errorf("the pictures of %s are %v", text, pictures)
			}
		}
		f.Update(func(tx *db.Tx) error { // as an older version has stored it
			content := fmt.Sprintf(`{"email_type":"blocks","blocks":%q,"attachments":"%d"}`, blocks, forbidden)
			return tx.Do("UPDATE message_version SET content = ? WHERE id = ?", content, int64(all[0].ID))
		})
	}
	v, _, err := f.App.Messages.Version(f.Context(), c, message, all[0].ID)
	f.Must(err)
	details, err := v.Details()
	f.Must(err)
	f.Refused(f.App.Messages.SaveMessage(f.Context(), c, messages.Save{Message: message, Details: details, IsEnded: true}),
		enlist.NoFile, "no file with the ID")
}

func (f *images) ofAnotherAccount() {
	own := f.image
	id, err := f.add(imageBlocks(own))
	f.Must(err)
	caller, folder := f.Caller, f.folder
	f.Caller = f.NewCaller()
	f.folder = f.AddFileFolder("Pictures")
	secret := f.upload("secret.png", onePixel)
	f.Caller, f.folder = caller, folder
	f.wantShown(f.Caller, id, imageBlocks(own, secret), own, secret)
}

func (f *images) ofOtherLists() {
	person := f.Restricted(f.AddList())
	person.User = 7
	secret := f.upload("secret.png", onePixel)
	_, err := f.add(imageBlocks(f.image, secret)) // the person does not see it
	f.Must(err)
	id, err := f.App.Messages.AddMessage(f.Context(), person, apptest.Details("name", "Mine", "subject", "Mine", "email_type", "blocks"))
	f.Must(err)
	own := f.upload("own.png", onePixel)
	f.Update(func(tx *db.Tx) error {
		m, err := messages.LoadMessage(tx, f.Caller.Account.ID, id)
		f.Must(err)
		m.Blocks = imageBlocks(own)
		return m.Save(tx)
	})
	f.wantShown(person, id, imageBlocks(own, secret), own, secret)
}
