// Package audit has the page of the audit log: who changed what in an Account, and when.
package audit

import (
	"embed"
	"encoding/json"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

//go:embed audit.html
var files embed.FS

const perPage = 50

// Pages returns the page.
func Pages() []ui.Page {
	content := ui.Parse(files, "audit.html")
	return []ui.Page{{Pattern: "GET /admin/audit", Level: enlist.Full, Serve: func(r *ui.Request) (*ui.View, error) {
		return show(r, content)
	}}}
}

// columns are those of the page. The service sorts by the IDs, which rise with the time.
var columns = ui.Columns[row]{{Key: "time", Text: "audit.when", Falls: true}, {Text: "audit.by"},
	{Text: "audit.did"}, {Text: "audit.with"},
	{Text: "audit.change"}}

// filter is what the form asks for.
type filter struct {
	Who, Method, Object string
	From, Until         string // days
	Order               ui.Order
	Page                int64

	Wrong string // "from" or "until": no day
}

// data is the data of the page.
type data struct {
	filter
	Rows       []row
	Back, Next string // URLs; "": there is none
}

// row is a row of the log in words.
type row struct {
	accounts.AuditRow
	When, Who, About string
	Changes          []change
}

// change is a change of one value. A long one is folded: Start is how it begins, and Text the whole.
type change struct{ Start, Text string }

// fold shortens long texts.
func fold(lines []string) (all []change) {
	const most = 160
	for _, line := range lines {
		c := change{Text: line}
		if letters := []rune(line); len(letters) > most {
			c.Start = string(letters[:most/2]) + "…"
		}
		all = append(all, c)
	}
	return all
}

// changes writes the values before and after an act in words, one change a line: level: read → full.
func changes(r *ui.Request, before, after string) (lines []string) {
	if before == "" && after == "" {
		return []string{r.Text("audit.erased")}
	}
	var was, is map[string]json.RawMessage
	if json.Unmarshal([]byte(before), &was) != nil || json.Unmarshal([]byte(after), &is) != nil {
		return []string{before + " → " + after} // it is always JSON
	}
	names := maps.Clone(was)
	if names == nil {
		names = make(map[string]json.RawMessage)
	}
	maps.Copy(names, is)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		line := strings.ReplaceAll(name, "_", " ") + ": "
		if value, ok := was[name]; ok {
			line += plain(r, name, value) + " → "
		}
		if value, ok := is[name]; ok {
			line += plain(r, name, value)
		} else {
			line += r.Text("audit.nothing")
		}
		lines = append(lines, line)
	}
	return lines
}

// plain writes a value of JSON: a text without its quotes, a time as a date, and anything else as it is.
func plain(r *ui.Request, name string, value json.RawMessage) string {
	if at := ui.Int(string(value)); at > 0 && strings.HasSuffix(name, "_time") {
		return r.Date(at)
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}

func show(r *ui.Request, content *ui.Template) (*ui.View, error) {
	f := filter{Who: r.FormValue("who"), Method: r.FormValue("method"), Object: r.FormValue("object"),
		From: r.FormValue("from"), Until: r.FormValue("until"), Page: ui.PageNumber(r.URL.Query()),
		Order: columns.Order(r.URL.Query(), "time")}
	d := data{filter: f}
	criteria := f.criteria(r)
	view := &ui.View{Title: r.Text("audit.title"), Sub: r.Text("audit.about"), Place: "/admin/audit",
		Content: content, Data: &d}
	if d.Wrong = f.Wrong; f.Wrong != "" {
		view.Problem = r.Text("audit.not_a_day")
		return view, nil
	}
	q := enlist.Query{Criteria: criteria, SortBy: "id", Descending: f.Order.Down, Limit: perPage + 1,
		Offset: (f.Page - 1) * perPage}
	if err := r.App.Accounts.SearchAuditLog(r.Context(), r.Caller, q, &rows{r, &d}); err != nil {
		return nil, err
	}
	if f.Page > 1 {
		d.Back = f.url(f.Page - 1)
	}
	if len(d.Rows) > perPage {
		d.Rows, d.Next = d.Rows[:perPage], f.url(f.Page+1)
	}
	return view, nil
}

// criteria returns the criteria of the filter, or nil for all rows.
func (f *filter) criteria(r *ui.Request) *enlist.Criteria {
	var all []enlist.Criteria
	text := func(key, value string) enlist.Criteria {
		return enlist.Criteria{Key: key, Operator: "contains", Value: enlist.TextInput(value)}
	}
	if f.Who != "" {
		all = append(all, enlist.Criteria{Any: []enlist.Criteria{text("user_name", f.Who), text("key_name", f.Who)}})
	}
	if f.Method != "" {
		all = append(all, text("method", f.Method))
	}
	if f.Object != "" {
		all = append(all, text("object", f.Object))
	}
	day := func(name, value, operator string, days int, seconds int64) {
		if value == "" {
			return
		}
		at, err := enlist.ParseClock(time.DateOnly, value, r.Now.Location())
		if err != nil {
			f.Wrong = name
			return
		}
		all = append(all, enlist.Criteria{Key: "time", Operator: operator,
			Value: enlist.Input{Kind: enlist.InputNumber,
				Text: strconv.FormatInt(enlist.StartOfDay(at, days, r.Now.Location()).Unix()+seconds, 10)}})
	}
	day("from", f.From, "greater_than", 0, -1)
	day("until", f.Until, "less_than", 1, 0) // the day itself counts
	if all == nil {
		return nil
	}
	return &enlist.Criteria{All: all}
}

// url returns the URL of another page of the same search.
func (f *filter) url(page int64) string {
	v := url.Values{"page": {strconv.FormatInt(page, 10)}}
	for name, value := range map[string]string{"who": f.Who, "method": f.Method, "object": f.Object, "from": f.From,
		"until": f.Until} {
		if value != "" {
			v.Set(name, value)
		}
	}
	f.Order.AddTo(v)
	return "/admin/audit?" + v.Encode()
}

// rows collects the rows of a search. It implements enlist.RowWriter.
type rows struct {
	r *ui.Request
	d *data
}

// Begin implements enlist.RowWriter.
func (w *rows) Begin(bool) error {
	w.d.Rows = nil
	return nil
}

// Row implements enlist.RowWriter.
func (w *rows) Row(a *accounts.AuditRow) error {
	row := row{AuditRow: *a, When: w.r.Date(a.Time), Who: a.User, About: a.Object, Changes: fold(changes(w.r,
		a.Before, a.After))}
	switch {
	case a.KeyID != 0:
		row.Who = w.r.Text("audit.key", "name", a.KeyName)
	case a.User == "":
		row.Who = w.r.Text("audit.command_line")
	}
	if a.ObjectID != 0 {
		row.About = w.r.Text("audit.object_number", "object", row.About, "number", ui.Plain(a.ObjectID))
	}
	if a.ListID != 0 && a.Object != "List" {
		row.About = w.r.Text("audit.of_list", "object", row.About, "list", ui.Plain(int64(a.ListID)))
	}
	w.d.Rows = append(w.d.Rows, row)
	return nil
}
