package mail

import (
	"strings"
	"sync"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/limiter"
	"enlist/internal/messages"
)

// The tests in this file check when a Message is compiled, and how many compiled Messages are
// cached.

// Many jobs need the same new Message at the same time. It is compiled only once.
//
// covers: decision 46
func TestMessageIsCompiledOnce(t *testing.T) {
	message := messages.Message{ID: 7, AccountID: 1, EmailType: messages.EmailHTML, Subject: "Hello", HTML: strings.Repeat("<p>Dear {{Email}}</p>", 2000)}
	all := templateCache{compiling: limiter.NewShared(compiling, 1, 0)}
	found := make([]*compiled, 50)
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() {
			m := message
			found[i] = mustGet(t, &all, &m)
		})
	}
	wg.Wait()
	for i := range found {
		if found[i] != found[0] {
			t.Fatal("the Message was compiled more than once")
		}
	}
	message.Subject = "Changed"
	if mustGet(t, &all, &message) == found[0] {
		t.Error("a changed Message was not compiled again")
	}
}

// The cache limits the number of Messages and their size in memory. A Message that was changed is
// compiled again.
//
// covers: decision 46
func TestTemplateCacheIsBounded(t *testing.T) {
	var kept templateCache
	for i := range 3 * maxTemplates {
		mustGet(t, &kept, &messages.Message{ID: enlist.MessageID(i), Text: "x"})
	}
	if bytes := kept.byID[messageKey{id: 3*maxTemplates - 1}].bytes; len(kept.byID) > maxTemplates || kept.bytes != bytes*len(kept.byID) {
		t.Errorf("the cache has %d Messages, and the sum of their sizes is %d bytes, want at most %d Messages of %d bytes each",
			len(kept.byID), kept.bytes, maxTemplates, bytes)
	}
	for i := range 5 {
		mustGet(t, &kept, &messages.Message{ID: enlist.MessageID(i), EmailType: messages.EmailPlain, Text: "x", HTML: strings.Repeat("x", maxTemplateBytes/3)})
	}
	for i := range 5 { // Messages with a short source and very many parts
		mustGet(t, &kept, &messages.Message{ID: enlist.MessageID(i), EmailType: messages.EmailPlain, Text: strings.Repeat("{{a}}", maxTemplateBytes/1000)})
	}
	if len(kept.byID) > maxTemplates || kept.bytes > maxTemplateBytes || kept.byID[messageKey{id: 4}].bytes < maxTemplateBytes/20 {
		t.Errorf("the cache has %d Messages with %d bytes, and %d bytes for a Message of many parts; want at most %d Messages, "+
			"at most %d bytes, and at least %d bytes", len(kept.byID), kept.bytes, kept.byID[messageKey{id: 4}].bytes, maxTemplates, maxTemplateBytes, maxTemplateBytes/20)
	}
	a, b := &messages.Message{ID: 1, Text: "a"}, &messages.Message{ID: 1, Text: "b"}
	if first := mustGet(t, &kept, a); first != mustGet(t, &kept, a) || first == mustGet(t, &kept, b) {
		t.Error("an unchanged Message was compiled again, or a changed Message was not compiled again")
	}
}

func mustGet(t *testing.T, cache *templateCache, m *messages.Message) *compiled {
	t.Helper()
	c, err := cache.get(t.Context(), m, nil)
	if err != nil {
		t.Error(err)
	}
	return c
}
