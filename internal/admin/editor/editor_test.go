package editor

import (
	"bytes"
	"compress/gzip"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// most is how many bytes the script may have when it is compressed.
const most = 110_000

// covers: decision 159
func TestScriptIsSmallAndHasItsLicence(t *testing.T) {
	script := read(t, "editor.js")
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	w.Write(script)
	w.Close()
	if packed.Len() > most {
		t.Errorf("the script has %d bytes when it is compressed, want at most %d", packed.Len(), most)
	}
	for _, text := range []string{"prosemirror-view 1.44.0", "THE SOFTWARE IS PROVIDED \"AS IS\""} {
		if !bytes.Contains(script, []byte(text)) {
			t.Errorf("the script does not have %q of its licence", text)
		}
	}
	for _, text := range []string{"eval(", "new Function(", "http://localhost"} {
		if bytes.Contains(script, []byte(text)) {
			t.Errorf("the script has %s", text)
		}
	}
}

func TestScriptIsMadeFromItsSources(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, because esbuild must be built: run it with \"make check\"")
	}
	made := filepath.Join(t.TempDir(), "editor.js")
	command := exec.CommandContext(t.Context(), "make", "-s", "-C", "../../..", "assets", "MADE="+made)
	command.Env = append(os.Environ(), "GOFLAGS=", "MAKEFLAGS=")
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("make assets: %v\n%s", err, text)
	}
	if !bytes.Equal(read(t, made), read(t, "editor.js")) {
		t.Error("editor.js is not what its sources make: run \"make assets\"")
	}
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
