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

// This file reads files and webhooks from another service with the same API.

// Files implements Source.
func (s *API) Files(ctx context.Context) ([]Record, error) {
	return s.optionalSearch(ctx, "searchFiles")
}

// FileContent implements Source. The API has no method for the content, only a link to it.
func (s *API) FileContent(ctx context.Context, file Record) (content io.ReadCloser, size int64, err error) {
	notRefused := func(err error) bool { return enlist.KindOf(err) == enlist.Internal }
	err = s.repeat(ctx, fmt.Sprintf("file %d", file.ID()), notRefused, func() (err error) {
		content, size, err = s.download(ctx, file.Text("url"))
		return err
	})
	return content, size, err
}

// download reads the content of a file into a temporary file, which tells its size: other services round the size of
// their records. The error is a refusal (enlist.Refuse) if another attempt would not help.
func (s *API) download(ctx context.Context, link string) (content io.ReadCloser, size int64, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "its url %q is no URL", link)
	}
	reply, err := s.files.Do(request)
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
	if _, large := errors.AsType[*tooLarge](err); large {
		err = enlist.Refuse(enlist.InvalidParameters, "the link %s leads to more than %d MiB", link, int64(maxFile)>>20)
	}
	return nil, 0, err
}

// Webhooks implements Source. Only getWebhookById returns the secret.
func (s *API) Webhooks(ctx context.Context) ([]Record, error) {
	found, err := s.optionalSearch(ctx, "searchWebhooks")
	if err != nil {
		return nil, err
	}
	for i := range found {
		whole, err := s.byID(ctx, "getWebhookById", found[i].ID())
		if err := s.optional("getWebhookById", err); err != nil {
			return nil, err
		}
		if len(whole) > 0 {
			found[i] = whole
		}
	}
	return found, nil
}
