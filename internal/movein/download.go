package movein

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"enlist/internal/enlist"
	"enlist/internal/publicnet"
)

// This file reads files by their links. api_limit.go says which addresses are called.

// Downloads reads files by their links.
type Downloads struct{ client *http.Client }

// NewDownloads returns Downloads that connect only to public addresses.
func NewDownloads() *Downloads { return &Downloads{newFileClient("", nil)} }

// Read reads the content of a file of at most MaxFile bytes into a temporary file, which tells its size: other services
// round the size of their records. The error is a refusal (enlist.Refuse) if another attempt would not help.
func (d *Downloads) Read(ctx context.Context, link string) (content io.ReadCloser, size int64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "its url %q is no URL", link)
	}
	reply, err := d.client.Do(request)
	switch {
	case errors.Is(err, publicnet.ErrNotPublic):
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "the link %s leads to an address that is not public",
			link)
	case err != nil:
		return nil, 0, fmt.Errorf("read a file: %w", err)
	}
	defer reply.Body.Close()
	switch {
	case reply.StatusCode >= http.StatusInternalServerError:
		return nil, 0, fmt.Errorf("read the file %s: the other service replied %s", link, reply.Status)
	case reply.StatusCode != http.StatusOK:
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "the link %s leads to no file: %s", link, reply.Status)
	}
	temporary, err := os.CreateTemp("", "enlist-file")
	if err != nil {
		return nil, 0, fmt.Errorf("create a temporary file: %w", err)
	}
	// The file has no name any more, so it is gone when it is closed. On Windows, it stays until the system removes it.
	os.Remove(temporary.Name())
	size, err = io.Copy(temporary, reply.Body)
	if err == nil {
		_, err = temporary.Seek(0, io.SeekStart)
	}
	if err == nil {
		return temporary, size, nil
	}
	temporary.Close()
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		err = enlist.Refuse(enlist.InvalidParameters, "the link %s leads to more than %d MiB", link, int64(MaxFile)>>20)
	}
	return nil, 0, err
}
