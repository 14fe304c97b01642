package mail

import (
	"strings"
	"sync"
	"testing"

	"enlist/internal/audience"
)

// Hundreds of jobs come upon a new Message at once; it is compiled once.
//
// covers: decision 46
func TestMessageIsCompiledOnce(t *testing.T) {
	message := audience.Message{ID: 7, EmailType: audience.EmailHTML, Subject: "Hello", HTML: strings.Repeat("<p>Dear {{Email}}</p>", 2000)}
	var all templateCache
	found := make([]*compiled, 50)
	var wg sync.WaitGroup
	for i := range found {
		wg.Go(func() {
			m := message
			found[i] = all.get(&m)
		})
	}
	wg.Wait()
	for i := range found {
		if found[i] != found[0] {
			t.Fatal("the Message was compiled more than once")
		}
	}
	if message.Subject = "Changed"; all.get(&message) == found[0] {
		t.Error("a changed Message was not compiled again")
	}
}
