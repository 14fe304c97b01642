package jobs_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
	"enlist/internal/webhooks"
	"enlist/internal/webhooks/post"
)

// This file runs the test binary as another process. The other process runs jobs and hangs at a
// given point. Then the test kills this process.

// Environment variables of the process: the point at which it hangs, and the database.
const (
	hangAt       = "ENLIST_TEST_HANG_AT"
	hangDatabase = "ENLIST_TEST_HANG_DATABASE"
)

// The points at which the process can hang.
const (
	inRemoval = "removal" // in the third step of a removal of Contacts
	inBuild   = "build"   // while it builds an index
	afterPost = "post"    // after the receiver accepted a batch, before the process stores the success
)

// reached is the line that a process prints when it hangs.
const reached = "reached"

// workUntilKilled runs the jobs of a database and hangs at the point. It never returns.
func workUntilKilled(point, path string) {
	store, err := dbtest.Open(context.Background(), path, 0)
	if err != nil {
		panic(err)
	}
	o := jobs.Options{Store: store, Log: slog.New(slog.DiscardHandler)}
	switch point {
	case inRemoval:
		o.Store = &hangingStore{Engine: store, reached: func() { fmt.Println(reached) }}
	case inBuild:
		panic(newAdvisor(hangingBuilder{store, isFile(path)}).Tend(context.Background()))
	case afterPost:
		o.Poster = hangingPoster{post.New(post.Options{Private: true})}
	}
	o.Service = app.New(o.Store, time.Now)
	client, err := store.Jobs(jobs.Config(o))
	if err != nil {
		panic(err)
	}
	client.Start(context.Background())
	select {}
}

// isFile reports whether a database is a SQLite file.
func isFile(path string) bool { return path[0] == '/' }

// killAt starts a process and waits until it hangs at the point. Then killAt calls before and kills
// the process.
func (p *storeWithList) killAt(point string, before func()) {
	p.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hangAt+"="+point, hangDatabase+"="+p.store.Address())
	out, err := cmd.StdoutPipe()
	p.must(err)
	cmd.Stderr = os.Stderr
	p.must(cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != reached+"\n" {
		p.Errorf("the process printed %q, %v, want %q", line, err, reached)
	}
	before()
	p.must(cmd.Process.Kill())
	cmd.Wait() // the error is that the process was killed
}

// hangingStore is a Store. Its third Update calls reached and then waits until the context ends.
type hangingStore struct {
	db.Engine
	updates int
	reached func()
}

// Update implements db.Engine. Only one worker calls it, so it needs no lock.
func (s *hangingStore) Update(ctx context.Context, fn func(*db.Tx) error) error {
	if s.updates++; s.updates == 3 {
		s.reached()
		<-ctx.Done()
	}
	return s.Engine.Update(ctx, fn)
}

// hangingBuilder is a Store whose BuildIndex prints reached when it starts. On SQLite, BuildIndex
// then waits until the process is killed. On PostgreSQL the build itself waits for a transaction
// of the test.
type hangingBuilder struct {
	*dbtest.Store
	waits bool
}

// BuildIndex implements db.Engine.
func (s hangingBuilder) BuildIndex(ctx context.Context, id enlist.SearchIndexID, list enlist.ListID, k *enlist.SearchKey) (int64, error) {
	fmt.Println(reached)
	if s.waits {
		<-ctx.Done()
	}
	return s.Store.BuildIndex(ctx, id, list, k)
}

// hangingPoster posts a batch and prints an error, if there is one, and reached. Then it hangs.
type hangingPoster struct{ *post.Client }

// Post implements webhooks.Poster.
func (s hangingPoster) Post(ctx context.Context, b *webhooks.WebhookBatch) error {
	if err := s.Client.Post(ctx, b); err != nil {
		fmt.Println(err)
	}
	fmt.Println(reached)
	select {}
}
