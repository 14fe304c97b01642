package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/sqlite"
	"enlist/internal/seeds/powercut"
)

// This file compares what a power cut has left with what was answered, printed and mailed before.

// outputs are the moments of a trace at which a server sent or printed something.
type outputs struct {
	replies map[string]int // by ID
	mailed  map[string]int // by recipient
	backups []*madeBackup  // in their order
}

// madeBackup is a backup that the server has printed.
type madeBackup struct {
	name     string
	begins   int
	complete int // 0: the server ended before it was complete
	sum      string
}

var (
	sentReply  = regexp.MustCompile(`(?m)^X-Request-Id: (\w+)`)
	sentMail   = regexp.MustCompile(`RCPT TO:<(r\d+@example.com)>`)
	backupLine = regexp.MustCompile(`(?m)^backup (begins|made) (\S+)(?: (\w+) <nil>)?$`)
)

func outputsOf(t *powercut.Trace) *outputs {
	a := &outputs{replies: map[string]int{"none": 0}, mailed: make(map[string]int)}
	t.Sent(func(moment int, data []byte) {
		for _, found := range sentReply.FindAllSubmatch(data, -1) {
			a.replies[string(found[1])] = moment
		}
		for _, found := range sentMail.FindAllSubmatch(data, -1) {
			if address := string(found[1]); a.mailed[address] == 0 {
				a.mailed[address] = moment
			}
		}
		for _, found := range backupLine.FindAllSubmatch(data, -1) {
			if string(found[1]) == "begins" {
				a.backups = append(a.backups, &madeBackup{name: string(found[2]), begins: moment})
			} else {
				last := a.backups[len(a.backups)-1]
				last.complete, last.sum = moment, string(found[3])
			}
		}
	})
	return a
}

// known returns whether a reply was sent before a moment.
func (a *outputs) had(reply string, moment int) bool {
	at, ok := a.replies[reply]
	return ok && at <= moment
}

// check makes states, and compares each with the answers.
func (p *powerCut) check(states int) {
	p.Helper()
	trace := p.recorder.Trace()
	moments := make([]int, states)
	for i := range moments {
		moments[i] = trace.Moment(p.random)
	}
	slices.Sort(moments)
	disk := powercut.NewDisk(trace)
	c := &comparison{powerCut: p, answers: outputsOf(trace)}
	var work sync.WaitGroup
	free := make(chan struct{}, runtime.GOMAXPROCS(0))
	unsynced, lost := 0, 0
	var late powercut.State
	lateMoment := moments[states/2+p.random.IntN(states/2)]
	for _, moment := range moments {
		if err := disk.Advance(moment); err != nil {
			p.Fatal(err)
		}
		state := disk.Cut(p.random)
		unsynced += min(disk.Unsynced(), 1)
		lost += min(state.Lost, 1)
		if moment == lateMoment {
			late = state
		}
		free <- struct{}{}
		if c.failed.Load() >= 3 {
			break
		}
		work.Go(func() {
			c.state(moment, state)
			<-free
		})
	}
	work.Wait()
	if err := disk.Compare(); err != nil {
		p.Errorf("the trace is not complete: %v", err)
	}
	p.Logf("%d events, %d replies, %d of %d mails, %d backups; %d states, %d of them with changes that were not synced, and %d without some of these",
		trace.Len(), len(c.answers.replies), len(c.answers.mailed), powerCutRecipients, len(c.answers.backups), states, unsynced, lost)
	if !p.Failed() {
		c.goesOn(lateMoment, late)
	}
	if unsynced < states/10 || lost < states/20 {
		p.Error("the states show too little: in most of them everything was synced")
	}
}

// goesOn starts a server on a state. It sends the rest of the Batch and stores the rest of the import. Afterwards the
// checks find no problem, and nothing that was answered is lost.
func (c *comparison) goesOn(moment int, s powercut.State) {
	c.Helper()
	dir := c.TempDir()
	if err := s.Write(dir); err != nil {
		c.Fatal(err)
	}
	c.Setenv("ENLIST_MAIL_FROM", "news@example.com")
	server := newCrashAt(c.T, filepath.Join(dir, "enlist.db"), c.mails.URL())
	running := server.process()
	defer running.end(os.Kill)
	content := must(openContent(server.db))(c.T)
	defer content.Close()
	const rest = `SELECT (SELECT count(*) FROM recipient WHERE status IN ('waiting', 'sending')) +
		(SELECT count(*) FROM batch WHERE is_populated = 0) +
		(SELECT count(*) FROM import WHERE sha256 <> '' AND state NOT IN ('done', 'uploading'))`
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for end := time.Now().Add(time.Minute); ; <-look.C {
		left, err := content.text(rest)
		if left == "0" {
			break
		}
		if time.Now().After(end) {
			c.Fatalf("a minute after a power cut at event %d, %s recipients, Batches and imports are left: %v", moment, left, err)
		}
	}
	running.end(syscall.SIGTERM)
	store := server.open()
	defer store.Close()
	problems, err := store.check(c.Context())
	problems = append(problems, c.compare(content, moment, moment)...)
	if err != nil || len(problems) > 0 {
		c.Errorf("a server that started after a power cut at event %d leaves %q, %v", moment, problems, err)
	}
}

// comparison compares states with the answers.
type comparison struct {
	*powerCut
	answers *outputs
	failed  atomic.Int32
	checked sync.Map // backups, by the sum of their content: a function that returns their problems
}

// state writes a state into a folder and compares it. It keeps the folder if it finds a problem.
func (c *comparison) state(moment int, s powercut.State) {
	dir, err := os.MkdirTemp("", "enlist-power-cut-")
	if err == nil {
		err = s.Write(dir)
	}
	if err != nil {
		c.Error(err)
		return
	}
	problems := c.problems(moment, s, dir)
	if len(problems) == 0 {
		os.RemoveAll(dir)
		return
	}
	c.failed.Add(1)
	c.Errorf("a power cut at event %d, after which the disk has %s of the changes that were not synced, leaves %s: %s", moment, s.Kind, dir,
		strings.Join(problems[:min(8, len(problems))], "; "))
}

// problems returns the problems of a state.
func (c *comparison) problems(moment int, s powercut.State, dir string) (problems []string) {
	path := filepath.Join(dir, "enlist.db")
	if _, ok := s.Files["enlist.db"]; !ok && len(s.Files) <= 2 && c.answered(moment) == 0 {
		return nil // the folders of the backups
	}
	store, err := openDatabase(c.Context(), config.Serve{Database: config.Database{DB: path}}, true, nil, nil)
	if err != nil {
		return []string{err.Error()}
	}
	defer store.Close()
	problems, err = store.check(c.Context())
	if readErr := app.New(store, nil).ReadSettings(c.Context()); err != nil || readErr != nil {
		problems = append(problems, errors.Join(err, readErr).Error())
	}
	content, err := openContent(path)
	if err != nil {
		return append(problems, err.Error())
	}
	defer content.Close()
	problems = append(problems, c.compare(content, moment, moment)...)
	problems = append(problems, c.compareMails(content, moment)...)
	return append(problems, c.compareBackups(content, moment, s)...)
}

// answered returns the number of replies before a moment.
func (c *comparison) answered(moment int) (n int) {
	for id := range c.answers.replies {
		if id != "none" && c.answers.had(id, moment) {
			n++
		}
	}
	return n
}

// content reads the content of a database.
type content struct{ *sql.DB }

func openContent(path string) (content, error) {
	db, err := dbtest.OpenSQLiteFile(path)
	if err == nil {
		db.SetMaxOpenConns(1)
	}
	return content{db}, err
}

// text returns the first column of all rows, one after another.
func (c content) text(query string, args ...any) (string, error) {
	rows, err := c.Query(query, args...)
	if err != nil {
		return "", fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	var all bytes.Buffer
	for rows.Next() {
		var text []byte
		if err := rows.Scan(&text); err != nil {
			return "", err
		}
		all.Write(text)
	}
	return all.String(), rows.Err()
}

// halves are queries, each of which returns what is only half there.
var halves = map[string]string{
	"the structure is damaged": `SELECT integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok'`,
	"a Contact has no row of the ledger": `SELECT id FROM contact WHERE NOT EXISTS
		(SELECT 1 FROM consent WHERE list_id = contact.list_id AND contact_id = contact.id)`,
	"a Contact has no event for the webhook": `SELECT id FROM contact WHERE dedupe_key LIKE 'w%'
		AND id NOT IN (SELECT contact_id FROM webhook_event)`,
	"the days of a List have another number of Contacts": `SELECT id FROM list
		WHERE contact_count <> (SELECT coalesce(sum(contacts), 0) FROM list_day WHERE list_id = list.id)`,
	"an import has another number of rows": `SELECT id FROM import
		WHERE done_rows <> added + updated + unchanged + skipped + refused
		OR added <> (SELECT count(*) FROM consent WHERE import_id = import.id)
		OR added <> (SELECT count(*) FROM contact WHERE dedupe_key LIKE 'i%')`,
	"a file has another size": `SELECT id FROM file_content
		WHERE id IN (SELECT content_id FROM file UNION SELECT content_id FROM import WHERE sha256 <> '') AND size <> (SELECT coalesce(sum(length(data)), 0) FROM file_piece WHERE content_id = file_content.id)`,
	"a file has no content": `SELECT id FROM file WHERE content_id NOT IN (SELECT id FROM file_content WHERE size = file.size)`,
	"a Batch has other numbers": `SELECT id FROM batch WHERE recipients <> (SELECT count(*) FROM recipient WHERE batch_id = batch.id)
		OR sent <> (SELECT count(*) FROM recipient WHERE batch_id = batch.id AND status = 'sent')
		OR refused <> (SELECT count(*) FROM recipient WHERE batch_id = batch.id AND status = 'bounced')
		OR skipped <> (SELECT count(*) FROM recipient WHERE batch_id = batch.id AND status = 'skipped')
		OR sent <> (SELECT coalesce(sum(sent), 0) FROM batch_domain WHERE batch_id = batch.id)`,
}

// compare compares the content of a database with the answers. The content is that of a moment from first to last.
func (c *comparison) compare(content content, first, last int) (problems []string) {
	report := func(err error, format string, args ...any) {
		if err != nil {
			format, args = "%v", []any{err}
		}
		problems = append(problems, fmt.Sprintf(format, args...))
	}
	for about, query := range halves {
		if found, err := content.text(query); err != nil || found != "" {
			report(err, "%s: %s", about, found)
		}
	}
	for _, s := range c.known {
		possible := c.answers.possible(s, first, last)
		state, err := content.text(s.query, s.args...)
		if err != nil || !slices.ContainsFunc(possible, func(v outcome) bool { return v.state == state || v.erases }) {
			report(err, "%v is %.60q, want one of %.300q", s.args, state, fmt.Sprint(possible))
		}
	}
	for _, l := range c.least {
		if !c.answers.had(l.reply, first) {
			continue
		}
		if n, err := content.text(l.query, l.args...); err != nil || n == "" || mustNumber(n) < l.n {
			report(err, "%s is %s, and a reply has shown %d", l.query, n, l.n)
		}
	}
	for _, k := range c.keys {
		if !c.answers.had(k.reply, first) {
			continue
		}
		if n, err := content.text("SELECT count(*) FROM retry WHERE header = ? AND result IS NOT NULL", k.key); err != nil || n != "1" {
			report(err, "the result of the Idempotency-Key %s is not stored", k.key)
		}
	}
	return problems
}

// possible returns the versions that a subject may have at a moment from first to last: the one that was answered last, and
// those of later calls that may have run.
func (a *outputs) possible(s *subject, first, last int) []outcome {
	from, upto := 0, 0
	for i, v := range s.versions {
		if a.had(v.reply, first) {
			from = i
		}
		if a.had(v.reply, last) {
			upto = i
		}
	}
	for upto+1 < len(s.versions) {
		upto++
		if s.versions[upto].reply != "" {
			break // it ran before all later calls
		}
	}
	possible := slices.Clone(s.versions[from : upto+1])
	possible[0].erases = false // it is complete
	return possible
}

func mustNumber(text string) (n int64) {
	fmt.Sscan(text, &n) // 0 otherwise
	return n
}

// compareMails compares the recipients of the Batch with the mails that the server began to hand over. The mark of each is
// durable before.
func (c *comparison) compareMails(content content, moment int) (problems []string) {
	rows, err := content.Query("SELECT address, status FROM recipient WHERE address LIKE 'r%'")
	if err != nil {
		return []string{err.Error()}
	}
	defer rows.Close()
	marked := make(map[string]bool)
	for rows.Next() {
		var address, status string
		if err := rows.Scan(&address, &status); err != nil {
			return []string{err.Error()}
		}
		mailed := c.answers.mailed[address]
		isMailed := mailed != 0 && mailed <= moment
		marked[address] = status != "waiting"
		if !isMailed && status != "waiting" && status != "sending" {
			problems = append(problems, fmt.Sprintf("%s is %s, but its mail was not handed over", address, status))
		}
	}
	for address, mailed := range c.answers.mailed {
		if mailed <= moment && !marked[address] {
			problems = append(problems, address+" is not marked, but its mail was handed over")
		}
	}
	if err := rows.Err(); err != nil {
		problems = append(problems, err.Error())
	}
	return problems
}

// compareBackups checks the files with the names of backups. A backup that the server has printed is there, or a later one.
func (c *comparison) compareBackups(content content, moment int, s powercut.State) (problems []string) {
	files := make(map[string]string) // the sums, by path
	for path, data := range s.Files {
		name := filepath.Base(path)
		if data == nil || strings.HasPrefix(name, ".") || filepath.Dir(path) == "." {
			continue
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(data))
		files[path] = sum
		first, last := c.answers.during(name, sum, moment)
		check, _ := c.checked.LoadOrStore(sum, sync.OnceValue(func() []string { return c.checkBackup(data, first, last) }))
		for _, problem := range check.(func() []string)() {
			problems = append(problems, fmt.Sprintf("backup %s: %s", path, problem))
		}
	}
	last := make(map[string]*madeBackup)
	for _, b := range c.answers.backups {
		if b.complete != 0 && b.complete <= moment {
			last[b.name] = b
		}
	}
	for name, b := range last {
		sum, ok := files[filepath.Join("made", name)]
		isOlder := func(o *madeBackup) bool { return o.sum == sum && o.begins < b.begins }
		switch {
		case !ok:
			problems = append(problems, fmt.Sprintf("the backup %s that was complete is not there", name))
		case sum != b.sum && slices.ContainsFunc(c.answers.backups, isOlder): // if nothing has changed, two are the same
			problems = append(problems, fmt.Sprintf("the backup %s is older than the one that was complete", name))
		}
	}
	name, err := content.text("SELECT name FROM backup WHERE time > 0")
	if _, ok := files[filepath.Join("scheduled", name)]; err != nil || name != "" && !ok {
		problems = append(problems, fmt.Sprintf("the last good backup %q is not there: %v", name, err))
	}
	return problems
}

// during returns the moments when the backup with a name and a sum began, and when it was complete. If it was not printed,
// because the server ended, it is one that began after the last one that was.
func (a *outputs) during(name, sum string, moment int) (first, last int) {
	last = math.MaxInt
	for _, b := range a.backups {
		switch {
		case b.name != name || b.begins > moment:
		case b.sum == sum:
			return b.begins, b.complete
		case b.complete != 0 && b.complete <= moment:
			first = 0
		case b.complete == 0 && first == 0:
			first = b.begins
		}
	}
	return first, last
}

// checkBackup returns the problems of a backup with the content of a moment from first to last.
func (c *comparison) checkBackup(data []byte, first, last int) []string {
	file, err := os.CreateTemp("", "enlist-power-cut-*.db")
	if err != nil {
		return []string{err.Error()}
	}
	defer os.Remove(file.Name())
	_, err = file.Write(data)
	if err := errors.Join(err, file.Close(), sqlite.CheckStructure(context.Background(), file.Name())); err != nil {
		return []string{err.Error()}
	}
	content, err := openContent(file.Name())
	if err != nil {
		return []string{err.Error()}
	}
	defer content.Close()
	return c.compare(content, first, last)
}

// halfDone makes the columns that the comparison reads, with a row of each table.
const halfDone = `CREATE TABLE list (id, name, contact_count); INSERT INTO list VALUES (1, 'whole', 7);
	CREATE TABLE list_day (list_id, contacts); INSERT INTO list_day VALUES (1, 7);
	CREATE TABLE contact (id, list_id, dedupe_key); INSERT INTO contact VALUES (1, 1, 'w1@example.com');
	CREATE TABLE consent (list_id, contact_id, import_id); INSERT INTO consent VALUES (1, 1, 0);
	CREATE TABLE webhook_event (contact_id); INSERT INTO webhook_event VALUES (1);
	CREATE TABLE import (id, done_rows, added, updated, unchanged, skipped, refused, content_id, sha256);
	INSERT INTO import VALUES (1, 1, 0, 0, 0, 1, 0, 2, '');
	CREATE TABLE file (id, content_id, size); INSERT INTO file VALUES (1, 1, 3);
	CREATE TABLE file_content (id, size); INSERT INTO file_content VALUES (1, 3);
	CREATE TABLE file_piece (content_id, data); INSERT INTO file_piece VALUES (1, 'abc');
	CREATE TABLE batch (id, recipients, sent, refused, skipped); INSERT INTO batch VALUES (1, 1, 1, 0, 0);
	CREATE TABLE batch_domain (batch_id, sent); INSERT INTO batch_domain VALUES (1, 1);
	CREATE TABLE recipient (batch_id, address, status); INSERT INTO recipient VALUES (1, 'r1@example.com', 'sent');
	CREATE TABLE retry (header, result); INSERT INTO retry VALUES ('k', '1');
	CREATE TABLE backup (name, time)`

// Each query for what is half done finds a change that lacks one of its rows. So does the comparison with the answers.
func TestComparisonFindsWhatIsHalfDone(t *testing.T) {
	for about, change := range map[string]string{
		"a Contact has no row of the ledger":                 `DELETE FROM consent`,
		"a Contact has no event for the webhook":             `DELETE FROM webhook_event`,
		"the days of a List have another number of Contacts": `UPDATE list_day SET contacts = contacts + 1`,
		"an import has another number of rows":               `UPDATE import SET done_rows = 2`,
		"a file has another size":                            `DELETE FROM file_piece`,
		"a file has no content":                              `UPDATE file SET content_id = 0`,
		"a Batch has other numbers":                          `DELETE FROM recipient`,
		"is \"other\", want one of":                          `UPDATE list SET name = 'other'`,
		"and a reply has shown 7":                            `UPDATE list SET contact_count = 6`,
		"the Idempotency-Key k is not stored":                `DELETE FROM retry`,
		"r1@example.com is not marked":                       `UPDATE recipient SET status = 'waiting'`,
		"is sent, but its mail was not handed over":          `UPDATE recipient SET address = 'r2@example.com'`,
		"the backup b.db that was complete is not there":     ``,
	} {
		t.Run(about, func(t *testing.T) {
			content := must(openContent(filepath.Join(t.TempDir(), "half.db")))(t)
			defer content.Close()
			must(content.Exec(halfDone))(t)
			p := &powerCut{T: t, known: []*subject{{query: "SELECT name FROM list", versions: []outcome{{reply: "none"}, {reply: "a", state: "whole"}}}},
				least: []least{{"a", "SELECT contact_count FROM list", nil, 7}}, keys: []keyed{{"a", "k"}}}
			c := &comparison{powerCut: p, answers: &outputs{replies: map[string]int{"none": 0, "a": 1},
				mailed: map[string]int{"r1@example.com": 1}, backups: []*madeBackup{{"b.db", 1, 1, "sum"}}}}
			find := func(s powercut.State) string {
				return fmt.Sprint(slices.Concat(c.compare(content, 1, 1), c.compareMails(content, 1), c.compareBackups(content, 1, s)))
			}
			c.checked.Store(fmt.Sprintf("%x", sha256.Sum256(nil)), func() []string { return nil })
			c.answers.backups[0].sum = fmt.Sprintf("%x", sha256.Sum256(nil))
			whole := powercut.State{Files: map[string][]byte{"made/b.db": {}}}
			if found := find(whole); found != "[]" {
				t.Fatalf("before the change: %s", found)
			}
			must(content.Exec(change))(t)
			if change == "" {
				whole.Files = nil
			}
			if found := find(whole); !strings.Contains(found, about) {
				t.Errorf("got %s", found)
			}
		})
	}
}
