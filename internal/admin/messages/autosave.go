package messages

import (
	"cmp"
	"crypto/rand"
	"fmt"
	"net/http"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file saves a Message while a user writes, as the script autosave.js asks for it.

// savedAnswer is the answer to the script.
type savedAnswer struct {
	Seen  string `json:"seen"` // what the page has seen of the Message now
	Name  string `json:"name"` // of the Message, which can follow its subject
	Text  string `json:"text"` // for the user
	Draft bool   `json:"draft"`
}

// keepBoth keeps a text that would replace a newer one as a draft, whose page compares both.
func keepBoth(r *ui.Request, typed *messages.Message) error {
	_, err := r.App.Messages.Autosave(r.Context(), r.Caller, messages.Save{Message: typed.ID, Details: detailsOf(r, typed),
		Page: r.FormValue("page"), Number: ui.Int(r.FormValue("number")) + 1, Seen: r.FormValue("seen")})
	return err
}

// saveAsNew stores the form of a Message that was deleted while a user wrote in a new one. It is the same for a Message that
// the user may not see, so the page says nothing about this.
func saveAsNew(r *ui.Request) (*ui.View, error) {
	typed, err := typedIn(r, &messages.Message{})
	if err != nil {
		return nil, err
	}
	id, err := r.App.Messages.AddMessage(r.Context(), r.Caller, append(detailsOf(r, &typed), ui.Text("type", messages.MessageEmail)))
	return ui.GoTo(path(id), r.Text("messages.saved_as_new")), err
}

// whySaved says what became of a text. Without a reason, it is in the Message.
var whySaved = map[messages.DraftWhy]string{"": "messages.saved_at", messages.DraftQueued: "messages.draft_queued",
	messages.DraftChanged: "messages.draft_changed", messages.DraftWrong: "messages.draft_wrong",
	messages.DraftOlder: "messages.draft_older"}

func autosave(r *ui.Request) (*ui.View, error) {
	id := enlist.MessageID(r.ID("message"))
	m, err := r.App.Messages.Message(r.Context(), r.Caller, id)
	if err != nil {
		return nil, err
	}
	typed, err := typedIn(r, m)
	if err != nil {
		return nil, err
	}
	saved, err := r.App.Messages.Autosave(r.Context(), r.Caller, messages.Save{Message: id, Details: detailsOf(r, &typed),
		Page: r.FormValue("page"), Number: ui.Int(r.FormValue("number")), Seen: r.FormValue("seen")})
	if err != nil {
		return nil, err
	}
	return nil, r.WriteJSON(http.StatusOK, savedAnswer{saved.Seen, typed.Name,
		r.Text(whySaved[saved.Why], "time", clock(r, saved.Time), "reason", r.Said(saved.Detail)), saved.IsDraft})
}

// clock writes the time of today.
func clock(r *ui.Request, at int64) string {
	return time.Unix(at, 0).In(r.Now.Location()).Format("15:04")
}

// addSaves adds what the page sends with its saves.
func (d *editData) addSaves(r *ui.Request, stored *messages.Message) {
	now := enlist.VersionOf(messages.WholeMessageAttributes, stored)
	if d.Seen = cmp.Or(d.Seen, now); d.Problem == ui.Changed {
		d.Replaces = now
	}
	if d.Page, d.Number = r.PostForm.Get("page"), ui.Int(r.PostForm.Get("number"))+1; d.Page == "" {
		d.Page, d.Number = rand.Text(), 0
	}
}

// savesOf returns the drafts of a Message in sentences, with their pages, and which saves of pages its versions have.
func savesOf(r *ui.Request, id enlist.MessageID) (drafts []ui.Action, stored string, err error) {
	all, err := r.App.Messages.Versions(r.Context(), r.Caller, id)
	var saves []string
	for i := range all {
		if all[i].Kind == messages.VersionDraft {
			drafts = append(drafts, ui.Action{Text: whenWho(r, &all[i]), Path: versionPath(id, all[i].ID)})
		}
		if all[i].Page != "" && all[i].User == r.Caller.User {
			saves = append(saves, fmt.Sprintf("%s:%d", all[i].Page, all[i].Number))
		}
	}
	return drafts, strings.Join(saves, " "), err
}

// overwrites reports whether a form would set back a change by another page or user. The page itself may have saved
// since: it does not know this while the answer is on its way, or if the connection was lost.
func overwrites(r *ui.Request, m *messages.Message, details []enlist.Detail) (bool, error) {
	if !ui.Overwrites(r, messages.WholeMessageAttributes, m, details) {
		return false, nil
	}
	isOwn, err := r.App.Messages.IsSavedBy(r.Context(), r.Caller, m.ID, r.FormValue("page"))
	return !isOwn, err
}
