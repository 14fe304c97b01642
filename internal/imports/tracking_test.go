package imports_test

import (
	"fmt"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file tests the column with decisions about the recording of opens and clicks.
//
// covers: spec import.tracking
func TestImportedDecisions(t *testing.T) {
	apptest.Run(t, apptest.Shared, newImportFixture, []apptest.Rule[*importFixture]{
		{Name: "words of several languages decide, an empty cell does not, and another word refuses the row", Test: decisionWords},
		{Name: "a file replaces a refusal only with overrule_refusals", Test: overruledRefusal},
		{Name: "the ledger has the text, its version and the row of the file", Test: importedDecisionInLedger},
		{Name: "an enlist file, headings of other services, and a Field with the name", Test: decisionHeadings},
	})
}

// decisions returns the decisions of the addresses a@… to the one with a letter.
func (f *importFixture) decisions(last byte) string {
	f.Helper()
	var all []string
	for letter := byte('a'); letter <= last; letter++ {
		all = append(all, f.person(string(letter)+"@example.com").TrackingConsent.String())
	}
	return strings.Join(all, " ")
}

func decisionWords(f *importFixture) {
	i := f.runs("Email,tracking_consent\na@example.com,Granted\nb@example.com,opt-out\nc@example.com,oui\nd@example.com,NEIN\n"+
		"e@example.com,\nf@example.com,unknown\ng@example.com,1\nh@example.com,否\ni@example.com,maybe\n", nil)
	if got, want := f.decisions('h'), "granted denied granted denied unknown unknown granted denied"; got != want {
		f.Errorf("the decisions are %s, want %s", got, want)
	}
	results := f.outcomes(i)
	if last := results[len(results)-1]; !strings.HasPrefix(last, "9 refused") || !strings.Contains(last, "expected granted, denied, yes or no") {
		f.Errorf("the row with another word is %s", last)
	}
}

func overruledRefusal(f *importFixture) {
	file := func(decision string) string { return "Email,tracking_consent\na@example.com," + decision + "\n" }
	for _, c := range []struct {
		decision       string
		overwrite, may bool
		want           string
	}{
		{"yes", false, false, "granted"}, {"no", false, false, "granted"}, {"no", true, false, "denied"}, {"yes", true, false, "denied"},
		{"", true, true, "denied"}, {"yes", true, true, "granted"}, {"unknown", true, true, "granted"},
	} {
		f.runs(file(c.decision), func(o *imports.ImportOptions) {
			o.OverruleRefusals = c.may
			if c.overwrite {
				o.Existing = imports.ExistingOverwrite
			}
		})
		if got := f.decisions('a'); got != c.want {
			f.Errorf("after %q, overwrite %v, overrule_refusals %v the decision is %s, want %s", c.decision, c.overwrite, c.may, got, c.want)
		}
	}
	i := f.runs("Email,tracking_consent\na@example.com,no\na@example.com,yes\n", func(o *imports.ImportOptions) {
		o.Existing, o.DryRun = imports.ExistingOverwrite, true
	})
	apptest.Same(f.T, "results of a dry run", f.outcomes(i), []string{"1 updated", "2 unchanged the Contact has these values already"})
	if got := f.decisions('a'); got != "granted" {
		f.Errorf("a dry run has changed the decision to %s", got)
	}
}

func importedDecisionInLedger(f *importFixture) {
	i := f.runs("Email,tracking_consent,tracking_text,tracking_text_version\na@example.com,yes,We count.,v2\nb@example.com,no,,\n",
		func(o *imports.ImportOptions) { o.ConsentType, o.ConsentText = "direct", "Stated by the club." })
	for n, want := range []string{"granted We count. v2 1", "denied Stated by the club.  2"} {
		c := f.person([]string{"a@example.com", "b@example.com"}[n])
		var rows []enlist.LedgerRow
		apptest.View(f.T, f.Store, func(tx *db.Tx) (err error) {
			rows, err = contacts.LedgerRows(tx, f.id, c.ID, 1, 0)
			return err
		})
		r := rows[0]
		if got := fmt.Sprint(r.Tracking, " ", r.Text, " ", r.TextVersion, " ", r.ImportRow); got != want || r.ImportID != i.ID || r.Method != "import" {
			f.Errorf("the ledger has %q of import %d by %s, want %q of %d", got, r.ImportID, r.Method, want, i.ID)
		}
	}
}

func decisionHeadings(f *importFixture) {
	for _, heading := range []string{"tracking_consent", "Tracking consent", "PIXEL_TRACKING_CONSENT", "Consentement au suivi", "同意跟踪"} {
		f.id = f.AddList()
		f.runs("Email,"+heading+"\na@example.com,no\n", nil)
		if got := f.decisions('a'); got != "denied" {
			f.Errorf("with the heading %s the decision is %s", heading, got)
		}
	}
	f.id = f.AddList()
	field := f.AddField(f.id, "name", "tracking_consent", "type", "text")
	f.runs("Email,tracking_consent\na@example.com,no\n", nil)
	if got, value := f.decisions('a'), f.value("a@example.com", field); got != "unknown" || value != "no" {
		f.Errorf("the Field has %q, and the decision is %s", value, got)
	}
}
