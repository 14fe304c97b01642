package messages

import (
	"net/http"
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

// draftsOf returns the drafts of a Message in sentences, with their pages.
func draftsOf(r *ui.Request, id enlist.MessageID) (notes []ui.Action, err error) {
	all, err := r.App.Messages.Versions(r.Context(), r.Caller, id)
	for i := range all {
		if all[i].Kind == messages.VersionDraft {
			notes = append(notes, ui.Action{Text: whenWho(r, &all[i]), Path: versionPath(id, all[i].ID)})
		}
	}
	return notes, err
}
