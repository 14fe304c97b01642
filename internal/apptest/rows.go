package apptest

import (
	"fmt"
	"slices"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// Rows is an enlist.RowWriter that keeps the rows.
type Rows[T any] struct {
	All       []T
	Streaming bool
}

// ContactRows is a ContactWriter that collects the rows.
type ContactRows struct {
	// If long is true and the reply is not a stream, Contact returns ErrReplyTooLong at the
	// second row.
	Long      bool
	Streaming bool
	columns   []enlist.Column
	Rows      []map[string]string
}

func (w *ContactRows) Begin(columns []enlist.Column, streaming bool) error {
	w.columns, w.Streaming, w.Rows = slices.Clone(columns), streaming, []map[string]string{}
	return nil
}

func (w *ContactRows) Contact(c *enlist.Contact) error {
	row := make(map[string]string, len(w.columns))
	for _, column := range w.columns {
		if column.Field != nil {
			row[column.Name] = strings.Clone(c.Values.Get(column.Field.ID))
			continue
		}
		switch cell := column.System.Get(c); cell.Kind {
		case enlist.KeyText:
			row[column.Name] = cell.Text
		default:
			row[column.Name] = fmt.Sprint(cell.Int)
		}
	}
	if len(row) != len(w.columns) {
		return fmt.Errorf("two columns have the same name: %v", w.columns)
	}
	w.Rows = append(w.Rows, row)
	if w.Long && !w.Streaming && len(w.Rows) > 1 {
		return enlist.ErrReplyTooLong
	}
	return nil
}

// RowsOf collects rows as texts: the ID of the List, and the contact_email.
type RowsOf struct {
	long      bool // the reply is too long to be buffered
	streaming bool
	Rows      []string
	All       []recipients.Row
}

func (w *RowsOf) Begin(streaming bool) error {
	w.streaming, w.Rows, w.All = streaming, nil, nil
	return nil
}

func (w *RowsOf) Row(r *recipients.Row) error {
	w.Rows = append(w.Rows, fmt.Sprint(r.List, " ", strings.TrimSuffix(r.Address, "@example.com")))
	w.All = append(w.All, *r)
	if w.long && !w.streaming {
		return enlist.ErrReplyTooLong
	}
	return nil
}

func (f *SentBatch) Rows(r reports.RowsRequest, q enlist.Query) *RowsOf {
	f.Helper()
	r.Batch = f.ID
	w := &RowsOf{long: q.Limit == 0}
	f.Must(f.App.Reports.BatchRows(f.Context(), f.Caller, r, q, w))
	return w
}

// WantRows checks the addresses of the rows of a kind. All are in the List news.
func (f *SentBatch) WantRows(kind recipients.EventKind, q enlist.Query, want ...string) {
	f.Helper()
	for i := range want {
		want[i] = fmt.Sprint(f.News, " ", want[i])
	}
	if got := f.Rows(reports.RowsRequest{Kind: kind}, q).Rows; !slices.Equal(got, want) {
		f.Errorf("%s, %s: got %v, want %v", kind, Show(q), got, want)
	}
}

// Values returns a row as it is shown.
func (w *RowsOf) Values(kind recipients.EventKind, row int) string {
	var texts []string
	for _, a := range reports.BatchRowAttributes(kind) {
		v := a.Get(&w.All[row])
		if v.Kind == enlist.KeyText {
			texts = append(texts, a.Name+"="+v.Text)
		} else {
			texts = append(texts, fmt.Sprint(a.Name, "=", v.Int))
		}
	}
	return strings.Join(texts, " ")
}
