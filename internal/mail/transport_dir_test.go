package mail

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests in this file write mails into a folder.

// A mail that is sent again replaces its file, also after a restart. Only the owner may read the
// folder and the files.
//
// covers: decision 50
func TestFolderHasEachMailOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "mail")
	s, _, err := newSender(Transport{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	send := func(s sender, n int) {
		t.Helper()
		if err := s.send(t.Context(), testMessage(t, n, "ann@example.com"), nil); err != nil {
			t.Fatal(err)
		}
	}
	send(s, 1)
	send(s, 2)
	send(s, 1)
	s, _, err = newSender(Transport{Dir: dir}) // a restarted process also creates a new sender
	if err != nil {
		t.Fatal(err)
	}
	send(s, 2)
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 2 {
		t.Fatalf("the folder has %v, %v, want two files", entries, err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || info.Mode() != 0o600 || !regexp.MustCompile(`^\d{8}-\d{6}-[12]@example.org\.eml$`).MatchString(e.Name()) {
			t.Errorf("the file %s has the mode %v, %v, want 0600 and a name with the time and the Message-ID", e.Name(), info.Mode(), err)
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || !strings.Contains(string(text), "still here") {
			t.Errorf("the file %s has the content %s, %v, want the complete mail", e.Name(), text, err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder has the mode %v, %v, want 0700", info.Mode(), err)
	}
}

func TestFileNameHasSafeCharactersOnly(t *testing.T) {
	if got := fileID("../a b/é\x00@x"); got != ".._a_b___@x" {
		t.Errorf("got %q, want .._a_b___@x", got)
	}
}
