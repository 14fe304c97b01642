package mailtest

import (
	"sync"
	"time"
)

// This file has the scripts: what the server does when a client reaches a stage.

// Stage is a point in the dialogue between client and server.
type Stage string

// The stages, in their order.
const (
	Greeting Stage = "greeting" // a client connects
	Hello    Stage = "hello"
	Mail     Stage = "mail" // the sender's address was given
	Rcpt     Stage = "rcpt" // a recipient's address was given
	Text     Stage = "text" // the message begins; a Reply is sent after its end
	// End: the message is complete, and stored unless a Reply refuses it. The server
	// has not answered yet.
	End Stage = "end"
)

// Step describes a stage that a client has reached.
type Step struct {
	Stage Stage
	N     int    // how often this stage was reached before, on all connections
	From  string // "" before Mail
	To    []string
}

// Action is what the server does at a Step. The zero value continues as usual.
type Action struct {
	Wait time.Duration // before everything else
	Code int           // to reply with; 0: as usual
	Text string        // of the reply, with an enhanced status code or without
	Drop bool          // close the connection without a reply
}

// Reply replies with a code. At the greeting it also closes the connection.
func Reply(code int, text string) Action { return Action{Code: code, Text: text} }

// Drop closes the connection without a reply.
func Drop() Action { return Action{Drop: true} }

// Wait waits and then continues as usual. Stop ends the wait.
func Wait(d time.Duration) Action { return Action{Wait: d} }

// Once is a script that acts the first time that a stage is reached.
func Once(stage Stage, a Action) func(Step) Action { return Times(1, stage, a) }

// Times is a script that acts the first n times that a stage is reached, counted
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

// Always is a script that acts every time that a stage is reached.
func Always(stage Stage, a Action) func(Step) Action { return Times(-1, stage, a) }

// Script sets what happens at each stage from now on; nil: all messages are
// accepted. Several connections call the script at once.
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

// at counts the stage, calls the script, and waits as the script says.
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
