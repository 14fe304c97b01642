// Package messages has the pages on which a person writes a Message: the list of all, the editor with starting
// templates, the preview as a Contact sees the mail, and a test mail.
package messages

import (
	"embed"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "messages.html"), ui.Parse(files, "message.html", "blocks.html"), ui.Parse(files, "versions.html"),
		ui.Parse(files, "version.html"), ui.Parse(files, "condition.html"), ui.Parse(files, "gallery.html"), ui.Parse(files, "saved.html")}
	return []ui.Page{
		{Pattern: "GET /admin/messages", Needs: enlist.See, Serve: p.list},
		{Pattern: "POST /admin/messages", MaxForm: ui.LargeForm, Needs: enlist.Write, Serve: add},
		{Pattern: "GET /admin/messages/new", Needs: enlist.Write, Serve: p.gallery},
		{Pattern: "GET /admin/starters/mail", Needs: enlist.Write, Serve: starter},
		{Pattern: "GET /admin/messages/{message}/rename", IsForm: true, Needs: enlist.Write, Serve: rename},
		{Pattern: "GET /admin/messages/{message}", Needs: enlist.See, Serve: p.edit},
		{Pattern: "POST /admin/messages/{message}", MaxForm: ui.LargeForm, Needs: enlist.Write, Serve: p.save},
		{Pattern: "POST /admin/messages/{message}/autosave", MaxForm: ui.LargeForm, Needs: enlist.Write, Serve: autosave},
		{Pattern: "GET /admin/messages/{message}/versions", Needs: enlist.See, Serve: p.versions},
		{Pattern: "GET /admin/messages/{message}/versions/{version}", Needs: enlist.See, Serve: p.version},
		{Pattern: "POST /admin/messages/{message}/versions/{version}", Needs: enlist.Write, Serve: p.restore},
		{Pattern: "GET /admin/messages/{message}/versions/{version}/mail", Needs: enlist.See, Serve: versionMail},
		{Pattern: "GET /admin/messages/{message}/show/{block}", IsForm: true, MaxForm: ui.TextForm, Needs: enlist.Write, Serve: p.condition},
		{Pattern: "POST /admin/messages/{message}/mail", MaxForm: ui.LargeForm, Needs: enlist.Write, Serve: typedMail},
		{Pattern: "POST /admin/messages/{message}/checks", MaxForm: ui.LargeForm, Needs: enlist.Write, Serve: checks},
		{Pattern: "GET /admin/messages/contacts", File: true, Needs: enlist.SeeContacts, Serve: foundContacts},
		{Pattern: "GET /admin/messages/{message}/mail", Needs: enlist.See, Serve: mail},
		{Pattern: "GET /admin/messages/{message}/theme.css", Needs: enlist.Write, File: true, Serve: theme},
		{Pattern: "POST /admin/messages/{message}/test", Needs: enlist.SendTests, Serve: p.sendTest},
		{Pattern: "GET /admin/blocks", Needs: enlist.See, Serve: p.savedBlocks},
		{Pattern: "POST /admin/blocks", MaxForm: ui.LargeForm, Needs: enlist.Write, Serve: keep},
		{Pattern: "GET /admin/blocks/{saved}/content", Needs: enlist.Write, File: true, Serve: savedContent},
		{Pattern: "GET /admin/blocks/{saved}", IsForm: true, Needs: enlist.Write, Serve: renameSaved},
		{Pattern: "GET /admin/blocks/{saved}/delete", IsForm: true, Needs: enlist.Write, Serve: deleteSaved},
		{Pattern: "GET /admin/messages/{message}/delete", IsForm: true, Needs: enlist.Write, Serve: remove},
	}
}

type pages struct{ listPage, editPage, versionsPage, versionPage, conditionPage, galleryPage, savedPage *ui.Template }

// path is the path of the editor.
func path(id enlist.MessageID) string { return "/admin/messages/" + ui.Plain(int64(id)) }

// start is a kind of content with which a new Message can begin.
type start struct{ Name, Text string }

// empty are kinds of content with which a new Message can begin.
var empty = []start{{"messages.kind_blocks", messages.EmailBlocks}, {"messages.kind_markdown", messages.EmailMarkdown},
	{"messages.kind_html", messages.EmailHTML}, {"messages.kind_plain", messages.EmailPlain}}

// add adds a Message from a starting text, or as a copy of another one.
func add(r *ui.Request) (*ui.View, error) {
	details, err := begin(r)
	if err != nil {
		return nil, err
	}
	id, err := r.App.Messages.AddMessage(r.Context(), r.Caller, append(details, ui.Text("type", messages.MessageEmail)))
	if err != nil {
		return nil, err
	}
	return ui.GoTo(path(id), ""), nil
}

// begin returns with what a new Message begins.
func begin(r *ui.Request) ([]enlist.Detail, error) {
	if from := enlist.MessageID(ui.Int(r.FormValue("copy"))); from != 0 {
		return copyOf(r, from, "messages.copy_of")
	}
	if from := enlist.MessageID(ui.Int(r.FormValue("template"))); from != 0 {
		return copyOf(r, from, "")
	}
	name, isEmpty := strings.CutPrefix(r.FormValue("start"), "empty:")
	if !isEmpty {
		return beginWith(r, name)
	}
	for _, k := range empty {
		if k.Text == name {
			return []enlist.Detail{ui.Text("name", "New Message"), ui.Text("subject", "New Message"), ui.Text("email_type", k.Text)}, nil
		}
	}
	return nil, ui.ErrNotFound
}

// copyOf returns the details of a copy. named is the key of its name; "": it has the same name.
func copyOf(r *ui.Request, from enlist.MessageID, named string) (details []enlist.Detail, err error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, from)
	if err != nil {
		return nil, err
	}
	copied := *m
	if named != "" {
		copied.Name = r.Text(named, "name", m.Name)
	}
	if most := []rune(copied.Name); len(most) > enlist.MaxName {
		copied.Name = string(most[:enlist.MaxName])
	}
	for i := range messages.WholeMessageAttributes {
		a := &messages.WholeMessageAttributes[i]
		if value := a.Get(&copied); a.Set != nil && a.Type == enlist.KeyText {
			details = append(details, ui.Text(a.Name, value.Text))
		}
	}
	return append(details, ui.Text("folder_id", ui.Plain(int64(m.FolderID)))), nil
}

func remove(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	if !m.MayEdit(r.Caller) {
		return nil, ui.ErrNotFound
	}
	c := ui.FormCard{Texts: []string{r.Text("messages.delete_note")}, Button: r.Text("messages.delete"), Danger: true,
		Back: ui.Action{Text: r.Text("messages.keep"), Path: path(m.ID)}}
	return r.FormPage(r.Text("messages.delete_title", "name", m.Name), "/admin/messages", &c, func() (*ui.View, error) {
		err := r.App.Messages.DeleteMessage(r.Context(), r.Caller, m.ID)
		if m.IsTemplate {
			return ui.GoTo("/admin/messages/new", r.Text("messages.template_deleted")), err
		}
		return ui.GoTo("/admin/messages", r.Text("messages.message_was_deleted")), err
	})
}
