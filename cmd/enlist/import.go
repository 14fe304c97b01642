package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/imports"

	"github.com/alecthomas/kong"
)

// enlist import: imports Contacts from a file, and shows and controls Imports. The command itself runs the Import that
// it adds. If its process dies, a server continues the Import. import_follow.go shows the progress.

type importCommand struct {
	Add     importAdd     `cmd:"" default:"withargs" help:"Import a file: enlist import --list ID FILE."`
	List    importList    `cmd:"" help:"List the imports that have not ended."`
	Show    importShow    `cmd:"" help:"Show one import."`
	Pause   importPause   `cmd:"" help:"Pause an import."`
	Resume  importResume  `cmd:"" help:"Continue an import that was paused or interrupted."`
	Cancel  importCancel  `cmd:"" help:"Stop an import for ever. The rows that were stored stay."`
	Results importResults `cmd:"" help:"Print what became of each row, for seven days after the end."`
	Refused importRefused `cmd:"" help:"Print the refused rows as a file to mend and to import again."`
}

func (importCommand) BeforeApply(k *kong.Context) error { return bindDefinition(k, &allImports) }

type importAdd struct {
	reporting
	File string `arg:"" help:"CSV, TSV, NDJSON or XLSX file, also as .gz or .zip; - reads the standard input."`
	List int64  `required:"" placeholder:"ID" help:"ID of the List."`

	DryRun bool `help:"Store nothing: only find out what would become of each row."`

	Map          map[string]string `mapsep:"none" placeholder:"COLUMN=FIELD" help:"The Field of a column; nothing after = leaves it out. May be repeated."`
	Date         map[string]string `mapsep:"none" placeholder:"COLUMN=PATTERN" help:"How a column writes dates, such as DD.MM.YYYY, or excel. May be repeated."`
	Decimal      map[string]string `mapsep:"none" placeholder:"COLUMN=comma" help:"What stands before the decimals of a column's numbers: comma or point. May be repeated."`
	DecimalComma bool              `help:"Numbers have a comma before their decimals, as in 1.234,50."`
	AddFields    bool              `help:"Add a Field for each column that has none. Its type is guessed from the first rows."`

	Overwrite bool   `help:"Store the values of a row in the Contact that has its address. By default such a row is left out."`
	Skip      string `enum:"account,list,none" default:"account" help:"Whose rows to skip: of addresses that have unsubscribed from any List of the account, from this list, or none."`
	As        string `enum:"contacts,unsubscribers,complained,bounced" default:"contacts" help:"What the rows are: contacts, or addresses that unsubscribed, complained or bounced."`

	Status    string `enum:",leave_out,unsubscribe,subscribe" default:"" placeholder:"ANSWER" help:"Rows whose state is unsubscribed, cleaned or the like: leave_out (the default), unsubscribe or subscribe."`
	BadValues string `enum:"refuse,leave_out" default:"refuse" placeholder:"ANSWER" help:"A value that does not fit: refuse the row (the default), or leave_out the value."`
	Confirm   string `enum:",wait,statement,ask" default:"" placeholder:"ANSWER" help:"If the List asks people to confirm, new Contacts: wait for it, are confirmed by the statement --consent-text, or are asked by a mail (ask)."`

	ConsentType string `enum:",gdpr,direct,not_recorded" default:"" placeholder:"TYPE" help:"What all persons of the file agreed to: gdpr, direct or not_recorded."`
	ConsentText string `placeholder:"TEXT" help:"The text to which they agreed."`

	OverruleRefusals bool `help:"Let a yes in the column tracking_consent replace a refusal."`

	Autoresponders bool `help:"Start the autoresponders (api_upload) of new Contacts."`
	Notifications  bool `help:"Notify the on_register_address of the List of each new Contact."`
	Webhooks       bool `help:"Post the changes to webhooks."`

	Format    string `enum:",csv,tsv,ndjson,xlsx" default:"" placeholder:"FORMAT" help:"Format of the file: csv, tsv, ndjson or xlsx. By default its content and name decide."`
	Encoding  string `placeholder:"NAME" help:"Encoding of the file, such as windows-1252."`
	Delimiter string `placeholder:"CHAR" help:"Delimiter of a CSV file."`
	Preset    string `enum:",mailchimp,brevo,keila,mailtrain" default:"" placeholder:"NAME" help:"The file was exported by mailchimp, brevo, keila or mailtrain."`
	NoHeader  bool   `help:"The first row has no names of columns. The columns are named \"col 1\", \"col 2\" and so on."`
}

// Run adds the Import and runs it.
func (c *importAdd) Run(ctx context.Context, out *console) error {
	if c.Preset != "" {
		return c.runPreset(ctx, out)
	}
	file, name, size := io.ReadCloser(os.Stdin), "", int64(0)
	if c.File != "-" {
		opened, err := os.Open(c.File)
		if err != nil {
			return usage("%v", err)
		}
		file, name = opened, filepath.Base(c.File)
		if info, err := opened.Stat(); err == nil {
			size = info.Size()
		}
	}
	defer file.Close()
	return withService(ctx, c.Database, func(s *app.App) error {
		caller, err := operatorOfList(ctx, s, enlist.ListID(c.List))
		if err != nil {
			return err
		}
		return c.add(ctx, s, caller, imports.NewImport{ImportOptions: c.options(name), File: file, Size: size}, out)
	})
}

// add adds an Import and runs it.
func (c *importAdd) add(ctx context.Context, s *app.App, caller *enlist.Caller, n imports.NewImport,
	out *console) error {
	if err := c.askHowToConfirm(ctx, s, caller, &n.ImportOptions); err != nil {
		return err
	}
	i, err := s.Imports.AddImport(ctx, caller, n)
	if err != nil {
		return err
	}
	printColumns(out.stderr, i)
	return runImport(ctx, s, caller, i.ID, c.format, out)
}

// askHowToConfirm refuses an Import with a consent into a List that asks people to confirm, without an answer what
// happens to them: without it, all of them would be added and none would get mail.
func (c *importAdd) askHowToConfirm(ctx context.Context, s *app.App, caller *enlist.Caller,
	o *imports.ImportOptions) error {
	if o.DryRun || o.As != imports.AsContacts || o.ConsentText == "" || o.Confirm != "" {
		return nil
	}
	l, err := s.Lists.List(ctx, caller, o.List)
	if err == nil && l.DoubleOptIn {
		err = usage("List %d asks people to confirm, so new Contacts get no mail until then: add --confirm statement if the "+
			"consent text is a statement that they agreed, ask or wait; --dry-run says how many they are", l.ID)
	}
	return err
}

// options returns the options that the flags describe.
func (c *importAdd) options(name string) imports.ImportOptions {
	o := imports.ImportOptions{List: enlist.ListID(c.List), FileName: name, Format: c.Format, Encoding: c.Encoding,
		Delimiter: c.Delimiter, NoHeader: c.NoHeader, Map: mappings(c.Map), Dates: mappings(c.Date),
		Decimals:     mappings(c.Decimal),
		DecimalComma: c.DecimalComma, AddFields: c.AddFields, As: c.As, Skip: c.Skip, ConsentType: c.ConsentType,
		ConsentText: c.ConsentText, DryRun: c.DryRun, Status: c.Status, BadValues: c.BadValues, Confirm: c.Confirm, Autoresponders: c.Autoresponders, Notifications: c.Notifications,
		Webhooks: c.Webhooks, OverruleRefusals: c.OverruleRefusals}
	if c.Overwrite {
		o.Existing = imports.ExistingOverwrite
	}
	return o
}

// mappings returns the pairs of a flag in the order of their keys.
func mappings(pairs map[string]string) (all []imports.ImportMapping) {
	for _, column := range slices.Sorted(maps.Keys(pairs)) {
		all = append(all, imports.ImportMapping{Column: column, Target: pairs[column]})
	}
	return all
}

// printColumns prints what the service recognised, and what each column is stored as.
func printColumns(w io.Writer, i *imports.Import) {
	if f := i.Report.File; f != nil && f.Format == "xlsx" {
		fmt.Fprintf(w, "sheet %q\n", f.Entry)
	}
	if f := i.Report.File; f != nil && f.Titles > 0 {
		fmt.Fprintf(w, "%d rows above the header are left out\n", f.Titles)
	}
	if f := i.Report.File; f != nil && f.Guess != nil {
		sure := "guessed by the letters"
		if !f.Guess.Sure {
			sure = "a guess: add --encoding if this looks wrong"
		}
		fmt.Fprintf(w, "encoding %s (%s): %s\n", f.Encoding, sure, strings.Join(f.Guess.Samples, ", "))
	}
	for _, c := range i.Columns {
		switch {
		case c.Target == "":
			fmt.Fprintf(w, "column %q is left out%s\n", c.Name, samplesOf(i, c.Name))
		case c.New != nil:
			fmt.Fprintf(w, "column %q: new Field %q of type %s%s\n", c.Name, c.Target, c.New.Type, formatOf(&c))
		default:
			fmt.Fprintf(w, "column %q: %s%s\n", c.Name, c.Target, formatOf(&c))
		}
	}
}

// formatOf says how the dates or numbers of a column are written, or that the caller has to say it.
func formatOf(c *imports.ImportColumn) string {
	switch f := c.Format; {
	case f == nil:
		return ""
	case slices.Contains(f.Choices, imports.DecimalComma):
		return fmt.Sprintf("; the numbers do not show it, so say --decimal %q or %q", c.Name+"=comma", c.Name+"=point")
	case f.Choices != nil:
		return fmt.Sprintf("; the dates do not show it, so say --date %q", c.Name+"="+strings.Join(f.Choices, " or "))
	case f.Date != "":
		return "; dates " + f.Date
	}
	return "; a " + c.Format.Decimal + " before the decimals"
}

// samplesOf returns the first values of a column that is not stored.
func samplesOf(i *imports.Import, column string) string {
	for _, u := range i.Report.Unused {
		if u.Column == column {
			return ": " + strings.Join(u.Samples, ", ")
		}
	}
	return ""
}

// importRecord returns the attributes of an Import with their names in the API.
func importRecord(i *imports.Import) record { return recordOf(imports.ImportAttributes, i) }

type importList struct {
	reporting
	All bool `help:"Also the imports that have ended."`
}

// Run lists the Imports of all Accounts.
func (c *importList) Run(ctx context.Context, out *console, s *app.App) error {
	rows, err := inAccounts(ctx, s, 0, func(caller *enlist.Caller) ([]record, error) {
		found, err := s.Imports.AllImports(ctx, caller)
		found = slices.DeleteFunc(found, func(i imports.Import) bool { return !c.All && i.Ended() })
		return records(found, importRecord), err
	})
	if err != nil {
		return err
	}
	return c.list(out.stdout, rows, "id", "account_id", "list_id", "state", "dry_run", "file_name", "rows", "added",
		"updated", "unchanged", "skipped", "refused")
}

// oneImport are the flags and arguments of a command for one Import.
type oneImport struct {
	reporting
	ID enlist.ImportID `arg:"" help:"ID of the import, as enlist import list shows it."`
}

var allImports = definitions[imports.Import, enlist.ImportID]{
	noun: "import", hint: "enlist import list --all prints the imports", absent: enlist.InvalidParameters,
	calls: func(s *app.App) recordCalls[imports.Import, enlist.ImportID] {
		return recordCalls[imports.Import, enlist.ImportID]{find: s.Imports.Import}
	},
}

// edit changes the Import and prints its new state.
func (c *oneImport) edit(ctx context.Context, out *console, s *app.App, caller *enlist.Caller,
	change func(*imports.Service, context.Context, *enlist.Caller, enlist.ImportID) error) error {
	if err := change(s.Imports, ctx, caller, c.ID); err != nil {
		return err
	}
	i, err := s.Imports.Import(ctx, caller, c.ID)
	if err != nil {
		return err
	}
	return c.one(out.stdout, importRecord(i), "import %d is %s after %d rows", c.ID, i.State, i.Rows)
}

type importPause struct{ oneImport }

func (c *importPause) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	return c.edit(ctx, out, s, caller, (*imports.Service).PauseImport)
}

type importCancel struct{ oneImport }

func (c *importCancel) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	return c.edit(ctx, out, s, caller, (*imports.Service).CancelImport)
}

type importResume struct{ oneImport }

// Run continues the Import and runs it.
func (c *importResume) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	if err := s.Imports.ResumeImport(ctx, caller, c.ID); err != nil {
		return err
	}
	return runImport(ctx, s, caller, c.ID, c.format, out)
}

type importShow struct {
	oneImport
	Follow bool `help:"Show the progress until the import has ended or is paused."`
}

func (c *importShow) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	if c.Follow {
		return followImport(ctx, s, caller, c.ID, c.format, out, nil)
	}
	i, err := s.Imports.Import(ctx, caller, c.ID)
	if err != nil {
		return err
	}
	return c.show(out.stdout, importRecord(i))
}

type importResults struct {
	oneImport
	CSV  bool     `name:"csv" help:"Print CSV. By default each line is a JSON object."`
	Only []string `placeholder:"OUTCOME" help:"Print only rows with this outcome: added, updated, unchanged, skipped or refused; may be repeated."`
}

type importRefused struct{ oneImport }

// Run prints the refused rows.
func (c *importRefused) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	w := bufio.NewWriterSize(out.stdout, 64<<10)
	return errors.Join(s.Imports.RefusedRows(ctx, caller, c.ID, w), w.Flush())
}

// Run prints the results.
func (c *importResults) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	for _, o := range c.Only {
		if !slices.Contains(imports.RowOutcomes, imports.RowOutcome(o)) {
			return usage("--only %s: there is no such outcome; there are added, updated, unchanged, skipped and refused", o)
		}
	}
	return s.Imports.WriteResults(ctx, caller, c.ID, imports.ResultFile{CSV: c.CSV, Only: c.Only}, out.stdout)
}
