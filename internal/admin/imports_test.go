package admin_test

import (
	"bytes"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"enlist/internal/admin"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/users"

	"github.com/xuri/excelize/v2"
)

// This file tests the pages of Imports as a browser sees them, on one server.

// importSite is a server of the pages with an Account, its Lists and people.
type importSite struct {
	*apptest.Account
	url     string
	list    enlist.ListID
	second  enlist.ListID // the only List of the person "restricted"
	strict  enlist.ListID // needs a proof of consent
	cookies map[string]string
}

// importReply is a page.
type importReply struct {
	status int
	path   string // to which the browser goes, with its query
	body   string
	header http.Header
}

// covers: spec import.access, import.results
func TestPagesOfImports(t *testing.T) {
	s := newImportSite(t)
	for _, rule := range []struct {
		name string
		test func(*importSite)
	}{
		{"without Imports the page says how to begin", (*importSite).emptyPage},
		{"a dry run stores nothing, and its button imports the rows", (*importSite).dryRunThenImport},
		{"an Import can store its rows at once", (*importSite).atOnce},
		{"a workbook is imported, with its dates", (*importSite).workbook},
		{"a person says what the columns are, and how dates are written", (*importSite).chooseColumns},
		{"columns that are not clear are asked for, without a second upload", (*importSite).unclearColumns},
		{"an Import can be paused, continued and cancelled", (*importSite).pauseAndCancel},
		{"the page of an Import draws its speed while it runs", (*importSite).speed},
		{"markup in names, values and reasons stays text", (*importSite).markup},
		{"the results as CSV keep cells that begin with = as text", (*importSite).resultsFile},
		{"what is wrong with a file or an option stands beside its input, and the form keeps its values", (*importSite).errorsBesideInputs},
		{"an upload that breaks off or is too large imports nothing", (*importSite).badUploads},
		{"Imports of other Accounts and other Lists do not exist, and the level read sees none", (*importSite).access},
		{"only a person with the level full adds Fields", (*importSite).newFields},
		{"a form from another site changes nothing", (*importSite).otherSites},
	} {
		s.Case(rule.name, func() { rule.test(s) })
	}
}

func newImportSite(t *testing.T) *importSite {
	s := &importSite{Account: apptest.NewAccount(t, dbtest.SQLite.Own(t)), cookies: make(map[string]string)}
	handler := admin.New(s.App, admin.Options{Delay: func(*http.Request) {}, Log: slog.New(slog.DiscardHandler)})
	server := httptest.NewServer(handler)
	t.Cleanup(func() {
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
		server.Close()
	})
	s.url = server.URL
	s.list, s.second = s.AddList("name", "People"), s.AddList("name", "Second")
	s.strict = s.AddList("name", "Strict", "is_gdpr_compliant", true)
	s.AddField(s.list, "name", "Town", "type", "text")
	s.AddField(s.list, "name", "Born", "type", "date", "time_format", "off")
	account := s.Caller.Account.ID
	s.invite("full", users.Membership{Account: account, Level: enlist.Full})
	s.invite("standard", users.Membership{Account: account, Level: enlist.Standard})
	s.invite("read", users.Membership{Account: account, Level: enlist.Read})
	s.invite("restricted", users.Membership{Account: account, Level: enlist.Standard, Lists: []enlist.ListID{s.second}})
	s.invite("other", users.Membership{Account: s.NewCaller().Account.ID, Level: enlist.Full})
	return s
}

// invite adds a person who is signed in.
func (s *importSite) invite(name string, m users.Membership) {
	s.Helper()
	email := name + "@example.com"
	_, err := s.App.Users.Invite(s.Context(), users.Invitation{Email: email, Name: name, Membership: m})
	s.Must(err)
	text, err := s.App.Users.NewLink(s.Context(), email)
	s.Must(err)
	s.cookies[name], err = s.App.Users.UseLink(s.Context(), text, users.Browser{Agent: "test", IP: "192.0.2.1"})
	s.Must(err)
}

// do sends a request of a person. It follows no redirect.
func (s *importSite) do(person, method, path, kind string, body io.Reader, more ...string) importReply {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), method, s.url+path, body)
	s.Must(err)
	r.AddCookie(&http.Cookie{Name: "enlist", Value: s.cookies[person]})
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	for n := 0; n < len(more); n += 2 {
		r.Header.Set(more[n], more[n+1])
	}
	got, err := http.DefaultTransport.RoundTrip(r)
	s.Must(err)
	defer got.Body.Close()
	text, err := textOf(got)
	s.Must(err)
	return importReply{got.StatusCode, got.Header.Get("Location"), text, got.Header}
}

func (s *importSite) get(person, path string) importReply {
	s.Helper()
	return s.do(person, http.MethodGet, path, "", nil)
}

func (s *importSite) post(person, path string, form url.Values) importReply {
	s.Helper()
	return s.do(person, http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

// upload sends the form of a new Import. Pairs are names and values of its inputs.
func (s *importSite) upload(person, name, file string, pairs ...string) importReply {
	s.Helper()
	kind, body := s.form(name, file, pairs...)
	return s.do(person, http.MethodPost, "/admin/imports/new", kind, strings.NewReader(body))
}

// form returns a form with a file as a browser sends it.
func (s *importSite) form(name, file string, pairs ...string) (kind, body string) {
	s.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for n := 0; n < len(pairs); n += 2 {
		s.Must(w.WriteField(pairs[n], pairs[n+1]))
	}
	part, err := w.CreateFormFile("file", name)
	s.Must(err)
	_, err = part.Write([]byte(file))
	s.Must(err)
	s.Must(w.Close())
	return w.FormDataContentType(), b.String()
}

// uploaded uploads a file for the first List, runs its Import, and returns the path of its page and the Import.
func (s *importSite) uploaded(name, file string, pairs ...string) (string, *imports.Import) {
	s.Helper()
	got := s.upload("full", name, file, append([]string{"list", fmt.Sprint(s.list)}, pairs...)...)
	if got.status != http.StatusSeeOther {
		s.Fatalf("status %d: %s", got.status, got.body)
	}
	return got.path, s.run(got.path)
}

// run runs the Import of a page.
func (s *importSite) run(path string) *imports.Import {
	s.Helper()
	var id enlist.ImportID
	_, err := fmt.Sscanf(path, "/admin/imports/%d", &id)
	s.Must(err)
	s.Must(s.App.Imports.RunImport(s.Context(), id))
	i, err := s.App.Imports.Import(s.Context(), s.Caller, id)
	s.Must(err)
	return i
}

// want checks the status of a page and that it contains texts.
func (s *importSite) want(got importReply, status int, texts ...string) {
	s.Helper()
	if got.status != status {
		s.Errorf("status %d, want %d: %s", got.status, status, got.body)
	}
	if none := missing(got.body, texts...); len(none) > 0 {
		s.Errorf("the page does not show %q:\n%s", none, shown(got.body))
	}
}

// wantWithout checks that a page does not contain texts.
func (s *importSite) wantWithout(got importReply, texts ...string) {
	s.Helper()
	for _, text := range texts {
		if strings.Contains(got.body, text) {
			s.Errorf("the page contains %q:\n%s", text, got.body)
		}
	}
}

func (s *importSite) contacts(list enlist.ListID) int64 {
	return s.Count(list, "id", "greater_than", "0")
}

func (s *importSite) emptyPage() {
	got := s.get("standard", "/admin/imports")
	s.want(got, 200, "Nothing has been imported yet", "](/admin/imports/new)", "[Imports](/admin/imports)*")
	s.want(s.get("standard", fmt.Sprintf("/admin/imports/new?list=%d", s.second)), 200, `enctype="multipart/form-data"`,
		`List: "Second" of`, `name="at_once" value="" checked`, "of at most 1 GB")
	s.wantWithout(s.get("restricted", "/admin/imports/new"), ">People<")
}

const threeRows = "E-mail;Town;Colour\nann@example.com;Bonn;red\nnope;Rome;blue\nbob@example.com;Köln;green\n"

func (s *importSite) dryRunThenImport() {
	got := s.upload("standard", "people.csv", threeRows, "list", fmt.Sprint(s.list))
	waiting := s.get("standard", got.path)
	s.want(waiting, 200, "waiting for its turn", "Reloads every 2 seconds", "<Pause>", "<Cancel>")
	s.wantWithout(waiting, "rows now")
	s.want(s.get("standard", "/admin/imports"), 200, "Reloads", "people.csv", "People")
	i := s.run(got.path)
	if !i.Options.DryRun || s.contacts(s.list) != 0 || i.CreatorName != "standard" {
		s.Fatalf("the Import is %+v, and the List has %d Contacts; want a dry run", i, s.contacts(s.list))
	}
	page := s.get("standard", got.path)
	s.want(page, 200, "What would happen: 3 rows", "Import 2 rows now", "1 × Email: expected an address",
		"semicolons between the columns", "characters in utf-8", "ann@example.com · nope · bob@example.com",
		`: "Town" of`, "until Tue 16 Jun, 12:00", "Added: 2; Refused: 1;)")
	s.wantWithout(page, `http-equiv="refresh"`, "style=", "<script>")
	imported := s.post("standard", got.path+"/run", nil)
	if imported.status != http.StatusSeeOther || imported.path == got.path {
		s.Fatalf("status %d, path %s", imported.status, imported.path)
	}
	if i := s.run(imported.path); i.Added != 2 || i.Refused != 1 || s.contacts(s.list) != 2 {
		s.Errorf("the Import is %+v, and the List has %d Contacts; want 2", i, s.contacts(s.list))
	}
	s.want(s.get("standard", imported.path), 200, "Result: 3 rows", "imported")
	s.want(s.post("standard", got.path+"/run", nil), 422, "no longer stored")
	s.want(s.get("standard", got.path), 200, "it was imported later")
	s.want(s.get("standard", "/admin/imports"), 200, "1 to 2 of 2")
}

func (s *importSite) workbook() {
	f := excelize.NewFile()
	defer f.Close()
	s.Must(f.SetSheetRow("Sheet1", "A1", &[]any{"Email", "Born"}))
	s.Must(f.SetSheetRow("Sheet1", "A2", &[]any{"w@example.com", time.Date(1999, 12, 31, 0, 0, 0, 0, time.UTC)}))
	var b bytes.Buffer
	s.Must(f.Write(&b))
	path, i := s.uploaded("w.xlsx", b.String())
	if i.Added != 1 {
		s.Errorf("the Import is %+v", i)
	}
	s.want(s.get("full", path), 200, "the sheet “Sheet1” of a workbook", "1999-12-31", `: "Born" of`)
}

func (s *importSite) atOnce() {
	before := s.contacts(s.list)
	_, i := s.uploaded("at-once.csv", "Email\nonce@example.com\nann@example.com\n", "at_once", "1", "existing", "overwrite", "consent", "gdpr",
		"consent_text", " I want it ")
	if i.Added != 1 || i.Options.ConsentText != "I want it" || s.contacts(s.list) != before+1 || i.Content != 0 {
		s.Errorf("the Import is %+v, and the List has %d Contacts; want one more than %d", i, s.contacts(s.list), before)
	}
	path, _ := s.uploaded("left.csv", "Email\nonce@example.com\n", "as", "unsubscribers", "at_once", "1")
	s.want(s.get("full", path), 200, "Contacts unsubscribed")
}

func (s *importSite) chooseColumns() {
	path, i := s.uploaded("c.csv", "Email,When,Colour,Town\nc1@example.com,31.12.1999,red,Bonn\n")
	if len(i.Columns) != 4 {
		s.Fatalf("the columns are %+v", i.Columns)
	}
	chosen := url.Values{"target": {"field:Email", "field:Born", "new", ""}, "date-1": {"DD.MM.YYYY"}}
	s.want(s.post("full", path+"/columns", url.Values{"target": {"field:Email"}}), 422, "did not send all columns")
	both := url.Values{"target": {"field:Email", "field:Email", "new", "key:creation_time"}, "date-1": {"DD.MM.YYYY"}, "date-3": {"YYYYMMDD"}}
	s.want(s.post("full", path+"/columns", both), 422, "are both for", `: "a new Field" of`, // what was chosen stays
		`<option value="DD.MM.YYYY" selected>`, `: "when the person joined" of`, `<option value="YYYYMMDD" selected>`)
	s.want(s.post("full", path+"/columns", url.Values{"target": {"field:Email", "field:Nothing", "", ""}}), 422, "no Field")
	again := s.post("full", path+"/columns", chosen)
	next := s.run(again.path)
	if next.Added != 1 || next.Refused != 0 || !next.Options.DryRun {
		s.Errorf("the second dry run is %+v", next)
	}
	s.want(s.get("full", again.path), 200, `: "Born" of`, `<option value="DD.MM.YYYY" selected>`,
		`: "a new Field: text" of`, "Import 1 row now")
	s.want(s.post("standard", again.path+"/run", nil), 422, "needs a key of the level full")
	if stored := s.run(s.post("full", again.path+"/run", nil).path); stored.Added != 1 {
		s.Errorf("the Import is %+v", stored)
	}
	fields, err := s.App.Lists.SearchFields(s.Context(), s.Caller, s.list, enlist.Query{})
	s.Must(err)
	if name := fields[len(fields)-1].Name; name != "Colour" {
		s.Errorf("the last Field is %q, want Colour", name)
	}
	if s.Count(s.list, "Born", "exactly", "1999-12-31") != 1 {
		s.Errorf("no Contact has the date of the file")
	}
}

func (s *importSite) unclearColumns() {
	got := s.upload("standard", "u.csv", "Kontaktweg,X\nu1@example.com,u2@example.com\n", "list", fmt.Sprint(s.list), "at_once", "")
	page := s.get("standard", got.path)
	s.want(page, 200, "needs columns", "Choose what the columns are", "u1@example.com", `Field for the column X: "`)
	s.wantWithout(page, "--map", "rows now")
	again := s.post("standard", got.path+"/columns", url.Values{"target": {"field:Email", ""}})
	if i := s.run(again.path); i.Added != 1 {
		s.Errorf("the dry run is %+v", i)
	}
	got = s.upload("standard", "u.csv", "Kontaktweg\nnone\n", "list", fmt.Sprint(s.list), "at_once", "1") // is asked too
	s.want(s.get("standard", got.path), 200, "needs columns", `Field for the column Kontaktweg: "is left out" of`)
}

func (s *importSite) pauseAndCancel() {
	before := s.contacts(s.list)
	got := s.upload("standard", "p.csv", "Email\np1@example.com\n", "list", fmt.Sprint(s.list), "at_once", "1")
	paused := s.post("standard", got.path+"/pause", nil)
	s.run(got.path)
	page := s.get("standard", paused.path)
	s.want(page, 200, "paused", "<Continue>", "Rows that were already stored are kept")
	s.wantWithout(page, "Reloads")
	s.post("standard", got.path+"/resume", nil)
	s.want(s.get("standard", got.path), 200, "waiting for its turn")
	s.post("standard", got.path+"/cancel", nil)
	if i := s.run(got.path); i.State != imports.ImportCancelled || s.contacts(s.list) != before {
		s.Errorf("the Import is %+v", i)
	}
	s.want(s.post("standard", got.path+"/resume", nil), 422, "The import is cancelled already")
	s.want(s.post("standard", got.path+"/burn", nil), 404)
}

func (s *importSite) speed() {
	got := s.upload("standard", "p.csv", "Email\np1@example.com\n", "list", fmt.Sprint(s.list), "at_once", "1")
	s.wantWithout(s.get("standard", got.path), "Rows per second")
	id := s.run(got.path).ID
	s.Must(s.Store.Update(s.Context(), func(tx *db.Tx) error { // as if it had paused, and still ran
		return tx.Do(`UPDATE import SET state = 'running', start_time = ?, speed = '{"every":2,"rows":[4000,0,3000]}'
			WHERE id = ?`, s.Now.Unix()-5, int64(id))
	}))
	at := func(second int) string {
		return s.Now.UTC().Add(time.Duration(second-5) * time.Second).Format("15:04:05")
	}
	s.want(s.get("standard", got.path), 200, "Reloads", "# Rows per second",
		at(0)+": 2,000 rows per second;", at(2)+": 0 rows", at(4)+" | 3,000 |")
}

func (s *importSite) markup() {
	const evil = `<script>alert(1)</script>"'&`
	quoted := `"` + strings.ReplaceAll(evil, `"`, `""`) + `"`
	file := "Email," + quoted + "\n" + `"<img src=x onerror=alert(2)>",<b>1</b>` + "\n"
	path, _ := s.uploaded("<i>x<b>.csv", file)
	for _, p := range []string{path, "/admin/imports", path + "?done=" + url.QueryEscape(evil)} {
		got := s.get("full", p)
		s.want(got, 200, "<i>x<b>.csv")
		s.wantWithout(got, "<script>alert", "<img src=x", "<i>x", "<b>1")
	}
	s.want(s.get("full", path), 200, "<img src=x onerror=alert(2)>", "<script>")
	list := s.AddList("name", evil)
	got := s.get("full", "/admin/imports/new")
	s.wantWithout(got, "<script>alert")
	got = s.upload("full", "m.csv", "", "list", fmt.Sprint(list), "consent_text", evil, evil, evil)
	s.want(got, 422, "<script>alert(1)</script>")
	s.wantWithout(got, "<script>alert")
	got = s.upload("full", "m.csv", quoted+"\na@example.com\n", "list", fmt.Sprint(list), evil, evil)
	s.run(got.path)
	s.wantWithout(s.get("full", got.path), "<script>alert")
	refused := s.post("full", got.path+"/columns", url.Values{"target": {"field:" + evil}})
	s.want(refused, 422, "no Field", "<script>")
	s.wantWithout(refused, "<script>alert")
}

func (s *importSite) resultsFile() {
	path, _ := s.uploaded("r.csv", "Email\nr1@example.com\n\"=HYPERLINK(\"\"http://x\"\")\"\n+49 1\n")
	got := s.get("standard", path+"/results.csv")
	s.want(got, 200, "\xef\xbb\xbfrow,outcome,contact_id,reason,field,value\r\n1,added,0,", `"'=HYPERLINK(""http://x"")"`, `"'+49 1"`)
	if h := got.header; !strings.HasPrefix(h.Get("Content-Type"), "text/csv") || !strings.HasPrefix(h.Get("Content-Disposition"), "attachment") ||
		h.Get("X-Content-Type-Options") != "nosniff" {
		s.Errorf("the header is %v", h)
	}
	s.wantWithout(s.get("standard", path+"/results.csv?outcome=refused"), "added")
	s.want(s.get("other", path+"/results.csv"), 404)
	s.want(s.get("restricted", path+"/results.csv"), 404)
	s.want(s.get("read", path+"/results.csv"), 403)
}

func (s *importSite) newFields() {
	list := []string{"list", fmt.Sprint(s.list), "add_fields", "1", "at_once", "1"}
	s.wantWithout(s.get("standard", "/admin/imports/new"), "add_fields")
	s.want(s.upload("standard", "f.csv", "Email,Pet\nf@example.com,cat\n", list...), 422, "Only a manager or an owner can add Fields by an import.")
	got := s.upload("full", "f.csv", "Email,Pet\nf@example.com,cat\n", list...)
	if i := s.run(got.path); i.Added != 1 || i.Columns[1].Target != "Pet" || i.Columns[1].Field == 0 {
		s.Errorf("the Import is %+v", i)
	}
}
