package main

// These tests call the methods of files with the Go client.

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"testing"

	"enlist/api"
	"enlist/internal/store/teststores"

	"github.com/google/go-cmp/cmp"
)

func TestClientReadsAndWritesFiles(t *testing.T) { teststores.Each(t, clientReadsAndWritesFiles) }

func clientReadsAndWritesFiles(t *testing.T, e teststores.Engine) {
	client, ctx := startClient(t, e), t.Context()
	folder := must(client.AddFolder(ctx, api.Details{"name": "Photos", "type": "file"}))(t)
	content := bytes.Repeat([]byte("0123456789abcdef"), 600<<10/16)
	first := must(client.UploadFile(ctx, folder, "big.bin", content, false))(t)
	if again := must(client.UploadFile(ctx, folder, "big.bin", content, true))(t); *again != *first {
		t.Errorf("the overwritten file is %+v, want %+v", *again, *first)
	}
	second := must(client.UploadFile(ctx, folder, "big.bin", []byte("GIF89a"), false))(t)
	f := must(client.GetFileByID(ctx, first.ID))(t)
	want := &api.File{ID: first.ID, CreatorUserID: f.CreatorUserID, CreatorName: "first key", CreationTime: f.CreationTime, LastModifiedTime: f.LastModifiedTime,
		FolderID: folder, Name: "big.bin", Type: "application/octet-stream", Size: 600 << 10, URL: first.URL}
	if diff := cmp.Diff(want, f); diff != "" || f.CreationTime == 0 {
		t.Errorf("getFileById: %s", diff)
	}
	if found := must(client.SearchFiles(ctx, api.Query{Criteria: api.Criteria{api.Test{"name", "exactly", "big_1.bin"}}}))(t); len(found) != 1 || found[0].Type != "image/gif" {
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
	if _, err := client.GetFileByID(ctx, first.ID); !isCode(err, api.CodeInvalidParameters) {
		t.Errorf("getFileById of a deleted file returned the error %v", err)
	}
	if _, err := client.UploadFile(ctx, 99, "a", []byte("a"), false); !isCode(err, api.CodeNoFolder) {
		t.Errorf("an upload into an unknown Folder returned the error %v", err)
	}
}

func isCode(err error, code api.Code) bool {
	refused, ok := errors.AsType[*api.Error](err)
	return ok && refused.Code == code
}
