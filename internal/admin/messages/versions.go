package messages

import (
	"html/template"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the pages of the versions of a Message: the list, and one of them beside the present text.

// versionRow is a version in the list.
type versionRow struct {
	messages.Version
	When, Who string
	IsNow     bool // it is in the Message
}

type versionsData struct {
	ID   enlist.MessageID
	Rows []versionRow
}

func (p *pages) versions(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	all, err := r.App.Messages.Versions(r.Context(), r.Caller, m.ID)
	if err != nil {
		return nil, err
	}
	d := versionsData{ID: m.ID}
	hasNow := false
	for i := range all {
		v := versionRow{Version: all[i], When: r.Date(all[i].Time), Who: all[i].UserName}
		v.IsNow = !hasNow && v.Kind != messages.VersionDraft
		hasNow = hasNow || v.IsNow
		d.Rows = append(d.Rows, v)
	}
	return &ui.View{Title: r.Text("messages.versions_of", "name", m.Name), Place: "/admin/messages", Content: p.versionsPage,
		Data: d, Actions: []ui.Action{{Text: "messages.to_message", Path: path(m.ID)}}}, nil
}

// versionData is the data of the page of a version.
type versionData struct {
	ID         enlist.MessageID
	Version    *messages.Version
	Compared   compared
	Frame      template.URL
	MayRestore bool
	Is         string // what it is, in words
}

func (p *pages) version(r *ui.Request) (*ui.View, error) {
	return p.showVersion(r, "")
}

func (p *pages) showVersion(r *ui.Request, problem string) (*ui.View, error) {
	id, number := enlist.MessageID(r.ID("message")), messages.VersionID(r.ID("version"))
	now, err := r.App.Messages.Message(r.Context(), r.Caller, id)
	if err != nil {
		return nil, err
	}
	v, m, err := r.App.Messages.Version(r.Context(), r.Caller, id, number)
	if err != nil {
		return nil, err
	}
	d := versionData{ID: id, Version: v, MayRestore: now.MayEdit(r.Caller), Is: r.Text(isOf[v.Kind]),
		Frame: template.URL(versionPath(id, number) + "/mail")}
	d.Compared = compare(now, m)
	return &ui.View{Title: now.Name, Sub: whenWho(r, v), Place: "/admin/messages", Content: p.versionPage, Data: d,
		Problem: problem, Actions: []ui.Action{{Text: "messages.all_versions", Path: path(id) + "/versions"},
			{Text: "messages.to_message", Path: path(id)}}}, nil
}

// isOf says what a version is.
var isOf = map[messages.VersionKind]string{messages.VersionSaved: "messages.version_saved",
	messages.VersionAuto: "messages.version_is_auto", messages.VersionDraft: "messages.version_draft"}

func versionPath(id enlist.MessageID, version messages.VersionID) string {
	return path(id) + "/versions/" + ui.Plain(int64(version))
}

// restore puts the text of a version into the Message. What is in the Message stays as a version.
func (p *pages) restore(r *ui.Request) (*ui.View, error) {
	id, number := enlist.MessageID(r.ID("message")), messages.VersionID(r.ID("version"))
	v, _, err := r.App.Messages.Version(r.Context(), r.Caller, id, number)
	if err != nil {
		return nil, err
	}
	if r.FormValue("do") == "delete" {
		err := r.App.Messages.DeleteVersion(r.Context(), r.Caller, id, number)
		return ui.GoTo(path(id)+"/versions", r.Text("messages.version_deleted")), err
	}
	details, err := v.Details()
	if err != nil {
		return nil, err
	}
	err = r.App.Messages.SaveMessage(r.Context(), r.Caller, messages.Save{Message: id, Details: details, IsEnded: true})
	if err != nil {
		problem, err := ui.Form{}.Refuse(err)
		if err != nil {
			return nil, err
		}
		return p.showVersion(r, problem)
	}
	if v.Kind == messages.VersionDraft {
		if err := r.App.Messages.DeleteVersion(r.Context(), r.Caller, id, number); err != nil {
			return nil, err
		}
	}
	return ui.GoTo(path(id), r.Text("messages.restored")), nil
}

// versionMail shows the mail of a version alone, for the frame of its page.
func versionMail(r *ui.Request) (*ui.View, error) {
	mail, err := r.App.Messages.PreviewVersion(r.Context(), r.Caller, enlist.MessageID(r.ID("message")),
		messages.VersionID(r.ID("version")))
	if err != nil {
		return nil, err
	}
	return mailView(mail, ""), nil
}
