package ui

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file writes numbers and times as people read them.

// WithoutScheme returns a URL as people read it.
func WithoutScheme(url string) string {
	return strings.TrimPrefix(strings.TrimPrefix(url, "https://"), "http://")
}

// Date writes a Unix time in the time zone of the Account: Tue 17 Nov, 9:00, with the year if it is another one.
func (r *Request) Date(at int64) string { return r.moment(at, "moment", "moment_year") }

// Day writes the day of a Unix time: 17 Nov.
func (r *Request) Day(at int64) string { return r.moment(at, "day", "day_year") }

// moment writes a Unix time with one format of the language in this year, and with another one in others. 0 means never.
func (r *Request) moment(at int64, thisYear, otherYear string) string {
	if at == 0 {
		return "–"
	}
	t := time.Unix(at, 0).In(r.Now.Location())
	if t.Year() != r.Now.Year() {
		return r.Language.Time(otherYear, t)
	}
	return r.Language.Time(thisYear, t)
}

// inputTime is how a browser writes the time of an input of the kind datetime-local.
const inputTime = "2006-01-02T15:04"

// InputTime writes a Unix time for an input of the browser, in the time zone of the Account. 0 is "".
func (r *Request) InputTime(at int64) string {
	if at == 0 {
		return ""
	}
	return time.Unix(at, 0).In(r.Now.Location()).Format(inputTime)
}

// ReadTime reads such an input as enlist.ParseClock does. If it still shows the time stored, this is the result: an input
// has no seconds, and the clock can show a time twice.
func (r *Request) ReadTime(text string, stored int64) (at int64, ok bool) {
	if text != "" && text == r.InputTime(stored) {
		return stored, true
	}
	for _, layout := range []string{inputTime, inputTime + ":05"} {
		if t, err := enlist.ParseClock(layout, text, r.Now.Location()); err == nil {
			return t.Unix(), true
		}
	}
	return 0, false
}

// Said returns the translation of what a service says, as a sentence.
func (r *Request) Said(text string) string { return r.Language.Said(Sentence(text)) }

// Span says how long seconds are, with no more digits than matter.
func (r *Request) Span(seconds int64) string {
	return r.span(seconds, [...]string{"ui.seconds", "ui.minutes", "ui.hours", "ui.days"})
}

// Ago is Span for something that was seconds ago.
func (r *Request) Ago(seconds int64) string {
	return r.span(seconds, [...]string{"ui.seconds_ago", "ui.minutes_ago", "ui.hours_ago", "ui.days_ago"})
}

func (r *Request) span(seconds int64, keys [4]string) string {
	switch {
	case seconds < 2*60:
		return r.Text(keys[0], "n", seconds)
	case seconds < 2*60*60:
		return r.Text(keys[1], "n", seconds/60)
	case seconds < 2*enlist.Day:
		return r.Text(keys[2], "n", seconds/(60*60))
	}
	return r.Text(keys[3], "n", seconds/enlist.Day)
}

// Zone returns the name of the Account's time zone.
func (r *Request) Zone() string { return r.Caller.Account.TimeZone }

// Int reads a number of a form. Anything else is 0.
func Int(text string) int64 {
	n, _ := strconv.ParseInt(text, 10, 64)
	return n
}

// Plain writes a number without separators.
func Plain(n int64) string { return strconv.FormatInt(n, 10) }

// Names are the names of the records of an Account.
type Names struct {
	Lists    map[enlist.ListID]string
	Messages map[enlist.MessageID]string          // that the user sees
	Text     func(key string, args ...any) string // of the catalogue
}

// Names returns the names that the user may see.
func (r *Request) Names() (n Names, err error) {
	n.Text = r.Text
	if n.Lists, err = r.ListNames(); err != nil {
		return n, err
	}
	n.Messages, err = r.messageNames()
	return n, err
}

// Batch returns the name of a Batch, or else of its Message.
func (n Names) Batch(b *batches.Batch) string {
	if name := cmp.Or(b.Name, n.Messages[b.MessageID]); name != "" {
		return name
	}
	return n.Text("ui.campaign_number", "id", int64(b.ID))
}

func (r *Request) messageNames() (map[enlist.MessageID]string, error) {
	all, err := r.App.Messages.Choices(r.Context(), r.Caller)
	names := make(map[enlist.MessageID]string, len(all))
	for i := range all {
		names[all[i].ID] = all[i].Name
	}
	return names, err
}

// Text returns a detail of a record with a text.
func Text(key, text string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.TextInput(text)}
}

// Texts reads texts with commas between them.
func Texts(text string) enlist.Input {
	all := enlist.Input{Kind: enlist.InputArray}
	for part := range strings.SplitSeq(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			all.Items = append(all.Items, enlist.TextInput(part))
		}
	}
	return all
}
