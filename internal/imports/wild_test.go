package imports_test

import (
	"fmt"
	"os"
	"path/filepath"
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
	})
}

func wildFiles(f *importFixture) {
	for _, c := range []struct{ file, want string }{
		{"google-sheets-visible.xlsx", "ann@example.com|Ann"},
		{"empty-shared-text.xlsx", "ann@example.com|Bonn"},
		{"error-in-other-column.xlsx", "ann@example.com|Ann"},
		{"zip-code-format.xlsx", "ann@example.com|02134"},
		{"header-nbsp-newline.xlsx", "ann@example.com|Ann"},
		{"cp1251-names.csv", "ivan@example.com|Иван olga@example.com|Ольга"},
		{"sjis-names.csv", "taro@example.com|太郎"},
		{"one-column.txt", "ann@example.com bob@example.com"},
		{"headers-german.csv", "ann@example.com|Ann"},
		{"headers-japanese.csv", "ann@example.com|Ann"},
		{"quote-inside-cell.csv", `ann@example.com|Ann "Annie" Lee bob@example.com|Bob`},
		{"double-bom.csv", "ann@example.com|Ann"},
		{"zero-width.csv", "ann@example.com|Ann bob@example.com|Bob carl@example.com|Carl dora@example.com|Dora"},
		{"apostrophe-phone.csv", "ann@example.com|0491570006 bob@example.com|0491570007 refused 4.91570008E+08"},
	} {
		f.id = f.AddList()
		file, err := os.ReadFile(filepath.Join("testdata", "wild", c.file))
		f.Must(err)
		i := f.runs(string(file), func(o *imports.ImportOptions) { o.FileName, o.AddFields = c.file, true })
		var got []string
		for _, line := range f.results(i) {
			if _, value, isRefused := strings.Cut(line, "refused Mobile Phone "); isRefused {
				got = append(got, "refused "+value)
			}
		}
		got = append(f.shown(i), got...)
		if strings.Join(got, " ") != c.want {
			f.Errorf("%s has %q, want %q; results %q", c.file, got, c.want, f.results(i))
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
		{"1,234|5,678", "text", "1,234"}, // with or without decimals
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
