package movein

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"enlist/internal/enlist"
)

// This file reads files and webhooks from another service with the same API.

// Files implements Source.
func (s *API) Files(ctx context.Context) ([]Record, error) {
	return s.optionalSearch(ctx, "searchFiles")
}

// FileContent implements Source. The API has no method for the content, only a link to it.
func (s *API) FileContent(ctx context.Context, file Record) (content io.ReadCloser, err error) {
	notRefused := func(err error) bool { return enlist.KindOf(err) == enlist.Internal }
	err = s.repeat(ctx, fmt.Sprintf("file %d", file.ID()), notRefused, func() (err error) {
		content, err = s.download(ctx, file.Text("url"), file.Int("size"))
		return err
	})
	return content, err
}

// download requests the content of a file. The error is a refusal (enlist.Refuse) if another attempt would not help.
func (s *API) download(ctx context.Context, link string, size int64) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	if err != nil {
		return nil, enlist.Refuse(enlist.InvalidParameters, "its url %q is no URL", link)
	}
	reply, err := s.files.Do(request)
	if err != nil {
		return nil, fmt.Errorf("read a file: %w", err)
	}
	switch {
	case reply.StatusCode == http.StatusOK && (reply.ContentLength == size || reply.ContentLength < 0):
		return reply.Body, nil
	case reply.StatusCode == http.StatusOK:
		err = enlist.Refuse(enlist.InvalidParameters, "the link %s leads to %d bytes, and the file has %d", link,
			reply.ContentLength, size)
	case reply.StatusCode >= http.StatusInternalServerError:
		err = fmt.Errorf("read the file %s: the other service replied %s", link, reply.Status)
	default:
		err = enlist.Refuse(enlist.InvalidParameters, "the link %s leads to no file: %s", link, reply.Status)
	}
	reply.Body.Close()
	return nil, err
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
