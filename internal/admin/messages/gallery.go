package messages

import (
	"html/template"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/starters"
)

// This file has the gallery of templates: those of the program (package starters), and Messages that users have saved as
// templates. Each is shown as the mail itself, in a small frame.

// galleryData is the data of the gallery.
type galleryData struct {
	Own      []ownTemplate
	Pager    ui.Pager
	Starters []starters.Starter
	Empty    []start
}

// ownTemplate is a Message that is a template.
type ownTemplate struct {
	messages.Message
	About   string
	Frame   template.URL
	MayEdit bool
}

// ownPerPage is the number of frames with own templates: a browser loads those that it shows.
const ownPerPage = 12

func (p *pages) gallery(r *ui.Request) (*ui.View, error) {
	all, err := r.App.Messages.SearchMessages(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	if err != nil {
		return nil, err
	}
	d := galleryData{Starters: starters.All(), Empty: empty}
	for i := range all {
		if m := &all[i]; m.IsTemplate {
			about := r.Text("messages.template_by", "name", m.CreatorName, "day", r.Day(m.LastModifiedTime))
			d.Own = append(d.Own, ownTemplate{*m, about, template.URL(path(m.ID) + "/mail"), m.MayEdit(r.Caller)})
		}
	}
	d.Own, d.Pager = ui.PageRows(r.URL.Query(), d.Own, ownPerPage)
	return &ui.View{Title: r.Text("messages.gallery"), Place: "/admin/messages", Content: p.galleryPage, Data: d}, nil
}

// starter shows the mail of a template of the program alone, for its frame in the gallery.
func starter(r *ui.Request) (*ui.View, error) {
	s := starters.Called(r.FormValue("name"))
	if s == nil {
		return nil, ui.ErrNotFound
	}
	mail, err := r.App.Messages.PreviewSample(r.Context(), r.Caller, func(t messages.Theme) []messages.Block {
		_, blocks := s.Message(r.Language, t)
		return blocks
	})
	if err != nil {
		return nil, err
	}
	return mailView(mail, r.FormValue("shade")), nil
}

// beginWith returns a Message that begins with a template of the program.
func beginWith(r *ui.Request, name string) ([]enlist.Detail, error) {
	s := starters.Called(name)
	if s == nil {
		return nil, ui.ErrNotFound
	}
	theme, err := r.App.Messages.ThemeOfMails(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	subject, blocks := s.Message(r.Language, theme)
	return []enlist.Detail{ui.Text("name", subject), ui.Text("subject", subject), ui.Text("email_type", messages.EmailBlocks),
		ui.Text("blocks", messages.EncodeBlocks(blocks))}, nil
}

// saveTemplate adds a template with the content of a Message.
func saveTemplate(r *ui.Request, from enlist.MessageID) (*ui.View, error) {
	details, err := copyOf(r, from, "")
	if err != nil {
		return nil, err
	}
	details = append(details, enlist.Detail{Key: "is_template", Value: enlist.Input{Kind: enlist.InputTrue}})
	if _, err := r.App.Messages.AddMessage(r.Context(), r.Caller, details); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/messages/new", r.Text("messages.template_saved")), nil
}

// rename changes the name of a template.
func rename(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	if !m.MayEdit(r.Caller) {
		return nil, ui.ErrNotFound
	}
	c := ui.FormCard{Form: ui.Form{{Name: "name", Label: r.Text("messages.template_name"), Value: m.Name, Required: true}},
		Button: r.Text("messages.rename"), Back: ui.Action{Text: r.Text("messages.keep"), Path: "/admin/messages/new"}}
	return r.FormPage(r.Text("messages.rename_title", "name", m.Name), "/admin/messages", &c, func() (*ui.View, error) {
		_, err := r.App.Messages.EditMessage(r.Context(), r.Caller, m.ID, c.Form.Details())
		return ui.GoTo("/admin/messages/new", r.Text("messages.renamed")), err
	})
}
