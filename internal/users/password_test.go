package users

import (
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A password that waits too long for its turn is not checked, and a network that fills the queue stops no other network.
func TestPasswordsWaitForABoundedTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPasswords()
		p.memory = 64
		flood := networkOwner(p, "192.0.2.1")
		done, err := p.turns.AcquireFor(t.Context(), flood, 1) // a check that goes on
		if err != nil {
			t.Fatal(err)
		}
		var waiting sync.WaitGroup
		began := time.Now()
		for range 600 {
			waiting.Go(func() {
				if _, err := p.matches(t.Context(), "192.0.2.9", "x", ""); !errors.Is(err, ErrBusy) {
					t.Errorf("a password that waits: %v, want ErrBusy", err)
				}
			})
		}
		synctest.Wait()
		if _, err := p.matches(t.Context(), "198.51.100.1", "x", ""); err != nil {
			t.Errorf("a password from another network: %v", err)
		}
		waiting.Wait()
		if took := time.Since(began); took != hashWait {
			t.Errorf("the passwords waited for %v, want %v", took, hashWait)
		}
		done()
		if _, err := p.matches(t.Context(), "192.0.2.9", "x", ""); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// A stored password stays valid if new ones are stored with other parameters.
func TestPasswordsAreCheckedWithTheirParameters(t *testing.T) {
	p := newPasswords()
	p.memory = 64
	stored, err := p.hash(t.Context(), "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	p.memory = 128
	for password, want := range map[string]bool{"correct horse": true, "correct house": false} {
		if got, err := p.matches(t.Context(), "192.0.2.1", password, stored); got != want || err != nil {
			t.Errorf("%q matches: %t, %v", password, got, err)
		}
	}
}
