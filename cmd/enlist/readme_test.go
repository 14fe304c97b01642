package main

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/web"

	"github.com/alecthomas/kong"
)

// These tests compare the calls and flags in documents with the program.

var readmeBlock = regexp.MustCompile("(?s)```(sh|json)\n(.*?)```")

// The test makes the calls of README.md and doc/guide.md in their order, as a reader would
// paste them. Each call must get the reply that the page shows below it.
func TestCallsInReadmeAndGuideAreAnsweredAsShown(t *testing.T) {
	for _, tool := range []string{"sh", "curl"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the calls need %s", tool)
		}
	}
	var text []byte
	for _, page := range []string{"../../README.md", "../../doc/guide.md"} {
		content, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, content...)
	}
	addr, key := startServer(t)
	var got []string
	compared := 0
	for _, block := range readmeBlock.FindAllStringSubmatch(string(text), -1) {
		switch kind, body := block[1], block[2]; kind {
		case "sh":
			if !strings.Contains(body, "curl") {
				continue // the two commands
			}
			got = lines(runCalls(t, addr, key, body))
		case "json":
			want := lines(body)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("got\n%s\nthe page says\n%s", strings.Join(got, "\n"), body)
			}
			compared++
		}
	}
	if compared < 5 {
		t.Errorf("found %d replies in the pages, want 5 or more", compared)
	}
}

// runCalls runs a block of shell commands. Their calls go to the test's server, with the given key.
func runCalls(t *testing.T, addr, key, script string) string {
	t.Helper()
	script = regexp.MustCompile(`(?m)^KEY=.*$`).ReplaceAllString(script, "")
	script = strings.ReplaceAll(script, "127.0.0.1:8080", addr)
	cmd := exec.Command("sh", "-c", script)
	cmd.Env = append(os.Environ(), "KEY="+key)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return string(out)
}

func lines(text string) (all []string) {
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		var reply json.RawMessage
		if d.Decode(&reply) != nil {
			return all
		}
		all = append(all, string(reply))
	}
}

// doc/settings.md explains every flag of serve, with its default. --help explains it too.
func TestEveryFlagOfServeIsExplained(t *testing.T) {
	text, err := os.ReadFile("../../doc/settings.md")
	if err != nil {
		t.Fatal(err)
	}
	var c serveCommand
	parser, err := kong.New(&c, kong.PostBuild(describeFlags))
	if err != nil {
		t.Fatal(err)
	}
	for _, flag := range parser.Model.Flags {
		row := "| `--" + flag.Name + "` | " // a flag without a default has a text here
		if flag.Default != "" {
			row += flag.Default + " |"
		}
		if flag.Name != "help" && !strings.Contains(string(text), row) {
			t.Errorf("doc/settings.md has no row that begins with %s", row)
		}
		if flag.Help == "" {
			t.Errorf("--help does not explain --%s: add a text to internal/config/help.txt", flag.Name)
		}
	}
}

// A proxy that is set up as the manual says passes on each path that must be public.
func TestRecipesForProxiesHaveAllPublicPaths(t *testing.T) {
	text, err := os.ReadFile("../../doc/install.md")
	if err != nil {
		t.Fatal(err)
	}
	recipes := regexp.MustCompile(`(?m)^\t@public path (.*)$`).FindAllStringSubmatch(string(text), -1)
	if len(recipes) != 2 {
		t.Fatalf("doc/install.md has %d recipes, want 2", len(recipes))
	}
	paths := []string{"/api/*", "/clients/*", "/bounces/*"}
	mux := http.NewServeMux()
	web.New(nil, nil, nil, nil, enlist.LinkKey{}, slog.New(slog.DiscardHandler)).Routes(mux)
	for kind := 'a'; kind <= 'z'; kind++ {
		begin := "/" + string(kind) + "/"
		if _, pattern := mux.Handler(must(http.NewRequest(http.MethodGet, begin, nil))(t)); pattern != "" {
			paths = append(paths, begin+"*")
		}
	}
	for i, r := range recipes {
		has := strings.Fields(r[1])
		for _, path := range paths {
			if !slices.Contains(has, path) {
				t.Errorf("the recipe %q has no %s", r[1], path)
			}
		}
		if slices.Contains(has, "/admin/*") != (i == 0) { // in the second, the pages have a host of their own
			t.Errorf("the recipe %q has /admin/*, or lacks it", r[1])
		}
	}
}
