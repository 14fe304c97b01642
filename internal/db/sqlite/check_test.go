package sqlite

import (
	"database/sql"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/app"
)

// newDatabase creates a database with one Account and one List.
func newDatabase(t *testing.T) (path string) {
	t.Helper()
	path = newFile(t)
	store, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := app.New(store, time.Now).Bootstrap(t.Context(), ""); err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCheckReportsNothingForAGoodFile(t *testing.T) {
	problems, err := Check(t.Context(), newDatabase(t))
	if err != nil || len(problems) > 0 {
		t.Errorf("Check returns the problems %q and the error %v, want none", problems, err)
	}
}

func TestCheckReportsEachProblem(t *testing.T) {
	for _, test := range []struct {
		name    string
		corrupt func(t *testing.T, path string)
		want    string
	}{
		{"wrong contact_count of a List", run("UPDATE list SET contact_count = 5; UPDATE account SET contact_count = 5"),
			"the stored Contact count of List 1 is 5"},
		{"wrong contact_count of an Account", run("UPDATE account SET contact_count = 7"),
			"the stored Contact count of Account 1 is 7"},
		{"a failing webhook", run(`
			INSERT INTO webhook_target (id, account_id, url, secret, is_failing) VALUES (3, 1, '', '', 1);
			INSERT INTO webhook (account_id, list_id, object, event, target_id, creation_time, last_modified_time)
			VALUES (1, 0, 'list', 'created', 3, 0, 0)`),
			"stopped posting to webhook 1 after many failures, and 0 events wait"},
		{"damaged pages", overwrite, "the file is damaged"},
		{"file mode that lets other users read", func(t *testing.T, path string) {
			if err := os.Chmod(path, 0o644); err != nil {
				t.Fatal(err)
			}
		}, "chmod 600"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := newDatabase(t)
			test.corrupt(t, path)
			problems, err := Check(t.Context(), path)
			if err != nil {
				problems = append(problems, err.Error())
			}
			if !slices.ContainsFunc(problems, func(p string) bool { return strings.Contains(p, test.want) }) {
				t.Errorf("Check returns the problems %q, want one that contains %q", problems, test.want)
			}
		})
	}
}

// run returns a function that runs SQL on the file at path.
func run(query string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		db := sql.OpenDB(&connector{path: path, writer: true})
		defer db.Close()
		if _, err := db.ExecContext(t.Context(), query); err != nil {
			t.Fatal(err)
		}
	}
}

// overwrite sets the headers of the pages in the second half of the file to zero. These pages belong to
// tables.
func overwrite(t *testing.T, path string) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	const page = 4096
	for at := info.Size() / 2 / page * page; at < info.Size(); at += page {
		if _, err := f.WriteAt(make([]byte, 64), at); err != nil {
			t.Fatal(err)
		}
	}
}
