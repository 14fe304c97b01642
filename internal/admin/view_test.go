package admin_test

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// counted is an engine that counts its transactions.
type counted struct {
	db.Engine
	views, others atomic.Int64
}

// View implements db.Transactor.
func (c *counted) View(ctx context.Context, fn func(*db.Tx) error) error {
	c.views.Add(1)
	return c.Engine.View(ctx, fn)
}

// Update implements db.Transactor.
func (c *counted) Update(ctx context.Context, fn func(*db.Tx) error) error {
	c.others.Add(1)
	return c.Engine.Update(ctx, fn)
}

// covers: decision 151
// A page reads in two Views: one says who is signed in, and one reads all else. So its numbers are of one moment.
func TestAPageReadsInOneView(t *testing.T) {
	h := newHold(t)
	c := &counted{Engine: h.App.DB.Engine}
	h.App.DB.Engine = c
	v := h.roles[enlist.Owner]
	for _, p := range h.pages {
		if !isGet(p) || p.File {
			continue
		}
		c.views.Store(0)
		c.others.Store(0)
		reply, _ := v.ask(p.Pattern, h.path(p.Pattern, nil), nil)
		if n := c.views.Load(); n != 2 || c.others.Load() > 0 || reply.StatusCode != http.StatusOK {
			t.Errorf("%s is answered with %d after %d Views and %d Updates", p.Pattern, reply.StatusCode, n, c.others.Load())
		}
	}
}
