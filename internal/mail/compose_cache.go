package mail

import (
	"context"
	"slices"
	"sync"

	"enlist/internal/audience"
	"enlist/internal/merge"
)

// This file compiles Messages into templates, once for all mails of a Message,
// and caches the results. compose_render.go inserts the values of a Contact.

// compiled is a Message that is ready to be merged with Contacts.
type compiled struct {
	source  audience.Message
	subject merge.Template
	text    textTemplate
	html    *htmlTemplate // nil: there is no HTML part
	bytes   int           // memory that it takes, estimated

	mu      sync.Mutex
	targets []audience.LinkID // of html.links; nil until the first use
}

// The merge fields that are links of one mail. decisions.md: 46
const (
	fieldUnsubscribe = "unsubscribe_url"
	fieldConfirm     = "confirm_url"
)

// compile prepares a Message. The text part is made from the HTML if the Message
// has no text.
func compile(m *audience.Message) *compiled {
	c := &compiled{source: *m, subject: merge.Parse(m.Subject)}
	source := plainFallbacks(m.HTML)
	text := splitText(lineEnds.Replace(m.Text))
	if m.Text == "" {
		text = plainText(source)
	}
	c.text = text.template()
	switch {
	case m.EmailType == audience.EmailPlain:
	case m.EmailType == audience.EmailPlainHTML:
		c.html = parseHTML(text.html())
	case m.HTML == "":
	case m.EmailType == audience.EmailRawHTML:
		c.html = parseHTML(source)
	default:
		c.html = parseHTML(inlineStyles(source))
	}
	c.bytes = c.size()
	return c
}

// size estimates the memory of a compiled Message: its contents and its parts. A
// merge field of five bytes becomes a part of over a hundred.
func (c *compiled) size() int {
	const part = 128
	n := len(c.source.Subject) + len(c.source.Text) + len(c.source.HTML) + part*len(c.subject)
	for i := range c.text.pieces {
		n += part * len(c.text.pieces[i].Template)
	}
	if c.html != nil {
		n += part * len(c.html.parts)
	}
	return n
}

// linkTargets returns the IDs of the tracked links in the HTML part, in their
// order. The first call stores the targets.
func (c *compiled) linkTargets(ctx context.Context, id audience.MessageID, links Linker) ([]audience.LinkID, error) {
	if c.html == nil || len(c.html.links) == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.targets == nil {
		targets, err := links.LinkTargets(ctx, id, slices.Clone(c.html.links))
		if err != nil {
			return nil, err
		}
		c.targets = targets
	}
	return c.targets, nil
}

// Limits of the cache.
const (
	maxTemplates     = 200      // Messages
	maxTemplateBytes = 32 << 20 // bytes, as compiled.size estimates them
)

// templateCache keeps compiled Messages. The zero value is ready.
type templateCache struct {
	mu    sync.Mutex
	byID  map[audience.MessageID]*compiled
	bytes int

	// compiling is held while a Message is compiled, so that only one is compiled at a
	// time. Hundreds of jobs may need a new Message at once, and compiling takes many
	// times the Message's size in memory.
	compiling sync.Mutex
}

// get returns a compiled Message. It compiles a Message again when any part of
// it has changed.
func (t *templateCache) get(m *audience.Message) *compiled {
	if cached := t.cached(m); cached != nil {
		return cached
	}
	t.compiling.Lock()
	defer t.compiling.Unlock()
	if cached := t.cached(m); cached != nil {
		return cached // another goroutine has compiled it meanwhile
	}
	fresh := compile(m)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = make(map[audience.MessageID]*compiled)
	}
	t.evict(m.ID)
	for id := range t.byID { // in any order: a Message in use is soon compiled again
		if len(t.byID) < maxTemplates && t.bytes+fresh.bytes <= maxTemplateBytes {
			break
		}
		t.evict(id)
	}
	t.byID[m.ID] = fresh
	t.bytes += fresh.bytes
	return fresh
}

// cached returns the compiled form of a Message, nil if there is none or if the
// Message has changed.
func (t *templateCache) cached(m *audience.Message) *compiled {
	t.mu.Lock()
	cached := t.byID[m.ID]
	t.mu.Unlock()
	if cached == nil || cached.source != *m {
		return nil
	}
	return cached
}

// evict removes a Message. The caller holds t.mu.
func (t *templateCache) evict(id audience.MessageID) {
	if old := t.byID[id]; old != nil {
		t.bytes -= old.bytes
		delete(t.byID, id)
	}
}
