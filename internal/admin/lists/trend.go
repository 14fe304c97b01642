package lists

import (
	"html/template"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// Trend is how a List has changed lately.
type Trend struct {
	Change int64         // of people who can get mail, in shortDays
	Line   template.HTML // its Contacts in lineDays
}

// Trends returns the trends of Lists.
func Trends(r *ui.Request, ids []enlist.ListID) (map[enlist.ListID]Trend, error) {
	days, err := r.App.Lists.DaysOfLists(r.Context(), r.Caller, ids, lineDays)
	if err != nil {
		return nil, err
	}
	all := make(map[enlist.ListID]Trend, len(ids))
	for _, id := range ids {
		var t Trend
		var line []int64
		for i, day := range days[id] {
			line = append(line, day.Contacts)
			if i >= lineDays-shortDays {
				t.Change += netOf(day.Counts)
			}
		}
		if len(line) > 0 {
			t.Line = ui.Sparkline(r.Text("lists.trend", "from", line[0], "to", line[len(line)-1]), line)
		}
		all[id] = t
	}
	return all, nil
}
