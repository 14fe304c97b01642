package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/db/pgtest"
	"enlist/internal/mail/mailtest"
)

// This file is the soak test: it runs all kinds of calls against a server while faults happen, and then compares what the
// server has stored and sent with what it answered. soak_calls_test.go has the calls, soak_faults_test.go the faults,
// and soak_check_test.go the comparison. The flags make it longer:
//
//	go test ./cmd/enlist-bench -run Killed -timeout 30m -v -soak 10m -soak-engine postgres

var (
	soakTime   = flag.Duration("soak", 20*time.Second, "duration of the soak test on each database")
	soakEngine = flag.String("soak-engine", "sqlite,postgres", "databases of the soak test")
	soakRate   = flag.Int("soak-rate", 100, "calls a second of the soak test")
	soakClock  = flag.Bool("soak-clock", true, "step the clock of the program in the soak test")
)

// While all kinds of calls run, the server or its PostgreSQL server is killed, connections break, the mail server is
// down, the disk is full and the clock is stepped. Then each answered call is stored, each other call at most once, and
// each mail has arrived, a repeated one with the same Message-ID. The heap is as small as before.
//
// covers: spec event.notification, decision 114
func TestKilledServerKeepsItsAnswersUnderMixedLoad(t *testing.T) {
	if testing.Short() {
		t.Skip("this test kills many processes: run it with \"make faults\"")
	}
	program := ""
	if !*soakClock {
		program = buildProgram(t, "enlist")
	}
	for engine := range strings.SplitSeq(*soakEngine, ",") { // one after the other: each needs the whole machine
		t.Run(engine, func(t *testing.T) {
			o := options{Program: program, Dir: t.TempDir()}
			s := &soak{bench: &bench{options: o, ctx: context.Background(), log: t.Output()}, engine: engine,
				began: time.Now(), conns: newCallerConns(), faults: make(map[string]int)}
			s.record.init()
			err := errors.Join(s.run(), s.close())
			if errors.Is(err, pgtest.ErrNoServer) {
				t.Skip(err)
			}
			if err := errors.Join(err, s.report(t.Output())); err != nil {
				t.Error(err)
			}
		})
	}
}

// soak is one run. It has a server process, its database, a mail server and a receiver of webhooks.
type soak struct {
	*bench
	engine    string
	addr, ops string // addresses of the server, the same for each of its processes
	db        string // value of --db
	disk      string // folder of the small file system that the run mounted; "" if there is none
	clock     *clock // the clock of this program; nil: it is that of the machine
	log       *os.File
	server    *process
	began     time.Time
	started   time.Time // when this process was ready
	database  *pgtest.Server
	mails     *mailtest.Server
	hooks     *hookReceiver
	client    *api.Client  // for set-up and comparison; its connections stay
	conns     *callerConns // connections of the callers
	message   int64        // Message of the Batches

	record                // what the callers know
	faults map[string]int // number of faults of each kind

	mu       sync.Mutex
	problems int
}

// Lists of a run. The first is that of a new database.
const (
	soakList      = 1 // subscribed Contacts
	recipientList = 2 // recipients of the Batches
	importedList  = 3
)

// soakRecipients is the number of recipients of each Batch.
const soakRecipients = 20

// problem reports a violation. The first ones are logged.
func (s *soak) problem(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.problems++
	if s.problems <= 20 {
		s.say("violation: "+format, args...)
	}
}

// run runs the soak test and adds its table. Its error says how many violations there are.
func (s *soak) run() error {
	if err := s.open(); err != nil {
		return err
	}
	var base, end memory
	for _, step := range []func() error{
		s.prepare,
		func() error { return s.load(*soakTime/6, nil) }, // caches fill
		func() (err error) { base, err = s.measureMemory(); return err },
		func() error { return s.load(*soakTime, s.breakThings) },
		s.settle,
		func() (err error) { end, err = s.measureMemory(); return err },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	s.tabulateCalls()
	if err := s.compare(); err != nil {
		return err
	}
	growth := end.heap/base.heap - 1
	s.add(figure{"heap after a collection, before the faults and at the end",
		fmt.Sprintf("%.1f MiB, %.1f MiB (%+.0f %%)", base.heap, end.heap, 100*growth), 0})
	s.add(figure{"– resident memory; age of the process at the end",
		fmt.Sprintf("%.0f MiB, %.0f MiB; %v", base.resident, end.resident, time.Since(s.started).Round(time.Second)),
		0})
	// Buffers of connections and prepared statements make a difference of 1 or 2 MiB, which says nothing about a small
	// heap.
	if growth > 0.2 && end.heap-base.heap > 2 {
		s.problem("the heap grew by %.0f %%", 100*growth)
	}
	s.add(figure{"violations", fmt.Sprint(s.problems), 0})
	if s.problems > 0 {
		return fmt.Errorf("%d violations", s.problems)
	}
	return nil
}

// open starts the database, the mail server, the receiver of webhooks and the server.
func (s *soak) open() (err error) {
	if s.addr, err = freeAddr(); err != nil {
		return err
	}
	if s.ops, err = freeAddr(); err != nil {
		return err
	}
	if s.log, err = os.Create(filepath.Join(s.Dir, "soak.log")); err != nil {
		return err
	}
	if s.mails, err = mailtest.New(mailtest.Options{}); err != nil {
		return err
	}
	if s.hooks, err = newHookReceiver(); err != nil {
		return err
	}
	if *soakClock {
		if s.clock, err = newClock(filepath.Join(s.Dir, "clock")); err != nil {
			return err
		}
		if s.Program, err = s.clock.build(s.ctx); err != nil {
			return err
		}
	}
	open := s.openSQLite
	if s.engine == "postgres" {
		open = s.openPostgres
	}
	if err := open(); err != nil {
		return err
	}
	if err := s.serve(); err != nil {
		return err
	}
	// Mails to the owners of Lists have the sender of the service.
	sender := exec.Command(s.Program, "settings", "set", "--db", s.db, "mail-from=news@example.com")
	if out, err := sender.CombinedOutput(); err != nil {
		return fmt.Errorf("set the sender: %w: %s", err, out)
	}
	return nil
}

// openSQLite chooses the database file, and mounts a small file system for it.
func (s *soak) openSQLite() error {
	folder := filepath.Join(s.Dir, "soak")
	if err := os.Mkdir(folder, 0o700); err != nil {
		return err
	}
	if err := mountSmall(folder); err != nil {
		s.say("a full disk is left out: mount a small file system: %v", err)
	} else {
		s.disk = folder
	}
	s.db = filepath.Join(folder, "enlist.db")
	return nil
}

// openPostgres starts the PostgreSQL server, on a small file system.
func (s *soak) openPostgres() (err error) {
	s.database, err = pgtest.StartSmallServer(mountSmall, unmount)
	if errors.Is(err, pgtest.ErrNotMounted) {
		s.say("a full disk is left out: %v", err)
		s.database, err = pgtest.StartServer()
	} else if err == nil {
		s.disk = s.database.Dir()
	}
	if err == nil {
		s.db = s.database.URL("postgres")
	}
	return err
}

// serve starts the server process.
func (s *soak) serve() (err error) {
	s.server, err = s.startAt(s.addr, s.log, s.Program, "serve", "--db", s.db, "--ops-listen", s.ops,
		"--smtp", s.mails.URL(), "--webhook-private")
	s.started = time.Now()
	return err
}

// close ends what open started.
func (s *soak) close() (err error) {
	if s.server != nil {
		err = s.server.stop()
	}
	if s.mails != nil {
		s.mails.Stop()
	}
	if s.hooks != nil {
		err = errors.Join(err, s.hooks.close())
	}
	if s.database != nil {
		s.database.Remove()
	}
	if s.disk != "" && s.database == nil {
		err = errors.Join(err, unmount(s.disk))
	}
	if s.clock != nil {
		err = errors.Join(err, s.clock.close())
	}
	if s.log != nil {
		err = errors.Join(err, s.log.Close())
	}
	return err
}

// prepare adds the Lists, the recipients of the Batches, their Message and the webhook.
func (s *soak) prepare() error {
	s.client = api.NewClient("http://"+s.addr, apiKey)
	ctx := s.ctx
	recipients := make([]api.Details, soakRecipients)
	for i := range recipients {
		recipients[i] = api.Details{"Email": recipient(i)}
	}
	list := func(want int64) error {
		got, err := s.client.AddList(ctx, api.Details{"name": "Soak", "from_address": "news@example.com"})
		if err == nil && got != want {
			err = fmt.Errorf("the new List has the ID %d, want %d", got, want)
		}
		return err
	}
	var err error
	for _, step := range []func() error{
		func() error { return list(recipientList) },
		func() error { return list(importedList) },
		func() error {
			_, err := s.client.EditList(ctx, api.Details{"id": soakList, "on_register_address": "owner@example.com"})
			return err
		},
		func() error {
			_, err := s.client.AddField(ctx, soakList, api.Details{"name": "First Name", "type": "text"})
			return err
		},
		func() error {
			_, err := s.client.AddContacts(ctx, recipientList, recipients, api.AddOptions{})
			return err
		},
		func() error {
			s.message, err = s.client.AddMessage(ctx, api.Details{"name": "Soak", "subject": batchSubject,
				"text_content": "Hello"})
			return err
		},
		func() error {
			_, err := s.client.AddWebhook(ctx, api.Details{"object": "contact", "event": "created",
				"url":     s.hooks.url(),
				"list_id": soakList})
			return err
		},
	} {
		if err := step(); err != nil {
			return fmt.Errorf("prepare: %w", err)
		}
	}
	return nil
}

// memory is what a process uses, in MiB.
type memory struct{ heap, resident float64 }

// measureMemory waits until no mail has arrived for some seconds, and reads the memory after a collection.
func (s *soak) measureMemory() (m memory, err error) {
	for before := -1; before != len(s.mails.Messages()); {
		before = len(s.mails.Messages())
		if err := s.sleep(3 * time.Second); err != nil {
			return m, err
		}
	}
	s.client.Close()
	for range 2 { // the first collection runs finalizers, which release more
		if m.heap, err = s.heap(); err != nil {
			return m, err
		}
	}
	return memory{m.heap, s.server.resident(false)}, nil
}

// heap returns the bytes of the server's heap after a collection, in MiB.
func (s *soak) heap() (float64, error) {
	reply, err := http.Get("http://" + s.ops + "/debug/pprof/heap?gc=1&debug=1")
	if err != nil {
		return 0, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(text), "# HeapAlloc = ")
	number, _, _ := strings.Cut(rest, "\n")
	bytes, err := strconv.ParseFloat(number, 64)
	if !found || err != nil {
		return 0, fmt.Errorf("the profile of the heap has no HeapAlloc: %w", err)
	}
	return bytes / (1 << 20), nil
}

// sleep waits, at most until the run is interrupted.
func (s *soak) sleep(d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}
