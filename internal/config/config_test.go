package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/config"
)

// The tests in this file parse expiry times, and check settings.

// An expiry is a duration or a date. A duration of less than a second is refused.
func TestExpiryIsParsed(t *testing.T) {
	now := time.Unix(1_000_000_000, 0)
	for _, c := range []struct {
		text string
		want int64
	}{
		{"90d", 1_000_000_000 + 90*86400}, {"1h30m", 1_000_005_400}, {"2027-01-31", 1_801_353_600},
	} {
		t.Run(c.text, func(t *testing.T) {
			var got config.Expiry
			if err := got.UnmarshalText([]byte(c.text)); err != nil || got.Unix(now) != c.want {
				t.Errorf("got %d, %v; want %d", got.Unix(now), err, c.want)
			}
		})
	}
	for _, text := range []string{"", "0d", "-1h", "90", "2027-02-30", "99999d"} {
		t.Run("refuses "+text, func(t *testing.T) {
			var got config.Expiry
			if err := got.UnmarshalText([]byte(text)); err == nil {
				t.Errorf("%q was read as %d, want an error", text, got.Unix(now))
			}
		})
	}
	if got := (config.Expiry{}).Unix(now); got != 0 {
		t.Errorf("the zero Expiry is %d in Unix seconds, want 0", got)
	}
}

// Neither an error nor a log shows the password in the URL of a database.
func TestDatabaseIsShownWithoutItsPassword(t *testing.T) {
	err := config.Database{DB: "mysql://user:secret@host/db"}.Check()
	if err == nil || strings.Contains(err.Error(), "secret") {
		t.Errorf("got %v, want a refusal that does not repeat the password", err)
	}
	for _, c := range []struct{ url, want string }{
		{"enlist.db", "enlist.db"},
		{"postgres://user:secret@host:5433/db?password=secret", "postgres://user@host:5433/db"},
		{"postgresql:///db?user=me&password=secret&host=/run", "postgresql:///db"},
		{"postgres://user:sec ret@host/db", "postgres://…"},
	} {
		t.Run(c.want, func(t *testing.T) {
			d := config.Database{DB: c.url}
			if err := d.Check(); err != nil || d.Shown() != c.want {
				t.Errorf("%s is shown as %s, want %s; Check returned %v, want no error", c.url, d.Shown(), c.want, err)
			}
		})
	}
}

// Check refuses settings for PostgreSQL that are out of range, and all of them with SQLite.
func TestConnectionSettingsAreChecked(t *testing.T) {
	const postgres = "postgres://enlist@host/enlist"
	for _, c := range []struct {
		name, db string
		settings config.Serve
	}{
		{"writers with SQLite", "enlist.db", config.Serve{DBWriters: 4}},
		{"readers with SQLite", "enlist.db", config.Serve{DBReaders: 4}},
		{"a replica with SQLite", "enlist.db", config.Serve{DBReplica: []string{postgres}}},
		{"a negative number of writers", postgres, config.Serve{DBWriters: -1}},
		{"a lag without a replica", postgres, config.Serve{DBReplicaLag: time.Second}},
		{"a negative lag", postgres, config.Serve{DBReplicaLag: -time.Second, DBReplica: []string{postgres}}},
		{"a replica that is not a URL", postgres, config.Serve{DBReplica: []string{"host:secret"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.settings.DB = c.db
			err := c.settings.Check()
			if err == nil || !strings.HasPrefix(err.Error(), "--db-") || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want an error about a flag, without the password", err)
			}
		})
	}
}

// A database in a folder that this user may not enter is not reported as missing.
func TestAForbiddenDatabaseIsNotReportedAsMissing(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may enter every folder")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0); err != nil {
		t.Fatal(err)
	}
	err := config.Database{DB: filepath.Join(dir, "enlist.db")}.Exists()
	if err == nil || !strings.Contains(err.Error(), "may not read") {
		t.Errorf("got %v, want an error about permissions", err)
	}
}

// The variables of a service are read as systemd reads them.
func TestVariablesOfTheServiceAreRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "enlist.env")
	text := "# comment\n; comment\n\nENLIST_DB=/var/lib/enlist/enlist.db\n ENLIST_SMTP=\"smtp://a:b=c@host\"\nPATH=/bin\nENLIST_PUBLIC_URL='https://x'\nbroken\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := config.ReadVariables(file)
	want := map[string]string{"ENLIST_DB": "/var/lib/enlist/enlist.db", "ENLIST_SMTP": "smtp://a:b=c@host", "ENLIST_PUBLIC_URL": "https://x"}
	if err != nil || !maps.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if _, err := config.ReadVariables(file + ".none"); !os.IsNotExist(err) {
		t.Errorf("a file that does not exist: %v", err)
	}
}
