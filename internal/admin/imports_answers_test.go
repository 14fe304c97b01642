package admin_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"regexp"
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
		{"dates and numbers of a column are written as the person says", (*importSite).asksHowColumnsAreWritten},
		{"an import at once asks before it stores anything, unless the form has the answer", (*importSite).asksAtOnce},
		{"a form with mistakes shows all of them and keeps its file", (*importSite).keepsTheFile},
		{"answers with mistakes are marked and stay", (*importSite).marksAnswers},
	} {
		s.Case(rule.name, func() { rule.test(s) })
	}
}

func (s *importSite) asksHowColumnsAreWritten() {
	list := s.AddList()
	path, _ := s.uploaded("f.csv", "Email;Spent;Joined;Paid\nf1@example.com;1,234;3/2/2026;1.234,50\n", "list", fmt.Sprint(list), "add_fields", "1")
	s.want(s.get("full", path), 200, "The values of the column Spent do not show which format they have: choose it below.",
		"The values of the column Joined do not show", `: "choose the format" of`, `"as 31/01/2026"`,
		`: "as 1.234,50, like the values" of`, `"as 1,234.50"`)
	targets := []string{"field:Email", "new", "new", "new"}
	path, _ = s.again(path+"/columns", url.Values{"target": targets, "decimal-1": {"point"}, "date-2": {"MM/DD/YYYY"}, "decimal-3": {""}})
	s.wantWithout(s.get("full", path), "do not show how")
	s.want(s.get("full", path), 200, `: "as 1,234.50" of`, `: "as 01/31/2026" of`)
	_, i := s.again(path+"/run", url.Values{})
	var got []string
	for _, c := range s.Contact(list, s.All(list)[0]).Values {
		got = append(got, c.Text)
	}
	if i.Added != 1 || strings.Join(got, " ") != "f1@example.com 1234 2026-03-02 1234.50" {
		s.Errorf("the Import is %+v, and the Contact has %q", i, got)
	}
}

func (s *importSite) asksAtOnce() {
	const file = "Email,Status\no1@example.com,active\no2@example.com,unsubscribed\n"
	list := s.AddList()
	path, i := s.uploaded("o.csv", file, "list", fmt.Sprint(list), "at_once", "1")
	if !i.Options.DryRun || s.contacts(list) != 0 {
		s.Errorf("the Import is %+v, want a dry run", i)
	}
	s.want(s.get("full", path), 200, "Put them on the Unsubscriber List", "Nothing is stored yet")
	if _, i = s.again(path+"/run", url.Values{"status": {"subscribe"}}); i.Added != 2 || i.Options.DryRun {
		s.Errorf("the Import is %+v", i)
	}
	list = s.AddList()
	_, i = s.uploaded("o.csv", file, "list", fmt.Sprint(list), "at_once", "1", "status", "leave_out")
	if i.Options.DryRun || i.Added != 1 || i.Skipped != 1 || i.Content != 0 {
		s.Errorf("the Import with an answer is %+v", i)
	}
}

func (s *importSite) keepsTheFile() {
	list := fmt.Sprint(s.AddList())
	long := strings.Repeat("ü", 256)
	got := s.upload("full", "k.csv", "Email,T\xf6wn\nk1@example.com,K\xf6ln\n", "list", list, "at_once", "1", "consent", "gdpr", "consent_text", long, "existing", "burn")
	s.want(got, 422, "The file was uploaded", "k.csv (", "at most 255 characters", "Choose one of these.", long, `name="at_once" value="1" checked`)
	s.wantWithout(got, " required")
	kept := regexp.MustCompile(`name="kept" value="(\d+)"`).FindStringSubmatch(got.body)
	if kept == nil {
		s.Fatal("the form has no file")
	}
	s.want(s.get("full", "/admin/imports/"+kept[1]), 200, "form not complete", "k1@example.com")
	fields := []string{"list", list, "at_once", "1", "kept", kept[1], "encoding", "utf-8", "consent", "gdpr", "consent_text", "fair in Bonn"}
	for _, person := range []string{"other", "restricted"} {
		if got := s.upload(person, "", "", fields...); got.status < 400 {
			s.Errorf("%s imports the file: %d", person, got.status)
		}
	}
	s.want(s.upload("full", "", "", fields...), 422, "UTF-8", "The file was uploaded", "fair in Bonn") // it cannot be read so
	got = s.upload("full", "", "", append(fields, "encoding", "windows-1252")...)
	if i := s.run(got.path); i.Added != 1 || i.Options.DryRun || i.Options.FileName != "k.csv" {
		s.Errorf("the Import is %+v", i)
	}
	s.want(s.upload("full", "", "", fields...), 422, "no longer stored. Choose it again")
}

func (s *importSite) marksAnswers() {
	list := s.AddList("double_opt_in_required", true)
	path, _ := s.uploaded("m.csv", "Email,Status\nm1@example.com,\nm2@example.com,cleaned\n", "list", fmt.Sprint(list))
	got := s.post("full", path+"/run", url.Values{"status": {"subscribe"}, "consent_text": {strings.Repeat("x", 256)}})
	s.want(got, 422, "First choose what happens to 1 new Contact", "!A statement can have at most 255 characters", `value="subscribe" checked`)
	got = s.post("full", path+"/run", url.Values{"confirm": {"statement"}, "status": {"subscribe"}})
	s.want(got, 422, "!Write the statement", `value="statement" checked`)
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
	s.want(s.get("full", path), 200, "0 of 2 new Contacts can get email. The List asks people to confirm. Not confirmed yet: 2.", "fair in Bonn")
	s.want(s.post("full", path+"/run", url.Values{}), 422, "First choose what happens to 2 new Contacts without a confirmation.")
	path, i = s.again(path+"/run", url.Values{"confirm": {"statement"}, "consent_text": {"fair in Rome"}})
	if i.Report.Mail.Receiving != 2 || s.Count(list, "double_opt_in", "exactly", "1") != 2 || i.Options.ConsentText != "fair in Rome" {
		s.Errorf("the Import is %+v", i)
	}
	s.want(s.get("full", path), 200, "2 of 2 new Contacts can get email.")

	list = s.AddList("name", "Confirms later")
	path, _ = s.uploaded("d.csv", "Email\ny3@example.com\n", "list", fmt.Sprint(list))
	s.Now = s.Now.Add(2 * time.Second)
	_, err := s.App.Lists.EditList(s.Context(), s.Caller, list, apptest.Details("double_opt_in_required", "1"))
	s.Must(err)
	path, i = s.again(path+"/run", url.Values{})
	if !i.Options.DryRun || s.Count(list, "is_active", "exactly", "1") != 0 {
		s.Error("a List that has begun to ask people to confirm gets Contacts without a question")
	}
	s.want(s.get("full", path), 200, "0 of 1 new Contact can get email.", "Send each of them a confirmation email")
}

func (s *importSite) asksForBadValues() {
	path, i := s.uploaded("born.csv", "Email;Born;Note\nz1@example.com;unbekannt;=1+1\nz2@example.com;2001-01-31;\n")
	s.want(s.get("full", path), 200, "1 row would be refused only for a value that does not fit.", "The column Note is not stored, such as =1+1.")
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
	path, i := s.uploaded("w.csv", "People\nEmail;Town\nw1@example.com;K\xf6ln\n", "encoding", "windows-1251")
	form := url.Values{"encoding": {"windows-1252"}, "delimiter": {";"}}
	for range i.Columns {
		form.Add("target", "")
	}
	path, i = s.again(path+"/columns", form)
	s.want(s.get("full", path), 200, "Köln", "characters in windows-1252", "1 row above the column names")
	if i.Added != 1 {
		s.Errorf("the dry run is %+v", i)
	}
}

func TestPagesImportFilesOfOtherPrograms(t *testing.T) {
	s := newImportSite(t)
	for _, c := range apptest.WildFiles(t) {
		s.Case(c.Name, func() {
			file, err := os.ReadFile(c.Path)
			s.Must(err)
			path, i := s.uploaded(c.Name, string(file), "list", fmt.Sprint(s.AddList()), "add_fields", "1")
			s.want(s.get("full", path), 200, c.Page)
			if i.Added != c.Added || i.Skipped != c.Skipped || i.Refused != c.Refused {
				s.Errorf("the dry run is %+v (%s), want %+v", i.ImportCounts, i.Reason, c)
			}
		})
	}
}
