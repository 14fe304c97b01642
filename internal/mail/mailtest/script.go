package mailtest

import (
	"sync"
	"time"
)

// Stage is a point of the talk between client and server.
type Stage string

// The stages, in their order.
const (
	Greeting Stage = "greeting" // somebody connects
	Hello    Stage = "hello"
	Mail     Stage = "mail" // the sender's address was given
	Rcpt     Stage = "rcpt" // a recipient's address was given
	Text     Stage = "text" // the message begins to come; a Reply is sent after all of it
	End      Stage = "end"  // all of it has come and, unless a Reply refuses it, is kept; only the answer is missing
)

// Step is a stage that was reached.
type Step struct {
	Stage Stage
	N     int    // how often this stage was reached before, on all connections
	From  string // as far as known
	To    []string
}

// Action is what the server does at a Step. The zero value goes on.
type Action struct {
	Wait time.Duration // before all else
	Code int           // to reply with; 0: as usual
	Text string        // of the reply, with an enhanced status code or without
	Drop bool          // break the connection
}

// Reply answers with a code. At the greeting it ends the connection.
func Reply(code int, text string) Action { return Action{Code: code, Text: text} }

// Drop breaks the connection.
func Drop() Action { return Action{Drop: true} }

// Wait waits, and goes on.
func Wait(d time.Duration) Action { return Action{Wait: d} }

// Once is a script that does something the first time that a stage is reached.
func Once(stage Stage, a Action) func(Step) Action { return Times(1, stage, a) }

// Times is a script that does something the first n times that a stage is reached
// from now on.
func Times(n int, stage Stage, a Action) func(Step) Action {
	var mu sync.Mutex
	return func(s Step) Action {
		mu.Lock()
		defer mu.Unlock()
		if s.Stage != stage || n == 0 {
			return Action{}
		}
		n--
		return a
	}
}

// Always is a script that does something whenever a stage is reached.
func Always(stage Stage, a Action) func(Step) Action { return Times(-1, stage, a) }

// Script says from now on what happens at each stage; nil: all goes well.
// It is called by several connections at once.
func (s *Server) Script(script func(Step) Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
}

// Seen returns how often a stage was reached.
func (s *Server) Seen(stage Stage) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[stage]
}

// at says what to do at a stage, after the wait that belongs to it.
func (s *Server) at(r *run, stage Stage, m Message) Action {
	s.mu.Lock()
	step := Step{Stage: stage, N: s.seen[stage], From: m.From, To: m.To}
	s.seen[stage]++
	script := s.script
	s.mu.Unlock()
	if script == nil {
		return Action{}
	}
	a := script(step)
	if a.Wait > 0 {
		select {
		case <-time.After(a.Wait):
		case <-r.done:
		}
	}
	return a
}
