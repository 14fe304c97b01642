package admin_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/users"
)

// This file has what loses answers, forms and databases while a user types.

// failing is a database that stores nothing, because its disk is full, or that does not respond.
type failing struct {
	db.Engine
	isFull, isAway atomic.Bool
}

var errFailing = errors.New("database or disk is full")

func (f *failing) Update(ctx context.Context, fn func(*db.Tx) error) error {
	if f.isFull.Load() || f.isAway.Load() {
		return errFailing
	}
	return f.Engine.Update(ctx, fn)
}

func (f *failing) View(ctx context.Context, fn func(*db.Tx) error) error {
	if f.isAway.Load() {
		return errFailing
	}
	return f.Engine.View(ctx, fn)
}

// faults answers the POST requests of some paths in place of a Handler, or keeps its answers back.
type faults struct {
	http.Handler
	mu     sync.Mutex
	path   *regexp.Regexp
	answer int           // a status; lost or held
	freed  chan struct{} // closed when held answers are sent
}

const (
	lost = -1 - iota // the Handler answers, and the connection is closed
	held             // the Handler answers, and the answer is sent later
	none             // there is no answer
)

// fail sets what becomes of POST requests.
func (f *faults) fail(answer int, path string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer, f.path, f.freed = answer, regexp.MustCompile(path), make(chan struct{})
}

// work lets all requests be answered again.
func (f *faults) work() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.answer = 0
	close(f.freed)
}

func (f *faults) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	answer, freed := f.answer, f.freed
	fails := answer != 0 && r.Method == http.MethodPost && f.path.MatchString(r.URL.Path)
	f.mu.Unlock()
	switch {
	case !fails:
		f.Handler.ServeHTTP(w, r)
	case answer > 0:
		http.Error(w, "made up", answer)
	case answer == none:
		<-freed
	case answer == lost:
		f.Handler.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	default:
		f.Handler.ServeHTTP(&heldWriter{w, freed}, r)
	}
}

// heldWriter waits before an answer begins.
type heldWriter struct {
	http.ResponseWriter
	freed chan struct{}
}

func (w *heldWriter) WriteHeader(status int) {
	<-w.freed
	w.ResponseWriter.WriteHeader(status)
}

func (w *heldWriter) Write(b []byte) (int, error) {
	<-w.freed
	return w.ResponseWriter.Write(b)
}

// covers: decision 175
func TestTextsSurviveFailures(t *testing.T) {
	apptest.Run(t, apptest.Slow, newSurvivor, []apptest.Rule[*survivor]{
		{Name: "the page that says that a form was not stored sends it again", Test: (*survivor).sendsAgain},
		{Name: "a save is no conflict with an earlier one of its page, whose answer was lost", Test: (*survivor).ownSaves},
		{Name: "the text of a Message that was deleted meanwhile becomes a new Message", Test: (*survivor).becomesNew},
	})
}

// survivor is a site whose database can fail.
type survivor struct {
	*site
	store *failing
}

func newSurvivor(t *testing.T, store db.Engine) *survivor {
	failing := &failing{Engine: store}
	return &survivor{newWriting(t, failing), failing}
}

func (s *survivor) sendsAgain() {
	v := s.writer()
	for _, fails := range []*atomic.Bool{&s.store.isFull, &s.store.isAway} {
		fails.Store(true)
		status, _, text := v.post("/admin/lists/new", url.Values{"name": {"typed <b>"}, "from_address": {"news@example.com"}})
		fails.Store(false)
		page := shown(text)
		if status < 500 || !strings.Contains(page, "What you typed is kept on this page.") || !strings.Contains(page, "Send again") {
			s.Fatalf("a form that was not stored is answered with %d:\n%s", status, page)
		}
		again := formsOf("/admin/lists/new", text)[0]
		if again.action != "/admin/lists/new" {
			s.Errorf("the form is sent again to %s", again.action)
		}
		if status, at, _ := v.post(again.action, again.values()); status != http.StatusOK || !strings.HasPrefix(at, "/admin/lists/") {
			s.Errorf("the form that is sent again is answered with %d at %s", status, at)
		}
	}
	s.withoutPasswords(v)
}

// withoutPasswords sends the forms with passwords: the page of a failure has none. Test toTyping knows their names.
func (s *survivor) withoutPasswords(v *visitor) {
	const password = "three small cats"
	v.post("/admin/you/password", url.Values{"password": {password}})
	for path, typed := range map[string]url.Values{"password": {"present": {password}, "password": {password}},
		"address": {"present": {password}, "email": {"new@example.com"}}, "passkeys": {"present": {password}, "name": {"new"}}} {
		for _, fails := range []*atomic.Bool{&s.store.isFull, &s.store.isAway} {
			fails.Store(true)
			status, _, text := v.post("/admin/you/"+path, typed)
			if fails.Store(false); strings.Contains(text, password) || status < 500 && fails == &s.store.isAway {
				s.Errorf("the form %s is answered with %d, and with the password:\n%s", path, status, cut(text))
			}
		}
	}
}

func (s *survivor) ownSaves() {
	v := s.writer()
	at := v.begun("empty:blocks")
	form := func(text, page, number, seen string) url.Values {
		return blockForm("blocks", `[{"type":"text","text":"`+text+`"}]`, "page", page, "number", number, "seen", seen)
	}
	seen := enlist.VersionOf(messages.WholeMessageAttributes, v.message(at))
	v.saves(at, form("one", "own", "1", seen))
	for _, c := range []struct{ page, says string }{{"other", "was changed since you opened the page"}, {"own", "Saved."}} {
		if _, _, text := v.post(at, form("one two", c.page, "2", seen)); !strings.Contains(shown(text), c.says) {
			s.Errorf("a save of the page %s is answered without %q:\n%s", c.page, c.says, shown(text))
		}
	}
	if got := v.stored(at); got != `[{"type":"text","text":"one two"}]` {
		s.Errorf("the blocks are %s", got)
	}
}

func (s *survivor) becomesNew() {
	v := s.writer()
	at := v.begun("empty:blocks")
	form := blockForm("blocks", `[{"type":"text","text":"typed"}]`, "page", "p", "number", "1", "seen", "old", "subject", "Typed")
	s.Must(s.App.Messages.DeleteMessage(s.Context(), s.Caller, v.message(at).ID))
	if status, _, _ := v.post(at+"/autosave", form); status != http.StatusNotFound {
		s.Errorf("a save of a deleted Message is answered with %d", status)
	}
	status, now, text := v.post(at, form)
	if status != http.StatusOK || now == at || !strings.Contains(shown(text), "Your text is in this new Message.") {
		s.Fatalf("the form of a deleted Message is answered with %d at %s:\n%s", status, now, shown(text))
	}
	if m := v.message(now); m.Subject != "Typed" || m.Blocks != `[{"type":"text","text":"typed"}]` {
		s.Errorf("the new Message is %s: %s", m.Subject, m.Blocks)
	}
	reader := s.signedIn(users.Membership{Role: enlist.Reader})
	if status, _, _ := reader.post(at, form); status != http.StatusForbidden {
		s.Errorf("a reader is answered with %d", status)
	}
}

// losses is a tab with the editor of a Message.
type losses struct {
	*chromium
	*faults
	v     *visitor
	store *failing
	at    string // path of the Message
}

// newLosses returns a tab whose timers run four times as fast.
func newLosses(t *testing.T) *losses {
	l := &losses{faults: &faults{}}
	l.chromium = newChromium(t, func(t *testing.T, store db.Engine) *site {
		l.store = &failing{Engine: store}
		s := newWriting(t, l.store)
		l.Handler = s.server.Config.Handler
		s.server.Config.Handler = l.faults
		return s
	})
	l.v = l.writer()
	l.hurry(l.ctx)
	return l
}

// begin opens a new Message, and types into it.
func (l *losses) begin() {
	l.Helper()
	l.at = l.open(l.v, "empty:blocks")
	l.add("words")
	l.keys("before")
	l.waitStored("before")
	l.says("Saved ")
}

// says waits for what the page says about its last save.
func (l *losses) says(start string) {
	l.Helper()
	l.waitFor(`document.querySelector("[data-saved]")?.innerText.startsWith("` + start + `")`)
}

// waitStored waits until the Message has a text.
func (l *losses) waitStored(text string) {
	l.Helper()
	want := `[{"type":"text","text":"` + text + `"}]`
	l.until("a save of "+want, func() bool { return l.v.stored(l.at) == want })
}

// press presses a button.
func (l *losses) press(selector string) {
	l.Helper()
	l.do(`document.querySelector("` + selector + `").click()`)
}

const saveButton = "#edit button.main"

// until waits for a condition of the server.
func (l *losses) until(about string, is func() bool) {
	l.Helper()
	for !is() {
		select {
		case <-l.ctx.Done():
			l.Fatalf("%s does not happen: the Message has %s", about, l.v.stored(l.at))
		case <-time.After(20 * time.Millisecond):
		}
	}
}
