package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// This test imports the client package from another module.

// Another module imports the client with a replace line, without network access.
// doc/guide.md shows the same lines.
func TestAnotherModuleImportsTheClient(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/caller\n\ngo 1.26\n\nrequire enlist v0.0.0\n\nreplace enlist => " + root + "\n",
		"main.go": `package main

import (
	"fmt"

	"enlist/api"
)

func main() {
	client := api.NewClient("http://127.0.0.1:8080/api/jsonrpcserver", "key")
	defer client.Close()
	fmt.Print(api.CodeNoList.Name())
}
`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil || len(out) == 0 {
		t.Errorf("error %v, output %s", err, out)
	}
}
