package imports_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file imports files as other programs write them.

// covers: spec import.columns, import.cells, import.addfields, decision 66, decision 69
func TestFilesOfOtherPrograms(t *testing.T) {
	apptest.Run(t, apptest.Own, newImportFixture, []apptest.Rule[*importFixture]{
		{Name: "files of spreadsheets are read as their programs show them", Test: wildFiles},
		{Name: "headings of addresses and names are recognised in other languages", Test: wildHeadings},
		{Name: "the values of a column show the order of its dates and its decimal comma", Test: wildFormats},
		{Name: "the caller says how dates and numbers are written", Test: wildFormatsOfCallers},
		{Name: "a column without values becomes no Field", Test: wildEmptyColumns},
		{Name: "the only column whose values are addresses has the addresses", Test: wildAddresses},
	})
}

func wildFiles(f *importFixture) {
	for _, c := range apptest.WildFiles(f.T) {
		f.id = f.AddList()
		file, err := os.ReadFile(c.Path)
		f.Must(err)
		i := f.runs(string(file), func(o *imports.ImportOptions) { o.FileName, o.AddFields = c.Name, true })
		if i.Added != c.Added || i.Skipped != c.Skipped || i.Refused != c.Refused {
			f.Errorf("%s has %+v, want %+v; results %q", c.Name, i.ImportCounts, c, f.results(i))
		}
		if got := f.shown(i); c.Values != nil && strings.Join(got, ";") != strings.Join(c.Values, ";") {
			f.Errorf("%s has %q, want %q", c.Name, got, c.Values)
		}
	}
}

// shown returns the values of the Contacts of the List, in the order of the columns.
func (f *importFixture) shown(i *imports.Import) (lines []string) {
	for _, id := range f.All(f.id) {
		c := f.Contact(f.id, id)
		var values []string
		for _, column := range i.Columns {
			if column.Field != 0 {
				values = append(values, c.Values.Get(column.Field))
			}
		}
		lines = append(lines, strings.Join(values, "|"))
	}
	return lines
}

func wildHeadings(f *importFixture) {
	var first, last enlist.FieldID
	for _, headings := range []string{
		"email,first_name,LAST NAME", "E-Mail-Adresse:,Vorname,Nachname", "Correo electrónico,Nombre,Apellidos", "Adresse e-mail,Prénom,Nom", "Adresse électronique,Prénom,Nom de famille",
		"Indirizzo e-mail,Nome,Cognome", "E-mailadres,Voornaam,Achternaam", "Endereço de e-mail,Nome,Sobrenome", "Địa chỉ email,Tên,Họ", "电子邮箱,名字,姓氏", "メールアドレス,名,姓",
	} {
		f.id = f.AddList()
		first, last = f.AddField(f.id, "name", "First Name", "type", "text"), f.AddField(f.id, "name", "Surname", "type", "text")
		f.wantResults(f.runs(headings+"\nann@example.com,Ann,Lee\n", nil), "1 added")
		if c := f.person("ann@example.com"); c.Values.Get(first) != "Ann" || c.Values.Get(last) != "Lee" {
			f.Errorf("%s: the Contact has %v", headings, c.Values)
		}
	}
	f.wantResults(f.runs("E-Mail,Name\nbob@example.com,Bob Lee\n", nil), "1 added") // no Field is for a whole name
	if c := f.person("bob@example.com"); c.Values.Get(first) != "" {
		f.Errorf("a whole name is the first name %q", c.Values.Get(first))
	}
	i := f.runs("E-Mail,Vorname,Fname\ncy@example.com,Cy,Cyril\n", nil) // two columns for one Field: neither is clear
	if i.Columns[1].Target+i.Columns[2].Target != "" {
		f.Errorf("the columns are %+v, want none of two for the first name", i.Columns)
	}
}

// formatOf returns the format of the second column of a file, in words.
func formatOf(i *imports.Import) string {
	c := i.Columns[1]
	kind := "kept"
	if c.New != nil {
		kind = string(c.New.Type)
	}
	if c.Format == nil {
		return kind
	}
	return strings.TrimSpace(fmt.Sprint(kind, " ", c.Format.Date, c.Format.Decimal, strings.Join(c.Format.Choices, " or ")))
}

func wildFormats(f *importFixture) {
	for _, c := range []struct{ values, format, first string }{
		{"31.01.2026|05.02.2026", "date DD.MM.YYYY", "2026-01-31"},
		{"05.02.2026|06.02.2026", "date DD.MM.YYYY", "2026-02-05"}, // with points, no country writes the month first
		{"31/1/2026|5/2/2026", "date DD/MM/YYYY", "2026-01-31"},
		{"1/31/2026|2/5/2026", "date MM/DD/YYYY", "2026-01-31"},
		{"01/31/2026 17:05|2/5/2026 8:00", "date MM/DD/YYYY HH:MM", "2026-01-31 17:05:00"},
		{"3/2/2026|5/2/2026", "text DD/MM/YYYY or MM/DD/YYYY", "3/2/2026"},
		{"31/1/2026|1/31/2026", "text DD/MM/YYYY or MM/DD/YYYY", "31/1/2026"},
		{"12.03.45|31.12.99", "text DD.MM.YY", "12.03.45"}, // 45 can be 1945
		{"2026/01/31|2026/02/05", "date YYYY/MM/DD", "2026-01-31"},
		{"2026-01-31|2026-02-05", "date", "2026-01-31"},
		{"31 Jan 2026|5 Feb 2026", "date DD MMM YYYY", "2026-01-31"},
		{"31.01.2026|unbekannt", "text", "31.01.2026"},
		{"1.234,50|7|12,5", "decimal comma", "1234.50"},
		{"12,5|1.234", "decimal comma", "12.5"},
		{"1,234.50|7", "decimal point", "1234.50"},
		{"1.234.567|5", "decimal comma", "1234567"},
		{"12,50 €|1.000,00 €", "decimal comma", "12.50"},
		{"1.5|2", "decimal", "1.5"},
		{"1,234|5,678", "text comma or point", "1,234"}, // with or without decimals
		{"2024-03-15T10:30:00Z|2024-03-16T23:30:00.000+05:30", "date", "2024-03-15 10:30:00"},
		{"2024-03-15 00:00:00 UTC|2024-03-16T00:00Z", "date", "2024-03-15"},
		{"31.12.1980|0.0.00", "date DD.MM.YYYY", "1980-12-31"}, // as Outlook writes no date
		{"0000-00-00 00:00:00|2024-03-15 10:30:00", "date", ""},
		{"5551234567|33611111111", "text", "5551234567"}, // telephone numbers
		{"01097|12,5", "text", "01097"},
	} {
		f.id = f.AddList()
		file := "Email\tColumn\n"
		for n, value := range strings.Split(c.values, "|") {
			file += fmt.Sprintf("u%d@example.com\t%s\n", n, value)
		}
		i := f.runs(file, func(o *imports.ImportOptions) { o.AddFields = true })
		if got := formatOf(i); got != c.format {
			f.Errorf("%s: the column is %s, want %s", c.values, got, c.format)
		}
		if got := f.value("u0@example.com", i.Columns[1].Field); got != c.first {
			f.Errorf("%s: the first value is %q, want %q", c.values, got, c.first)
		}
	}
}

func wildFormatsOfCallers(f *importFixture) {
	day, sum := f.AddField(f.id, "name", "Day", "type", "date"), f.AddField(f.id, "name", "Sum", "type", "decimal")
	i := f.runs("Email\tDay\tSum\nann@example.com\t3/2/2026\t1,234\nbob@example.com\tunknown\t\n", nil)
	f.wantResults(i, "1 refused Day 3/2/2026", "2 refused Day unknown")
	if format := i.Columns[2].Format; format == nil || fmt.Sprint(format.Choices) != "[comma point]" {
		f.Errorf("the numbers are written as %+v, want a choice", format)
	}
	for _, c := range []struct{ date, decimal, wantDay, wantSum string }{
		{"DD/MM/YYYY", "point", "2026-02-03", "1234"}, {"MM/DD/YYYY", "comma", "2026-03-02", "1.234"},
	} {
		f.runs("Email\tDay\tSum\nann@example.com\t3/2/2026\t1,234\n", func(o *imports.ImportOptions) {
			o.Existing = imports.ExistingOverwrite
			o.Dates = []imports.ImportMapping{{Column: "day", Target: c.date}}
			o.Decimals = []imports.ImportMapping{{Column: "sum", Target: c.decimal}}
		})
		if ann := f.person("ann@example.com"); ann.Values.Get(day) != c.wantDay || ann.Values.Get(sum) != c.wantSum {
			f.Errorf("%+v: the Contact has %v", c, ann.Values)
		}
	}
	// One bad value among many does not hide how the others are written.
	f.wantResults(f.runs("Email\tDay\tcreation_time\nca@example.com\t31.01.2026\t31.12.2020 10:00\nci@example.com\tunbekannt\t\ncu@example.com\t05.02.2026\t\n", nil),
		"1 added", "2 refused Day unbekannt", "3 added")
	if got := f.value("cu@example.com", day); got != "2026-02-05" {
		f.Errorf("the day is %q", got)
	}
	if got := f.person("ca@example.com").Created; got != 1609408800 {
		f.Errorf("the creation time is %d", got)
	}
	i = f.runs("Email\tSpent\nno@example.com\t1,234\n", func(o *imports.ImportOptions) {
		o.AddFields, o.Decimals = true, []imports.ImportMapping{{Column: "Spent", Target: "point"}}
	})
	if format := formatOf(i); format != "decimal" || f.value("no@example.com", i.Columns[1].Field) != "1234" {
		f.Errorf("a new Field of numbers whose caller has said how they are written is %s", format)
	}
	_, err := f.addImport("Email\n", func(o *imports.ImportOptions) { o.Decimals = []imports.ImportMapping{{Column: "Email", Target: "x"}} })
	f.Refused(err, enlist.InvalidParameters, "comma")
}

func wildEmptyColumns(f *importFixture) {
	i := f.runs("Email,Note,,Town,\nann@example.com,,,Bonn,\n", func(o *imports.ImportOptions) { o.AddFields = true })
	var added []string
	for _, c := range i.Columns {
		if c.New != nil {
			added = append(added, c.Name)
		}
	}
	apptest.Same(f.T, "new Fields", added, []string{"Town"})
}

func wildAddresses(f *importFixture) {
	for _, c := range []struct{ file, column string }{
		{"Subscriber,Name\nann@example.com,Ann\n", "Subscriber"},                                                  // MailerLite
		{"Given Name,E-mail 1 - Value,E-mail 2 - Value\nAnn,ann@example.com,a@example.com\n", "E-mail 1 - Value"}, // Google
		{"First Name,Email 1,Email 2\nAnn,ann@example.com,a@example.com\n", "Email 1"},                            // Wix
		{"이메일,이름\nann@example.com,김\n", "이메일"}, {"E-posta,Ad\nann@example.com,Ay\n", "E-posta"},
		{"Name,Email / Phone\nAnn,Ann <ann@example.com>\nBob,+49 1\nCarl,\n", "Email / Phone"},
		{"E-Mail,Contact of\nno address,bob@example.com\nann@example.com,bob@example.com\n", "E-Mail"},
		{"From,To\nann@example.com,bob@example.com\n", ""}, // a user has to say it
		{"Name,Note\nAnn,write to ann@example.com\n", ""},
	} {
		f.Case(c.file, func() {
			f.id = f.AddList()
			i, err := f.addImport(c.file, keepFile)
			f.Must(err)
			for n := range i.Columns {
				if has := i.Columns[n].Target == "Email"; has != (i.Columns[n].Name == c.column) {
					f.Errorf("the column %s is %q, want the addresses in %q", i.Columns[n].Name, i.Columns[n].Target, c.column)
				}
			}
		})
	}
}
