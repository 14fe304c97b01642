package rpc

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
)

// The log has one line for each key, method and day, and no name that a caller sent.
//
// covers: spec header.ignored
func TestIgnoredNamesAreLoggedOnceADay(t *testing.T) {
	t.Parallel()
	var lines strings.Builder
	h := newHarness(t, Options{Log: slog.New(slog.NewTextHandler(&lines, nil))})
	h.addListsAndContact(t)
	for range 3 {
		h.post(t, h.request("subscribeContact", `1,{"Email":"bob@example.org","secret@example.org":"1"}`))
		h.post(t, h.request("countLists", `[],1`))
	}
	got := lines.String()
	if strings.Count(got, "method=subscribeContact") != 1 || strings.Count(got, "method=countLists") != 1 || strings.Contains(got, "secret") {
		t.Errorf("the log is %q, want one line for each method, without the name", got)
	}
}

func TestLogOfIgnoredNamesStartsAnewEachDay(t *testing.T) {
	var l ignoredLog
	m, day := new(method), time.Unix(86400*5, 0)
	for i, want := range []bool{true, false} {
		if got := l.isFirst(1, m, day.Add(time.Duration(i)*time.Hour)); got != want {
			t.Errorf("call %d of the first day has a line: %t, want %t", i+1, got, want)
		}
	}
	if !l.isFirst(1, m, day.Add(24*time.Hour)) || !l.isFirst(2, m, day.Add(24*time.Hour)) {
		t.Error("the first calls of two keys on the second day have no line")
	}
	for i := range enlist.KeyID(2 * maxIgnoredCalls) {
		l.isFirst(i, m, day.Add(24*time.Hour))
	}
	if n := len(l.seen); n > maxIgnoredCalls {
		t.Errorf("%d lines are remembered, want at most %d", n, maxIgnoredCalls)
	}
}

func TestHeaderOfIgnoredNamesIsShort(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	var members strings.Builder
	for i := range 50 {
		members.WriteString(`,"` + strings.Repeat("x", 90) + string(rune('a'+i%26)) + string(rune('a'+i/26)) + `":1`)
	}
	text, header := h.send(t, "/rpc", strings.Replace(h.request("countLists", ""), "{", "{"+members.String()[1:]+",", 1))
	if got := header.Get(ignoredHeader); len(got) > maxIgnoredHeader+100 || !strings.HasSuffix(got, ", ...") {
		t.Errorf("the header has %d bytes: %q, want about %d and the end ...; the reply is %s", len(got), got, maxIgnoredHeader, text)
	}
}
