package imports_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"enlist/internal/imports"
)

// shownParts returns a line for each note and each part: its kind, its mappings and its file.
func shownParts(t *testing.T, preset, name, file string, o imports.ImportOptions) string {
	t.Helper()
	p, err := imports.PresetNamed(preset)
	check(t, err)
	o.FileName = name
	parts, lines, err := p.Parts(strings.NewReader(file), int64(len(file)), o)
	if err != nil {
		return err.Error()
	}
	for _, part := range parts {
		line := part.Options.As + ":"
		for _, m := range part.Options.Map {
			line += fmt.Sprintf(" %s=%s", m.Column, m.Target)
		}
		in, err := part.Open()
		check(t, err)
		text, err := io.ReadAll(in)
		check(t, err)
		check(t, in.Close())
		lines = append(lines, fmt.Sprintf("%s %q", line, text))
	}
	return strings.Join(lines, "\n")
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// zipOf returns a .zip file. namesAndTexts are the name and the text of each file.
func zipOf(t *testing.T, namesAndTexts ...string) string {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for i := 0; i < len(namesAndTexts); i += 2 {
		w, err := archive.Create(namesAndTexts[i])
		check(t, err)
		_, err = io.WriteString(w, namesAndTexts[i+1])
		check(t, err)
	}
	check(t, archive.Close())
	return b.String()
}

// covers: spec import.preset, decision 68
func TestPresets(t *testing.T) {
	t.Parallel()
	subscribed, cleaned := "Email Address,CONFIRM_TIME,LEID\na@b.de,2024-01-31 10:00:00,1\n", "Email Address,CLEAN_TIME\nc@d.de,2024-01-31 10:00:00\n"
	unsubscribed := "Email Address,UNSUB_TIME\ne@f.de,2024-01-31 10:00:00\n"
	states := "cid,status,HASH_EMAIL,EMAIL,MERGE_NAME\n1,bounced,x,a@b.de,\"A; \"\"x\"\"\"\n2,subscribed,y,c@d.de,C\n3,complained,z,e@f.de,\n"
	for _, c := range []struct {
		rule, preset, name, file string
		o                        imports.ImportOptions
		want                     []string
	}{
		{"each file of Mailchimp is of one kind", "mailchimp", "x.zip", zipOf(t, "x/cleaned_members_export_1.csv", cleaned, "x/nonsubscribed_email_audience_export_1.csv", "a\n",
			"x/unsubscribed_email_audience_export_1.csv", unsubscribed, "x/subscribed_email_audience_export_1.csv", subscribed), imports.ImportOptions{}, []string{
			"nonsubscribed_email_audience_export_1.csv is left out: its persons did not agree to mails",
			fmt.Sprintf("contacts: CONFIRM_TIME=creation_time LEID= %q", subscribed),
			fmt.Sprintf("unsubscribers: UNSUB_TIME=unsubscribed_time %q", unsubscribed),
			fmt.Sprintf("bounced: CLEAN_TIME= %q", cleaned)}},
		{"a single file of Mailchimp", "mailchimp", "unsubscribed_members_export_1.csv", unsubscribed, imports.ImportOptions{},
			[]string{fmt.Sprintf("unsubscribers: UNSUB_TIME=unsubscribed_time %q", unsubscribed)}},
		{"another name is refused", "mailchimp", "people.csv", subscribed, imports.ImportOptions{},
			[]string{`the name of the file "people.csv" says not what its rows are: it must begin with one of cleaned_, nonsubscribed_, subscribed_, unsubscribed_`}},
		{"the mapping of the operator wins", "mailchimp", "subscribed_x.csv", subscribed, imports.ImportOptions{Map: []imports.ImportMapping{{Column: "confirm_time", Target: "Joined"}}},
			[]string{fmt.Sprintf("contacts: confirm_time=Joined LEID= %q", subscribed)}},
		{"the rows of each state", "mailtrain", "x.csv", states, imports.ImportOptions{}, []string{
			`contacts: cid= status= HASH_EMAIL= "cid,status,HASH_EMAIL,EMAIL,MERGE_NAME\n2,subscribed,y,c@d.de,C\n"`,
			`complained: cid= status= HASH_EMAIL= "cid,status,HASH_EMAIL,EMAIL,MERGE_NAME\n3,complained,z,e@f.de,\n"`,
			`bounced: cid= status= HASH_EMAIL= "cid,status,HASH_EMAIL,EMAIL,MERGE_NAME\n1,bounced,x,a@b.de,\"A; \"\"x\"\"\"\n"`}},
		{"an unknown state is refused", "keila", "x.csv", "Email,Status\na@b.de,active\nc@d.de,gone\n", imports.ImportOptions{}, []string{`x.csv: row 2 has the unknown state "gone" in the column status`}},
		{"a row that cannot be read is refused", "keila", "x.csv", "Email,Status\n\"a@b.de,active\n", imports.ImportOptions{},
			[]string{"x.csv: row 1 cannot be read: a quote that is not closed"}},
		{"a file without states", "keila", "x.csv", "Email,Data\na@b.de,{}\n", imports.ImportOptions{}, []string{
			"the file has no column status, so all its persons become subscribers: import those who have unsubscribed with --as unsubscribers", `contacts: "Email,Data\na@b.de,{}\n"`}},
		{"the order of day and month is not guessed", "brevo", "x.csv", "EMAIL;EMAIL_BLACKLISTED;ADDED_TIME\na@b.de;Yes;01-02-2024\n", imports.ImportOptions{},
			[]string{`unsubscribers: EMAIL_BLACKLISTED= ADDED_TIME= "EMAIL,EMAIL_BLACKLISTED,ADDED_TIME\na@b.de,Yes,01-02-2024\n"`}},
		{"the operator names the order", "brevo", "x.csv", "EMAIL;ADDED_TIME;EMAIL_BLACKLISTED\na@b.de;01-02-2024;\n", imports.ImportOptions{Dates: []imports.ImportMapping{{Column: "ADDED_TIME", Target: "DD-MM-YYYY"}}},
			[]string{`contacts: ADDED_TIME=creation_time EMAIL_BLACKLISTED= "EMAIL,ADDED_TIME,EMAIL_BLACKLISTED\na@b.de,01-02-2024,\n"`}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			if got, want := shownParts(t, c.preset, c.name, c.file, c.o), strings.Join(c.want, "\n"); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
	if _, err := imports.PresetNamed("x"); err == nil {
		t.Error("an unknown preset was accepted")
	}
}
