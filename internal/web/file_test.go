package web

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/social"
)

// The tests in this file request files of the Account.

// upload stores a file and returns the path of its link.
func (h *harness) upload(name string, content []byte) string {
	h.Helper()
	h.service.Files.SetFileSettings(files.FileSettings{Key: h.key})
	folders, err := h.service.Accounts.SearchFolders(h.Context(), h.caller, "file", enlist.Query{})
	h.must(err)
	f, err := h.service.Files.UploadFile(h.Context(), h.caller, files.UploadRequest{Folder: folders[0].ID, OnDuplicate: "overwrite",
		Details: sent([]string{"name", name, "data", base64.StdEncoding.EncodeToString(content)})})
	h.must(err)
	return f.URL
}

// get requests a path with header fields: pairs of names and values.
func (h *harness) get(path string, fields ...string) (*http.Response, []byte) {
	h.Helper()
	r, err := http.NewRequestWithContext(h.Context(), http.MethodGet, h.server.URL+path, nil)
	h.must(err)
	for i := 0; i < len(fields); i += 2 {
		r.Header.Set(fields[i], fields[i+1])
	}
	a, err := http.DefaultTransport.RoundTrip(r)
	h.must(err)
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	h.must(err)
	return a, body
}

// covers: spec files.link, decision 64
func TestFileIsSentWithRangesAndItsVersion(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	content := bytes.Repeat([]byte("0123456789"), 3*files.PieceSize/10)
	path := h.upload("Grüße.bin", content)
	a, body := h.get(path)
	if a.StatusCode != 200 || !bytes.Equal(body, content) || a.ContentLength != int64(len(content)) {
		t.Fatalf("got %d with %d bytes, want 200 with all %d bytes", a.StatusCode, len(body), len(content))
	}
	if got := a.Header.Get("Content-Disposition"); got != "attachment; filename*=utf-8''Gr%C3%BC%C3%9Fe.bin" {
		t.Errorf("Content-Disposition is %s", got)
	}
	etag := a.Header.Get("ETag")
	if a, body := h.get(path, "If-None-Match", etag); a.StatusCode != 304 || len(body) != 0 {
		t.Errorf("with the ETag %s got %d and %d bytes, want 304 without a body", etag, a.StatusCode, len(body))
	}
	for spec, want := range map[string]string{"bytes=262140-262149": "0123456789", "bytes=-3": string(content[len(content)-3:]), "bytes=5-5": "5"} {
		if a, body := h.get(path, "Range", spec); a.StatusCode != 206 || string(body) != want {
			t.Errorf("the range %s is %d %q, want 206 %q", spec, a.StatusCode, body, want)
		}
	}
	if a, _ := h.get(path, "Range", "bytes=99999999-"); a.StatusCode != 416 {
		t.Errorf("a range after the end got %d, want 416", a.StatusCode)
	}
	if again := h.upload("Grüße.bin", []byte("new")); again != path {
		t.Errorf("the link of the overwritten file is %s, want %s", again, path)
	}
	if a, body := h.get(path, "If-None-Match", etag); a.StatusCode != 200 || string(body) != "new" || a.Header.Get("ETag") == etag {
		t.Errorf("the overwritten file got %d %q with the ETag %s, want 200, the new content and another ETag", a.StatusCode, body, a.Header.Get("ETag"))
	}
	if a := h.do("HEAD", path, ""); a.StatusCode != 200 || a.body != "" || a.Header.Get("Content-Length") != "3" {
		t.Errorf("HEAD got %d %v", a.StatusCode, a.Header)
	}
	if a := h.do("POST", path, ""); a.StatusCode != 405 || a.Header.Get("Allow") != "GET, HEAD" {
		t.Errorf("POST got %d %v, want 405", a.StatusCode, a.Header)
	}
}

// A file can be HTML of a caller. On the site of the service it must not run a script.
//
// covers: spec files.link, decision 64
func TestOnlyImagesAreShownInTheBrowser(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	for name, c := range map[string]struct{ content, contentType, disposition string }{
		"a.png":  {"\x89PNG\r\n\x1a\n", "image/png", "inline; filename=a.png"},
		"a.html": {"<script>alert(1)</script>", "application/octet-stream", "attachment; filename=a.html"},
		"a.svg":  {`<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>`, "application/octet-stream", "attachment; filename=a.svg"},
		"b.png":  {"<html><script>alert(1)</script>", "application/octet-stream", "attachment; filename=b.png"},
		"a.pdf":  {"%PDF-1.7", "application/octet-stream", "attachment; filename=a.pdf"},
	} {
		a, body := h.get(h.upload(name, []byte(c.content)))
		if a.StatusCode != 200 || string(body) != c.content || a.Header.Get("Content-Type") != c.contentType ||
			a.Header.Get("Content-Disposition") != c.disposition {
			t.Errorf("%s: got %d %v", name, a.StatusCode, a.Header)
		}
		if a.Header.Get("Content-Security-Policy") != "default-src 'none'; sandbox" || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: the security headers are %v", name, a.Header)
		}
	}
}

// covers: spec files.link, decision 64
func TestLinkOfAFileIsSignedAndEndsWithTheFile(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path := h.upload("a.txt", []byte("text"))
	unknown, body := h.get(path[:len(path)-1] + "_")
	if unknown.StatusCode != 404 || !strings.Contains(string(body), "This page does not exist") {
		t.Errorf("a wrong signature got %d %s", unknown.StatusCode, body)
	}
	for _, other := range []string{"/f/1", "/f/1/", "/f/x/y", path + "/", "/f/01" + path[len("/f/1"):], h.key.FilePath(2)[:4]} {
		if a, _ := h.get(other); a.StatusCode != 404 {
			t.Errorf("%s got %d, want 404", other, a.StatusCode)
		}
	}
	h.must(h.service.Files.DeleteFile(h.Context(), h.caller, 1))
	if a, body := h.get(path); a.StatusCode != 410 || !strings.Contains(string(body), "no longer exists") || a.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a deleted file got %d %s", a.StatusCode, body)
	}
}

// covers: decision 163
func TestIconOfANetworkIsAPictureOfThisServer(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	a, body := h.get(social.Called("instagram").IconPath("#146c4f"))
	if a.StatusCode != 200 || a.Header.Get("Content-Type") != "image/png" || !strings.HasPrefix(string(body), "\x89PNG") || !strings.Contains(a.Header.Get("Cache-Control"), "immutable") {
		t.Errorf("got %d %v", a.StatusCode, a.Header)
	}
	for _, path := range []string{"/f/icons/none-146c4f.png", "/f/icons/x-1.png", "/f/icons/", "/f/icons/x-146c4f.png/x"} {
		if a, _ := h.get(path); a.StatusCode != 404 {
			t.Errorf("%s got %d, want 404", path, a.StatusCode)
		}
	}
}

// If a piece cannot be read, the server closes the connection, so that the client does not take the file
// as complete.
//
// covers: decision 64
func TestFileThatCannotBeReadIsCutOff(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path := h.upload("a.bin", make([]byte, 4*files.PieceSize))
	h.must(h.store.Update(t.Context(), func(tx *db.Tx) error {
		_, err := files.DeletePieces(tx, 1, 2)
		return err
	}))
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.server.URL+path, nil)
	h.must(err)
	a, err := http.DefaultTransport.RoundTrip(r)
	h.must(err)
	defer a.Body.Close()
	if n, err := io.Copy(io.Discard, a.Body); err == nil || n > 2*files.PieceSize {
		t.Errorf("read %d bytes with the error %v, want at most two pieces and an error", n, err)
	}
}

// covers: decision 64
func TestSimultaneousDownloadsAreLimited(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	handler := New(h.service.Sending, h.service.Forms, h.service.Files, h.service.Messages, h.key, nil)
	impatient, leave := context.WithCancel(t.Context())
	leave()
	begins := func(ip string) (release func(), ok bool) {
		r, err := http.NewRequestWithContext(impatient, http.MethodGet, h.server.URL, nil)
		h.must(err)
		r.RemoteAddr = ip + ":1000"
		release, err = handler.mayRead(r)
		return release, err == nil
	}
	release := func() {}
	for i := range maxDownloads {
		ip, ok := fmt.Sprintf("198.51.100.%d", i/ofDownloader), false
		if release, ok = begins(ip); !ok {
			t.Errorf("download %d, to %s, did not begin", i+1, ip)
		}
		if (i+1)%ofDownloader != 0 {
			continue
		}
		if _, ok := begins(ip); ok {
			t.Errorf("%s got more than %d downloads", ip, ofDownloader)
		}
	}
	if _, ok := begins("192.0.2.1"); ok {
		t.Errorf("more than %d downloads began", maxDownloads)
	}
	release()
	if _, ok := begins("192.0.2.1"); !ok {
		t.Error("a download did not begin after another one had ended")
	}
}
