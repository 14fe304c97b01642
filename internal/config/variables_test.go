package config_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"enlist/internal/config"
)

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
