package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"enlist/api"
)

// This file has the callers of the soak test. They send calls at a fixed rate and record each answer.

// subscriber is a Contact, or a subscription without an answer.
type subscriber struct {
	address    string
	id         int64    // 0 if no call was answered with it
	name       string   // the First Name of the last answered call
	perhaps    string   // the First Name of a call without an answer; "" if there is none
	subscribed bool     // after the last answered call
	unsure     bool     // a call that subscribes or unsubscribes had no answer
	consents   []string // texts of the answered subscriptions
	unanswered string   // text of a subscription without an answer; "" if there is none
	again      bool     // the Contact was subscribed again
}

// record is what the callers know.
type record struct {
	callMu   sync.Mutex
	calls    map[string]*tally
	persons  []*subscriber
	idle     []*subscriber // persons with no running call, whose calls all had an answer
	batches  []int64
	perhapsB int    // Batches without an answer
	imports  []bool // whether the upload of import number i was answered
	next     int
	late     int // calls that were not sent, because too many were running
}

// tally counts the calls of a method.
type tally struct{ answered, unanswered int }

func (r *record) init() { r.calls = make(map[string]*tally) }

// soakCallers is the largest number of running calls.
const soakCallers = 64

// load sends calls at the fixed rate for a time. disturb runs at the same time, if it is not nil.
func (s *soak) load(d time.Duration, disturb func(end time.Time) error) error {
	end := time.Now().Add(d)
	transport := &http.Transport{DialContext: s.conns.dial, MaxIdleConnsPerHost: soakCallers}
	defer transport.CloseIdleConnections()
	client := api.NewClient("http://"+s.addr, apiKey)
	client.HTTP = &http.Client{Transport: transport, Timeout: 30 * time.Second}
	var callers sync.WaitGroup
	places := make(chan struct{}, soakCallers)
	failed := make(chan error, 1)
	go func() {
		if disturb == nil {
			failed <- nil
			return
		}
		failed <- disturb(end)
	}()
	tick := time.NewTicker(time.Second / time.Duration(*soakRate))
	defer tick.Stop()
	for now := time.Now(); now.Before(end) && s.ctx.Err() == nil; now = <-tick.C {
		select {
		case places <- struct{}{}:
			callers.Go(func() {
				s.call(client)
				<-places
			})
		default:
			s.late++
		}
	}
	callers.Wait()
	return <-failed
}

// call sends one random call.
func (s *soak) call(client *api.Client) {
	switch n := rand.IntN(100); {
	case n < 30:
		s.subscribe(client)
	case n < 46:
		s.change(client, s.resubscribeOrUnsubscribe)
	case n < 60:
		s.change(client, s.edit)
	case n < 80:
		s.change(client, s.lookUp)
	case n < 94:
		s.change(client, s.search)
	case n < 98:
		_, err := client.CountContacts(s.ctx, soakList, nil)
		s.count("countContacts", err)
	case n < 99:
		s.addBatch(client)
	default:
		s.upload(client)
	}
}

// count counts a call and reports whether it was answered. A refusal that no fault explains is a violation.
func (s *soak) count(method string, err error) bool {
	refused, isRefused := errors.AsType[*api.Error](err)
	if isRefused && refused.Code != api.CodeInternal && refused.Code != api.CodeUndefined {
		s.problem("%s was refused: %v", method, err)
	}
	s.callMu.Lock()
	defer s.callMu.Unlock()
	t := s.calls[method]
	if t == nil {
		t = new(tally)
		s.calls[method] = t
	}
	if err != nil {
		t.unanswered++
		return false
	}
	t.answered++
	return true
}

// number returns a new number for the values of a call.
func (s *soak) number() int {
	s.callMu.Lock()
	defer s.callMu.Unlock()
	s.next++
	return s.next
}

// subscribe subscribes a new Contact. After a call without an answer it sends the call once again, with the same
// Idempotency-Key.
func (s *soak) subscribe(client *api.Client) {
	name := fmt.Sprintf("Ada %d", s.number())
	p := &subscriber{address: strings.ReplaceAll(name, " ", ".") + "@example.com", name: name}
	once := client.Idempotent(p.address)
	for range 2 {
		id, err := once.SubscribeContact(s.ctx, soakList, api.Details{"Email": p.address, "First Name": name},
			api.Consent{Type: api.ConsentDirect, Text: name})
		if s.count("subscribeContact", err) {
			p.id, p.subscribed, p.consents = id, true, []string{name}
			break
		}
		if s.sleep(time.Second) != nil {
			break
		}
	}
	if p.id == 0 {
		p.unanswered = name
	}
	s.callMu.Lock()
	defer s.callMu.Unlock()
	s.persons = append(s.persons, p)
	if p.id != 0 {
		s.idle = append(s.idle, p)
	}
}

// change calls a function with a Contact that no other call uses. If the function returns false, its call had no
// answer and may still run. No later call then uses the Contact.
func (s *soak) change(client *api.Client, do func(*api.Client, *subscriber) bool) {
	s.callMu.Lock()
	if len(s.idle) == 0 {
		s.callMu.Unlock()
		return
	}
	i, last := rand.IntN(len(s.idle)), len(s.idle)-1
	p := s.idle[i]
	s.idle[i] = s.idle[last]
	s.idle = s.idle[:last]
	s.callMu.Unlock()
	if do(client, p) {
		s.callMu.Lock()
		defer s.callMu.Unlock()
		s.idle = append(s.idle, p)
	}
}

func (s *soak) resubscribeOrUnsubscribe(client *api.Client, p *subscriber) bool {
	if p.subscribed {
		_, err := client.UnsubscribeContactByID(s.ctx, soakList, p.id, "")
		if !s.count("unsubscribeContactById", err) {
			p.unsure = true
			return false
		}
		p.subscribed = false
		return true
	}
	p.again = true
	text := fmt.Sprintf("Again %d", s.number())
	_, err := client.ResubscribeContact(s.ctx, soakList, p.id, api.Consent{Type: api.ConsentDirect, Text: text})
	if !s.count("resubscribeContact", err) {
		p.unanswered, p.unsure = text, true
		return false
	}
	p.consents, p.subscribed = append(p.consents, text), true
	return true
}

func (s *soak) edit(client *api.Client, p *subscriber) bool {
	name := fmt.Sprintf("Eve %d", s.number())
	changed, err := client.EditContacts(s.ctx, soakList, []api.Details{{"id": p.id, "First Name": name}}, false)
	if !s.count("editContacts", err) {
		p.perhaps = name
		return false
	}
	if !changed[p.id] {
		s.problem("editContacts did not change Contact %d", p.id)
	}
	p.name = name
	return true
}

func (s *soak) lookUp(client *api.Client, p *subscriber) bool {
	contact, err := client.GetContactByID(s.ctx, soakList, p.id)
	if s.count("getContactById", err) {
		s.verify(p, contact)
	}
	return true
}

func (s *soak) search(client *api.Client, p *subscriber) bool {
	found, err := client.SearchContacts(s.ctx, soakList,
		api.Query{Criteria: api.Criteria{api.Test{"Email", "exactly", p.address}}})
	if s.count("searchContacts", err) {
		if len(found) != 1 {
			s.problem("searchContacts found %d Contacts with the address %s", len(found), p.address)
			return true
		}
		s.verify(p, &found[0])
	}
	return true
}

// verify compares a Contact with what its calls answered.
func (s *soak) verify(p *subscriber, c *api.Contact) {
	name := c.Values["First Name"]
	if c.ID != p.id || (name != p.name && (p.perhaps == "" || name != p.perhaps)) ||
		(c.IsUnsubscribed == p.subscribed && !p.unsure) {
		s.problem("Contact %d (%s) has the ID %d, the name %q and is_unsubscribed %v; want %+v", p.id, p.address, c.ID,
			name,
			c.IsUnsubscribed, *p)
	}
}

// batchSubject is the subject of the mails of Batches.
const batchSubject = "Soak batch"

// recipient returns the address of a recipient of the Batches.
func recipient(i int) string { return fmt.Sprintf("recipient%d@example.com", i) }

func (s *soak) addBatch(client *api.Client) {
	id, err := client.AddBatch(s.ctx, s.message, []api.Population{{ListID: recipientList}}, 0, false,
		api.BatchOptions{})
	answered := s.count("addBatch", err)
	s.callMu.Lock()
	defer s.callMu.Unlock()
	if answered {
		s.batches = append(s.batches, id)
	} else {
		s.perhapsB++
	}
}

// importRows is the number of rows of each import.
const importRows = 10

// importPrefix begins the addresses of import number i.
func importPrefix(i int) string { return fmt.Sprintf("import%d-", i) }

// upload uploads a file of Contacts, which the server imports later.
func (s *soak) upload(client *api.Client) {
	s.callMu.Lock()
	i := len(s.imports)
	s.imports = append(s.imports, false)
	s.callMu.Unlock()
	file := "Email\n"
	for row := range importRows {
		file += fmt.Sprintf("%s%d@example.com\n", importPrefix(i), row)
	}
	err := s.post(client, fmt.Sprintf("/api/imports?list_id=%d&file_name=soak.csv", importedList), file)
	answered := s.count("import", err)
	s.callMu.Lock()
	defer s.callMu.Unlock()
	s.imports[i] = answered
}

// post posts a file.
func (s *soak) post(client *api.Client, path, file string) error {
	request, err := http.NewRequestWithContext(context.WithoutCancel(s.ctx), "POST", "http://"+s.addr+path,
		strings.NewReader(file))
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", "Bearer "+apiKey)
	reply, err := client.HTTP.Do(request)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode/100 != 2 {
		err = fmt.Errorf("status %s: %s", reply.Status, text)
	}
	return err
}
