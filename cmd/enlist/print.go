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

	"enlist/internal/audience"
)

// record is what a command prints: named values in order.
type record []value

type value struct {
	name string
	any
}

// format is the flag of commands that print records.
type format struct {
	JSON bool `name:"json" help:"Print JSON."`
}

// list prints records as a JSON array, or as a table of the columns named.
func (f format) list(w io.Writer, records []record, columns ...string) error {
	if f.JSON {
		return printJSON(w, append([]record{}, records...)) // never null
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

// one prints a record as a JSON object, or the line in its place.
func (f format) one(w io.Writer, r record, line string, args ...any) error {
	if f.JSON {
		return printJSON(w, r)
	}
	_, err := fmt.Fprintf(w, line+"\n", args...)
	return err
}

// text shows a value in a table, in which a tab or a line end would break the
// rows and other control characters would reach the terminal.
func (r record) text(name string) string {
	for _, v := range r {
		if v.name == name {
			return strings.Map(func(c rune) rune {
				if unicode.IsControl(c) {
					return ' '
				}
				return c
			}, fmt.Sprint(v.any))
		}
	}
	return ""
}

// MarshalJSON keeps the order of the values.
func (r record) MarshalJSON() ([]byte, error) {
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

func printJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// recordOf reads a record of the domain by its table of attributes.
func recordOf[T any](attributes []audience.Attribute[T], from *T) record {
	r := make(record, len(attributes))
	for i, a := range attributes {
		r[i] = value{a.Name, cellValue(a.Get(from))}
	}
	return r
}

func cellValue(c audience.Value) any {
	switch c.Kind {
	case audience.KeyInt:
		return c.Int
	case audience.KeyBool:
		return c.Int != 0
	}
	return c.Text
}

// moment shows a time to a person; 0 is one that never comes or came.
func moment(unix int64, never string) string {
	if unix == 0 {
		return never
	}
	return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04 UTC")
}

// show prints a record as a JSON object, or as one line for each value.
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
