package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
	"enlist/internal/seeds"
	"enlist/internal/seeds/powercut"
)

// This test records what a server writes and syncs, and makes states in which a power cut can leave its files.
// powercut_states_test.go compares the states with the replies.

// powerCutStates is the number of states of a seed.
const powerCutStates = 120

// Clients call a server that uses SQLite: they subscribe, edit, unsubscribe, erase and delete Contacts, upload files,
// import a file and send a Batch, while the log is copied into the database and backups are made. The server is stopped,
// starts again, and is stopped again. strace records its changes of files, its replies and its
// mails. In every state, the database opens and its checks find no problem. It has each change that was answered
// before, and nothing that is half done: a change that was not answered is there as a whole, or not at all. Each mail
// that was handed over is marked. Each complete backup is there, can be restored, and has what was answered before it
// began. A server that starts on one of the states completes the Batch and the import.
//
// A seed makes the same choices again, but its clients and the server run in another order. So the test keeps the files
// of a state that fails.
//
// covers: decision 27, decision 59, decision 84, spec event.effects, import.states
func TestSeededPowerCutLosesNoAnsweredChange(t *testing.T) {
	if testing.Short() {
		t.Skip("make proof runs it")
	}
	seeds.Run(t, 2, func(t *testing.T, random *rand.Rand) {
		p := newPowerCut(t, random)
		p.run(true)
		p.run(false)
		p.check(powerCutStates)
	})
}

// powerCut is a server whose changes are recorded, and what clients know of it.
type powerCut struct {
	*testing.T
	random   *rand.Rand
	dir      string // of the database and the backups
	recorder *powercut.Recorder
	mails    *mailtest.Server
	field    int64 // of the names of Contacts
	message  int64
	folder   int64 // of the files

	client *client
	mu     sync.Mutex
	known  []*subject
	least  []least
	keys   []keyed
	files  map[string]*subject // by name; only one client uploads files
	runs   int
}

// subject is something that calls change one after another: a Contact, or a file. A query returns its state.
type subject struct {
	query    string
	args     []any
	versions []outcome // the first one is that before all calls
	hasNoKey bool      // its calls cannot have an Idempotency-Key
}

// outcome is the state that a call makes.
type outcome struct {
	reply  string // ID of the reply; "": there was none
	state  string
	erases bool // the call has several transactions, and is refused while an import runs or a mail is sent
}

// least is a number that a reply has shown, and that only grows.
type least struct {
	reply string
	query string
	args  []any
	n     int64
}

// keyed is a call with an Idempotency-Key.
type keyed struct{ reply, key string }

func newPowerCut(t *testing.T, random *rand.Rand) *powerCut {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	for _, folder := range []string{"made", "scheduled"} {
		err = errors.Join(err, os.Mkdir(filepath.Join(dir, folder), 0o700))
	}
	if err != nil {
		t.Fatal(err)
	}
	recorder, err := powercut.NewRecorder(dir)
	if errors.Is(err, powercut.ErrNoStrace) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	p := &powerCut{T: t, random: random, dir: dir, recorder: recorder, mails: mailtest.Start(t, mailtest.Options{}),
		files: make(map[string]*subject)}
	p.mails.Script(func(s mailtest.Step) mailtest.Action {
		switch {
		case s.Stage == mailtest.Rcpt && s.N%97 == 40:
			return mailtest.Reply(550, "5.1.1 no such user")
		case s.Stage == mailtest.Rcpt && s.N%31 == 7:
			return mailtest.Reply(451, "4.3.0 later")
		}
		return mailtest.Wait(time.Duration(s.N%3) * time.Millisecond)
	})
	return p
}

// client is an api.Client that knows the ID of the reply to each of its calls.
type client struct {
	*api.Client
	url string
}

// replyID is the key of a context whose value, a *string, gets the ID of the reply.
type replyID struct{}

// RoundTrip implements http.RoundTripper.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	reply, err := http.DefaultTransport.RoundTrip(r)
	if id, ok := r.Context().Value(replyID{}).(*string); ok && err == nil {
		*id = reply.Header.Get("X-Request-Id")
	}
	return reply, err
}

// run starts the server, lets clients call it for a moment, and ends it.
func (p *powerCut) run(isFirst bool) {
	p.Helper()
	p.runs++
	cmd := exec.Command("enlist", "serve", "--db", filepath.Join(p.dir, "enlist.db"), "--listen", "127.0.0.1:0",
		"--ops-listen", "none", "--smtp", p.mails.URL(), "--webhook-private", "--backup-dir", filepath.Join(p.dir, "scheduled"))
	cmd.Env = append(cmd.Environ(), "ENLIST_BOOTSTRAP_KEY="+strings.Repeat("c", 64), "ENLIST_MAIL_FROM=news@example.com",
		"ENLIST_TEST_POWER_CUT="+p.dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		p.Fatal(err)
	}
	if err := p.recorder.Start(cmd); err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() }) // after a failure
	greeting := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(stdout)
		for lines.Scan() {
			if found := greetingURL.FindStringSubmatch(lines.Text()); found != nil {
				greeting <- found[1]
			}
		}
		close(greeting)
	}()
	url, ok := <-greeting
	if !ok {
		p.Fatalf("the server did not start: %v", cmd.Wait())
	}
	p.client = &client{api.NewClient(url, strings.Repeat("c", 64)), url}
	p.client.HTTP = &http.Client{Transport: p.client}
	if isFirst {
		p.prepare()
	}
	ctx, cancel := context.WithTimeout(p.Context(), time.Duration(700+p.random.IntN(800))*time.Millisecond)
	defer cancel()
	var clients sync.WaitGroup
	p.startClients(ctx, &clients, isFirst)
	<-ctx.Done()
	if isFirst {
		sendFor(p.Context(), p.mails, 1+p.random.IntN(powerCutRecipients))
	}
	cmd.Process.Signal(syscall.SIGTERM) // strace may miss the last write of a thread that is killed
	clients.Wait()
	for range greeting {
	}
	cmd.Wait() // its status does not matter
	if err := p.recorder.Wait(); err != nil {
		p.Fatalf("record the server: %v", err)
	}
	p.client.Close()
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}

const powerCutRecipients = 250

// prepare adds what the clients need.
func (p *powerCut) prepare() {
	p.Helper()
	ctx := p.Context()
	p.field = must(p.client.AddField(ctx, 1, api.Details{"name": "Name", "type": "text"}))(p.T)
	must(p.client.AddWebhook(ctx, api.Details{"list_id": 1, "object": "contact", "event": "created", "url": "http://127.0.0.1:1/"}))(p.T)
	rows := make([]api.Details, powerCutRecipients)
	for i := range rows {
		rows[i] = api.Details{"Email": fmt.Sprintf("r%d@example.com", i)}
	}
	must(p.client.AddContacts(ctx, 1, rows, api.AddOptions{}))(p.T)
	p.folder = must(p.client.AddFolder(ctx, api.Details{"name": "Uploads", "type": "file"}))(p.T)
	p.message = must(p.client.AddMessage(ctx, api.Details{"name": "May", "subject": "Hello {{Email}}", "text_content": "Hello"}))(p.T)
}

// startClients starts the clients of a run. They end when a call fails, because the server has ended, or with ctx.
func (p *powerCut) startClients(ctx context.Context, clients *sync.WaitGroup, isFirst bool) {
	for n := range 8 {
		random := rand.New(rand.NewPCG(p.random.Uint64(), 0))
		clients.Go(func() {
			for i := 0; ctx.Err() == nil && p.contact(random, fmt.Sprintf("w%d.%d.%d@example.com", p.runs, n, i)); i++ {
			}
		})
	}
	clients.Go(func() {
		random := rand.New(rand.NewPCG(uint64(p.runs), 0))
		for i := 0; ctx.Err() == nil; i++ {
			if !p.contact(random, fmt.Sprintf("e%d.%d@example.com", p.runs, i)) {
				return
			}
		}
	})
	random := rand.New(rand.NewPCG(p.random.Uint64(), 0))
	clients.Go(func() {
		for i := 0; ctx.Err() == nil && p.several(random, fmt.Sprintf("s%d.%d", p.runs, i)) && p.file(random, i%4); i++ {
		}
	})
	if isFirst {
		clients.Go(func() { p.batch(ctx) })
		clients.Go(func() { p.importFile(ctx) })
	}
}

// changeTo runs a call that gives a subject a new state. It reports whether the call was answered.
func (p *powerCut) changeTo(s *subject, state string, call func(context.Context, *api.Client) error) bool {
	i := len(s.versions)
	p.mu.Lock()
	s.versions = append(s.versions, outcome{state: state, erases: state == "" && strings.HasPrefix(s.args[0].(string), "e")})
	p.mu.Unlock()
	reply, key := "", ""
	c := p.client.Client
	if i%2 == 1 && !s.hasNoKey {
		key = fmt.Sprintf("%v.%d", s.args[0], i)
		c = c.Idempotent(key)
	}
	err := call(context.WithValue(context.Background(), replyID{}, &reply), c)
	if refused, ok := errors.AsType[*api.Error](err); ok && !s.versions[i].erases {
		p.Errorf("a call that gives %v the state %q: %v", s.args, state, refused)
	}
	if err != nil {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	s.versions[i].reply = reply
	if key != "" {
		p.keys = append(p.keys, keyed{reply, key})
	}
	return true
}

// add adds a subject. The query has the parameters args, and returns the text first before all calls.
func (p *powerCut) add(first, query string, args ...any) *subject {
	s := &subject{query: query, args: args, versions: []outcome{{reply: "none", state: first}}}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.known = append(p.known, s)
	return s
}

// contactQuery returns the name of a Contact, whether it is unsubscribed, and the methods of its ledger.
const contactQuery = `SELECT coalesce(field_values ->> '$.%d', '') || ' ' || is_unsubscribed || ' ' ||
	(SELECT group_concat(method, ' ') FROM (SELECT method FROM consent
		WHERE list_id = contact.list_id AND contact_id = contact.id ORDER BY number))
	FROM contact WHERE list_id = 1 AND dedupe_key = ?`

// contact subscribes a Contact and changes it some times. It reports whether all calls were answered.
func (p *powerCut) contact(random *rand.Rand, email string) bool {
	s := p.add("", fmt.Sprintf(contactQuery, p.field), email)
	name, unsubscribed, ledger, id := "Ada", 0, []string{"subscribeContact"}, int64(0)
	change := func(call func(context.Context, *api.Client) error) bool {
		return p.changeTo(s, fmt.Sprintf("%s %d %s", name, unsubscribed, strings.Join(ledger, " ")), call)
	}
	ok := change(func(ctx context.Context, c *api.Client) (err error) {
		id, err = c.SubscribeContact(ctx, 1, api.Details{"Email": email, "Name": name}, api.Consent{Type: api.ConsentDirect, Text: email})
		return err
	})
	for range random.IntN(4) {
		if !ok {
			return false
		}
		switch n := random.IntN(12); {
		case email[0] == 'e': // which also empties the log
			return p.changeTo(s, "", func(ctx context.Context, c *api.Client) error {
				_, err := c.ErasePerson(ctx, email, false)
				return err
			})
		case n == 0:
			return p.changeTo(s, "", func(ctx context.Context, c *api.Client) error {
				_, err := c.DeleteContacts(ctx, 1, []int64{id}, api.Query{})
				return err
			})
		case n < 6:
			name = fmt.Sprint("Ada ", random.IntN(100))
			ok = change(func(ctx context.Context, c *api.Client) error {
				_, err := c.EditContacts(ctx, 1, []api.Details{{"id": id, "Name": name}}, false)
				return err
			})
		case unsubscribed == 0:
			unsubscribed, ledger = 1, append(ledger, "unsubscribeContactById")
			ok = change(func(ctx context.Context, c *api.Client) error {
				_, err := c.UnsubscribeContactByID(ctx, 1, id, "")
				return err
			})
		default:
			unsubscribed, ledger = 0, append(ledger, "resubscribeContact")
			ok = change(func(ctx context.Context, c *api.Client) error {
				_, err := c.ResubscribeContact(ctx, 1, id, api.Consent{Type: api.ConsentDirect, Text: email})
				return err
			})
		}
	}
	return ok
}

// several adds some Contacts with one call.
func (p *powerCut) several(random *rand.Rand, name string) bool {
	rows := make([]api.Details, 5+random.IntN(60))
	for i := range rows {
		rows[i] = api.Details{"Email": fmt.Sprintf("%s.%d@example.com", name, i), "Name": name}
	}
	s := p.add("0", `SELECT count(*) FROM contact JOIN consent ON consent.list_id = 1 AND contact_id = contact.id
		WHERE contact.list_id = 1 AND dedupe_key LIKE ? || '.%'`, name)
	return p.changeTo(s, fmt.Sprint(len(rows)), func(ctx context.Context, c *api.Client) error {
		_, err := c.AddContacts(ctx, 1, rows, api.AddOptions{})
		return err
	})
}

// file uploads a file, or another content of it.
func (p *powerCut) file(random *rand.Rand, n int) bool {
	name := fmt.Sprintf("f%d.txt", n)
	if p.files[name] == nil {
		p.files[name] = p.add("", "SELECT data FROM file JOIN file_piece USING (content_id) WHERE name = ? ORDER BY number", name)
	}
	content := strings.Repeat(fmt.Sprintf("%d of %s\n", random.Uint64(), name), random.IntN(3000))
	return p.changeTo(p.files[name], content, func(ctx context.Context, c *api.Client) error {
		details := api.Details{"name": name, "data": base64.StdEncoding.EncodeToString([]byte(content))}
		_, err := c.UploadBase64FileData(ctx, details, p.folder, "overwrite")
		return err
	})
}

// batch adds a Batch, and then reads how many of its mails are sent.
func (p *powerCut) batch(ctx context.Context) {
	id := int64(0)
	s := p.add("0", "SELECT count(*) FROM batch WHERE name = ?", "Newsletter")
	ok := p.changeTo(s, "1", func(ctx context.Context, c *api.Client) (err error) {
		id, err = c.AddBatch(ctx, p.message, []api.Population{{ListID: 1}}, 0, false, api.BatchOptions{Name: "Newsletter"})
		return err
	})
	for ok && ctx.Err() == nil {
		reply := ""
		status, err := p.client.GetBatchStatus(context.WithValue(context.Background(), replyID{}, &reply), id)
		if ok = err == nil; ok {
			p.addLeast(least{reply, "SELECT sent + refused + failed + doubtful FROM batch WHERE id = ?", []any{id}, status.SendCurrentCount})
		}
	}
}

func (p *powerCut) addLeast(l least) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.least = append(p.least, l)
}

const powerCutImport = 4000

// importFile imports a file, and then reads how many of its rows are stored.
func (p *powerCut) importFile(ctx context.Context) {
	var rows strings.Builder
	rows.WriteString("Email,consent_type,consent_text\n")
	for i := range powerCutImport {
		fmt.Fprintf(&rows, "i%d@example.com,direct,Form %d\n", i, i)
	}
	s := p.add("", "SELECT 1 FROM import WHERE size = ? + 0 AND sha256 <> ''", fmt.Sprint(rows.Len()))
	s.hasNoKey = true
	ok := p.changeTo(s, "1", func(ctx context.Context, _ *api.Client) error {
		_, err := p.http(ctx, http.MethodPost, "/api/imports?list_id=1", strings.NewReader(rows.String()))
		return err
	})
	for ok && ctx.Err() == nil {
		reply, i := "", struct{ Rows int64 }{}
		text, err := p.http(context.WithValue(context.Background(), replyID{}, &reply), http.MethodGet, "/api/imports/1", nil)
		if err == nil {
			err = json.Unmarshal([]byte(text), &i)
		}
		if ok = err == nil; ok {
			p.addLeast(least{reply, "SELECT done_rows FROM import WHERE id = ?", []any{1}, i.Rows})
		}
	}
}

// http sends a request and returns the body of its reply.
func (p *powerCut) http(ctx context.Context, method, path string, body io.Reader) (string, error) {
	r, err := http.NewRequestWithContext(ctx, method, strings.TrimSuffix(p.client.url, api.Path)+path, body)
	if err != nil {
		return "", err
	}
	r.Header.Set("Authorization", "Bearer "+strings.Repeat("c", 64))
	reply, err := p.client.HTTP.Do(r)
	if err != nil {
		return "", err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode != http.StatusOK {
		err = &api.Error{Message: string(text)}
	}
	return string(text), err
}

// besidesServer runs in the process of the recorded server. It copies the write-ahead log into the database more often
// than the server, whose limit the few changes of the test do not reach, and makes backups one after another. It prints
// when each begins and what it has become.
func besidesServer(dir string) {
	db := filepath.Join(dir, "enlist.db")
	tick := time.NewTicker(30 * time.Millisecond)
	defer tick.Stop()
	go func() {
		for i := 0; ; i++ {
			<-tick.C
			name := fmt.Sprintf("backup%d.db", i%2)
			fmt.Printf("backup begins %s\n", name)
			to := filepath.Join(dir, "made", name)
			if _, err := backup.Write(context.Background(), backup.Job{From: config.Database{DB: db}, To: to, Force: true}); err != nil {
				continue // the database is not there yet
			}
			content, err := os.ReadFile(to)
			fmt.Printf("backup made %s %x %v\n", name, sha256.Sum256(content), err)
		}
	}()
	for range tick.C {
		if info, err := os.Stat(db); err == nil && info.Size() > 0 {
			copyLog(db)
		}
	}
}

// copyLog copies what readers allow of the write-ahead log into the database.
func copyLog(path string) {
	var file *sql.DB
	file, err := dbtest.OpenSQLiteFile(path)
	if err == nil {
		file.Exec("PRAGMA wal_checkpoint(PASSIVE)") // fails while a connection does the same
		file.Close()
	}
}
