package mail

import (
	"context"
	"slices"
	"sync"

	"enlist/internal/audience"
	"enlist/internal/merge"
)

// compiled is a Message that is ready to be merged with Contacts.
type compiled struct {
	of      audience.Message // what it was made of
	subject merge.Template
	text    textTemplate
	html    *htmlTemplate // nil: there is no HTML part
	bytes   int           // about what it takes in memory

	mu      sync.Mutex
	targets []audience.LinkID // of html.links, once somebody asked
}

// The merge fields that stand for links of one mail. decisions.md: 46
const (
	fieldUnsubscribe = "unsubscribe_url"
	fieldConfirm     = "confirm_url"
)

// compile prepares a Message. It is done once for all its mails.
func compile(m *audience.Message) *compiled {
	c := &compiled{of: *m, subject: merge.Parse(m.Subject)}
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

// size is what a Message takes: its contents, and what they were taken apart
// into. A merge field of five bytes becomes a part of over a hundred.
func (c *compiled) size() int {
	const part = 128
	n := len(c.of.Subject) + len(c.of.Text) + len(c.of.HTML) + part*len(c.subject)
	for i := range c.text.pieces {
		n += part * len(c.text.pieces[i].Template)
	}
	if c.html != nil {
		n += part * len(c.html.parts)
	}
	return n
}

// linkTargets returns the IDs of the links in the HTML part.
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

const (
	// Compiled Messages that are kept, and bytes of them.
	maxTemplates     = 200
	maxTemplateBytes = 32 << 20
)

// templates keeps Messages that were compiled. The zero value is ready.
type templates struct {
	mu    sync.Mutex
	byID  map[audience.MessageID]*compiled
	bytes int

	// compiling is held by who compiles: hundreds of jobs come upon a new Message
	// at once, and each would need many times its size.
	compiling sync.Mutex
}

// of returns a Message compiled. One that was changed is compiled again,
// however little time has passed.
func (t *templates) of(m *audience.Message) *compiled {
	if known := t.known(m); known != nil {
		return known
	}
	t.compiling.Lock()
	defer t.compiling.Unlock()
	if known := t.known(m); known != nil {
		return known // somebody else was faster
	}
	fresh := compile(m)
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = make(map[audience.MessageID]*compiled)
	}
	t.drop(m.ID)
	for id := range t.byID { // any will do: what is used comes back
		if len(t.byID) < maxTemplates && t.bytes+fresh.bytes <= maxTemplateBytes {
			break
		}
		t.drop(id)
	}
	t.byID[m.ID] = fresh
	t.bytes += fresh.bytes
	return fresh
}

func (t *templates) known(m *audience.Message) *compiled {
	t.mu.Lock()
	known := t.byID[m.ID]
	t.mu.Unlock()
	if known == nil || known.of != *m {
		return nil
	}
	return known
}

func (t *templates) drop(id audience.MessageID) {
	if old := t.byID[id]; old != nil {
		t.bytes -= old.bytes
		delete(t.byID, id)
	}
}
