package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// These tests call a complete server in this process with the Go client: Contacts, Lists, Fields and the session.

// startClient starts a new server and returns a Client with a key of the level full.
func startClient(t *testing.T, e dbtest.Engine) *api.Client {
	t.Helper()
	addr, key := startServerOn(t, e, config.Serve{})
	client := api.NewClient("http://"+addr, key)
	t.Cleanup(client.Close)
	return client
}

// startServer runs the complete program in this process, on a free port and a new
// database. It returns the address of the server and a key of the level full.
func startServer(t *testing.T) (addr, key string) {
	t.Helper()
	return startServerWith(t, config.Serve{})
}

// startServerWith is like startServer, with the given settings.
func startServerWith(t *testing.T, settings config.Serve) (addr, key string) {
	t.Helper()
	return startServerOn(t, dbtest.SQLite, settings)
}

// startServerOn is like startServerWith, on the given engine.
func startServerOn(t *testing.T, e dbtest.Engine, settings config.Serve) (addr, key string) {
	t.Helper()
	key = strings.Repeat("0123456789abcdef", 4)
	return greetingAddr.FindStringSubmatch(startPrinting(t, e, settings, key))[1], key
}

// startPrinting starts a server on a new database, unless settings name one. It returns what the server prints.
func startPrinting(t *testing.T, e dbtest.Engine, settings config.Serve, key string) (printed string) {
	t.Helper()
	if settings.DB == "" {
		settings.DB = e.New(t)
	}
	if settings.SMTP == "" && settings.Mail == "" {
		settings.Mail = "dir:" + t.TempDir()
	}
	settings.Listen, settings.OpsListen = "127.0.0.1:0", "127.0.0.1:0"
	settings.Connections, settings.Memory, settings.LogLevel = 64, 512<<20, "error"
	c := &serveCommand{Serve: settings}
	ctx, stop := context.WithCancel(context.Background())
	banner, stdout := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- c.serve(ctx, stop, &console{stdout: stdout, stderr: t.Output()}, key)
		stdout.Close()
	}()
	text := make([]byte, 4096)
	n, err := banner.Read(text)
	if err != nil {
		t.Fatalf("the service did not start: %v", <-ended)
	}
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("the service ended with %v", err)
		}
	})
	return string(text[:n])
}

// must returns a result, or ends the test if there is an error.
func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestClientReadsAndWritesContacts(t *testing.T) {
	dbtest.EachParallel(t, clientReadsAndWritesContacts)
}

func clientReadsAndWritesContacts(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	const list = 1
	must(client.AddListPreference(ctx, list, "News"))(t)
	ada := must(client.SubscribeContact(ctx, list, api.Details{"Email": "ada@example.com"},
		api.Consent{Type: api.ConsentGDPR, Text: "Monthly news", Preferences: map[string]bool{"News": true}, IPAddress: "192.0.2.1"}))(t)
	bea := must(client.Idempotent("once").SubscribeContact(ctx, list, api.Details{"Email": "bea@example.com"}, api.Consent{}))(t)
	if again := must(client.Idempotent("once").SubscribeContact(ctx, list, api.Details{"Email": "bea@example.com"}, api.Consent{}))(t); again != bea {
		t.Errorf("a repeated subscribeContact returned Contact %d, want %d", again, bea)
	}

	found := must(client.SearchContacts(ctx, list, api.Query{
		Criteria: api.Criteria{api.Test{"Email", "starts_with", "ada"}, api.Or, api.Test{"Email", "starts_with", "bea"}},
		SortBy:   "Email", SortOrder: api.Descending, Limit: api.NoLimit,
	}, "id", "Email"))(t)
	if diff := cmp.Diff([]api.Contact{
		{ID: bea, Values: map[string]string{"Email": "bea@example.com"}},
		{ID: ada, Values: map[string]string{"Email": "ada@example.com"}},
	}, found); diff != "" {
		t.Errorf("searchContacts: %s", diff)
	}
	if n := must(client.CountContacts(ctx, list, nil))(t); n != 2 {
		t.Errorf("countContacts returned %d", n)
	}

	whole := must(client.GetContactByID(ctx, list, ada))(t)
	want := &api.Contact{ID: ada, IsActive: true, SubscribedVia: "api", CreationTime: whole.CreationTime,
		LastModifiedTime: whole.LastModifiedTime, Values: map[string]string{"Email": "ada@example.com", "Mobile Phone": ""}}
	if diff := cmp.Diff(want, whole); diff != "" || whole.CreationTime == 0 {
		t.Errorf("getContactById: %s", diff)
	}
	if got := must(client.GetContactPreferences(ctx, list, ada))(t); !cmp.Equal(got, map[string]bool{"News": true}) {
		t.Errorf("getContactPreferences: %v", got)
	}
	consents := must(client.GetContactConsents(ctx, list, ada, 0, 0, false))(t)
	if diff := cmp.Diff([]api.ConsentRecord{{Method: "subscribeContact", ConsentType: api.ConsentGDPR, ConsentText: "Monthly news",
		IPAddress: "192.0.2.1", ListPreferences: map[string]bool{"News": true}, KeyName: "first key"}},
		consents, cmpopts.IgnoreFields(api.ConsentRecord{}, "Time")); diff != "" {
		t.Errorf("getContactConsents: %s", diff)
	}
}

func TestClientChangesTheStatusOfContacts(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientChangesTheStatusOfContacts)
}

func clientChangesTheStatusOfContacts(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	const list = 1
	ada := must(client.SubscribeContact(ctx, list, api.Details{"Email": "ada@example.com"}, api.Consent{}))(t)
	for _, step := range []struct {
		name  string
		do    func() (int64, error)
		id    int64
		after func(*api.Contact) bool
	}{
		{"unsubscribeContact", func() (int64, error) { return client.UnsubscribeContact(ctx, list, "ada@example.com", "192.0.2.7") },
			list, func(c *api.Contact) bool { return c.IsUnsubscribed }},
		{"resubscribeContact", func() (int64, error) { return client.ResubscribeContact(ctx, list, ada, api.Consent{}) },
			ada, func(c *api.Contact) bool { return !c.IsUnsubscribed }},
		{"unsubscribeContactById", func() (int64, error) { return client.UnsubscribeContactByID(ctx, list, ada, "192.0.2.7") },
			list, func(c *api.Contact) bool { return c.IsUnsubscribed }},
		{"deactivateContact", func() (int64, error) { return client.DeactivateContact(ctx, list, ada) },
			ada, func(c *api.Contact) bool { return !c.IsActive }},
		{"reactivateContact", func() (int64, error) { return client.ReactivateContact(ctx, list, ada) },
			ada, func(c *api.Contact) bool { return c.IsActive }},
		{"confirmContact", func() (int64, error) { return client.ConfirmContact(ctx, list, ada, "192.0.2.7") },
			ada, func(c *api.Contact) bool { return c.DoubleOptIn && c.DoubleOptInTime > 0 }},
	} {
		t.Run(step.name, func(t *testing.T) {
			if id := must(step.do())(t); id != step.id {
				t.Errorf("the call returned the ID %d, want %d", id, step.id)
			}
			if c := must(client.GetContactByID(ctx, list, ada))(t); !step.after(c) {
				t.Errorf("after the call the Contact is %+v", c)
			}
		})
	}
	var methods []string
	for _, row := range must(client.GetContactConsents(ctx, list, ada, 0, 0, true))(t) {
		methods = append(methods, row.Method+" "+row.IPAddress)
	}
	if diff := cmp.Diff([]string{"confirmContact 192.0.2.7", "unsubscribeContactById 192.0.2.7", "resubscribeContact ",
		"unsubscribeContact 192.0.2.7", "subscribeContact "}, methods); diff != "" {
		t.Errorf("the methods in the ledger: %s", diff)
	}
	gone := must(client.SearchPreviousUnsubscribers(ctx, 0, api.Query{}))(t)
	if len(gone) == 0 || gone[0].Address != "ada@example.com" || gone[0].ListID != list || gone[0].ContactID != ada || gone[0].AddressType != "email" {
		t.Errorf("searchPreviousUnsubscribers: %+v", gone)
	}
	if n := must(client.CountPreviousUnsubscribers(ctx, list, nil))(t); n != int64(len(gone)) {
		t.Errorf("countPreviousUnsubscribers returned %d, want %d", n, len(gone))
	}
}

func TestClientReadsAndWritesLists(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientReadsAndWritesLists)
}

func clientReadsAndWritesLists(t *testing.T, e dbtest.Engine) {
	addr, key := startServerOn(t, e, config.Serve{SMTP: mailtest.Start(t, mailtest.Options{}).URL()}) // invitations need mail
	client, ctx := api.NewClient("http://"+addr, key), t.Context()
	t.Cleanup(client.Close)
	list := must(client.AddList(ctx, api.Details{"name": "Customers", "is_gdpr_compliant": true}))(t)
	must(client.EditList(ctx, api.Details{"id": list, "from_name": "Shop"}))(t)
	l := must(client.GetListByID(ctx, list))(t)
	if l.ID != list || l.Name != "Customers" || !l.IsGDPRCompliant || l.FromName != "Shop" || !l.DisallowDuplicateContacts {
		t.Errorf("getListById: %+v", l)
	}
	if found := must(client.SearchLists(ctx, api.Query{Criteria: api.Criteria{api.Test{"name", "exactly", "Customers"}}}))(t); !cmp.Equal(found, []api.List{*l}) {
		t.Errorf("searchLists: %+v", found)
	}
	if n := must(client.CountLists(ctx, nil))(t); n != 2 {
		t.Errorf("countLists returned %d", n)
	}
	preference := must(client.AddListPreference(ctx, list, "News"))(t)
	if found := must(client.SearchListPreferences(ctx, list, api.Query{}))(t); len(found) != 1 || found[0].ID != preference || found[0].Name != "News" {
		t.Errorf("searchListPreferences: %+v", found)
	}
	must(0, client.DeleteListPreference(ctx, list, preference))(t)
	segment := must(client.SetSegment(ctx, list, "Readers", api.Criteria{api.Test{"Email", "contains", "x"}}, 0))(t)
	if found := must(client.SearchSegments(ctx, list, api.Query{}))(t); len(found) != 1 || found[0].ID != segment || found[0].Criteria != `[["Email","contains","x"]]` {
		t.Errorf("searchSegments: %+v", found)
	}
	must(0, client.DeleteSegment(ctx, list, segment))(t)
	saved := must(client.SetSavedBlock(ctx, "Foot", []api.Details{{"type": "line"}}, 0))(t)
	if found := must(client.SearchSavedBlocks(ctx, api.Query{}))(t); len(found) != 1 || found[0].ID != saved || found[0].Name != "Foot" {
		t.Errorf("searchSavedBlocks: %+v", found)
	}
	if s := must(client.GetSavedBlockByID(ctx, saved))(t); s.Blocks != `[{"type":"line"}]` {
		t.Errorf("getSavedBlockById: %+v", s)
	}
	must(0, client.DeleteSavedBlock(ctx, saved))(t)
	member := must(client.SetMember(ctx, api.Details{"email": "eva@example.com", "name": "Eva", "role": "writer", "list_ids": list}))(t)
	if found := must(client.SearchMembers(ctx, api.Query{}))(t); len(found) != 1 || found[0].ID != member || found[0].Role != "writer" || found[0].ListIDs != fmt.Sprint(list) {
		t.Errorf("searchMembers: %+v", found)
	}
	must(0, client.DeleteMember(ctx, member))(t)
	form := must(client.SetForm(ctx, list, api.Details{"name": "Sign-up", "consent_text": "Yes", "sites": "https://example.com/"}, 0))(t)
	if found := must(client.SearchForms(ctx, list, api.Query{}))(t); len(found) != 1 || found[0].ID != form || found[0].Sites != "https://example.com" {
		t.Errorf("searchForms: %+v", found)
	}
	must(0, client.DeleteForm(ctx, list, form))(t)
	folders := must(client.SearchFolders(ctx, "list", api.Query{}))(t)
	if len(folders) != 1 || folders[0].ID != l.FolderID || folders[0].Type != "list" || folders[0].ItemCount != 2 {
		t.Errorf("searchFolders: %+v", folders)
	}
	if f := must(client.GetFolderByID(ctx, l.FolderID))(t); *f != folders[0] {
		t.Errorf("getFolderById: %+v", f)
	}
	must(client.SubscribeContact(ctx, list, api.Details{"Email": "ada@example.com"}, api.Consent{Type: api.ConsentGDPR, Text: "yes"}))(t)
	must(0, client.ClearList(ctx, list))(t)
	if n := must(client.CountContacts(ctx, list, nil))(t); n != 0 {
		t.Errorf("after clearList the List has %d Contacts, want none", n)
	}
	must(0, client.DeleteList(ctx, list))(t)
	_, err := client.GetListByID(ctx, list)
	if refused, ok := errors.AsType[*api.Error](err); !ok || refused.Code != api.CodeNoList {
		t.Errorf("a call for the deleted List returned the error %v", err)
	}
}

func TestClientReadsAndWritesFields(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientReadsAndWritesFields)
}

func clientReadsAndWritesFields(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	const list = 1
	id := must(client.AddField(ctx, list, api.Details{"name": "Colour", "type": "dropdown", "values_array": "red,green", "show_in_form": 1}))(t)
	must(client.EditField(ctx, list, api.Details{"id": id, "is_mandatory": true}))(t)
	f := must(client.GetFieldByID(ctx, list, id))(t)
	if f.Name != "Colour" || f.Type != "dropdown" || f.ValuesArray != "red,green" || !f.IsMandatory || f.ShowInForm != 1 {
		t.Errorf("getFieldById: %+v", f)
	}
	found := must(client.SearchFields(ctx, list, api.Query{Criteria: api.Criteria{api.Test{"type", "exactly", "dropdown"}}}))(t)
	if !cmp.Equal(found, []api.Field{*f}) {
		t.Errorf("searchFields: %+v", found)
	}
	photo := must(client.AddField(ctx, list, api.Details{"name": "Photo", "type": "file"}))(t)
	folders := must(client.SearchFolders(ctx, "file", api.Query{}))(t)
	must(0, client.SetFieldFolderID(ctx, list, photo, folders[0].ID))(t)
	if folder := must(client.GetFolderIDForField(ctx, list, photo))(t); folder != folders[0].ID {
		t.Errorf("getFolderIdForField returned %d, want %d", folder, folders[0].ID)
	}
	must(0, client.DeleteField(ctx, list, photo))(t)
	must(0, client.DeleteField(ctx, list, id))(t)
	if n := must(client.CountFields(ctx, list, nil))(t); n != 2 {
		t.Errorf("countFields returned %d", n)
	}
}

func TestClientReadsTheSession(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientReadsTheSession)
}

func clientReadsTheSession(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	session := must(client.GetSessionInfo(ctx))(t)
	if session.AccountID != 1 || session.Username != "first key" || session.LoginUserID != session.UserID {
		t.Errorf("getSessionInfo: %+v", session)
	}
	key := must(client.GetKeyInfo(ctx))(t)
	if key.AccountID != 1 || key.KeyName != "first key" || key.AccessLevel != "full" || key.Version != version() {
		t.Errorf("getKeyInfo: %+v", key)
	}
	if balance := must(client.GetCreditBalance(ctx, "sms"))(t); balance.Type != "sms" || balance.Credits < 1_000_000 {
		t.Errorf("getCreditBalance returned %+v", balance)
	}
	zones := must(client.GetTimezoneList(ctx))(t)
	if len(zones) < 300 || zones[0].Timezone == "" || zones[0].DisplayName == "" {
		t.Errorf("getTimezoneList returned %d time zones, the first is %+v", len(zones), zones[0])
	}
}
