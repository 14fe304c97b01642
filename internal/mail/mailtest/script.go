package mailtest

import (
	"sync"
	"time"
)

// This file has the scripts. A script decides what the server does when a client reaches a
// stage.

// Stage is a point in the dialogue between client and server.
type Stage string

// The stages, in their order.
const (
	Greeting Stage = "greeting" // a client connects
	Hello    Stage = "hello"
	Mail     Stage = "mail" // the client has sent the sender's address
	Rcpt     Stage = "rcpt" // the client has sent a recipient's address
	Text     Stage = "text" // the client begins to send the message; a Reply is sent after the message
	// End is reached when the client has sent the complete message, before the server
	// replies. The server stores the message, unless a Reply refuses it.
	End Stage = "end"
)

// Step describes a stage that a client has reached.
type Step struct {
	Stage Stage
	N     int    // how often clients reached this stage before, on all connections
	From  string // "" before the stage Mail
	To    []string
}

// Action is what the server does at a Step. With the zero value, the server continues as
// usual.
type Action struct {
	Wait time.Duration // the server first waits for this time
	Code int           // code of the reply; 0 for the usual reply
	Text string        // text of the reply; it may begin with an enhanced status code
	Drop bool          // the server closes the connection without a reply
}

// Reply returns an Action that replies with a code. At the greeting, the server then closes
// the connection.
func Reply(code int, text string) Action { return Action{Code: code, Text: text} }

// Drop returns an Action that closes the connection without a reply.
func Drop() Action { return Action{Drop: true} }

// Wait returns an Action that waits and then continues as usual. Stop ends the wait.
func Wait(d time.Duration) Action { return Action{Wait: d} }

// Once returns a script that runs an Action the first time that a client reaches a stage.
func Once(stage Stage, a Action) func(Step) Action { return Times(1, stage, a) }

// Times returns a script that runs an Action the first n times that a client reaches a
// stage. The script begins to count when it is set.
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

// Always returns a script that runs an Action each time that a client reaches a stage.
func Always(stage Stage, a Action) func(Step) Action { return Times(-1, stage, a) }

// Script sets the script of the server. With nil, the server accepts all messages. The
// script must allow that several connections call it at the same time.
func (s *Server) Script(script func(Step) Action) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script = script
}

// Seen returns how often clients have reached a stage.
func (s *Server) Seen(stage Stage) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seen[stage]
}

// at adds 1 to the number of times that clients reached a stage, and calls the script. If
// the Action of the script has a Wait, at waits. Then it returns the Action.
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
