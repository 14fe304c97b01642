package reference

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/httpserver"
	"enlist/internal/rpc"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newServer serves the reference, and replies to calls with what they sent.
func newServer(t *testing.T) *httptest.Server {
	t.Helper()
	d := rpc.Describe("test")
	h := New(&d, d.OpenRPC())
	mux := httpserver.NewMux()
	for _, path := range Paths() {
		mux.Handle(path, h)
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		json.NewEncoder(w).Encode(map[string]string{"got": string(body)})
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}

// get returns a file of the reference.
func get(t *testing.T, server *httptest.Server, path string) (*http.Response, string) {
	t.Helper()
	resp, err := server.Client().Get(server.URL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp, string(body)
}

// covers: spec reference.page, spec reference.markdown, decision 74, spec clients.files, decision 75
func TestReferenceHasEveryMethod(t *testing.T) {
	server := newServer(t)
	for name := range clientTypes {
		_, text := get(t, server, "/clients/"+name)
		for _, m := range rpc.Describe("test").Methods {
			if !strings.Contains(text, m.Name+"(") {
				t.Errorf("%s does not have %s", name, m.Name)
			}
		}
	}
	_, page := get(t, server, "/api/")
	for _, m := range rpc.Describe("test").Methods {
		if !strings.Contains(page, `<article id="`+m.Name+`">`) {
			t.Errorf("the page does not have %s", m.Name)
		}
		resp, text := get(t, server, "/api/methods/"+m.Name+".md")
		if resp.StatusCode != 200 || !strings.HasPrefix(text, "# "+m.Name+"\n") || !strings.Contains(text, m.Summary) {
			t.Errorf("%s.md: status %d, %.100s", m.Name, resp.StatusCode, text)
		}
	}
	for _, link := range regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+link[1]+`"`) {
			t.Errorf("the page links to #%s, which it does not have", link[1])
		}
	}
	if resp, text := get(t, server, "/api/openrpc.json"); resp.Header.Get("Content-Type") != "application/json" || !json.Valid([]byte(text)) {
		t.Errorf("openrpc.json has the type %s and %d bytes", resp.Header.Get("Content-Type"), len(text))
	}
}

// The page runs no script and loads no style that is not a file of this server, so it needs no exception in the policy.
//
// covers: decision 74
func TestReferenceHasAStrictPolicy(t *testing.T) {
	server := newServer(t)
	resp, page := get(t, server, "/api/")
	csp := resp.Header.Get("Content-Security-Policy")
	if !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
		t.Errorf("got the policy %s", csp)
	}
	if inline := regexp.MustCompile(`(?i)<script>|<style|\sstyle=|\son\w+=|javascript:`).FindString(page); inline != "" {
		t.Errorf("the page has %q, which the policy forbids", inline)
	}
}

// One click on an example sends no mail: its times lie ahead, and it names no recipients and no Batch.
//
// covers: decision 74
func TestExamplesOfThePageSendNoMail(t *testing.T) {
	want := map[string]string{
		"addBatch":                `[1, [], TOMORROW, false, {"name": "January", "rate": "1000/hour"}]`,
		"addBatchByContactSearch": `[1, [], [["City", "exactly", "Berlin"]], TOMORROW]`,
		"sendTestMessage":         `[1, [], 1, 1]`,
		"editBatch":               `[0, "cancel"]`,
		"chooseBatchWinner":       `[0, 2]`,
		"countBatches":            `[[["message_id", "exactly", 1]]]`,
	}
	for _, m := range rpc.Describe("test").Methods {
		params := exampleParams(&m)
		if text, known := want[m.Name]; known && params != text {
			t.Errorf("%s has the parameters %s, want %s", m.Name, params, text)
		}
		if m.Writes && regexp.MustCompile(`\b\d{10}\b`).MatchString(params) {
			t.Errorf("%s has the parameters %s, want no time of the past", m.Name, params)
		}
	}
	if !strings.Contains(string(script), `replaceAll("`+tomorrow+`"`) {
		t.Errorf("the script does not replace %s", tomorrow)
	}
}

func TestBrowsersGetAnIcon(t *testing.T) {
	resp, text := get(t, newServer(t), "/favicon.ico")
	if resp.Header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(text, "<svg ") {
		t.Errorf("the icon has the type %s and the content %.50s", resp.Header.Get("Content-Type"), text)
	}
}

func TestReferenceIsCachedByItsETag(t *testing.T) {
	server := newServer(t)
	resp, _ := get(t, server, "/api/")
	request, err := http.NewRequestWithContext(t.Context(), "GET", server.URL+"/api/", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("If-None-Match", resp.Header.Get("ETag"))
	again, err := server.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	again.Body.Close()
	if again.StatusCode != http.StatusNotModified {
		t.Errorf("got status %d, want 304", again.StatusCode)
	}
}

func TestUnknownFilesAndMethodsAreRefused(t *testing.T) {
	server := newServer(t)
	for _, path := range []string{"/api/methods/", "/api/methods/none.md"} {
		if resp, _ := get(t, server, path); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", path, resp.StatusCode)
		}
	}
	resp, err := server.Client().Post(server.URL+"/api/", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusMethodNotAllowed || resp.Header.Get("Allow") == "" {
		t.Errorf("POST: got status %d, want 405 with Allow", resp.StatusCode)
	}
}

func TestCodeQuotesTextsForItsLanguage(t *testing.T) {
	m := rpc.MethodInfo{Name: "m", Example: &rpc.Example{Params: []json.RawMessage{
		json.RawMessage(`"YOUR-KEY"`), json.RawMessage(`{"it's":["a\"b\\",true,false,null,1.5,{}]}`)}}}
	for _, test := range []struct {
		of   literals
		want string
	}{
		{ofJSON, `["YOUR-KEY", {"it's": ["a\"b\\", true, false, null, 1.5, {}]}]`},
		{ofPython, `["YOUR-KEY", {"it's": ["a\"b\\", True, False, None, 1.5, {}]}]`},
		{ofPHP, `['YOUR-KEY', ['it\'s' => ['a"b\\', true, false, null, 1.5, []]]]`},
	} {
		if got := test.of.values(&m); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
	if curl := snippets(&m)[0].Code; !strings.Contains(curl, `it'\''s`) {
		t.Errorf("curl: %s", curl)
	}
}
