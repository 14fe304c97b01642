package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/db/dbtest"

	"github.com/google/go-cmp/cmp"
)

// This test kills the program while it moves an Account in.

// Each round starts or continues a move and kills it at a random moment. The move that is not killed ends equal: nothing is
// lost and nothing is stored twice.
//
// covers: decision 87, 98
func TestKilledMoveEndsEqual(t *testing.T) { dbtest.EachParallel(t, killedMoveEndsEqual) }

func killedMoveEndsEqual(t *testing.T, e dbtest.Engine) {
	if testing.Short() {
		t.Skip("this test kills processes: run it with \"make faults\"")
	}
	const rounds = 20
	c := newCrash(t, e, "smtp://127.0.0.1:1")
	if status, _, problem := runEnlist("account", "add", "--name", "New home", "--db", c.db); status != 0 {
		t.Fatal(problem)
	}
	var want map[string]any
	t.Run("move", func(t *testing.T) {
		addr, key := startServer(t)
		source := api.NewClient("http://"+addr, key)
		t.Cleanup(source.Close)
		fillAccount(t, source)
		file := filepath.Join(t.TempDir(), "key")
		must(0, os.WriteFile(file, []byte(key), 0o600))(t)
		arguments := []string{"migrate", "--from", "http://" + addr, "--private-host", "127.0.0.1", "--key-file", file, "--db", c.db}
		for range rounds {
			c.killAfter(time.Duration(rand.IntN(500))*time.Millisecond, arguments...)
		}
		status, printed, progress := runEnlist(arguments...)
		if status != 0 || strings.Contains(printed, "different") {
			t.Fatalf("the last run: status %d, output %s%s", status, printed, progress)
		}
		want = answers(t, source)
	})
	if diff := cmp.Diff(want, answers(t, serveMoved(t, e, c.db))); diff != "" {
		t.Errorf("the replies differ: %s", diff)
	}
	store := c.open()
	defer store.Close()
	c.check(store)
}
