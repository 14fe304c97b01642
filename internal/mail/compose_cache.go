package mail

import (
	"context"
	"slices"
	"strings"
	"sync"

	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/messages"
	"enlist/internal/messages/merge"
)

// This file compiles each Message into templates once, and caches the templates for all
// mails of the Message. compose_render.go inserts the values of a Contact.

// compiled has the templates of a Message.
type compiled struct {
	source   messages.Message
	refused  error // why there is no mail: what the author can do; the next three fields are then empty
	utm      enlist.UTM
	document string // the HTML with its merge fields, before styles are moved
	text     textTemplate
	html     *htmlTemplate // nil if there is no HTML part
	subject  merge.Template
	files    []messages.MessageFile
	sender   []string // lines about the sender at the end of each mail
	second   string   // colour of the end of a mail with a theme; "": the mail has none
	bytes    int      // estimated size in memory

	mu      sync.Mutex
	targets []enlist.LinkID // IDs of html.links; nil until the first call of linkTargets
	edited  int64           // the last_modified_time with which they were stored

	filesMu sync.Mutex
	encoded *encodedFiles // nil until the first call of encodedFiles
}

// fieldUnsubscribe is the merge field for the link that each mail must have. decisions.md: 46
const fieldUnsubscribe = merge.UnsubscribeURL

// compile returns the templates of a Message. If the Message has no text, compile makes
// the text part from the HTML. The files are encoded later, because reading them can fail. The error is that of the
// context; compiled.refused has any other.
func compile(ctx context.Context, m *messages.Message, files []messages.MessageFile,
	at urls) (*compiled, error) {
	c := &compiled{source: *m, files: files, subject: merge.Parse(m.Subject),
		sender: senderLines(m), utm: m.OwnUTM()}
	source, err := sourceHTML(ctx, m, at)
	if err == nil {
		err = checkHTML(source)
	}
	if err == nil {
		c.document = source
		err = c.compile(ctx, at)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	c.refused = err
	c.bytes = c.size()
	return c, nil
}

// compile makes the templates of the document. It looks at the context between its steps: each needs less than a second.
func (c *compiled) compile(ctx context.Context, at urls) error {
	m := &c.source
	if isThemed(m) {
		d := themedDocument{Theme: messages.DecodeTheme(m.Theme)}
		c.second = d.second()
	}
	text := splitText(completeFileLinks(merge.LineEnds.Replace(m.Text), at))
	if m.Text == "" || isThemed(m) {
		text = plainText(c.document)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.text = text.template()
	switch {
	case m.EmailType == messages.EmailPlain:
	case m.EmailType == messages.EmailPlainHTML:
		c.html = parseHTML(text.html())
	case c.document == "":
	case m.EmailType == messages.EmailRawHTML:
		c.html = parseHTML(c.document)
	default:
		c.html = parseHTML(inlineStyles(c.document))
	}
	return nil
}

// senderLines returns the lines at the end of a mail that say who sends it, and where the sender is.
func senderLines(m *messages.Message) (lines []string) {
	text := m.AuthorisedSender + "\n" + m.PostalAddress
	if isThemed(m) {
		text += "\n" + messages.DecodeTheme(m.Theme).Imprint
	}
	for line := range strings.Lines(merge.Plain(text)) {
		if line = strings.Join(strings.Fields(line), " "); line != "" && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}

// size estimates the size of a compiled Message in memory: its source, its parts and its files. A merge
// field such as {{a}} has only five bytes of source, but its part needs more than a hundred
// bytes.
func (c *compiled) size() int {
	const part = 128
	n := len(c.source.Subject) + len(c.source.Text) + len(c.source.HTML) + len(c.source.Blocks) + part*len(c.subject)
	if c.document != c.source.HTML {
		n += len(c.document)
	}
	for i := range c.text.pieces {
		n += part * len(c.text.pieces[i].Template)
	}
	if c.html != nil {
		for i := range c.html.parts {
			n += part + len(c.html.parts[i].html)
		}
	}
	for i := range c.files {
		n += encodedSize(&c.files[i])
	}
	return n
}

// linkTargets returns the IDs of the tracked links in the HTML part, in the order of the
// links. The first call for each edition of the Message stores the targets of the links in the database.
func (c *compiled) linkTargets(ctx context.Context, m *messages.Message, links Linker) ([]enlist.LinkID, error) {
	if c.html == nil || len(c.html.links) == 0 {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.targets == nil || m.LastModifiedTime > c.edited {
		targets, err := links.LinkTargets(ctx, m.ID, m.LastModifiedTime, slices.Clone(c.html.links))
		if err != nil {
			return nil, err
		}
		c.targets, c.edited = targets, m.LastModifiedTime
	}
	return c.targets, nil
}

// Limits of the cache. Ten conditions of blocks can make a thousand sets of blocks, each of which takes about 20 KB. To
// compile one of them takes ten times as long as a mail.
const (
	maxTemplates     = 2000     // number of sets
	maxTemplateBytes = 32 << 20 // sum of the sizes that compiled.size estimates
)

// templateCache caches compiled Messages. The zero value is an empty cache for Messages without blocks and logo, which
// compiles any number of them at the same time.
type templateCache struct {
	urls urls

	mu    sync.Mutex
	byID  map[messageKey]*compiled
	bytes int

	// compiling has a slot for each Message that is compiled, one for each Account: hundreds of jobs may need the same
	// new Message, and compiling it needs many times as much memory as the Message itself.
	compiling *limiter.Limiter
}

// compiling is the number of Messages that are compiled at the same time.
const compiling = 3

// messageKey identifies a Message in the cache. The variants of a Batch can be one Message with several subjects, and
// Contacts can see other blocks of it.
type messageKey struct {
	id      enlist.MessageID
	subject string
	met     uint32
}

// get returns a compiled Message from the cache. It compiles the Message if it is not in
// the cache, or if any part of the Message or a file has changed. The error is that of the context.
func (t *templateCache) get(ctx context.Context, m *messages.Message, files []messages.MessageFile) (*compiled, error) {
	if cached := t.cached(m, files); cached != nil {
		return cached, nil
	}
	release, err := t.compiling.AcquireFor(ctx, int64(m.AccountID), 1)
	if err != nil {
		return nil, err
	}
	defer release()
	if cached := t.cached(m, files); cached != nil {
		return cached, nil // another goroutine has compiled the Message
	}
	fresh, err := compile(ctx, m, files, t.urls)
	if err != nil {
		return nil, err
	}
	t.add(fresh)
	return fresh, nil
}

// add adds a compiled Message to the cache, and removes others if there are too many.
func (t *templateCache) add(fresh *compiled) {
	m := &fresh.source
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byID == nil {
		t.byID = make(map[messageKey]*compiled)
	}
	key := messageKey{m.ID, m.Subject, m.Met}
	t.evict(key)
	for id := range t.byID { // the order is random; if an evicted Message is needed again, get compiles it again
		if len(t.byID) < maxTemplates && t.bytes+fresh.bytes <= maxTemplateBytes {
			break
		}
		t.evict(id)
	}
	t.byID[key] = fresh
	t.bytes += fresh.bytes
}

// cached returns a compiled Message. It returns nil if the cache does not contain the
// Message, or contains another version of it.
func (t *templateCache) cached(m *messages.Message, files []messages.MessageFile) *compiled {
	t.mu.Lock()
	cached := t.byID[messageKey{m.ID, m.Subject, m.Met}]
	t.mu.Unlock()
	if cached == nil || cached.source != *m || !slices.Equal(cached.files, files) {
		return nil
	}
	return cached
}

// evict removes a Message from the cache. The caller must have locked t.mu.
func (t *templateCache) evict(key messageKey) {
	if old := t.byID[key]; old != nil {
		t.bytes -= old.bytes
		delete(t.byID, key)
	}
}
