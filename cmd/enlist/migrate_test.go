package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"

	"github.com/google/go-cmp/cmp"
)

// These tests run enlist migrate, from its flags to a server on the new database.

// migrate runs the command with a key in a file.
func migrate(t *testing.T, source, key, db string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(file, []byte(key+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if strings.HasPrefix(source, "http://127.0.0.1") {
		args = append(args, "--private-host", "127.0.0.1")
	}
	return runEnlist(append([]string{"migrate", "--from", source, "--key-file", file, "--db", db}, args...)...)
}

// newAccount returns a new database with one Account.
func newAccount(t *testing.T, e dbtest.Engine) (db string) {
	t.Helper()
	db = e.New(t)
	if status, _, problem := runEnlist("account", "add", "--name", "New home", "--db", db); status != 0 {
		t.Fatal(problem)
	}
	return db
}

// serveMoved starts a server on a database that has an Account, and returns a Client with a new key.
func serveMoved(t *testing.T, e dbtest.Engine, db string) *api.Client {
	t.Helper()
	status, printed, problem := runEnlist("key", "create", "--name", "after the move", "--level", "full", "--json", "--db", db)
	if status != 0 {
		t.Fatal(problem)
	}
	var created struct{ Key string }
	if err := json.Unmarshal([]byte(printed), &created); err != nil {
		t.Fatal(err)
	}
	addr, _ := startServerOn(t, e, config.Serve{Database: config.Database{DB: db}})
	client := api.NewClient("http://"+addr, created.Key)
	t.Cleanup(client.Close)
	return client
}

// fileLink matches the path of a link to a file.
var fileLink = regexp.MustCompile(`/f/(\d+)/[\w-]+`)

// answers returns the replies to all calls that read the records of an Account, by the call.
func answers(t *testing.T, c *api.Client) map[string]any {
	t.Helper()
	all := make(map[string]any)
	read := func(method string, params ...any) []any {
		t.Helper()
		var result any
		if err := c.Call(t.Context(), method, params, &result); err != nil {
			t.Fatalf("%s %v: %v", method, params, err)
		}
		all[fmt.Sprint(method, params)] = result
		rows, _ := result.([]any)
		return rows
	}
	id := func(row any) float64 { return row.(map[string]any)["id"].(float64) }
	none := []any{}
	for _, folderType := range []string{"list", "message", "file"} {
		read("searchFolders", folderType, none, 0, 0, "id", "ASC")
	}
	for _, l := range read("searchLists", none, 0, 0, "id", "ASC") {
		list := id(l)
		read("searchFields", list, none, 0, 0, "id", "ASC")
		read("searchListPreferences", list, none, 0)
		read("searchSegments", list, none, 0, 0, "id", "ASC")
		for _, contact := range read("searchContacts", list, none, 0, 0, "id", "ASC") {
			read("getContactById", list, id(contact))
			read("getContactConsents", list, id(contact), 0, 0, true)
			read("getContactPreferences", list, id(contact))
		}
		read("searchContacts", list, none, 0, 0, "id", "ASC", []any{"id", "tracking_consent", "tracking_time", "contact_language"})
		read("searchContacts", list, []any{[]any{"is_unsubscribed", "exactly", true}}, 0, 0, "Email", "ASC", []any{"Email"})
	}
	blocks := func(method string, id float64, more ...any) {
		for _, row := range read(method, append([]any{id}, more...)...) {
			one := row.(map[string]any) // links to files are signed with the key of the server
			one["blocks"], one["version"] = fileLink.ReplaceAllString(one["blocks"].(string), "/f/$1"), "not compared"
		}
	}
	for _, m := range read("searchMessages", none, 0) {
		blocks("getMessageById", id(m), true)
	}
	for _, s := range read("searchSavedBlocks", none, 0) {
		blocks("getSavedBlockById", id(s))
	}
	for _, f := range read("searchFiles", none, 0) {
		file := f.(map[string]any)
		reply := must(http.Get(file["url"].(string)))(t)
		content := must(io.ReadAll(reply.Body))(t)
		reply.Body.Close()
		file["url"] = fmt.Sprintf("%d bytes %x", len(content), sha256.Sum256(content))
	}
	for _, w := range read("searchWebhooks", none, 0) {
		read("getWebhookById", id(w))
	}
	for _, a := range read("searchAutoresponders", none, 0) {
		one := a.(map[string]any)
		one["is_active"], one["version"] = "not compared", "not compared" // a moved one is not active
	}
	read("searchPreviousUnsubscribers", 0, none, 0)
	return all
}

// onePixel is a PNG.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// fillAccount adds records of all kinds.
func fillAccount(t *testing.T, c *api.Client) (list int64) {
	t.Helper()
	ctx := t.Context()
	folder := must(c.AddFolder(ctx, api.Details{"name": "Clubs", "type": "list"}))(t)
	must(c.AddFolder(ctx, api.Details{"name": "Mails", "type": "message"}))(t)
	gone := must(c.AddList(ctx, api.Details{"name": "Deleted before the move"}))(t)
	must(true, c.DeleteList(ctx, gone))(t)
	list = must(c.AddList(ctx, api.Details{"name": "Club", "folder_id": folder, "disallow_duplicate_contacts": false,
		"on_register_address": "office@example.com", "country_code": 49, "track_opens": true, "from_name": "The Club"}))(t)
	for _, field := range []api.Details{
		{"name": "State", "type": "dropdown", "values_array": "NSW,VIC", "defaults_array": "NSW"},
		{"name": "Born", "type": "date", "date_validation": "past"},
		{"name": "Fee", "type": "currency"}, {"name": "Topics", "type": "checkbox", "values_array": "a,b,c"},
		{"name": "About", "type": "comment", "default_value": "nothing yet"},
	} {
		must(c.AddField(ctx, list, field))(t)
	}
	must(c.AddListPreference(ctx, list, "News"))(t)
	must(c.AddListPreference(ctx, list, "Events"))(t)
	for i := range 12 {
		details := api.Details{"Email": fmt.Sprintf("Member%d@example.com", i), "Fee": "12.50", "Born": "1990-02-03", "Topics": "a,c"}
		if i%3 == 0 {
			details["Mobile Phone"] = fmt.Sprintf("0171 12345%02d", i)
		}
		if i > 6 {
			details["tracking_consent"], details["tracking_text"] = []string{"granted", "denied"}[i%2], "We count opens."
			details["tracking_text_version"] = "v2"
		}
		must(c.SubscribeContact(ctx, list, details, api.Consent{Type: api.ConsentGDPR, Text: "Yes, ich will “Neues”", IPAddress: "2001:db8::1",
			Preferences: map[string]bool{"News": true, "Events": i%2 == 0}}))(t)
	}
	must(c.SubscribeContact(ctx, list, api.Details{"Email": "member3@example.com", "About": ""}, api.Consent{}))(t) // a duplicate
	found := must(c.SearchContacts(ctx, list, api.Query{Limit: api.NoLimit}, "id"))(t)
	must(c.UnsubscribeContactByID(ctx, list, found[1].ID, ""))(t)
	must(c.UnsubscribeContact(ctx, 0, "stranger@example.com", ""))(t)
	must(c.DeactivateContact(ctx, list, found[2].ID))(t)
	must(c.ConfirmContact(ctx, list, found[4].ID, ""))(t)
	must(c.UnsubscribeContact(ctx, list, "0171 1234506", ""))(t)
	photos := must(c.AddFolder(ctx, api.Details{"name": "Photos", "type": "file"}))(t)
	plan := must(c.UploadFile(ctx, photos, "plan.pdf", bytes.Repeat([]byte("%PDF\n"), 140_000), false))(t) // in pieces
	logo := must(c.UploadFile(ctx, photos, "logo.gif", []byte("GIF89a"), false))(t)
	must(c.UploadFile(ctx, photos, "empty.txt", []byte("."), false))(t)
	must(c.AddWebhook(ctx, api.Details{"object": "batch", "event": "completed", "url": "https://hooks.example.com/a", "list_id": list}))(t)
	must(c.AddWebhook(ctx, api.Details{"object": "batch", "event": "completed", "url": "https://hooks.example.com/b"}))(t)
	message := must(c.AddMessage(ctx, api.Details{"name": "Welcome", "subject": "Hello {{Email}}", "html_content": "<p>Hällo</p>", "text_content": "Hello",
		"attachments": []int64{plan.ID}, "inline_images": []int64{logo.ID}}))(t)
	segment := must(c.SetSegment(ctx, list, "Old", api.Criteria{api.Test{"Born", "longer_ago", "30 years"}}, 0))(t)
	photo := must(c.UploadFile(ctx, photos, "photo.png", must(base64.StdEncoding.DecodeString(onePixel))(t), false))(t)
	shown := []api.Details{{"type": "image", "file": photo.ID, "alt": "A", "link": photo.URL[strings.Index(photo.URL, "/f/"):]},
		{"type": "text", "text": "[plan](" + plan.URL[strings.Index(plan.URL, "/f/"):] + ")", "show_if": []any{[]any{"segment_id", "exactly", segment}}}}
	must(c.AddMessage(ctx, api.Details{"name": "Blocks", "subject": "Blocks", "email_type": "blocks", "is_template": true, "blocks": shown}))(t)
	must(c.SetSavedBlock(ctx, "Foot", shown, 0))(t)
	must(c.EditContacts(ctx, list, []api.Details{{"id": found[0].ID, "contact_language": "de"}, {"id": found[1].ID, "contact_language": "vi"}}, false))(t)
	must(c.AddAutoresponder(ctx, api.Details{"list_id": list, "message_id": message, "segment_id": segment, "event_type": "subscribe",
		"time_criteria_type": "delay", "time_criteria_offset_value": 2, "time_criteria_offset_period": "day"}))(t)
	return list
}

// A moved Account answers every call that reads with the same replies. New records get greater IDs. A repeated move
// brings what has changed, until programs use the new service.
//
// covers: decision 87, 88, 98
func TestMigrateKeepsEveryAnswer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, migrateKeepsEveryAnswer)
}

func migrateKeepsEveryAnswer(t *testing.T, e dbtest.Engine) {
	db := newAccount(t, e)
	var want map[string]any
	var list int64
	t.Run("move", func(t *testing.T) { list, want = moveTwice(t, db) }) // its server ends with it
	target, ctx := serveMoved(t, e, db), t.Context()
	if diff := cmp.Diff(want, answers(t, target)); diff != "" {
		t.Errorf("the replies differ: %s", diff)
	}
	for _, a := range must(target.SearchAutoresponders(ctx, api.Query{}))(t) {
		if a.IsActive {
			t.Errorf("the autoresponder %d is active", a.ID)
		}
	}
	added := must(target.SubscribeContact(ctx, list, api.Details{"Email": "new@example.com"}, api.Consent{}))(t)
	if _, moved := want[fmt.Sprintf("getContactById[%d %d]", list, added)]; moved {
		t.Errorf("the new Contact has the ID %d of a moved one", added)
	}
	for name, add := range map[string]func() (int64, error){
		"List":   func() (int64, error) { return target.AddList(ctx, api.Details{"name": "Later"}) },
		"Field":  func() (int64, error) { return target.AddField(ctx, list, api.Details{"name": "Later", "type": "text"}) },
		"Folder": func() (int64, error) { return target.AddFolder(ctx, api.Details{"name": "Later", "type": "list"}) },
		"file": func() (int64, error) {
			f, err := target.UploadFile(ctx, must(target.SearchFolders(ctx, "file", api.Query{}))(t)[0].ID, "later.txt", []byte("later"), false)
			return f.ID, err
		},
		"webhook": func() (int64, error) {
			return target.AddWebhook(ctx, api.Details{"object": "batch", "event": "completed", "url": "https://hooks.example.com/later"})
		},
		"Message": func() (int64, error) { return target.AddMessage(ctx, api.Details{"name": "Later", "subject": "s"}) },
	} {
		if _, err := add(); err != nil {
			t.Errorf("add a %s after the move: %v", name, err)
		}
	}
}

// moveTwice fills a server, moves its Account, changes it and moves again. It returns what the server then answers.
func moveTwice(t *testing.T, db string) (list int64, want map[string]any) {
	addr, key := startServer(t)
	source := api.NewClient("http://"+addr, key)
	t.Cleanup(source.Close)
	list = fillAccount(t, source)
	status, printed, progress := migrate(t, "http://"+addr, key, db)
	if status != 0 || !strings.Contains(printed, "equal") || strings.Contains(printed, "different") {
		t.Fatalf("migrate: status %d, output %s%s", status, printed, progress)
	}
	if !strings.Contains(printed, "active at the source and inactive here") {
		t.Errorf("the output does not name the inactive autoresponder: %s", printed)
	}
	changeSource(t, source, list)
	status, printed, progress = migrate(t, "http://"+addr, key, db)
	if status != 0 || strings.Contains(printed, "different") {
		t.Fatalf("second run: status %d, output %s%s", status, printed, progress)
	}
	return list, answers(t, source)
}

// changeSource changes, adds and removes records after the first run.
func changeSource(t *testing.T, c *api.Client, list int64) {
	t.Helper()
	ctx := t.Context()
	found := must(c.SearchContacts(ctx, list, api.Query{Limit: api.NoLimit}, "id", "Email"))(t)
	must(c.DeleteContacts(ctx, list, []int64{found[0].ID, found[3].ID}, api.Query{}))(t) // found[3] is the first of two duplicates
	must(c.EditContacts(ctx, list, []api.Details{
		{"id": found[5].ID, "Email": "changed@example.com", "Fee": 7}, // two Contacts exchange an address
		{"id": found[6].ID, "Email": found[5].Values["Email"]}}, false))(t)
	must(c.SubscribeContact(ctx, list, api.Details{"Email": "late@example.com"}, api.Consent{}))(t)
	must(c.SubscribeContact(ctx, list, api.Details{"Email": found[7].Values["Email"]},
		api.Consent{Type: api.ConsentDirect, Text: "again"}))(t) // changes only the ledger
	must(c.UnsubscribeContact(ctx, list, found[8].Values["Email"], ""))(t)
	must(c.EditList(ctx, api.Details{"id": list, "name": "Renamed"}))(t)
	files := must(c.SearchFiles(ctx, api.Query{}))(t)
	must(c.UploadFile(ctx, files[1].FolderID, files[1].Name, []byte("GIF89a, changed"), true))(t)
	must(0, c.DeleteFile(ctx, files[2].ID))(t) // then another file gets its name
	must(c.UploadFile(ctx, files[2].FolderID, files[2].Name, []byte("another file"), false))(t)
	must(c.EditWebhook(ctx, api.Details{"id": must(c.SearchWebhooks(ctx, api.Query{}))(t)[0].ID, "url": "https://hooks.example.com/c"}))(t)
	must(c.AddField(ctx, list, api.Details{"name": "Shoe size", "type": "decimal"}))(t)
	must(c.EditContacts(ctx, list, []api.Details{{"id": found[9].ID, "Shoe size": "42.5"}}, false))(t)
}

// A move creates its database and prints the key. A move with --quick prints only what it has counted.
func TestAMoveCreatesItsDatabase(t *testing.T) {
	source := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct{ ID int64 }
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			t.Error(err)
		}
		fmt.Fprintf(w, `{"id":%d,"result":[],"error":null}`, call.ID)
	}))
	t.Cleanup(source.Close)
	db := filepath.Join(t.TempDir(), "new.db")
	status, printed, problem := migrate(t, source.URL, "key", db)
	if status != 0 || !strings.Contains(printed, "New database") {
		t.Fatalf("the command ended with %d, %s%s", status, printed, problem)
	}
	for _, column := range []string{"AT SOURCE", "REMOVED", "CHECKSUM"} {
		if !strings.Contains(strings.ToUpper(strings.ReplaceAll(printed, "_", " ")), column) {
			t.Errorf("the comparison has no column %s: %s", column, printed)
		}
	}
	status, printed, problem = migrate(t, source.URL, "key", db, "--quick")
	if status != 0 || strings.Contains(printed, "New database") {
		t.Errorf("the second run ended with %d, %s%s", status, printed, problem)
	}
	for _, column := range []string{"SOURCE", "LEFT", "ERASED", "REMOVED", "CHECKSUM"} {
		if heading, _, _ := strings.Cut(strings.ToUpper(printed), "\n"); strings.Contains(heading, column) {
			t.Errorf("the move did not count the column %s: %s", column, heading)
		}
	}
}
