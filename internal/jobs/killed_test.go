package jobs_test

import (
	"bufio"
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"time"

	"enlist/internal/audience"
	"enlist/internal/jobs"
	"enlist/internal/store/teststores"
	"enlist/internal/webhook"

	"github.com/riverqueue/river"
)

// This file runs the test binary as a process that works the queue, hangs at a point, and is
// killed there.

// Environment variables of such a process: the point and the database.
const (
	hangAt       = "ENLIST_TEST_HANG_AT"
	hangDatabase = "ENLIST_TEST_HANG_DATABASE"
)

// The points.
const (
	inRemoval = "removal" // in the third step of a removal
	inBuild   = "build"   // while an index is built
	afterPost = "post"    // after the receiver accepted a batch, before that is stored
)

// reached is the line that a process prints when it hangs.
const reached = "reached"

// workUntilKilled works the queue of a database and hangs at the point.
func workUntilKilled(point, path string) {
	store, err := teststores.Open(context.Background(), path, 0)
	if err != nil {
		panic(err)
	}
	o := jobs.Options{Store: store, Log: slog.New(slog.DiscardHandler)}
	switch point {
	case inRemoval:
		o.Store = &hangingStore{Store: store, reached: func() { fmt.Println(reached) }}
	case inBuild:
		o.Store = hangingBuilder{store, isFile(path)}
		o.Indexes = newAdvisor(o.Store)
	case afterPost:
		o.Poster = hangingPoster{webhook.New(webhook.Options{Private: true})}
	}
	o.Service = audience.NewService(o.Store, time.Now)
	config := jobs.Config(o)
	config.FetchPollInterval = river.FetchCooldownDefault
	client, err := store.Jobs(config)
	if err != nil {
		panic(err)
	}
	if err := client.Start(context.Background()); err != nil {
		panic(err)
	}
	select {}
}

// isFile reports whether a database is a SQLite file.
func isFile(path string) bool { return path[0] == '/' }

// killAt starts a process that hangs at a point, calls before, and kills the process.
func (p *storeWithList) killAt(point string, before func()) {
	p.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), hangAt+"="+point, hangDatabase+"="+p.path)
	out, err := cmd.StdoutPipe()
	p.must(err)
	cmd.Stderr = os.Stderr
	p.must(cmd.Start())
	if line, err := bufio.NewReader(out).ReadString('\n'); line != reached+"\n" {
		p.Errorf("the process printed %q, %v", line, err)
	}
	before()
	p.must(cmd.Process.Kill())
	cmd.Wait() // says that it was killed
}

// hangingStore is a Store whose third Update calls reached, and then waits until its context
// ends.
type hangingStore struct {
	audience.Store
	updates int
	reached func()
}

// Update implements audience.Store. One worker calls it, one call after another.
func (s *hangingStore) Update(ctx context.Context, fn func(audience.Tx) error, hint ...audience.InsertsContact) error {
	if s.updates++; s.updates == 3 {
		s.reached()
		<-ctx.Done()
	}
	return s.Store.Update(ctx, fn, hint...)
}

// hangingBuilder is a Store whose BuildIndex prints reached when it starts. On SQLite, where an
// unfinished index is not visible, it then waits; on PostgreSQL the build itself waits.
type hangingBuilder struct {
	*teststores.Store
	waits bool
}

// BuildIndex implements audience.Store.
func (s hangingBuilder) BuildIndex(ctx context.Context, id audience.SearchIndexID, list audience.ListID, k *audience.SearchKey) (int64, error) {
	fmt.Println(reached)
	if s.waits {
		<-ctx.Done()
	}
	return s.Store.BuildIndex(ctx, id, list, k)
}

// hangingPoster posts a batch, prints reached or the error, and never returns.
type hangingPoster struct{ *webhook.Client }

// Post implements jobs.Poster.
func (s hangingPoster) Post(ctx context.Context, b *audience.WebhookBatch) error {
	if err := s.Client.Post(ctx, b); err != nil {
		fmt.Println(err)
	}
	fmt.Println(reached)
	select {}
}
