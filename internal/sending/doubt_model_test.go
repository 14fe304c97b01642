package sending_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// This file proves the rules of mails in doubt for a small model: it tries each order of all steps of two processes with
// the mails of one slice. A breadth-first search is a proof for its size, where random walks would only be likely to
// find a mistake, and the first mistake that it finds has the shortest way to it.
//
// A process takes the slice, reads its mails, and for each mail: marks it, hands it over, and stores the result. A lease
// can end at any time, so a process can have been stopped for any time between two steps. It can be killed. Results are
// stored by the rules of recipients/change.go, and the lease is asked as in AdvanceBatches. The mail server accepts a
// mail, refuses it for ever, refuses it for now, or accepts it without an answer.

const (
	modelMails     = 2 // each process marks both at once, or one with doubt skip
	modelProcesses = 2
	noProcess      = modelProcesses
)

// The states of a mail in the database.
const (
	mWaiting = iota
	mSending
	mDeferred
	mSent
	mRefused
	mDoubtful
)

// modelMail is a mail in the database, and what the mail server has done with it.
type modelMail struct {
	status   uint8
	repeated uint8 // as the report says
	accepted uint8 // by the mail server
	outcomes uint8 // how many were counted
	refused  bool  // by the mail server, for ever
	answered bool  // a process that was not killed has got the answer that it is accepted
}

func (m *modelMail) isOpen() bool { return m.status <= mDeferred }

// What a process knows of a mail.
const (
	kNothing  = iota // it has no part in it
	kRead            // it has read it
	kMarked          // it may hand it over
	kAccepted        // the answers of the mail server
	kRefused
	kLater
	kUnknown
	kNotTried
)

// modelView is a mail as a process sees it.
type modelView struct {
	knows, status uint8
	changed       bool // another process has changed it since, so that its status or its time is another one
}

// modelProcess is a process.
type modelProcess struct {
	has    bool // it has taken the slice, and may have lost it without knowing
	killed bool
	mails  [modelMails]modelView
}

// modelState is a state of all. It is comparable, so that the search knows which states it has seen.
type modelState struct {
	mails     [modelMails]modelMail
	processes [modelProcesses]modelProcess
	holder    uint8 // the process that has the slice
	ended     bool  // the lease has ended: another process may take the slice
	takes     uint8
}

// set changes the status of a mail. p is the process that does it.
func (s *modelState) set(p, i int, status uint8) {
	s.mails[i].status = status
	for other := range s.processes {
		if v := &s.processes[other].mails[i]; other != p && v.knows != kNothing {
			v.changed = true
		}
	}
}

// modelRules are the rules of the Batch, and mistakes that the search must find.
type modelRules struct {
	skip    bool   // doubt skip
	takes   uint8  // how often the slice is taken at most
	mistake string // "": none
}

// modelStep is a state that can follow another one.
type modelStep struct {
	name string
	next modelState
}

// steps returns all steps that are possible in a state.
func (s *modelState) steps(r *modelRules) (steps []modelStep) {
	add := func(name string, change func(*modelState)) {
		next := *s
		change(&next)
		if next != *s {
			steps = append(steps, modelStep{name, next})
		}
	}
	if !s.ended {
		add("the lease ends", func(s *modelState) { s.ended = true })
	}
	for p := range modelProcesses {
		own := &s.processes[p]
		if own.killed {
			continue
		}
		name := fmt.Sprintf("process %d ", p)
		if p > 0 { // the other one completes the Batch
			add(name+"is killed", func(s *modelState) { s.processes[p] = modelProcess{killed: true} })
		}
		if !own.has {
			if s.ended && s.takes < r.takes {
				add(name+"takes the slice", func(s *modelState) { s.take(p) })
			}
			continue
		}
		add(name+"releases the slice", func(s *modelState) { s.release(p) })
		add(name+"marks", func(s *modelState) { s.mark(p, r) })
		add(name+"does not try", func(s *modelState) { s.giveUp(p) })
		add(name+"stores", func(s *modelState) { s.store(p, r) })
		s.handOver(p, r, add)
	}
	return steps
}

// take leases the slice and reads its open mails.
func (s *modelState) take(p int) {
	s.takes++
	s.holder, s.ended, s.processes[p].has = uint8(p), false, true
	for i := range s.mails {
		if s.mails[i].isOpen() {
			s.processes[p].mails[i] = modelView{knows: kRead, status: s.mails[i].status}
		}
	}
}

// release ends the lease of a process that has stored all results.
func (s *modelState) release(p int) {
	own := &s.processes[p]
	if own.mails != [modelMails]modelView{} {
		return
	}
	if s.holder == uint8(p) {
		s.holder, s.ended = noProcess, true
	}
	own.has = false
}

// mark marks the mails that a process has read: all, or one with doubt skip. Without the slice it gives them up. A lease
// that has ended is renewed, if no process has taken the slice.
func (s *modelState) mark(p int, r *modelRules) {
	own := &s.processes[p]
	for _, v := range own.mails {
		if v.knows > kRead {
			return // the results are stored first
		}
	}
	held := s.holder == uint8(p) || r.mistake == "no lease is asked"
	if s.holder == uint8(p) {
		s.ended = false
	}
	marked := 0
	for i := range own.mails {
		v := &own.mails[i]
		switch {
		case v.knows != kRead || r.skip && marked > 0:
			continue
		case !held:
		case r.skip && v.status == mSending && r.mistake != "skip repeats":
			s.doubt(p, i)
		case v.status == mWaiting || !v.changed || r.mistake == "marks what has an outcome":
			marked++
			if v.status == mSending && r.mistake != "a mail in doubt is not counted" {
				s.mails[i].repeated++
			}
			s.set(p, i, mSending)
			v.knows, v.changed = kMarked, false
			continue
		} // otherwise it has an outcome meanwhile, or waits again
		*v = modelView{}
	}
}

// doubt stores that a mail stays in doubt, unless it has an outcome or was put back.
func (s *modelState) doubt(p, i int) {
	if s.mails[i].status == mSending {
		s.set(p, i, mDoubtful)
		s.mails[i].outcomes++
	}
}

// giveUp says that a process hands over none of the mails that it has marked.
func (s *modelState) giveUp(p int) {
	for i := range s.processes[p].mails {
		if v := &s.processes[p].mails[i]; v.knows == kMarked {
			v.knows = kNotTried
		}
	}
}

// handOver hands the next marked mail over, with each answer that the mail server can give.
func (s *modelState) handOver(p int, r *modelRules, add func(string, func(*modelState))) {
	least := uint8(kMarked)
	if r.mistake == "hands over what is not marked" {
		least = kRead
	}
	i := slices.IndexFunc(s.processes[p].mails[:], func(v modelView) bool { return least <= v.knows && v.knows <= kMarked })
	if i < 0 {
		return
	}
	answer := func(text string, knows uint8, change func(*modelMail)) {
		add(fmt.Sprintf("process %d hands over mail %d: %s", p, i, text), func(s *modelState) {
			s.processes[p].mails[i].knows = knows
			change(&s.mails[i])
		})
	}
	answer("accepted", kAccepted, func(m *modelMail) { m.accepted++ })
	answer("accepted without an answer", kUnknown, func(m *modelMail) { m.accepted++ })
	answer("not accepted, without an answer", kUnknown, func(*modelMail) {})
	answer("refused for now", kLater, func(*modelMail) {})
	answer("refused", kRefused, func(m *modelMail) { m.refused = true })
}

// store stores the results that a process has.
func (s *modelState) store(p int, r *modelRules) {
	own := &s.processes[p]
	for _, v := range own.mails {
		if v.knows == kMarked {
			return
		}
	}
	held := s.holder == uint8(p) || r.mistake == "stores without the slice"
	for i := range own.mails {
		v, m := &own.mails[i], &s.mails[i]
		switch {
		case v.knows <= kMarked:
			continue
		case v.knows == kAccepted:
			m.answered = true
			s.accept(p, i, r)
		case !held || !m.isOpen():
		case v.knows == kRefused:
			s.set(p, i, mRefused)
			m.outcomes++
		case v.knows == kLater:
			s.set(p, i, mDeferred)
		case v.knows == kNotTried && m.status == mSending && v.status == mWaiting:
			s.set(p, i, mWaiting)
		case v.knows == kNotTried && m.status == mSending:
			s.set(p, i, mDeferred)
		case v.knows == kUnknown && r.skip:
			s.doubt(p, i)
		}
		*v = modelView{}
	}
}

// accept stores that a mail was accepted.
func (s *modelState) accept(p, i int, r *modelRules) {
	m := &s.mails[i]
	switch {
	case m.status == mSent && r.mistake != "an answer counts twice", m.status == mRefused:
		return
	case m.status == mDoubtful && r.mistake == "a late answer is lost":
		return
	case m.status == mDoubtful:
		m.outcomes--
	}
	s.set(p, i, mSent)
	m.outcomes++
}

// wrong returns which rule a state breaks, or "".
func (s *modelState) wrong(r *modelRules) string {
	for i := range s.mails {
		m := &s.mails[i]
		switch {
		case m.accepted > 1+m.repeated:
			return fmt.Sprintf("mail %d was accepted %d times, and the report names %d repetitions", i, m.accepted, m.repeated)
		case r.skip && m.accepted > 1:
			return fmt.Sprintf("mail %d was accepted %d times with doubt skip", i, m.accepted)
		case m.outcomes > 1, m.outcomes == 1 && m.isOpen(), m.outcomes == 0 && !m.isOpen():
			return fmt.Sprintf("mail %d is counted %d times", i, m.outcomes)
		case m.status == mSent && m.accepted == 0:
			return fmt.Sprintf("mail %d was not accepted and is sent", i)
		case m.answered && m.status != mSent && !m.refused:
			return fmt.Sprintf("the answer for mail %d is lost", i)
		}
	}
	return ""
}

// isEnd reports whether no mail is open.
func (s *modelState) isEnd() bool {
	return !slices.ContainsFunc(s.mails[:], func(m modelMail) bool { return m.isOpen() })
}

var modelStart = modelState{holder: noProcess, ended: true}

// explore visits all states. It returns how many there are, how many of them are ends, and the shortest way to one that
// breaks a rule.
func explore(r *modelRules) (states, ends int, way []string) {
	type origin struct {
		from int
		name string
	}
	seen := map[modelState]bool{modelStart: true}
	queue, origins := []modelState{modelStart}, []origin{{-1, "start"}}
	for at := 0; at < len(queue); at++ {
		s := queue[at]
		if why := s.wrong(r); why != "" {
			for i := at; i >= 0; i = origins[i].from {
				way = append([]string{origins[i].name}, way...)
			}
			return len(queue), ends, append(way, why)
		}
		if s.isEnd() {
			ends++
		}
		for _, step := range s.steps(r) {
			if !seen[step.next] {
				seen[step.next] = true
				queue, origins = append(queue, step.next), append(origins, origin{at, step.name})
			}
		}
	}
	return len(queue), ends, nil
}

// No order of the steps of two processes gives a recipient a mail more often than the report says, counts an outcome
// twice or loses an answer. No seed is needed, but make proof runs the whole search.
//
// covers: spec batch.doubt, decision 59
func TestSeededEveryOrderOfStepsKeepsTheRulesOfDoubt(t *testing.T) {
	takes := uint8(3)
	if testing.Short() {
		takes = 2
	}
	for _, skip := range []bool{false, true} {
		states, ends, way := explore(&modelRules{skip: skip, takes: takes})
		if way != nil {
			t.Errorf("doubt skip %t: %s", skip, strings.Join(way, "\n"))
		}
		if ends == 0 {
			t.Error("no order of the steps completes the Batch")
		}
		t.Logf("doubt skip %t: %d states, of which %d are ends", skip, states, ends)
	}
}

// The search finds each of these mistakes.
//
// covers: spec batch.doubt
func TestModelOfDoubtFindsMistakes(t *testing.T) {
	for _, r := range []modelRules{
		{mistake: "no lease is asked"}, {mistake: "stores without the slice"}, {mistake: "marks what has an outcome"},
		{mistake: "hands over what is not marked"}, {mistake: "a mail in doubt is not counted"}, {mistake: "an answer counts twice"},
		{skip: true, mistake: "skip repeats"}, {skip: true, mistake: "a late answer is lost"},
	} {
		r.takes = 3
		states, _, way := explore(&r)
		if way == nil {
			t.Errorf("%q is not found in %d states", r.mistake, states)
			continue
		}
		t.Logf("%q: %s", r.mistake, strings.Join(way, "; "))
	}
}
