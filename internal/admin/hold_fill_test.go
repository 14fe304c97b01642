package admin_test

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/admin"
	"enlist/internal/admin/sending"
	"enlist/internal/admin/ui"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/imports"
	"enlist/internal/mail"
	"enlist/internal/messages"
	"enlist/internal/users"
	"enlist/internal/webhooks"
)

// This file has the store that hold_test.go walks: markup in each text, and an example of each parameter of a path. A new
// path with a parameter, or with a query without which its page shows less, is added here.

// evil is markup. Each stored text contains it.
const evil = `<script>alert(1)</script>"'><img src=x onerror=alert(1)>`

// secret is in each text that is not of the List of the restricted person.
const secret = "Hidden-from-others"

// hold is a site with records for each parameter of a path.
type hold struct {
	*site
	pages   []*ui.Page
	ids     map[string]string // examples of the parameters
	own     enlist.ListID     // the only List of the restricted person
	roles   map[enlist.Role]*visitor
	mails   string // folder
	delayed int
}

// queries are the queries without which a page shows less. {list} and the like are parameters.
var queries = map[string]string{
	"GET /admin/contacts":                 "?list={list}&key=Email&op=contains&value=example",
	"GET /admin/sends/check":              "?when=now&message={message}&list={list}&token=zzzzzz-of-2038",
	"GET /admin/imports/new":              "?list={list}",
	"GET /admin/starters/mail":            "?name=club",
	"GET /admin/messages/{message}/mail":  "?list={list}&contact={contact}",
	"GET /admin/contacts/new":             "?list={list}",
	"GET /admin/contacts/person":          "?list={list}&contact={contact}",
	"GET /admin/contacts/person/edit":     "?list={list}&contact={contact}",
	"GET /admin/contacts/person/erase":    "?address=evil@example.com",
	"GET /admin/contacts/change":          "?list={list}&id={contact}",
	"GET /admin/contacts/copy":            "?list={list}&key=Email&op=contains&value=example&action=copy&target={list}",
	"GET /admin/contacts/export":          "?list={list}&id={contact}",
	"GET /admin/sends/{batch}/people.csv": "?kind=bounced",
	"GET /admin/unsubscribers":            "?list={list}",
	"GET /admin/unsubscribers/remove":     "?list={list}&address=left@example.com",
	"GET /admin/autoresponders":           "?list={list}",
	"GET /admin/autoresponders/new":       "?list={list}",
	"GET /admin/forms/new":                "?list={list}",

	"GET /admin/forms/{list}/{form}/language": "?language=de",
}

// parameter is a parameter in a path or a query.
var parameter = regexp.MustCompile(`\{(\w+)\}`)

func newHold(t *testing.T) *hold {
	h := &hold{site: &site{SentBatch: newEvilBatch(t, dbtest.SQLite.Own(t))}, mails: t.TempDir()}
	composer, err := mail.NewComposer(mail.Options{From: "news@example.com", PublicURL: "https://lists.example.com", Links: h.App.Sending, Files: h.App.Files})
	h.Must(err)
	h.App.Messages.SetComposer(composer)
	handler := admin.New(h.App, admin.Options{Delay: func(*http.Request) { h.delayed++ },
		SettingsPage: h.publicPages().SettingsExample, Server: sending.Server{MailDir: h.mails}, Log: slog.New(slog.NewTextHandler(t.Output(), nil))})
	h.pages = handler.Pages()
	h.server = httptest.NewServer(handler)
	t.Cleanup(h.server.Close)
	h.own = h.AddList("name", "Of the person", "from_address", "own@example.org")
	h.roles = make(map[enlist.Role]*visitor)
	for _, role := range append(enlist.Roles[:], enlist.ContactsOnly, enlist.ContactsAndSend, enlist.ManagerWithoutSend, enlist.OwnerWithoutSend) {
		h.roles[role] = h.as(string(role), users.Membership{Role: role})
	}
	h.fill()
	return h
}

// newEvilBatch returns a fixture with a sent Batch, whose texts are evil.
func newEvilBatch(t *testing.T, store db.Engine) *apptest.SentBatch {
	f := apptest.NewSentBatch(3)(t, store)
	text := evil + secret
	_, err := f.App.Lists.EditList(f.Context(), f.Caller, f.News, apptest.Details("name", text, "from_name", text, "imprint", text))
	f.Must(err)
	f.Must(f.App.Accounts.EditAccount(f.Context(), f.Caller.Account.ID, func(a *enlist.Account) { a.Name = evil }))
	_, err = f.App.Messages.EditMessage(f.Context(), f.Caller, f.Message, apptest.Details("name", evil, "subject", text, "html_content", text+"<p>Hello {{Email}}</p>"))
	f.Must(err)
	return f
}

// fill adds the other records.
func (h *hold) fill() {
	text := evil + secret
	field := h.AddField(h.News, "name", "F "+text, "type", "text")
	contact := h.Subscribe(h.News, "Email", "evil@example.com", "F "+text, text)
	preference, err := h.App.Lists.AddPreference(h.Context(), h.Caller, h.News, text)
	h.Must(err)
	segment := h.SetSegment(h.News, text, apptest.Criterion("Email", "contains", text))
	imported := h.ImportFile(h.News, "Email,"+quoted("F "+text)+"\n"+quoted("bad "+text)+","+quoted(text)+"\n", func(o *imports.ImportOptions) { o.FileName = text + ".csv" })
	webhook := h.AddWebhook("contact", "subscribed", "url", "https://x.example.com/?"+url.QueryEscape(text)+secret, "list_id", h.News)
	h.Subscribe(h.News, "Email", "more@example.com")
	b, _, err := h.App.Webhooks.TakeWebhookEvents(h.Context(), h.Webhook(webhook).Target, 1)
	h.Must(err)
	_, err = h.App.Webhooks.WebhookFailed(h.Context(), b, errors.Join(webhooks.ErrWebhookGone, errors.New(text)))
	h.Must(err)
	key, _, err := h.App.Accounts.AddAccountKey(h.Context(), h.Caller, accounts.KeyDetails{Account: h.Caller.Account.ID, Name: text, Level: enlist.Read})
	h.Must(err)
	li, err := h.App.Users.Invite(h.Context(), users.Invitation{Email: "li@example.com", Name: text,
		Membership: users.Membership{Account: h.Caller.Account.ID, Level: enlist.Read}})
	h.Must(err)
	link, err := h.App.Users.NewLink(h.Context(), "li@example.com")
	h.Must(err)
	cookie, err := h.App.Users.UseLink(h.Context(), link, users.Browser{Agent: text, IP: text})
	h.Must(err)
	session, err := h.App.Users.Visit(h.Context(), cookie, enlist.Actor{Method: text})
	h.Must(err)
	de := forms.Translations{"de": {Title: text, Introduction: text,
		Labels: map[string]string{forms.FieldInput(h.EmailField(h.News)): text}}}
	form, err := h.App.Forms.SetForm(h.Context(), h.Caller, h.News, 0, apptest.Details("name", text, "title", text,
		"introduction", text, "language", "en", "translations", de.Encode()))
	h.Must(err)
	autoresponder, err := h.App.Batches.AddAutoresponder(h.Context(), h.Caller, apptest.Details("list_id", int(h.News), "message_id", int(h.Message),
		"event_type", "subscribe"))
	h.Must(err)
	change, err := h.App.Contacts.StartChange(h.Context(), h.Caller, contacts.ChangeRequest{List: h.News, Count: 1,
		Criteria: apptest.Criterion("Email", "exactly", "evil@example.com"), Action: contacts.ChangeSet, Field: "F " + text, Value: text})
	h.Must(err)
	h.Subscribe(h.News, "Email", "left@example.com")
	_, err = h.App.Contacts.Unsubscribe(h.Context(), h.Caller, contacts.UnsubscribeRequest{List: h.News, Address: "left@example.com"})
	h.Must(err)
	_, err = h.App.Accounts.AddSendingDomain(h.Context(), accounts.NewSendingDomain{Account: h.Caller.Account.ID, Domain: "example.com", Type: accounts.DKIMEd25519})
	h.Must(err)
	file, err := h.App.Files.UploadImage(h.Context(), h.Caller, strings.ReplaceAll(text, "/", "")+".png", bytes.NewReader(pngImage(h)))
	h.Must(err)
	h.Update(func(tx *db.Tx) error {
		m, err := messages.LoadMessage(tx, h.Caller.Account.ID, h.Message)
		if err != nil {
			return err
		}
		m.Blocks = messages.EncodeBlocks([]messages.Block{{Type: messages.BlockText, Text: text,
			ShowIf: &messages.Condition{Criteria: apptest.Criterion("F "+text, "contains", text)}}})
		return m.Save(tx)
	})
	saved, err := h.App.Messages.SaveBlocks(h.Context(), h.Caller, text, messages.EncodeBlocks([]messages.Block{{Type: messages.BlockText, Text: text}, {Type: messages.BlockHTML, HTML: text}}))
	h.Must(err)
	draft, err := h.App.Messages.Autosave(h.Context(), h.Caller, messages.Save{Message: h.Message, Page: "page", Number: 1,
		Details: apptest.Details("subject", text, "html_content", text+"<img alt="+text)})
	h.Must(err)
	versions, err := h.App.Messages.Versions(h.Context(), h.Caller, h.Message)
	if h.Must(err); !draft.IsDraft || versions[0].Kind != messages.VersionDraft {
		h.Fatalf("there are %d versions of the Message, and %+v was saved", len(versions), draft)
	}
	mailed := "Subject: " + strings.ReplaceAll(text, "\n", " ") + "\r\nContent-Type: text/html\r\n\r\n" + text
	h.Must(os.WriteFile(filepath.Join(h.mails, "1.eml"), []byte(mailed), 0o600))
	h.ids = map[string]string{"field": id(field), "preference": id(preference), "form": id(form), "autoresponder": id(autoresponder),
		"change": id(change), "file": id(file.ID), "saved": id(saved), "name": "1.eml", "act": "copy", "kind": "bounced", "job": "1", "list": id(h.News), "batch": id(h.ID), "message": id(h.Message), "segment": id(segment), "import": id(imported.ID),
		"block": "0", "webhook": id(webhook), "key": id(key.ID), "user": id(li.ID), "session": id(session.Session.ID), "passkey": "1", "command": "pause",
		"contact": id(contact), "version": id(versions[0].ID)}
}

func quoted(cell string) string { return `"` + strings.ReplaceAll(cell, `"`, `""`) + `"` }

// path returns the path of a page with the examples, or with values of others.
func (h *hold) path(pattern string, others map[string]string) string {
	_, path, _ := strings.Cut(pattern, " ")
	path = strings.TrimSuffix(path, "{$}") + queries[pattern]
	return parameter.ReplaceAllStringFunc(path, func(p string) string {
		name := strings.Trim(p, "{}")
		if value, ok := others[name]; ok {
			return value
		}
		return h.ids[name]
	})
}
