// Package audit has the page of the audit log: who changed what in an Account, and when.
package audit

import (
	"embed"
	"encoding/json"
	"maps"
	"slices"
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
	return []ui.Page{{Pattern: "GET /admin/audit", Needs: enlist.Administer, Serve: func(r *ui.Request) (*ui.View, error) {
		return show(r, content)
	}}}
}

// columns are those of the page. The service sorts by the IDs, which rise with the time.
var columns = ui.Columns[row]{{Key: "time", Text: "audit.when", Falls: true}, {Text: "audit.by"},
	{Text: "audit.did"}, {Text: "audit.with"}, {Text: "audit.change"}}

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
		line := ""
		if value, ok := was[name]; ok {
			line += plain(r, name, value) + " → "
		}
		if value, ok := is[name]; ok {
			line += plain(r, name, value)
		} else {
			line += r.Text("audit.nothing")
		}
		lines = append(lines, r.Language.Named(nameOf(r, name), line))
	}
	return lines
}

// plain writes a value of JSON: a text without its quotes, a time as a date, true as yes, and anything else as it is.
func plain(r *ui.Request, name string, value json.RawMessage) string {
	if at := ui.Int(string(value)); at > 0 && strings.HasSuffix(name, "_time") {
		return r.Date(at)
	}
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	switch string(value) {
	case "true":
		return r.Text("audit.yes")
	case "false":
		return r.Text("audit.no")
	}
	return string(value)
}

func show(r *ui.Request, content *ui.Template) (*ui.View, error) {
	t := ui.Table[row]{Order: columns.Order(r.URL.Query(), "time"), Label: r.Text("audit.rows"), Roomy: true}
	t.Find = ui.NewFind(r, ui.Form{{Name: "who", Label: r.Text("audit.who")}, {Name: "method", Label: r.Text("audit.method")},
		{Name: "object", Label: r.Text("audit.object"), Kind: ui.InputChoice, Options: kindOptions(r)}, {Name: "from", Label: r.Text("audit.from"), Kind: ui.InputDate},
		{Name: "until", Label: r.Text("audit.until"), Kind: ui.InputDate}}, t.Order)
	view := &ui.View{Title: r.Text("audit.title"), Sub: r.Text("audit.about"), Place: "/admin/audit", Content: content}
	q := enlist.Query{Criteria: criteriaOf(r, t.Find.Form), SortBy: "id", Descending: t.Order.Down, Limit: perPage + 1,
		Offset: (ui.PageNumber(r.URL.Query()) - 1) * perPage}
	if t.Find.Form.IsWrong() {
		view.Problem, view.Data = "audit.not_searched", t
		return view, nil
	}
	var found ui.Rows[accounts.AuditRow]
	if err := r.App.Accounts.SearchAuditLog(r.Context(), r.Caller, q, &found); err != nil {
		return nil, err
	}
	found.All, t.Pager = ui.FoundPage(r.URL.Query(), found.All, perPage)
	for i := range found.All {
		t.Rows = append(t.Rows, rowOf(r, &found.All[i]))
	}
	view.Data = t
	return view, nil
}

// criteriaOf returns the criteria that a form asks for, or nil for all rows. It marks days that are none.
func criteriaOf(r *ui.Request, f ui.Form) *enlist.Criteria {
	var all []enlist.Criteria
	text := func(key, value string) enlist.Criteria {
		return enlist.Criteria{Key: key, Operator: "contains", Value: enlist.TextInput(value)}
	}
	if who := f.Value("who"); who != "" {
		all = append(all, enlist.Criteria{Any: []enlist.Criteria{text("user_name", who), text("key_name", who)}})
	}
	if method := f.Value("method"); method != "" {
		all = append(all, text("method", method))
	}
	if kind := f.Value("object"); kind != "" {
		all = append(all, enlist.Criteria{Key: "object", Operator: "exactly", Value: enlist.TextInput(kind)})
	}
	day := func(name, operator string, days int, seconds int64) {
		value := f.Value(name)
		if value == "" {
			return
		}
		at, err := enlist.ParseClock(time.DateOnly, value, r.Now.Location())
		if err != nil {
			f.Refused(name, r.Text("audit.not_a_day"))
			return
		}
		all = append(all, enlist.Criteria{Key: "time", Operator: operator, Value: enlist.Input{Kind: enlist.InputNumber,
			Text: ui.Plain(enlist.StartOfDay(at, days, r.Now.Location()).Unix() + seconds)}})
	}
	day("from", "greater_than", 0, -1)
	day("until", "less_than", 1, 0) // the day itself counts
	if all == nil {
		return nil
	}
	return &enlist.Criteria{All: all}
}

// rowOf returns a row of the log in words.
func rowOf(r *ui.Request, a *accounts.AuditRow) row {
	row := row{AuditRow: *a, When: r.Date(a.Time), Who: a.User, About: kindOf(r, a.Object), Changes: fold(changes(r,
		a.Before, a.After))}
	switch {
	case a.KeyID != 0:
		row.Who = r.Text("audit.key", "name", a.KeyName)
	case a.User == "":
		row.Who = r.Text("audit.command_line")
	}
	if a.ObjectID != 0 {
		row.About = r.Text("audit.object_number", "object", row.About, "number", ui.Plain(a.ObjectID))
	}
	if a.ListID != 0 && a.Object != "List" {
		row.About = r.Text("audit.of_list", "object", row.About, "list", ui.Plain(int64(a.ListID)))
	}
	return row
}
