package messages

import (
	"errors"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file shows what a user is typing, without storing it, to the script of the editor: the mail, and what is probably
// wrong at which block.

// typedOf returns what the form of the editor has, for the Contact that the page shows, or none.
func typedOf(r *ui.Request) (t messages.Typed, err error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return t, err
	}
	typed, err := typedIn(r, m)
	if err != nil {
		return t, err
	}
	t = messages.Typed{Message: m.ID, Details: detailsOf(r, &typed)}
	list := enlist.ListID(ui.Int(r.FormValue("list")))
	if list == 0 {
		return t, nil
	}
	t.List = list
	one, err := contactOf(r, list, strings.TrimSpace(r.FormValue("contact")))
	if err == nil {
		t.Contact = one.id
	}
	return t, err
}

// typedMail shows the mail of what is typed alone, for the frame of the editor.
func typedMail(r *ui.Request) (*ui.View, error) {
	t, err := typedOf(r)
	if err != nil {
		return nil, err
	}
	mail, err := r.App.Messages.PreviewTyped(r.Context(), r.Caller, t)
	if known, ok := errors.AsType[*enlist.Error](err); ok && isWrong(known) {
		return &ui.View{Mail: "<p>" + template.HTMLEscapeString(r.Said(known.Detail)) + "</p>"}, nil
	}
	if err != nil {
		return nil, err
	}
	return mailView(mail, r.FormValue("shade")), nil
}

// isWrong reports whether an error says what the user can change.
func isWrong(err *enlist.Error) bool {
	return err.Kind == enlist.InvalidParameters || err.Kind == enlist.NoFile
}

// shownFinding is something that is probably wrong.
type shownFinding struct {
	Level  messages.FindingLevel `json:"level"`
	Text   string                `json:"text"`
	Block  string                `json:"block"`
	Anchor template.URL          `json:"-"`
}

// findingsOf returns what is probably wrong with a Message, and what the mail of a Contact has besides.
func findingsOf(r *ui.Request, t messages.Typed, ofContact []string) (all []shownFinding, err error) {
	found, err := r.App.Messages.Checks(r.Context(), r.Caller, t, r.FormValue("links") != "")
	if err != nil {
		return nil, err
	}
	texts := make([]string, len(found))
	for i, f := range found {
		texts[i] = f.Text
		all = append(all, shownFinding{f.Level, r.Language.Said(f.Text), f.Block, anchor(f.Block)})
	}
	for _, text := range ofContact {
		if !slices.Contains(texts, text) {
			all = append(all, shownFinding{Level: messages.FindingNote, Text: r.Language.Said(text)})
		}
	}
	return all, nil
}

// checks sends what is probably wrong with what is typed.
func checks(r *ui.Request) (*ui.View, error) {
	t, err := typedOf(r)
	if err != nil {
		return nil, err
	}
	answer := struct {
		Findings []shownFinding `json:"findings"`
		Size     string         `json:"size"`
		KB       int64          `json:"kb"`
	}{}
	mail, err := r.App.Messages.PreviewTyped(r.Context(), r.Caller, t)
	if err == nil {
		if r.FormValue("links") != "" { // the slow part of the checks
			err = r.App.Files.MakePictures(r.Context(), r.Caller, mail.Pictures)
		}
		answer.KB = kilobytes(mail)
		if err == nil {
			answer.Size, err = sizeText(r, mail)
		}
		if err == nil {
			answer.Findings, err = findingsOf(r, t, mail.Findings)
		}
	}
	if known, ok := errors.AsType[*enlist.Error](err); ok && isWrong(known) {
		answer.Findings, err = []shownFinding{{Level: messages.FindingError, Text: r.Said(known.Detail)}}, nil
	}
	if err != nil {
		return nil, err
	}
	return nil, r.WriteJSON(http.StatusOK, answer)
}

// kilobytes is the size of the HTML of a mail.
func kilobytes(mail *messages.ComposedMail) int64 { return int64(len(mail.HTML)+1023) >> 10 }

// sizeText says how large a mail is, with its images if all have been made, and how many are on other servers.
func sizeText(r *ui.Request, mail *messages.ComposedMail) (string, error) {
	kb := kilobytes(mail)
	parts := []string{r.Text("messages.of_102", "n", kb)}
	if kb > clipAt {
		parts[0] = r.Text("messages.too_large", "n", kb)
	}
	if len(mail.Pictures) > 0 {
		images, known, err := r.App.Files.PicturesSize(r.Context(), r.Caller, mail.Pictures)
		if err != nil {
			return "", err
		}
		if known {
			parts = append(parts, r.Text("messages.size_with_images", "size", r.Language.Size(mail.Size+images)))
		}
	}
	if mail.Elsewhere > 0 {
		parts = append(parts, r.Text("messages.images_elsewhere", "n", mail.Elsewhere))
	}
	return strings.Join(parts, " · "), nil
}

// foundContacts sends the addresses of a List that contain a text, for the picker of the preview.
func foundContacts(r *ui.Request) (*ui.View, error) {
	list := enlist.ListID(ui.Int(r.FormValue("list")))
	all := []string{}
	if list != 0 {
		email, err := r.EmailField(list)
		if err != nil {
			return nil, err
		}
		q := enlist.Query{Limit: 10}
		if text := strings.TrimSpace(r.FormValue("q")); text != "" {
			q.Criteria = &enlist.Criteria{Key: email, Operator: "contains", Value: enlist.TextInput(text)}
		}
		w := &addresses{}
		if err := r.App.Contacts.SearchContacts(r.Context(), r.Caller, list, q, []string{"id", email}, w); err != nil {
			return nil, err
		}
		all = append(all, w.all...)
	}
	r.Writer.Header().Set("Content-Disposition", "attachment") // only the script of the editor reads it
	return nil, r.WriteJSON(http.StatusOK, all)
}

// addresses receives the addresses of Contacts.
type addresses struct {
	oneContact
	all []string
}

// Contact implements contacts.ContactWriter.
func (a *addresses) Contact(c *enlist.Contact) error {
	err := a.oneContact.Contact(c)
	a.all = append(a.all, a.address)
	return err
}
