package mail

import (
	"context"
	"errors"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// composer gives messages their form.
type composer struct{}

func newComposer(o Options) (*composer, error) { return &composer{}, nil }

func (c *composer) notification(id string, n *audience.Notification) (*gomail.Msg, error) {
	return nil, errors.ErrUnsupported
}

func (c *composer) letter(ctx context.Context, l *audience.Letter) (*gomail.Msg, string, error) {
	return nil, "", errors.ErrUnsupported
}
