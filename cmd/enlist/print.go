package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"enlist/internal/config"
	"enlist/internal/enlist"
)

// This file prints results: a table or a line for people, and JSON for programs.

// record is one printed row: named values in the order of their columns.
type record []value

// value is one named value of a record.
type value struct {
	name string
	any
}

// format is the flag --json of commands that print records.
type format struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// reporting are the flags of commands that print records of a database.
type reporting struct {
	config.Database
	format
}

// list prints records as a JSON array, or as a table with the named columns.
func (f format) list(w io.Writer, records []record, columns ...string) error {
	if f.JSON {
		return printJSON(w, append([]record{}, records...)) // an empty array, not null
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, strings.ToUpper(strings.Join(columns, "\t")))
	for _, r := range records {
		cells := make([]string, len(columns))
		for i, column := range columns {
			cells[i] = r.text(column)
		}
		fmt.Fprintln(table, strings.Join(cells, "\t"))
	}
	return table.Flush()
}

// one prints a record as a JSON object. Without --json it prints the line instead.
func (f format) one(w io.Writer, r record, line string, args ...any) error {
	if f.JSON {
		return printJSON(w, r)
	}
	_, err := fmt.Fprintf(w, line+"\n", args...)
	return err
}

// text returns a value for a table. Tabs and line ends would break the rows.
func (r record) text(name string) string {
	for _, v := range r {
		if v.name == name {
			return plainText(fmt.Sprint(v.any), "")
		}
	}
	return ""
}

// plainText returns a text with spaces in place of control characters, which could control the terminal. Those in kept
// stay. The text can come from another server, such as one of the DNS.
func plainText(text, kept string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) && !strings.ContainsRune(kept, c) {
			return ' '
		}
		return c
	}, text)
}

// MarshalJSON encodes the record as a JSON object. The order of the values stays.
func (r record) MarshalJSON() ([]byte, error) {
	if len(r) == 0 {
		return []byte("{}"), nil
	}
	var b bytes.Buffer
	for i, v := range r {
		name, err := json.Marshal(v.name)
		if err != nil {
			return nil, err
		}
		data, err := json.Marshal(v.any)
		if err != nil {
			return nil, err
		}
		b.WriteByte("{,"[min(i, 1)])
		b.Write(name)
		b.WriteByte(':')
		b.Write(data)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// printJSON prints indented JSON without escaping <, > and &.
func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// recordOf returns the attributes of a domain object as a record.
func recordOf[T any](attributes []enlist.Attribute[T], from *T) record {
	r := make(record, len(attributes))
	for i, a := range attributes {
		r[i] = value{a.Name, cellValue(a.Get(from))}
	}
	return r
}

// cellValue returns an attribute as a Go value, so that JSON has numbers and booleans.
func cellValue(c enlist.Value) any {
	switch c.Kind {
	case enlist.KeyInt:
		return c.Int
	case enlist.KeyBool:
		return c.Int != 0
	}
	return c.Text
}

// formatTime formats a Unix time in UTC. If the time is 0, it returns the parameter never.
func formatTime(layout string, unix int64, never string) string {
	if unix == 0 {
		return never
	}
	return time.Unix(unix, 0).UTC().Format(layout)
}

// show prints a record as a JSON object. Without --json it prints one line for each value.
func (f format) show(w io.Writer, r record) error {
	if f.JSON {
		return printJSON(w, r)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, v := range r {
		fmt.Fprintf(table, "%s\t%s\n", v.name, r.text(v.name))
	}
	return table.Flush()
}

// records returns one record for each item.
func records[T any](of []T, each func(*T) record) []record {
	all := make([]record, len(of))
	for i := range of {
		all[i] = each(&of[i])
	}
	return all
}
