package movein

import (
	"context"
	"fmt"
	"io"

	"enlist/internal/enlist"
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
		content, size, err = s.files.Read(ctx, file.Text("url"))
		return err
	})
	return content, size, err
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
