package config_test

import (
	"strings"
	"testing"
	"time"

	"enlist/internal/config"
)

// These tests read sizes and expiry times, and check settings.

// A size is a number of bytes with an optional binary unit.
func TestSizeIsParsed(t *testing.T) {
	for _, c := range []struct {
		text string
		want config.Size
	}{
		{"0", 0}, {"1048576", 1 << 20}, {"512KiB", 512 << 10}, {"32MiB", 32 << 20}, {"2GiB", 2 << 30},
	} {
		var got config.Size
		if err := got.UnmarshalText([]byte(c.text)); err != nil || got != c.want {
			t.Errorf("%s: got %d, %v; want %d", c.text, got, err, c.want)
		}
	}
	for _, text := range []string{"", "MiB", "-1", "1.5MiB", "32MB", "9223372036854775807KiB"} {
		var got config.Size
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %d, want an error", text, got)
		}
	}
}

// An expiry is a duration or a day. Durations below a second are refused.
func TestExpiryIsParsed(t *testing.T) {
	now := time.Unix(1_000_000_000, 0)
	for _, c := range []struct {
		text string
		want int64
	}{
		{"90d", 1_000_000_000 + 90*86400}, {"1h30m", 1_000_005_400}, {"2027-01-31", 1_801_353_600},
	} {
		var got config.Expiry
		if err := got.UnmarshalText([]byte(c.text)); err != nil || got.Unix(now) != c.want {
			t.Errorf("%s: got %d, %v; want %d", c.text, got.Unix(now), err, c.want)
		}
	}
	for _, text := range []string{"", "0d", "-1h", "90", "2027-02-30", "99999d"} {
		var got config.Expiry
		if err := got.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q: got %d, want an error", text, got.Unix(now))
		}
	}
	if got := (config.Expiry{}).Unix(now); got != 0 {
		t.Errorf("no expiry: got %d, want 0", got)
	}
}

// No message about a database shows its password.
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
		d := config.Database{DB: c.url}
		if err := d.Check(); err != nil || d.Shown() != c.want {
			t.Errorf("%s: shown as %s, %v", c.url, d.Shown(), err)
		}
	}
}

// Settings for PostgreSQL are refused with SQLite and outside their range.
func TestConnectionSettingsAreChecked(t *testing.T) {
	const postgres = "postgres://enlist@host/enlist"
	for _, wrong := range []config.Serve{
		{Database: config.Database{DB: "enlist.db"}, DBWriters: 4},
		{Database: config.Database{DB: "enlist.db"}, DBReaders: 4},
		{Database: config.Database{DB: "enlist.db"}, DBReplica: []string{postgres}},
		{Database: config.Database{DB: postgres}, DBWriters: -1},
		{Database: config.Database{DB: postgres}, DBReplicaLag: time.Second},
		{Database: config.Database{DB: postgres}, DBReplicaLag: -time.Second, DBReplica: []string{postgres}},
		{Database: config.Database{DB: postgres}, DBReplica: []string{"host:secret"}},
	} {
		if err := wrong.Check(); err == nil || !strings.HasPrefix(err.Error(), "--db-") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
}
