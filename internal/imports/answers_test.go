package imports_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file tests what an Import says about its file, and the answers to what it asks.

// covers: spec import.status, import.badvalues, import.confirm, import.refused, import.report, decision 143, decision 144, decision 145
func TestAnswersOfImports(t *testing.T) {
	apptest.Run(t, apptest.Shared, newImportFixture, []apptest.Rule[*importFixture]{
		{Name: "rows of people who have left are left out, go to the Unsubscriber List or are imported", Test: importStatus},
		{Name: "columns and words of other services say who has left", Test: importStatusWords},
		{Name: "the Unsubscriber List needs only the address of such a row", Test: importStatusOnlyAddress},
		{Name: "a value that does not fit refuses the row, or is left out", Test: importBadValues},
		{Name: "columns that are not stored are named with samples until the results are removed", Test: importUnused},
		{Name: "new Contacts of a List that asks people to confirm wait, are confirmed by their statement or are asked", Test: importConfirm},
		{Name: "refused rows come back as they were, and are imported when they are mended", Test: importReturned},
		{Name: "the erasure of a person removes the samples and the refused rows that name it", Test: importForgets},
	})
}

func importStatus(f *importFixture) {
	const file = "Email,Status\nann@example.com,subscribed\nbob@example.com,unsubscribed\ncarl@example.com,Cleaned\n"
	for _, c := range []struct {
		answer string
		want   []string
	}{
		{"", []string{"1 added", "2 skipped the column Status says unsubscribed", "3 skipped the column Status says Cleaned"}},
		{imports.StatusLeaveOut, []string{"1 added", "2 skipped the column Status says unsubscribed", "3 skipped the column Status says Cleaned"}},
		{imports.StatusUnsubscribe, []string{"1 added", "2 added no Contact has this address; it is now on the Unsubscriber List",
			"3 added no Contact has this address; it is now on the Unsubscriber List"}},
		{imports.StatusSubscribe, []string{"1 added", "2 added", "3 added"}},
	} {
		for _, dry := range []bool{true, false} {
			f.Case(fmt.Sprint(c.answer, " dry run ", dry), func() {
				f.id = f.AddList()
				i := f.runs(file, func(o *imports.ImportOptions) {
					o.Status, o.DryRun, o.Skip, o.AddFields = c.answer, dry, imports.SkipOfList, !dry
				})
				apptest.Same(f.T, "results", f.outcomes(i), c.want)
				if r := i.Report.Status; len(r) != 1 || r[0].Column != "Status" || r[0].Rows != 2 || strings.Join(r[0].Samples, "|") != "unsubscribed|Cleaned" {
					f.Errorf("the report says %+v", r)
				}
			})
		}
	}
	ann := f.person("ann@example.com")
	f.runs("Email,Status\nann@example.com,blocklisted\n", func(o *imports.ImportOptions) { o.Status = imports.StatusUnsubscribe })
	if !f.person("ann@example.com").IsUnsubscribed || f.Ledger(f.id, ann.ID) != 1 {
		f.Error("a Contact whose row says that it has left is still subscribed")
	}
}

// outcomes returns the results of an Import as lines with their reasons.
func (f *importFixture) outcomes(i *imports.Import) (lines []string) {
	f.Helper()
	f.Must(f.App.Imports.ImportResults(f.Context(), f.Caller, i.ID, func(r *imports.RowResult) error {
		lines = append(lines, strings.TrimSpace(fmt.Sprint(r.Row, " ", r.Outcome, " ", r.Reason)))
		return nil
	}))
	return lines
}

func importStatusWords(f *importFixture) {
	for n, c := range []struct {
		column, value string
		left          bool
	}{
		{"subscribed_to_emails", "false", true}, {"subscribed_to_emails", "true", false}, {"Subscribed", "No", true},
		{"status", "blocklisted", true}, {"status", "enabled", false}, {"Status", "Inactive", true}, {"Status", "Customer", false},
		{"Opt-Out", "1", true}, {"Opt-Out", "", false}, {"opt_out", "false", false}, {"Kind", "opt-out", true}, {"Kind", "Inactive", false},
		{"UNSUB_TIME", "2024-05-01 10:00:00", true}, {"UNSUB_TIME", "0000-00-00 00:00:00", false}, {"CLEAN_TIME", "2024-05-01", true},
		{"email_disabled", "TRUE", true}, {"active_subscription", "false", false}, {"Accepts Email Marketing", "no", true},
		{"Status", "Abgemeldet", true}, {"Email Opt Out", "0", false}, {"Status", "pending", true}, {"Town", "Unsubscribed Hill", false},
		{"status", "cancelled", true}, {"HasOptedOutOfEmail", "1", true}, {"IsExcludedFromCampaigns", "true", true}, {"deactivated", "1600000000", true},
		{"deactivated", "0", false}, {"confirmed", "0", true}, {"confirmed", "1", false}, {"type", "unactivated", true}, {"type", "premium", false},
		{"会員状態", "退会", true}, {"UNSUB", "no", false}, {"UNSUB", "yes", true}, {"unsubscription_date", "2024-05-01", true}, {"SubscribeType", "Removed", true},
		{"sms_blacklisted", "yes", false}, {"EMAIL_BLACKLISTED", "Yes", true}, {"deleted_at", "2024-05-01T10:00:00Z", true},
	} {
		f.Case(c.column+"="+c.value, func() {
			i := f.runs(fmt.Sprintf("Email,%s\np%d@example.com,%s\n", c.column, n, c.value), nil)
			if left := i.Skipped == 1; left != c.left {
				f.Errorf("the row is left out: %v, want %v", left, c.left)
			}
		})
	}
}

func importStatusOnlyAddress(f *importFixture) {
	f.AddField(f.id, "name", "Born", "type", "date")
	i := f.runs("Email,Born,Status,unsubscribed_time\ngus@example.com,unbekannt,unsubscribed,1000000000\nno address,,unsubscribed,\n",
		func(o *imports.ImportOptions) { o.Status = imports.StatusUnsubscribe })
	f.wantResults(i, "1 added", "2 refused Email no address")
	var w apptest.Rows[contacts.Unsubscriber]
	f.Must(f.App.Contacts.SearchUnsubscribers(f.Context(), f.Caller, f.id, enlist.Query{Criteria: apptest.Criterion("address", "exactly", "gus@example.com")}, &w))
	if len(w.All) != 1 || w.All[0].Time != 1_000_000_000 {
		f.Errorf("the Unsubscriber List has %+v", w.All)
	}
}

func importBadValues(f *importFixture) {
	born := f.AddField(f.id, "name", "Born", "type", "date")
	f.AddField(f.id, "name", "Sum", "type", "decimal")
	f.AddField(f.id, "name", "Member", "type", "dropdown", "values_array", "yes,no", "is_mandatory", true)
	const file = "Email,Born,Sum,Member,creation_time\nann@example.com,unbekannt,much,yes,soon\nbob@example.com,2001-01-31,,maybe,\n" +
		",unbekannt,1,yes,\nbad,unbekannt,,yes,\n"
	i := f.runs(file, nil)
	f.wantResults(i, "1 refused creation_time soon", "2 refused Member maybe", "3 refused Email", "4 refused Email bad")
	if i.Report.Fixable != 1 || len(i.Report.LeftOut) != 0 {
		f.Errorf("the report is %+v, want one row that could be imported", i.Report)
	}
	i = f.runs(file, func(o *imports.ImportOptions) { o.BadValues = imports.BadValuesLeaveOut })
	f.wantResults(i, "1 added", "2 refused Member maybe", "3 refused Email", "4 refused Email bad")
	var all []string
	for _, c := range i.Report.LeftOut {
		all = append(all, fmt.Sprint(c.Column, " ", c.Rows, " ", c.Samples))
	}
	apptest.Same(f.T, "values that were left out", all, []string{"creation_time 1 [soon]", "Born 1 [unbekannt]", "Sum 1 [much]"})
	if ann := f.person("ann@example.com"); ann.Values.Get(born) != "" || ann.Created != f.Now.Unix() {
		f.Errorf("the Contact is %+v", ann)
	}
	f.runs("Email,Born\nann@example.com,2001-01-31\n", func(o *imports.ImportOptions) { o.Existing = imports.ExistingOverwrite })
	f.runs("Email,Born\nann@example.com,?\n", func(o *imports.ImportOptions) {
		o.Existing, o.BadValues = imports.ExistingOverwrite, imports.BadValuesLeaveOut
	})
	if got := f.person("ann@example.com").Values.Get(born); got != "2001-01-31" {
		f.Errorf("a value that does not fit has changed the stored one to %q", got)
	}
}

func importUnused(f *importFixture) {
	i := f.runs("Email,Note,Empty,Status\nann@example.com,likes tea,,active\nbob@example.com,,,active\n", nil)
	want := []imports.ColumnReport{{Column: "Note", Samples: []string{"likes tea"}}}
	apptest.Same(f.T, "columns that are not stored", i.Report.Unused, want)
	if file := i.Report.File; file == nil || file.Delimiter != "," || file.Encoding != "utf-8" {
		f.Errorf("the service recognised %+v", file)
	}
	for done := false; !done; {
		var err error
		done, err = f.App.Imports.RemoveImportResults(f.Context(), imports.RemoveImportResults{Import: i.ID})
		f.Must(err)
	}
	want[0].Samples = nil
	apptest.Same(f.T, "columns after the results were removed", f.get(i.ID).Report.Unused, want)
}

func importConfirm(f *importFixture) {
	const file = "Email,consent_type,consent_text\nann@example.com,gdpr,fair in Bonn\nbob@example.com,,\ncarl@example.com,gdpr,fair in Rome\n"
	for _, c := range []struct {
		answer             string
		receiving, waiting int64
	}{{"", 0, 3}, {imports.ConfirmWait, 0, 3}, {imports.ConfirmAsk, 0, 3}, {imports.ConfirmStatement, 2, 1}} {
		f.Case(c.answer, func() {
			f.id = f.AddList("double_opt_in_required", true)
			for _, dry := range []bool{true, false} {
				i := f.runs(file, func(o *imports.ImportOptions) { o.Confirm, o.DryRun = c.answer, dry })
				apptest.Same(f.T, "who can get mail", i.Report.Mail, imports.ReceivingReport{Receiving: c.receiving, Waiting: c.waiting})
			}
			ann, isStatement := f.person("ann@example.com"), c.answer == imports.ConfirmStatement
			if ann.DoubleOptIn != isStatement || f.person("bob@example.com").DoubleOptIn {
				f.Errorf("the Contact is %+v", ann)
			}
			var w apptest.Rows[enlist.LedgerRow]
			f.Must(f.App.Contacts.ContactConsents(f.Context(), f.Caller, contacts.LedgerQuery{List: f.id, Contact: ann.ID, Changes: true}, &w))
			if stated := len(w.All) == 2 && w.All[0].Method == contacts.MethodStatement && w.All[0].Text == "fair in Bonn" &&
				w.All[0].ImportRow == 1 && w.All[0].Time == f.Now.Unix() && w.All[1].Method == "import"; stated != isStatement {
				f.Errorf("the ledger is %+v", w.All)
			}
		})
	}
	f.id = f.AddList("double_opt_in_required", true)
	before := f.Jobs("ask_to_confirm")
	f.runs(file, func(o *imports.ImportOptions) { o.Confirm = imports.ConfirmAsk })
	if n := f.Jobs("ask_to_confirm") - before; n != 3 {
		f.Errorf("%d requests to confirm, want 3", n)
	}
	_, err := f.addImport("Email\nann@example.com\n", func(o *imports.ImportOptions) { o.Confirm, o.ConsentType = imports.ConfirmStatement, "direct" })
	f.Refused(err, enlist.InvalidParameters, "consent_text")
}

func importReturned(f *importFixture) {
	f.AddField(f.id, "name", "Born", "type", "date")
	for _, c := range []struct{ name, encoding, file, want string }{
		{"a comma", "utf-8", "Email,Note,Born\nann@example.com,\"=1+1, \"\"x\"\"\",soon\nbob@example.com,,2001-01-31\n",
			"\ufeffEmail,Note,Born,refused because\r\nann@example.com,\"=1+1, \"\"x\"\"\",soon,"},
		{"a semicolon and Windows-1252", "windows-1252", "Email;Note;Born\nann@example.com;Caf\xe9;soon\n",
			"Email;Note;Born;refused because\r\nann@example.com;Caf\xe9;soon;"},
		{"too many cells", "utf-8", "Email,Born\nann@example.com,2001-01-31,extra\n",
			"\ufeffEmail,Born,refused because\r\nann@example.com,2001-01-31,extra,"},
		{"JSON", "utf-8", `{"Email":"ann@example.com","Born":"soon","Sum":12345678901234567890}`, `{"Born":"soon","Email":"ann@example.com","Sum":12345678901234567890,"refused because":"column Born: `},
	} {
		f.Case(c.name, func() {
			i := f.runs(c.file, func(o *imports.ImportOptions) { o.Encoding, o.FileName = c.encoding, "" })
			var file bytes.Buffer
			f.Must(f.App.Imports.RefusedRows(f.Context(), f.Caller, i.ID, &file))
			if !strings.HasPrefix(file.String(), c.want) {
				f.Fatalf("the file is %q, want %q", &file, c.want)
			}
			// The same file again is refused for the same reason, and comes back the same.
			again := f.runs(file.String(), func(o *imports.ImportOptions) {
				o.AddFields, o.Encoding, o.FileName = true, c.encoding, ""
			})
			if again.Refused != i.Refused || again.Added != 0 {
				f.Errorf("the returned file has %+v, want %d refused rows", again.ImportCounts, i.Refused)
			}
			for _, column := range again.Columns {
				if column.Target == "refused because" {
					f.Error("the reason became a Field")
				}
			}
		})
	}
	i := f.runs("zoe@example.com,soon\n", func(o *imports.ImportOptions) {
		o.NoHeader, o.Map = true, []imports.ImportMapping{{Column: "col 1", Target: "Email"}, {Column: "col 2", Target: "Born"}}
	})
	var file bytes.Buffer
	f.Must(f.App.Imports.RefusedRows(f.Context(), f.Caller, i.ID, &file))
	mended := strings.Replace(file.String(), "soon", "2001-01-31", 1)
	i = f.runs(mended, func(o *imports.ImportOptions) { *o = i.Options })
	f.wantResults(i, "1 added")
	for _, caller := range []*enlist.Caller{f.NewCaller(), f.Restricted(f.AddList())} {
		if err := f.App.Imports.RefusedRows(f.Context(), caller, i.ID, &file); err == nil {
			f.Error("another caller gets the refused rows")
		}
	}
}

func importForgets(f *importFixture) {
	i := f.runs("Email,Note,Born\nann@example.com,calls as ann@example.com,\nbad,of ann@example.com,soon\n", nil)
	_, err := f.App.Privacy.ErasePerson(f.Context(), f.Caller, "ann@example.com")
	f.Must(err)
	var file bytes.Buffer
	f.Must(f.App.Imports.RefusedRows(f.Context(), f.Caller, i.ID, &file))
	if texts := f.get(i.ID).Report.Texts() + file.String(); strings.Contains(texts, "ann@") {
		f.Errorf("the Import still has %q", texts)
	}
}
