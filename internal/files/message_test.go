package files_test

import (
	"fmt"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/events"
	"enlist/internal/files"
	"enlist/internal/messages"
)

const pngHead = "\x89PNG\r\n\x1a\n"

func fileOfMessage(f *fileFixture) {
	logo, plan := f.upload("logo.png", []byte(pngHead), ""), f.upload("plan.pdf", []byte("%PDF"), "")
	message := f.addMessage("attachments", []any{int(plan)}, "inline_images", int(logo))
	for _, id := range []enlist.FileID{logo, plan} {
		f.Refused(f.App.Files.DeleteFile(f.Context(), f.Caller, id), enlist.InvalidParameters, fmt.Sprintf("the Message %d has the file", message))
	}
	_, err := f.App.Messages.EditMessage(f.Context(), f.Caller, message, apptest.Details("attachments", "", "name", "x"))
	f.Must(err)
	f.Must(f.App.Files.DeleteFile(f.Context(), f.Caller, plan))
	f.Must(f.App.Messages.DeleteMessage(f.Context(), f.Caller, message))
	f.Must(f.App.Files.DeleteFile(f.Context(), f.Caller, logo))
}

func messageFileLimits(f *fileFixture) {
	big := randomBytes(6 << 20)
	first, second := f.upload("a.bin", big, ""), f.upload("b.bin", big, "")
	refuseAs := func(kind enlist.Kind, about string, pairs ...any) {
		f.Helper()
		_, err := f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details(append([]any{"name", "News", "subject", "News"}, pairs...)...))
		f.Refused(err, kind, about)
	}
	refuse := func(about string, pairs ...any) {
		f.Helper()
		refuseAs(enlist.InvalidParameters, about, pairs...)
	}
	refuse("have 12582912 bytes together; an email has at most 10485760", "attachments", []any{int(first), int(second)})
	refuse("is no PNG", "inline_images", int(first))
	refuseAs(enlist.NoFile, "no file with the ID 99", "attachments", 99)
	refuse("is no ID", "attachments", "1,x")
	other := &fileFixture{f.Account, f.folder}
	name := f.upload("my logo.png", []byte(pngHead), "")
	refuse("cid: cannot refer to it", "inline_images", int(name))
	one := f.upload("logo.png", []byte(pngHead), "")
	other.folder = f.AddFileFolder("Photos")
	two := other.upload("logo.png", []byte(pngHead), "")
	refuse("two images have the name", "inline_images", []any{int(one), int(two)})
	var many []any
	for i := range 51 {
		many = append(many, 1000+i)
	}
	refuse("at most 50 files", "attachments", many)
	foreign := f.NewCaller()
	_, err := f.App.Messages.AddMessage(f.Context(), foreign, apptest.Details("name", "x", "subject", "x", "attachments", int(one)))
	f.Refused(err, enlist.NoFile, fmt.Sprintf("no file with the ID %d", one))
	m := f.addMessage("attachments", fmt.Sprintf(" %d , %d,%d", one, name, one), "inline_images", int(two))
	stored, err := f.App.Messages.Message(f.Context(), f.Caller, m)
	f.Must(err)
	if want := fmt.Sprintf("%d,%d", one, name); stored.Attachments != want || stored.InlineImages != fmt.Sprint(two) {
		f.Errorf("the Message has the attachments %q and the images %q, want %q and %d", stored.Attachments, stored.InlineImages, want, two)
	}
}

func newContentOfMessage(f *fileFixture) {
	logo, plan := f.upload("logo.png", []byte(pngHead), ""), f.upload("plan.pdf", randomBytes(9<<20), "")
	message := f.addMessage("attachments", int(plan), "inline_images", int(logo))
	for name, content := range map[string][]byte{"logo.png": []byte("text"), "plan.pdf": randomBytes(10 << 20)} {
		_, err := f.App.Files.UploadFile(f.Context(), f.Caller, uploadRequest(f.folder, name, content, files.DuplicateOverwrite))
		f.Refused(err, enlist.InvalidParameters, fmt.Sprintf("the Message %d has the file", message))
	}
	f.wantContent(logo, "logo.png", []byte(pngHead))
}

func mailFiles(f *fileFixture) {
	list := f.AddList()
	plan := f.upload("plan.pdf", []byte("%PDF-1"), "")
	message := f.addMessage("attachments", int(plan))
	id, err := f.App.Batches.AddAutoresponder(f.Context(), f.Caller, apptest.Details("list_id", int(list), "message_id", int(message), "event_type", "subscribe"))
	f.Must(err)
	contact := f.Subscribe(list, "Email", "ann@x.io")
	check := func() {
		f.Helper()
		file := f.file(plan)
		want := []messages.MessageFile{{File: file.ID, Name: "plan.pdf", Type: "application/pdf", Size: file.Size, Content: file.Content}}
		mail, err := f.App.Messages.AutoresponderMails(f.Context(), []events.Autorespond{{List: list, Contact: contact, Autoresponder: id, Time: f.Now.Unix()}})
		f.Must(err)
		apptest.Same(f.T, "the files of an autoresponder's mail", mail[0].Files, want)
		b := &apptest.Batches{Account: f.Account, Message: message, News: list}
		b.Add(apptest.Whole(list))
		mails := b.Mails(b.Lease("a"))
		if len(mails) != 1 {
			f.Fatalf("the Batch has %d mails, want 1", len(mails))
		}
		apptest.Same(f.T, "the files of a Batch's mail", mails[0].Files, want)
	}
	check()
	f.Now = f.Now.Add(time.Second)
	f.upload("plan.pdf", []byte("%PDF-1.7"), files.DuplicateOverwrite)
	check()
}
