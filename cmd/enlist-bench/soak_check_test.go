package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/mail"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"enlist/api"
	"enlist/internal/batches"
)

// This file compares what the server stored and sent with what it answered.

// settleTime is the longest time after the load until all mails, Batches, imports and webhooks are done. Jobs of a
// killed process run again within seconds, but a mail that has failed four times waits for three minutes.
const settleTime = 5 * time.Minute

// settle waits until everything that was answered has been handed over, or until settleTime has passed: compare then
// reports what is missing.
func (s *soak) settle() error {
	began := time.Now()
	for time.Since(began) < settleTime {
		missing, err := s.unfinished()
		if err != nil {
			return err
		}
		if missing == "" {
			s.add(figure{"time from the last call until all mails, imports and webhooks are done",
				time.Since(began).Round(time.Second).String(), 0})
			return nil
		}
		if err := s.sleep(time.Second); err != nil {
			return err
		}
	}
	missing, err := s.unfinished()
	if missing != "" {
		s.problem("%v after the last call: %s", settleTime, missing)
	}
	return err
}

// unfinished says what has not been done yet, or returns an empty text.
func (s *soak) unfinished() (string, error) {
	seen := s.readMails()
	for _, p := range s.persons {
		switch {
		case p.id == 0:
		case len(seen.notified[p.id]) == 0:
			return fmt.Sprintf("the owner has no mail about Contact %d", p.id), nil
		case !s.hooks.has(p.id):
			return fmt.Sprintf("the webhook has no event about Contact %d", p.id), nil
		}
	}
	for _, id := range s.batches {
		status, err := s.client.GetBatchStatus(s.ctx, id)
		if err != nil {
			return fmt.Sprintf("Batch %d has no status", id), err
		}
		if status.SendStatus != string(batches.BatchCompleted) {
			return fmt.Sprintf("Batch %d is %s", id, status.SendStatus), nil
		}
	}
	want := int64(0)
	for _, answered := range s.imports {
		if answered {
			want += importRows
		}
	}
	got, err := s.client.CountContacts(s.ctx, importedList, nil)
	if got < want {
		return fmt.Sprintf("%d of %d Contacts are imported", got, want), err
	}
	return "", err
}

// tabulateCalls adds the numbers of calls and faults to the table.
func (s *soak) tabulateCalls() {
	s.add(figure{fmt.Sprintf("%s: calls a second; calls not sent because %d were running", s.engine, soakCallers),
		fmt.Sprintf("%d; %d", *soakRate, s.late), 0})
	for _, name := range slices.Sorted(maps.Keys(s.calls)) {
		t := s.calls[name]
		s.add(figure{"– " + name + ": answered, without an answer", fmt.Sprintf("%d, %d", t.answered, t.unanswered), 0})
	}
	for _, name := range slices.Sorted(maps.Keys(s.faults)) {
		s.add(figure{"fault: " + name, fmt.Sprint(s.faults[name]), 0})
	}
	left := []string{}
	if s.clock == nil {
		left = append(left, "clock steps")
	}
	if s.disk == "" {
		left = append(left, "full disk")
	}
	s.add(figure{"faults left out", cmp.Or(strings.Join(left, ", "), "none"), 0})
}

// compare reads all Contacts, Batches, imports, mails and events of webhooks.
func (s *soak) compare() error {
	seen := s.readMails()
	stored, unanswered, repeated := 0, 0, 0
	for _, p := range s.persons {
		found, err := s.compareContact(p)
		if err != nil {
			return err
		}
		if p.id == 0 {
			unanswered += found
			stored += found
			continue
		}
		stored++
		repeated += s.compareNotification(p, seen.notified[p.id])
	}
	s.add(figure{"answered subscriptions stored with values, consents, mail and webhook",
		fmt.Sprint(stored - unanswered), 0})
	s.add(figure{"– subscriptions without an answer that are stored, once each", fmt.Sprint(unanswered), 0})
	if err := s.compareClock(); err != nil {
		return err
	}
	s.add(figure{"– notifications that arrived again with the same Message-ID", fmt.Sprint(repeated), 0})
	if count, err := s.client.CountContacts(s.ctx, soakList, nil); err != nil || count != int64(stored) {
		s.problem("the List has %d Contacts, want %d: %v", count, stored, err)
	}
	s.compareBatches(seen)
	if err := s.compareImports(); err != nil {
		return err
	}
	return s.doctor()
}

// compareContact compares the Contact of a subscriber, and returns how many Contacts have the address.
func (s *soak) compareContact(p *subscriber) (int, error) {
	found, err := s.client.SearchContacts(s.ctx, soakList,
		api.Query{Criteria: api.Criteria{api.Test{"Email", "exactly", p.address}}})
	if err != nil {
		return 0, err
	}
	if len(found) > 1 || (len(found) == 0 && p.id != 0) {
		s.problem("%d Contacts have the address %s", len(found), p.address)
	}
	if len(found) != 1 {
		return len(found), nil
	}
	if p.id == 0 {
		p = &subscriber{address: p.address, id: found[0].ID, name: p.name, subscribed: true, unanswered: p.unanswered}
	}
	s.verify(p, &found[0])
	consents, err := s.client.GetContactConsents(s.ctx, soakList, p.id, 1000, 0, false)
	if err != nil {
		return 1, err
	}
	count := make(map[string]int)
	for _, c := range consents {
		count[c.ConsentText]++
	}
	for _, text := range p.consents {
		if count[text] != 1 {
			s.problem("the answered consent %q of Contact %d is stored %d times", text, p.id, count[text])
		}
		delete(count, text)
	}
	if count[p.unanswered] > 1 {
		s.problem("the consent %q of Contact %d, a call without an answer, is stored %d times", p.unanswered, p.id,
			count[p.unanswered])
	}
	delete(count, p.unanswered)
	if len(count) > 0 {
		s.problem("Contact %d has consents of no call: %v", p.id, count)
	}
	return 1, nil
}

// compareNotification compares the mails about an answered subscription, and returns how many arrived again.
func (s *soak) compareNotification(p *subscriber, mails map[string]int) (repeated int) {
	if len(mails) == 0 {
		s.problem("the owner has no mail about Contact %d", p.id)
	}
	if len(mails) > 1 && !p.again {
		s.problem("the mails about Contact %d have different Message-IDs: %v", p.id, mails)
	}
	if !s.hooks.has(p.id) {
		s.problem("the webhook has no event about Contact %d", p.id)
	}
	for _, n := range mails {
		repeated += n - 1
	}
	return repeated
}

// compareBatches checks that each recipient has one mail of each answered Batch, and at most one of each other Batch.
func (s *soak) compareBatches(seen *seenMails) {
	most := len(s.batches) + s.perhapsB
	first, repeated := len(seen.batches[recipient(0)]), 0
	for i := range soakRecipients {
		mails := seen.batches[recipient(i)]
		if n := len(mails); n < len(s.batches) || n > most || n != first {
			s.problem("%s has the mails of %d Batches; %d were answered, %d not", recipient(i), n, len(s.batches),
				s.perhapsB)
		}
		for _, n := range mails {
			repeated += n - 1
		}
	}
	s.add(figure{fmt.Sprintf("answered Batches of %d mails; Batches sent", soakRecipients),
		fmt.Sprintf("%d; %d", len(s.batches), first), 0})
	s.add(figure{"– mails of Batches that arrived again with the same Message-ID", fmt.Sprint(repeated), 0})
}

// compareImports checks that each answered file was imported, and each other file completely or not at all.
func (s *soak) compareImports() error {
	done := 0
	for i, answered := range s.imports {
		n, err := s.client.CountContacts(s.ctx, importedList,
			api.Criteria{api.Test{"Email", "starts_with", importPrefix(i)}})
		if err != nil {
			return err
		}
		if n != importRows && (answered || n != 0) {
			s.problem("import %d, answered: %v, has %d Contacts", i, answered, n)
		}
		if answered {
			done++
		}
	}
	s.add(figure{fmt.Sprintf("answered imports of %d rows", importRows), fmt.Sprint(done), 0})
	return nil
}

// doctor runs enlist doctor. pgtest starts PostgreSQL with settings that doctor reports, because they are for tests
// only.
func (s *soak) doctor() error {
	out, err := exec.CommandContext(s.ctx, s.Program, "doctor", "--db", s.db).CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return err
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "problem: ") && !strings.Contains(line, "the PostgreSQL setting ") {
			s.problem("enlist doctor: %s", strings.TrimSpace(line))
		}
	}
	return nil
}

// seenMails are the mails that arrived: for each Contact, and for each recipient of Batches, how often each Message-ID.
type seenMails struct {
	notified map[int64]map[string]int
	batches  map[string]map[string]int
}

// contactLink matches the link in every notification, without soft line breaks.
var contactLink = regexp.MustCompile(`/n/1-(\d+)-`)

// readMails reads all mails that arrived.
func (s *soak) readMails() *seenMails {
	seen := &seenMails{make(map[int64]map[string]int), make(map[string]map[string]int)}
	for _, m := range s.mails.Messages() {
		read, err := mail.ReadMessage(bytes.NewReader(m.Data))
		if err != nil {
			s.problem("a mail is incomplete: %v", err)
			continue
		}
		id := read.Header.Get("Message-Id")
		if read.Header.Get("Subject") == batchSubject {
			countIn(seen.batches, m.To[0], id)
			continue
		}
		link := contactLink.FindSubmatch(bytes.ReplaceAll(m.Data, []byte("=\r\n"), nil))
		if link == nil {
			s.problem("a mail has no link to a Contact: %s", m.Data)
			continue
		}
		contact, _ := strconv.ParseInt(string(link[1]), 10, 64)
		countIn(seen.notified, contact, id)
	}
	return seen
}

// countIn counts a Message-ID.
func countIn[K comparable](in map[K]map[string]int, key K, id string) {
	if in[key] == nil {
		in[key] = make(map[string]int)
	}
	in[key][id]++
}

// hookReceiver receives the events of the webhook.
type hookReceiver struct {
	listener net.Listener
	server   *http.Server
	mu       sync.Mutex
	contacts map[int64]bool
}

func newHookReceiver() (*hookReceiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	h := &hookReceiver{listener: l, contacts: make(map[int64]bool)}
	h.server = &http.Server{Handler: h}
	go h.server.Serve(l) // ends with close
	return h, nil
}

func (h *hookReceiver) url() string { return "http://" + h.listener.Addr().String() }

func (h *hookReceiver) close() error { return h.server.Close() }

func (h *hookReceiver) has(contact int64) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.contacts[contact]
}

// ServeHTTP stores which Contacts the events are about.
func (h *hookReceiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var events []api.WebhookEvent
	if err := json.NewDecoder(r.Body).Decode(&events); err != nil {
		http.Error(w, "expected events", http.StatusBadRequest) // the connection broke: the events are sent again
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range events {
		h.contacts[e.ContactID] = true
	}
}
