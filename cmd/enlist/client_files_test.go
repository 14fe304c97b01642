package main

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/mail"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/config"
	"enlist/internal/db/dbtest"

	"github.com/google/go-cmp/cmp"
)

// These tests call the methods of files with the Go client.

func TestClientReadsAndWritesFiles(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientReadsAndWritesFiles)
}

func clientReadsAndWritesFiles(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	folder := must(client.AddFolder(ctx, api.Details{"name": "Photos", "type": "file"}))(t)
	content := bytes.Repeat([]byte("0123456789abcdef"), 600<<10/16)
	first := must(client.UploadFile(ctx, folder, "big.bin", content, false))(t)
	if again := must(client.UploadFile(ctx, folder, "big.bin", content, true))(t); *again != *first {
		t.Errorf("the overwritten file is %+v, want %+v", *again, *first)
	}
	second := must(client.UploadFile(ctx, folder, "big.bin", []byte("GIF89a"), false))(t)
	f := must(client.GetFileByID(ctx, first.ID))(t)
	want := &api.File{ID: first.ID, FolderID: folder, Basename: "big", Extension: ".bin", Size: 600 << 10,
		CreationTime: f.CreationTime, MimeType: "application/octet-stream", LastModifiedTime: f.LastModifiedTime,
		LastModifiedUserID: f.LastModifiedUserID, Name: "big.bin", URL: first.URL}
	if diff := cmp.Diff(want, f); diff != "" || f.CreationTime == 0 || f.LastModifiedUserID == 0 {
		t.Errorf("getFileById: %s", diff)
	}
	if found := must(client.SearchFiles(ctx, api.Query{Criteria: api.Criteria{api.Test{"name", "exactly", "big_1.bin"}}}))(t); len(found) != 1 || found[0].MimeType != "image/gif" {
		t.Errorf("searchFiles: %+v", found)
	}
	if id := must(client.FindFileInFolder(ctx, "big_1.bin", folder))(t); id != second.ID {
		t.Errorf("findFileInFolder: %d, want %d", id, second.ID)
	}
	if n := must(client.CountFiles(ctx, nil))(t); n != 2 {
		t.Errorf("countFiles: %d", n)
	}
	reply := must(http.Get(first.URL))(t)
	defer reply.Body.Close()
	if got := must(io.ReadAll(reply.Body))(t); !bytes.Equal(got, content) {
		t.Errorf("%s has %d bytes that differ from the file", first.URL, len(got))
	}
	must(0, client.DeleteFile(ctx, first.ID))(t)
	if _, err := client.GetFileByID(ctx, first.ID); !isCode(err, api.CodeNoFile) {
		t.Errorf("getFileById of a deleted file returned the error %v", err)
	}
	if _, err := client.UploadFile(ctx, 99, "a", []byte("a"), false); !isCode(err, api.CodeNoFolder) {
		t.Errorf("an upload into an unknown Folder returned the error %v", err)
	}
}

// countFiles counts the contents of the parts that have a file name.
func countFiles(t *testing.T, got map[string]int, contentType string, body io.Reader) {
	t.Helper()
	_, params, err := mime.ParseMediaType(contentType)
	if err != nil {
		t.Fatal(err)
	}
	if params["boundary"] == "" {
		return
	}
	parts := multipart.NewReader(body, params["boundary"])
	for part, err := parts.NextPart(); err != io.EOF; part, err = parts.NextPart() {
		if err != nil {
			t.Fatal(err)
		}
		if part.FileName() == "" {
			countFiles(t, got, part.Header.Get("Content-Type"), part)
			continue
		}
		data, err := io.ReadAll(base64.NewDecoder(base64.StdEncoding, part))
		if err != nil {
			t.Fatal(err)
		}
		got[string(data)]++
	}
}

func isCode(err error, code api.Code) bool {
	refused, ok := errors.AsType[*api.Error](err)
	return ok && refused.Code == code
}

// A mail with attachments and inline images arrives complete, from an autoresponder and from a Batch.
//
// covers: decision 65
func TestMailsHaveTheFilesOfTheMessage(t *testing.T) {
	box, ctx := &mailbox{t: t, dir: t.TempDir()}, t.Context()
	addr, key := startServerWith(t, config.Serve{Mail: "dir:" + box.dir})
	client := api.NewClient("http://"+addr, key)
	t.Cleanup(client.Close)
	folders := must(client.SearchFolders(ctx, "file", api.Query{}))(t)
	plan := bytes.Repeat([]byte("%PDF\n.\r\n"), 49_998) // two pieces; without padding, which the mailbox would remove
	attachment := must(client.UploadFile(ctx, folders[0].ID, "Plan für Mai.pdf", plan, false))(t)
	logo := must(client.UploadFile(ctx, folders[0].ID, "logo.gif", []byte("GIF89a"), false))(t)
	message := must(client.AddMessage(ctx, api.Details{"name": "May", "subject": "May for {{Email}}", "html_content": `<img src="cid:logo.gif" alt="Logo">`,
		"attachments": []int64{attachment.ID}, "inline_images": []int64{logo.ID}}))(t)
	must(client.AddAutoresponder(ctx, api.Details{"list_id": 1, "message_id": message, "event_type": "subscribe"}))(t)
	must(client.SubscribeContact(ctx, 1, api.Details{"Email": "ada@example.com"}, api.Consent{}))(t)
	first := box.wait("Subject: May for ada@example.com")
	must(client.AddBatch(ctx, message, []api.Population{{ListID: 1}}, 0, true, api.BatchOptions{}))(t)
	for _, text := range []string{first, box.wait("Subject: [test] May for ada@example.com")} {
		got := make(map[string]int)
		parsed := must(mail.ReadMessage(strings.NewReader(text)))(t)
		countFiles(t, got, parsed.Header.Get("Content-Type"), parsed.Body)
		if len(got) != 2 || got["GIF89a"] != 1 || got[string(plan)] != 1 || !strings.Contains(text, "Content-ID: <logo.gif>") || !strings.Contains(text, `src="cid:logo.gif"`) {
			t.Errorf("the mail has %d files that differ from those of the Message:\n%.3000s", len(got), text)
		}
	}
}

// A test mail shows the values of a Contact. Its links change nothing, and no method counts it.
//
// covers: spec preview.test, decision 65
func TestTestMailChangesNothing(t *testing.T) {
	box, ctx := &mailbox{t: t, dir: t.TempDir()}, t.Context()
	addr, key := startServerWith(t, config.Serve{Mail: "dir:" + box.dir})
	client := api.NewClient("http://"+addr, key)
	t.Cleanup(client.Close)
	must(client.EditList(ctx, api.Details{"id": 1, "track_opens": true, "track_clicks": true, "from_address": "news@example.com"}))(t)
	id := must(client.SubscribeContact(ctx, 1, api.Details{"Email": "ada@example.com"}, api.Consent{}))(t)
	message := must(client.AddMessage(ctx, api.Details{"name": "May", "subject": "May for {{Email}}", "text_content": "Hello {{Email}} {{unsubscribe_url}}",
		"html_content": `<a href="https://example.com/?a={{id}}">More</a> <a href="{{unsubscribe_url}}">Leave</a>`}))(t)
	shown := must(client.PreviewMessage(ctx, message, 1, id))(t)
	if shown.Subject != "May for ada@example.com" || !strings.Contains(shown.HTML, `href="https://example.com/?a=1"`) || shown.Size < 500 || len(shown.Findings) != 0 {
		t.Errorf("previewMessage: %+v", *shown)
	}
	must(0, client.SendTestMessage(ctx, message, []string{"owner@example.com"}, 1, id))(t)
	must(0, client.SendTestMessage(ctx, message, []string{"desk@example.com"}, 0, 0))(t)
	for _, text := range []string{box.wait("To: <owner@example.com>"), box.wait("To: <desk@example.com>")} {
		if !strings.Contains(text, "Subject: [test] May for") || strings.Contains(text, "/k/") || strings.Contains(text, "/o/") {
			t.Errorf("the test mail has no [test] before its subject, or tracked links:\n%s", text)
		}
		unsubscribe := link(t, text, "u")
		if page := visit(t, unsubscribe); !strings.Contains(page, "unsubscribed") {
			t.Errorf("the link to unsubscribe leads to the page %s", page)
		}
		reply := must(http.Post(unsubscribe, "application/x-www-form-urlencoded", strings.NewReader("List-Unsubscribe=One-Click")))(t)
		reply.Body.Close()
		if reply.StatusCode != 200 {
			t.Errorf("the request to unsubscribe got %d", reply.StatusCode)
		}
	}
	c := must(client.GetContactByID(ctx, 1, id))(t)
	if sent := must(client.GetContactDeliveries(ctx, 1, id))(t); len(sent) != 0 || c.IsUnsubscribed || c.LastMessageTime != 0 || c.LastOpenTime != 0 {
		t.Errorf("the Contact is %+v with the sent mails %+v", c, sent)
	}
}
