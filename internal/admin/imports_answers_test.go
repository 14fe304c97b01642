package admin_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/imports"
)

// This file tests what the page of an Import asks, and that files of other programs give on pages what they should.

// covers: spec import.status, import.confirm, import.badvalues, import.refused
func TestPagesOfImportsAsk(t *testing.T) {
	s := newImportSite(t)
	for _, rule := range []struct {
		name string
		test func(*importSite)
	}{
		{"rows of people who have left ask what becomes of them", (*importSite).asksWhoHasLeft},
		{"new Contacts of a List that asks people to confirm need an answer, also if they are imported at once", (*importSite).asksHowToConfirm},
		{"values that do not fit can be left out, and refused rows come back", (*importSite).asksForBadValues},
		{"a missing proof of consent is asked for without a second upload, and is no failure on Home", (*importSite).asksForConsent},
		{"an archive of Mailchimp becomes an Import for each status", (*importSite).archive},
		{"the person says how the file is written", (*importSite).asksHowItIsWritten},
	} {
		s.Case(rule.name, func() { rule.test(s) })
	}
}

// again runs the Import that an answer has added, and returns its path and the Import.
func (s *importSite) again(path string, form url.Values) (string, *imports.Import) {
	s.Helper()
	got := s.post("full", path, form)
	if got.status != http.StatusSeeOther {
		s.Fatalf("status %d: %s", got.status, got.body)
	}
	return got.path, s.run(got.path)
}

func (s *importSite) asksWhoHasLeft() {
	path, _ := s.uploaded("status.csv", "Email,Status\nx1@example.com,active\nx2@example.com,unsubscribed\nx3@example.com,active\n")
	s.want(s.get("full", path), 200, "The column Status says unsubscribed in 1 of 3 rows.", "Put them on the Unsubscriber List", "Import 2 rows now")
	path, i := s.again(path+"/run", url.Values{"status": {"unsubscribe"}, "again": {"1"}})
	if i.Added != 3 || !i.Options.DryRun {
		s.Errorf("the second dry run is %+v", i)
	}
	s.want(s.get("full", path), 200, "They go to the Unsubscriber List.", "Import 3 rows now", `value="unsubscribe" checked`)
	_, i = s.again(path+"/run", url.Values{"status": {"unsubscribe"}})
	if i.Added != 3 || i.Options.DryRun || s.Count(s.list, "Email", "exactly", "x2@example.com") != 0 {
		s.Errorf("the Import is %+v", i)
	}
}

func (s *importSite) asksHowToConfirm() {
	list := s.AddList("name", "Confirms", "double_opt_in_required", true)
	path, i := s.uploaded("c.csv", "Email\ny1@example.com\ny2@example.com\n", "list", fmt.Sprint(list), "at_once", "1", "consent", "gdpr",
		"consent_text", "fair in Bonn")
	if !i.Options.DryRun {
		s.Fatal("the Import did not ask")
	}
	s.want(s.get("full", path), 200, "Of 2 new Contacts, 0 can get mail. The List asks people to confirm, and 2 have not.", "fair in Bonn")
	s.want(s.post("full", path+"/run", url.Values{}), 422, "Say first what happens to 2 new Contacts without a confirmation")
	path, i = s.again(path+"/run", url.Values{"confirm": {"statement"}, "consent_text": {"fair in Rome"}})
	if i.Report.Mail.Receiving != 2 || s.Count(list, "double_opt_in", "exactly", "1") != 2 || i.Options.ConsentText != "fair in Rome" {
		s.Errorf("the Import is %+v", i)
	}
	s.want(s.get("full", path), 200, "Of 2 new Contacts, 2 can get mail.")

	list = s.AddList("name", "Confirms later")
	path, _ = s.uploaded("d.csv", "Email\ny3@example.com\n", "list", fmt.Sprint(list))
	s.Now = s.Now.Add(2 * time.Second)
	_, err := s.App.Lists.EditList(s.Context(), s.Caller, list, apptest.Details("double_opt_in_required", "1"))
	s.Must(err)
	path, i = s.again(path+"/run", url.Values{})
	if !i.Options.DryRun || s.Count(list, "is_active", "exactly", "1") != 0 {
		s.Error("a List that has begun to ask people to confirm gets Contacts without a question")
	}
	s.want(s.get("full", path), 200, "Of 1 new Contact, 0 can get mail.", "Send each of them a mail that asks to confirm")
}

func (s *importSite) asksForBadValues() {
	path, i := s.uploaded("born.csv", "Email;Born;Note\nz1@example.com;unbekannt;=1+1\nz2@example.com;2001-01-31;\n")
	s.want(s.get("full", path), 200, "1 row would be refused only for a value that does not fit.", "The column Note is not stored, such as =1&#43;1.")
	file := s.get("full", path+"/refused")
	want := "\ufeffEmail;Born;Note;refused because\r\nz1@example.com;unbekannt;=1+1;"
	if file.status != 200 || !strings.HasPrefix(file.body, want) || !strings.Contains(file.header.Get("Content-Disposition"), fmt.Sprintf("refused-%d.csv", i.ID)) {
		s.Errorf("the refused rows are %d %q, want %q", file.status, file.body, want)
	}
	for person, status := range map[string]int{"other": 404, "restricted": 404, "read": 403} {
		s.want(s.get(person, path+"/refused"), status)
	}
	path, i = s.again(path+"/run", url.Values{"bad_values": {"leave_out"}})
	if i.Added != 2 {
		s.Errorf("the Import is %+v", i)
	}
	s.want(s.get("full", path), 200, "Left out of the column Born: 1 value that did not fit, such as unbekannt.")
}

func (s *importSite) asksForConsent() {
	got := s.upload("full", "l.csv", "Email\nc1@example.com\n", "list", fmt.Sprint(s.strict), "at_once", "1")
	if got.status != http.StatusSeeOther {
		s.Fatalf("status %d: %s", got.status, got.body)
	}
	s.want(s.get("full", got.path), 200, "needs a proof of consent", "Write the statement that the people agreed to")
	s.wantWithout(s.get("full", "/admin/"), "An Import failed")
	path, _ := s.again(got.path+"/run", url.Values{"consent_text": {"fair in Bonn"}, "again": {"1"}})
	s.want(s.get("full", path), 200, "Import 1 row now")
}

func (s *importSite) archive() {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"subscribed_email_audience_export_1.csv":    "Email Address,OPTIN_TIME\nm1@example.com,2024-05-01 10:00:00\n",
		"unsubscribed_email_audience_export_1.csv":  "Email Address,UNSUB_TIME\nm2@example.com,2024-05-02 10:00:00\n",
		"cleaned_email_audience_export_1.csv":       "Email Address,CLEAN_TIME\nm3@example.com,2024-05-03 10:00:00\n",
		"nonsubscribed_email_audience_export_1.csv": "Email Address\nm4@example.com\n",
	} {
		part, err := w.Create(name)
		s.Must(err)
		_, err = part.Write([]byte(text))
		s.Must(err)
	}
	s.Must(w.Close())
	list := s.AddList("name", "Mailchimp")
	got := s.upload("full", "audience.zip", b.String(), "list", fmt.Sprint(list), "at_once", "1")
	if got.status != http.StatusSeeOther || !strings.HasPrefix(got.path, "/admin/imports?") {
		s.Fatalf("status %d to %s: %s", got.status, got.path, got.body)
	}
	all, err := s.App.Imports.AllImports(s.Context(), s.Caller)
	s.Must(err)
	var kinds []string
	for _, i := range all {
		if i.ListID == list {
			s.Must(s.App.Imports.RunImport(s.Context(), i.ID))
			kinds = append(kinds, i.Options.As)
		}
	}
	apptest.Same(s.T, "the Imports", kinds, []string{imports.AsContacts, imports.AsUnsubscribers, imports.AsBounced})
	if s.contacts(list) != 1 || s.Count(list, "Email", "exactly", "m1@example.com") != 1 {
		s.Errorf("the List has %d Contacts, want the subscribed one", s.contacts(list))
	}
	s.wantWithout(s.get("full", "/admin/"), "An Import failed")
}

func (s *importSite) asksHowItIsWritten() {
	path, i := s.uploaded("w.csv", "Email;Town\nw1@example.com;K\xf6ln\n", "encoding", "windows-1251")
	form := url.Values{"encoding": {"windows-1252"}, "delimiter": {";"}}
	for range i.Columns {
		form.Add("target", "")
	}
	path, i = s.again(path+"/columns", form)
	s.want(s.get("full", path), 200, "Köln", "characters in windows-1252")
	if i.Added != 1 {
		s.Errorf("the dry run is %+v", i)
	}
}

// wild are files of other programs with what becomes of their rows: added, skipped, refused. The last column is what a
// page says of them.
var wild = []struct {
	file                    string
	added, skipped, refused int64
	says                    string
}{
	{"apostrophe-phone.csv", 2, 0, 1, ""},
	{"cp1251-names.csv", 2, 0, 0, "characters in windows-1251"},
	{"double-bom.csv", 1, 0, 0, ""},
	{"empty-shared-text.xlsx", 1, 0, 0, ""},
	{"error-in-other-column.xlsx", 1, 0, 0, ""}, // a column without values is not stored
	{"generic-status.csv", 1, 2, 0, "The column Status says unsubscribed, cleaned in 2 of 3 rows."},
	{"ghost-members.csv", 1, 1, 0, "The column subscribed_to_emails says false in 1 of 2 rows."},
	{"google-sheets-visible.xlsx", 1, 0, 0, ""},
	{"header-nbsp-newline.xlsx", 1, 0, 0, ""},
	{"headers-german.csv", 1, 0, 0, ""},
	{"headers-japanese.csv", 1, 0, 0, ""},
	{"listmonk-export.csv", 1, 1, 0, "The column status says blocklisted in 1 of 2 rows."},
	{"one-column.txt", 2, 0, 0, ""},
	{"quote-inside-cell.csv", 2, 0, 0, ""},
	{"sjis-names.csv", 1, 0, 0, "characters in shift_jis"},
	{"zero-width.csv", 4, 0, 0, ""},
	{"zip-code-format.xlsx", 1, 0, 0, ""},
}

func TestPagesImportFilesOfOtherPrograms(t *testing.T) {
	s := newImportSite(t)
	for _, c := range wild {
		s.Case(c.file, func() {
			file, err := os.ReadFile(filepath.Join("../imports/testdata/wild", c.file))
			s.Must(err)
			list := s.AddList()
			path, i := s.uploaded(c.file, string(file), "list", fmt.Sprint(list), "add_fields", "1")
			s.want(s.get("full", path), 200, c.says)
			if i.Added != c.added || i.Skipped != c.skipped || i.Refused != c.refused {
				s.Errorf("the dry run is %+v (%s), want %+v", i.ImportCounts, i.Reason, c)
			}
		})
	}
}
