package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/config"
)

// changing are parts of answers that differ in each run.
var changing = regexp.MustCompile(`\d{10}\.[0-9a-f]{16}|"version":"[^"]*"`)

// Each path of the server, with each method and key, has one answer, also a path that does not exist, or ends in a slash.
func TestPathsAndMethodsHaveTheirAnswers(t *testing.T) {
	addr, key := startServerWith(t, config.Serve{})
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	old, err := os.ReadFile("testdata/paths.table")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for line := range strings.Lines(string(old)) {
		asked, _, _ := strings.Cut(strings.TrimSpace(line), " -> ")
		words := strings.Fields(asked)
		if len(words) < 2 || words[0] == "#" {
			b.WriteString(line)
			continue
		}
		r := must(http.NewRequestWithContext(t.Context(), words[0], "http://"+addr+words[1], nil))(t)
		for _, word := range words[2:] {
			switch word {
			case "key":
				r.Header.Set("Authorization", "Bearer "+key)
			default:
				r.Header.Set("Accept", word)
			}
		}
		reply := must(client.Do(r))(t)
		body := string(must(io.ReadAll(reply.Body))(t))
		reply.Body.Close()
		fmt.Fprintf(&b, "%s -> %d", asked, reply.StatusCode)
		for _, name := range []string{"Allow", "Location", "Content-Type"} {
			if value := reply.Header.Get(name); value != "" {
				fmt.Fprintf(&b, " %s: %s;", name, value)
			}
		}
		if strings.HasPrefix(reply.Header.Get("Content-Type"), "text/html") {
			_, body, _ = strings.Cut(body, "<title>")
			body, _, _ = strings.Cut(body, "</title>")
		}
		body = changing.ReplaceAllString(strings.TrimSpace(body), "*")
		fmt.Fprintf(&b, " %.60q\n", body)
	}
	if *update {
		err = os.WriteFile("testdata/paths.table", []byte(b.String()), 0o644)
	}
	if got := b.String(); err != nil || got != string(old) && !*update {
		t.Errorf("error %v; the answers are\n%s", err, got)
	}
}
