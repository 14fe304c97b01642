package mail

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/enlist"
)

// The mails of testdata/reports are reduced from what mail servers send. In their names, blamed are refusals that hold
// nothing against the address, other are mails that report nothing, and missed and right are bounces, except those of kinds.
// {TO} is the address with the tag of the delivery, {TAG} the tag, {UNSUB} the link to unsubscribe.
//
// covers: decision 51
func TestReportsOfMailServersAreToldApart(t *testing.T) {
	kinds := map[string]ReportKind{
		"right-control-571": RefusalReport, "right-control-arf-sparse": ComplaintReport, "missed-complaint-jmrp": ComplaintReport,
		"right-complaint-ses-topic": ComplaintReport, "right-complaint-unsubscribe-mail": UnsubscribeMail,
		"blamed-dragonfly-data": NoReport, // a text without a reason
	}
	names := strings.NewReplacer("{TO}", "bounces+"+reportKey.Tag(reported)+"@example.org", "{TAG}", reportKey.Tag(reported),
		"{UNSUB}", "https://example.org"+reportKey.Path(enlist.Link{Kind: enlist.LinkUnsubscribe, DeliveryKey: reported}))
	files, err := filepath.Glob("testdata/reports/*.eml")
	if err != nil || len(files) < 30 {
		t.Fatalf("found %d mails, error %v", len(files), err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".eml")
		want, ok := kinds[name]
		if !ok {
			want = BounceReport
			switch {
			case strings.HasPrefix(name, "blamed-"):
				want = RefusalReport
			case strings.HasPrefix(name, "other-"):
				want = NoReport
			}
		}
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			for _, lines := range []string{"\n", "\r\n"} {
				mail := strings.ReplaceAll(names.Replace(string(text)), "\n", lines)
				got := ReadReport(strings.NewReader(mail), &reportKey, "")
				if got.Kind != want || got.Kind != NoReport && got.Delivery != reported {
					t.Errorf("lines end with %q: got %+v, want the kind %q", lines, got, want)
				}
				if gaveUp := strings.HasPrefix(got.Detail, "given up after tries: "); gaveUp != (name == "missed-450-unknown-user" || name == "missed-expired-after-5-days") {
					t.Errorf("the detail is %q", got.Detail)
				}
			}
		})
	}
}

// A bounce that is plain text counts only if the tag in its recipient is signed and its return path is empty.
//
// covers: decision 51
func TestATextIsABounceOnlyForItsSignedRecipient(t *testing.T) {
	text, err := os.ReadFile("testdata/reports/missed-qmail-text.eml")
	if err != nil {
		t.Fatal(err)
	}
	to := "bounces+" + reportKey.Tag(reported) + "@example.org"
	for name, change := range map[string]*strings.Replacer{
		"no tag in the recipient":  strings.NewReplacer("To: {TO}", "To: bounces@example.org", "{TO}", to),
		"a tag that is not signed": strings.NewReplacer("{TO}", "bounces+12-345-1767225600-a7-0123456789abcdef@example.org"),
		"a sender":                 strings.NewReplacer("Return-Path: <>", "Return-Path: <ann@example.com>", "{TO}", to),
	} {
		t.Run(name, func(t *testing.T) {
			if got := ReadReport(strings.NewReader(change.Replace(string(text))), &reportKey, ""); got.Kind != NoReport {
				t.Errorf("got %+v, want NoReport", got)
			}
		})
	}
}
