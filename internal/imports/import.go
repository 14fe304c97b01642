package imports

import (
	"fmt"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the record of an Import: a file whose rows become Contacts of a List. An Import is stored with its
// file, so that any process can continue it.

// ImportState says where an Import is.
type ImportState string

// The states of an Import. reference.md: import.states
const (
	ImportUploading ImportState = "uploading" // the file is not stored completely
	ImportWaiting   ImportState = "waiting"   // for a process that runs it
	ImportRunning   ImportState = "running"
	ImportPaused    ImportState = "paused"
	ImportDone      ImportState = "done"
	ImportCancelled ImportState = "cancelled" // by a caller; the rows that were stored stay
	ImportFailed    ImportState = "failed"    // the rows that were stored stay
)

// What an Import does with a row whose address a Contact of the List has.
const (
	ExistingLeave     = "leave"     // leaves out the row
	ExistingOverwrite = "overwrite" // stores the values of the row in the Contact
)

// Which addresses an Import leaves out, because they have unsubscribed.
const (
	SkipOfAccount = "account" // addresses that left this List or are on the Account's Unsubscriber List
	SkipOfList    = "list"    // addresses that left this List
	SkipNoAddress = "none"
)

// What becomes of new Contacts who have not confirmed, on a List that asks people to. reference.md: import.confirm
const (
	ConfirmWait      = "wait"      // they get no mail until they confirm; also without an answer
	ConfirmStatement = "statement" // they are confirmed by the text of their consent
	ConfirmAsk       = "ask"       // they are asked by a mail
)

// What becomes of a row with a value that its Field does not accept. decisions.md: 144
const (
	BadValuesRefuse   = "refuse"
	BadValuesLeaveOut = "leave_out" // the value, if a Contact may be without it
)

// What the rows of a file are.
const (
	AsContacts      = "contacts"
	AsUnsubscribers = "unsubscribers" // addresses that have unsubscribed
	AsComplained    = "complained"    // addresses that reported a mail as spam
	AsBounced       = "bounced"       // addresses that do not work
)

// ImportOptions say how to import a file. reference.md: import.options
type ImportOptions struct {
	List enlist.ListID `json:"list_id"`

	// The form of the file. "" means that the service finds it out.
	FileName  string `json:"file_name,omitempty"`
	Format    string `json:"format,omitempty"`    // csv, ndjson or xlsx
	Encoding  string `json:"encoding,omitempty"`  // such as windows-1252
	Delimiter string `json:"delimiter,omitempty"` // one character
	NoHeader  bool   `json:"no_header,omitempty"` // the first row is no header

	// The meaning of its columns and values.
	Map          []ImportMapping `json:"map,omitempty"`
	Dates        []ImportMapping `json:"dates,omitempty"`         // Target is a pattern such as DD.MM.YYYY
	DecimalComma bool            `json:"decimal_comma,omitempty"` // in all columns
	Decimals     []ImportMapping `json:"decimals,omitempty"`      // Target is DecimalComma or DecimalPoint
	AddFields    bool            `json:"add_fields,omitempty"`    // makes a Field for each column without one

	// The rules.
	As          string `json:"as,omitempty"`
	Existing    string `json:"existing,omitempty"`
	Skip        string `json:"skip,omitempty"`
	ConsentType string `json:"consent_type,omitempty"` // of all rows that have none of their own
	ConsentText string `json:"consent_text,omitempty"`
	Status      string `json:"status,omitempty"`     // what becomes of rows whose state is unsubscribed or the like; "": no answer
	Confirm     string `json:"confirm,omitempty"`    // on a List that asks people to confirm; "": no answer
	BadValues   string `json:"bad_values,omitempty"` // what becomes of a row with a value that does not fit
	// OverruleRefusals lets an agreement in the file replace a refusal of the recording of opens and clicks.
	OverruleRefusals bool `json:"overrule_refusals,omitempty"`
	DryRun           bool `json:"dry_run,omitempty"` // stores only the results
	// KeepFile keeps the file for ImportKept, after a dry run or a refusal. An Import that leaves a question to the user
	// open is then a dry run.
	KeepFile bool `json:"keep_file,omitempty"`

	// The events that new Contacts cause.
	Autoresponders bool `json:"autoresponders,omitempty"`
	Notifications  bool `json:"notifications,omitempty"`
	Webhooks       bool `json:"webhooks,omitempty"`
}

// ImportMapping gives a column a meaning.
type ImportMapping struct {
	Column string `json:"column"`
	Target string `json:"target"`
}

// Import is a file that becomes Contacts of a List.
type Import struct {
	ID           enlist.ImportID
	AccountID    enlist.AccountID
	ListID       enlist.ListID
	CreatorKeyID enlist.KeyID
	CreatorName  string
	CreationTime int64
	Options      ImportOptions
	Content      enlist.ContentID // the file; 0: it was removed, because the Import has ended, or another Import has it
	Size         int64            // of the file, in bytes
	SHA256       string           // of the file, in hex; "" while it is uploaded
	Columns      []ImportColumn
	State        ImportState
	Reason       string // why the Import failed or was paused
	Owner        string // the run that stores the steps; "": none
	LeaseUntil   int64  // until this Unix time no other process may run the Import
	StartTime    int64
	EndTime      int64
	Rows         int64 // number of rows that are done
	Bytes        int64 // number of bytes of the file that were read for them
	ImportCounts
	Published contacts.Notifier
	Speed     Speed
	Report    Report
}

// ImportCounts are the numbers of rows by their outcome.
type ImportCounts struct {
	Added     int64
	Updated   int64
	Unchanged int64 // a Contact has the address and stays as it is
	Skipped   int64 // the address has unsubscribed
	Refused   int64 // the row is not valid
}

// Total is the number of rows.
func (c *ImportCounts) Total() int64 {
	return c.Added + c.Updated + c.Unchanged + c.Skipped + c.Refused
}

// RowOutcome says what became of a row.
type RowOutcome string

// The outcomes of rows. reference.md: import.outcomes
const (
	RowAdded     RowOutcome = "added"
	RowUpdated   RowOutcome = "updated"
	RowUnchanged RowOutcome = "unchanged"
	RowSkipped   RowOutcome = "skipped"
	RowRefused   RowOutcome = "refused"
)

// RowOutcomes are all outcomes.
var RowOutcomes = []RowOutcome{RowAdded, RowUpdated, RowUnchanged, RowSkipped, RowRefused}

// count counts a row.
func (c *ImportCounts) count(o RowOutcome) {
	switch o {
	case RowAdded:
		c.Added++
	case RowUpdated:
		c.Updated++
	case RowUnchanged:
		c.Unchanged++
	case RowSkipped:
		c.Skipped++
	case RowRefused:
		c.Refused++
	}
}

// ImportAttributes are the keys of an Import, in the order of a reply. reference.md: Imports
var ImportAttributes = []enlist.Attribute[Import]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(i *Import) enlist.ImportID { return i.ID })),
	enlist.Searchable(enlist.ReadOnlyInt("list_id", func(i *Import) enlist.ListID { return i.ListID })),
	enlist.Searchable(enlist.ReadOnlyText("state", func(i *Import) ImportState { return i.State })),
	enlist.ReadOnlyText("reason", func(i *Import) string { return i.Reason }),
	enlist.ReadOnlyFlag("dry_run", func(i *Import) bool { return i.Options.DryRun }),
	enlist.ReadOnlyText("as", func(i *Import) string { return i.Options.As }),
	enlist.ReadOnlyText("file_name", func(i *Import) string { return i.Options.FileName }),
	enlist.ReadOnlyInt("size", func(i *Import) int64 { return i.Size }),
	enlist.ReadOnlyText("sha256", func(i *Import) string { return i.SHA256 }),
	enlist.ReadOnlyText("creator_name", func(i *Import) string { return i.CreatorName }),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(i *Import) int64 { return i.CreationTime })),
	enlist.ReadOnlyInt("start_time", func(i *Import) int64 { return i.StartTime }),
	enlist.ReadOnlyInt("end_time", func(i *Import) int64 { return i.EndTime }),
	enlist.ReadOnlyInt("rows", func(i *Import) int64 { return i.Rows }),
	enlist.ReadOnlyInt("bytes", func(i *Import) int64 { return i.Bytes }),
	enlist.ReadOnlyInt("added", func(i *Import) int64 { return i.Added }),
	enlist.ReadOnlyInt("updated", func(i *Import) int64 { return i.Updated }),
	enlist.ReadOnlyInt("unchanged", func(i *Import) int64 { return i.Unchanged }),
	enlist.ReadOnlyInt("skipped", func(i *Import) int64 { return i.Skipped }),
	enlist.ReadOnlyInt("refused", func(i *Import) int64 { return i.Refused }),
}

// Ended reports whether no row will be imported any more.
func (i *Import) Ended() bool {
	return i.State == ImportDone || i.State == ImportCancelled || i.State == ImportFailed
}

// ErrNoImport is the error for an Import that does not exist, or that belongs to another Account.
var ErrNoImport = enlist.Refuse(enlist.InvalidParameters, "no import with this ID")

// stepResults are the results of the rows of a step, as the database has them.
type stepResults struct {
	Number int64
	Data   []byte
}

// check refuses options that no file can have, and replaces the values "" by their defaults. Errors:
// InvalidParameters.
func (o *ImportOptions) check(c *enlist.Caller) error {
	if o.Skip == "" {
		o.Skip = SkipOfAccount
		if c.Key.Lists != nil { // such a key must not learn that an address left another List. reference.md: import.outcomes
			o.Skip = SkipOfList
		}
	}
	for _, choice := range []struct {
		name   string
		value  *string
		values []string // the first one is the default
	}{
		{"as", &o.As, []string{AsContacts, AsUnsubscribers, AsComplained, AsBounced}},
		{"existing", &o.Existing, []string{ExistingLeave, ExistingOverwrite}},
		{"skip", &o.Skip, []string{SkipOfAccount, SkipOfList, SkipNoAddress}},
		{"consent_type", &o.ConsentType, []string{"", string(enlist.ConsentGDPR), string(contacts.ConsentDirect),
			string(contacts.ConsentNotRecorded)}},
		{"status", &o.Status, []string{"", StatusLeaveOut, StatusUnsubscribe, StatusSubscribe}},
		{"confirm", &o.Confirm, []string{"", ConfirmWait, ConfirmStatement, ConfirmAsk}},
		{"bad_values", &o.BadValues, []string{BadValuesRefuse, BadValuesLeaveOut}},
	} {
		if *choice.value == "" {
			*choice.value = choice.values[0]
		}
		if _, err := enlist.OneOf(choice.values...)(*choice.value); err != nil {
			return enlist.Invalid(choice.name, err.Error())
		}
	}
	if len([]rune(o.Delimiter)) > 1 {
		return enlist.Invalid("delimiter", "expected one character")
	}
	for _, m := range o.Dates {
		if _, err := parseDatePattern(m.Target); err != nil {
			return enlist.Invalid("date", fmt.Sprintf("the pattern %q of the column %q: %v", m.Target, m.Column, err))
		}
	}
	for _, m := range o.Decimals {
		if m.Target != DecimalComma && m.Target != DecimalPoint {
			return enlist.Invalid("decimal", fmt.Sprintf("%q of the column %q is neither comma nor point", m.Target, m.Column))
		}
	}
	if o.As != AsContacts && (o.AddFields || o.Existing == ExistingOverwrite || o.ConsentType != "" ||
		o.Autoresponders) {
		return enlist.Invalid("as", "a file of "+o.As+" stores only addresses: leave out add_fields, existing, "+
			"consent_type and autoresponders")
	}
	return nil
}
