package admin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"enlist/internal/imports"
)

// This file tests what the pages of Imports refuse: wrong inputs, broken files, and people without the right.

func (s *importSite) errorsBesideInputs() {
	before := s.contacts(s.list)
	list := fmt.Sprint(s.list)
	for _, c := range []struct {
		rule, name, file, wrong, text string
		pairs                         []string
	}{
		{"no file", "", "", "file", "Choose a file.", []string{"list", list}},
		{"an empty file", "e.csv", "", "file", "The file is empty.", []string{"list", list}},
		{"no workbook", "b.xlsx", "PK\x03\x04 broken", "file", "The file", []string{"list", list}},
		{"a damaged .gz file", "b.csv.gz", "\x1f\x8b\x08\x00broken", "file", "", []string{"list", list}},
		{"a header in another encoding", "l.csv", "Email,T\xf6wn\na@example.com,K\xf6ln\n", "file", "UTF-8", []string{"list", list, "encoding", "utf-8"}},
		{"an unknown encoding", "l.csv", "Email\n", "encoding", "Choose one of these.", []string{"list", list, "encoding", "klingon"}},
		{"an unknown delimiter", "l.csv", "Email\n", "delimiter", "Choose one of these.", []string{"list", list, "delimiter", "q"}},
		{"no List", "l.csv", "Email\n", "list", "Choose a List.", nil},
		{"a long statement", "l.csv", "Email\na@example.com\n", "consent_text", "at most 255 characters", []string{"list", list, "consent", "gdpr", "consent_text", strings.Repeat("ü", 256)}},
	} {
		s.Case(c.rule, func() {
			got := s.upload("standard", c.name, c.file, append(c.pairs, "at_once", "1", "decimal_comma", "1")...)
			s.want(got, 422, `role="alert"`, c.text, `aria-describedby="wrong-`+c.wrong+`"`,
				`name="at_once" value="1" checked`, `name="decimal_comma" value="1" checked`)
			input := regexp.MustCompile(`name="` + c.wrong + `"[^>]*aria-invalid="true"`)
			if !input.MatchString(got.body) {
				s.Errorf("the input %s is not marked:\n%s", c.wrong, got.body)
			}
		})
	}
	s.want(s.do("standard", http.MethodPost, "/admin/imports/new", "application/x-www-form-urlencoded", strings.NewReader("list=1")), 422, "Choose a file.")
	got := s.upload("standard", "l.csv", "Email,Town\na@example.com,K\xf6ln\n", "list", list, "encoding", "utf-8")
	s.run(got.path)
	s.want(s.get("standard", got.path), 200, "name the encoding of the file")
	if after := s.contacts(s.list); after != before {
		s.Errorf("the List has %d Contacts, want %d", after, before)
	}
}

func (s *importSite) badUploads() {
	s.Must(s.App.Accounts.ChangeSettings(s.Context(), s.Caller.Account.ID, map[string]string{"max-import": "2000"}))
	s.Must(s.App.ReadSettings(s.Context()))
	pairs := []string{"list", fmt.Sprint(s.list), "at_once", "1", "consent_text", "I agree"}
	large := "Email\n" + strings.Repeat("x", 3000)
	s.want(s.upload("standard", "a.csv", large, pairs...), 422, "larger than 1.95 KB")
	s.want(s.upload("standard", "a.csv", large+strings.Repeat("x", 2<<20), pairs...), 422, "larger than 1.95 KB", `: "I agree"`)
	kind, body := s.form("a.csv", "Email\ncut@example.com\n", pairs...)
	cut := strings.Index(body, "cut@") + 10
	s.want(s.do("standard", http.MethodPost, "/admin/imports/new", kind, strings.NewReader(body[:cut])), 422, "stopped before the end of the file")
	kind, body = s.form("a.csv", large+strings.Repeat("x", 2<<20), pairs...)
	streamed := io.MultiReader(strings.NewReader(body)) // its length is not known
	s.want(s.do("standard", http.MethodPost, "/admin/imports/new", kind, streamed), 422, "larger than 1.95 KB")
	all, err := s.App.Imports.AllImports(s.Context(), s.Caller)
	s.Must(err)
	for n := range all {
		if i := &all[n]; i.Options.FileName == "a.csv" && i.State != imports.ImportFailed {
			s.Errorf("the Import is %+v, want it failed", i)
		}
	}
	s.Must(s.App.Accounts.ChangeSettings(s.Context(), s.Caller.Account.ID, map[string]string{"max-import": "1GiB"}))
	s.Must(s.App.ReadSettings(s.Context()))
	if s.Count(s.list, "Email", "starts_with", "cut@") != 0 {
		s.Errorf("a part of a file was imported")
	}
	account := url.Values{"account": {fmt.Sprint(s.Caller.Account.ID)}, "more": {strings.Repeat("x", 2<<20)}}
	s.want(s.post("standard", "/admin/account", account), 422)
}

func (s *importSite) access() {
	path, _ := s.uploaded("secret.csv", "Email\nsecret@example.com\n")
	for _, c := range []struct {
		person string
		status int
	}{{"other", 404}, {"restricted", 404}, {"read", 403}} {
		s.Case(c.person, func() {
			for _, got := range []importReply{s.get(c.person, path), s.post(c.person, path+"/pause", nil), s.post(c.person, path+"/run", nil),
				s.post(c.person, path+"/columns", url.Values{"target": {"field:Email"}}),
				s.upload(c.person, "a.csv", "Email\n", "list", fmt.Sprint(s.list)),
				s.upload(c.person, "a.csv", "Email\n", "list", fmt.Sprint(s.list), "add_fields", "1")} {
				s.want(got, c.status)
				s.wantWithout(got, "secret")
			}
			s.wantWithout(s.get(c.person, "/admin/imports"), "secret.csv")
		})
	}
	s.want(s.get("read", "/admin/imports"), 403)
	s.want(s.get("read", "/admin/imports/new"), 403)
	s.wantWithout(s.get("read", "/admin/"), "/admin/imports")
	s.want(s.get("full", "/admin/imports/0"), 404)
	s.want(s.get("full", "/admin/imports/nonsense"), 404)
	if got := s.get("", path); got.status != http.StatusSeeOther || !strings.HasPrefix(got.path, "/admin/sign-in") {
		s.Errorf("without a session: status %d, path %s", got.status, got.path)
	}
	if got := s.upload("restricted", "b.csv", "Email\nb@example.com\n", "list", fmt.Sprint(s.second)); got.status != http.StatusSeeOther {
		s.Errorf("the person's own List: status %d, %s", got.status, got.body)
	}
	if i := s.run(path); !i.HasKeptFile() {
		s.Errorf("a person who may not see the Import has changed it: %+v", i)
	}
}

func (s *importSite) otherSites() {
	path, _ := s.uploaded("o.csv", "Email\no@example.com\n")
	kind, body := s.form("x.csv", "Email\nx@example.com\n", "list", fmt.Sprint(s.list), "at_once", "1")
	for _, p := range []string{path + "/run", path + "/cancel", "/admin/imports/new"} {
		s.want(s.do("full", http.MethodPost, p, kind, strings.NewReader(body), "Sec-Fetch-Site", "cross-site"), 403)
	}
}
