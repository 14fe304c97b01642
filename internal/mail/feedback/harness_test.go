package feedback

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/db/sqlite"
	"enlist/internal/enlist"
	"enlist/internal/messages"

	"go.uber.org/goleak"
)

// This file has the database of the tests, and simulates the providers: each repeats the tag of a mail's header in its
// events, and signs them with a key that the test has made.

func TestMain(m *testing.M) { dbtest.Main(m, func() error { return goleak.Find() }) }

const (
	secret     = "secret-of-the-url-0123456789"
	mailgunKey = "key-0123456789abcdef"
	topic      = "arn:aws:sns:eu-central-1:123456789012:bounces"
)

// now is the time of the handlers of the tests.
var now = time.Date(2026, 7, 1, 9, 30, 0, 0, time.UTC)

// harness has a Service on a new database with one List, and the Handler of one provider.
type harness struct {
	*testing.T
	store   db.Engine
	service *app.App
	caller  *enlist.Caller
	list    enlist.ListID
	links   enlist.LinkKey
	handler *Handler
	failing *failing
	log     bytes.Buffer
	sign    func(body string) (signed string, header http.Header) // as the provider does
	people  int
}

// failing is a Service that returns an error while it is set.
type failing struct {
	Service
	err error
}

func (f *failing) Bounced(ctx context.Context, k enlist.DeliveryKey, detail string) (bool, error) {
	if f.err != nil {
		return false, f.err
	}
	return f.Service.Bounced(ctx, k, detail)
}

func newHarness(t *testing.T, provider string) *harness {
	t.Helper()
	h := &harness{T: t}
	var err error
	h.store, err = sqlite.Open(t.Context(), dbtest.SQLite.New(t), sqlite.Options{})
	h.must(err)
	t.Cleanup(func() { h.store.Close() })
	h.service = app.New(h.store, func() time.Time { return now })
	h.caller = &enlist.Caller{
		Account: &enlist.Account{Name: "Account", TimeZone: "UTC", ContactLimit: enlist.NoContactLimit},
		Key:     &enlist.Key{Name: "full access", Level: enlist.Full},
	}
	h.must(h.store.Update(t.Context(), func(tx *db.Tx) error {
		if err := accounts.Insert(tx, h.caller.Account); err != nil {
			return err
		}
		h.caller.Key.AccountID = h.caller.Account.ID
		return accounts.AddKey(tx, h.caller.Key, enlist.HashKey(enlist.NewKeyText()))
	}))
	h.list, err = h.service.Lists.AddList(t.Context(), h.caller, details("name", "News"))
	h.must(err)
	h.links, err = h.service.Messages.LinkKey(t.Context())
	h.must(err)
	h.failing = &failing{Service: h.service.Sending}
	key := h.simulate(provider)
	h.handler, err = New(Options{Provider: provider, Secret: secret, Key: key, Links: h.links, Service: h.failing,
		Log: slog.New(slog.NewTextHandler(&h.log, nil))})
	h.must(err)
	h.handler.now = func() time.Time { return now }
	return h
}

func details(pairs ...string) (all []enlist.Detail) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, enlist.Detail{Key: pairs[i], Value: enlist.Input{Kind: enlist.InputText, Text: pairs[i+1]}})
	}
	return all
}

func (h *harness) must(err error) {
	h.Helper()
	if err != nil {
		h.Fatal(err)
	}
}

// simulate sets sign to what the provider does with a body, and returns the key for Options.
func (h *harness) simulate(provider string) (key string) {
	h.sign = func(body string) (string, http.Header) { return body, nil }
	switch provider {
	case "mailgun":
		h.sign = func(body string) (string, http.Header) { return signMailgun(body, mailgunKey, now), nil }
		return mailgunKey
	case "sendgrid":
		private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		h.must(err)
		der, err := x509.MarshalPKIXPublicKey(private.Public())
		h.must(err)
		h.sign = func(body string) (string, http.Header) { return body, signSendGrid(private, body, now) }
		return base64.StdEncoding.EncodeToString(der)
	case "ses":
		return topic
	}
	return ""
}

// signMailgun puts an event into a signed body.
func signMailgun(event, key string, at time.Time) string {
	stamp, token := fmt.Sprint(at.Unix()), "0123456789abcdef0123456789abcdef"
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(stamp + token))
	return fmt.Sprintf(`{"signature":{"timestamp":"%s","token":"%s","signature":"%s"},"event-data":%s}`,
		stamp, token, hex.EncodeToString(mac.Sum(nil)), event)
}

// signSendGrid returns the header of a signed body.
func signSendGrid(private *ecdsa.PrivateKey, body string, at time.Time) http.Header {
	stamp := fmt.Sprint(at.Unix())
	sum := sha256.Sum256([]byte(stamp + body))
	signature, err := ecdsa.SignASN1(rand.Reader, private, sum[:])
	if err != nil {
		panic(err)
	}
	header := make(http.Header)
	header.Set("X-Twilio-Email-Event-Webhook-Signature", base64.StdEncoding.EncodeToString(signature))
	header.Set("X-Twilio-Email-Event-Webhook-Timestamp", stamp)
	return header
}

// echo returns the text that a provider repeats, from the header fields of a mail.
func echo(provider, fields string) string {
	for line := range strings.Lines(fields) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\r\n"), ": ")
		var variables map[string]string
		var arguments struct {
			Unique map[string]string `json:"unique_args"`
		}
		switch {
		case provider == "postmark" && name == "X-PM-Metadata-enlist":
			return value
		case provider == "mailgun" && name == "X-Mailgun-Variables" && json.Unmarshal([]byte(value), &variables) == nil:
			return variables["enlist"]
		case provider == "sendgrid" && name == "X-SMTPAPI" && json.Unmarshal([]byte(value), &arguments) == nil:
			return arguments.Unique["enlist"]
		case provider == "ses" && name == "X-SES-MESSAGE-TAGS":
			return strings.TrimPrefix(value, "enlist=")
		}
	}
	return ""
}

// mail adds a Contact, to which a mail was sent, and returns its delivery and the tag that the provider repeats.
func (h *harness) mail(provider string) (d enlist.DeliveryKey, tag string) {
	h.Helper()
	h.people++
	id, err := h.service.Contacts.Subscribe(h.Context(), h.caller, contacts.SubscribeRequest{List: h.list,
		Details: details("Email", fmt.Sprintf("r%d@example.com", h.people))})
	h.must(err)
	d = enlist.DeliveryKey{List: h.list, Contact: id, Time: now.Unix(), Cause: messages.CauseConfirmation}
	tag = echo(provider, HeaderFields(provider)(h.links.Tag(d)))
	if tag == "" {
		h.Fatalf("%s repeats nothing of %q", provider, HeaderFields(provider)(h.links.Tag(d)))
	}
	return d, tag
}

// post signs a body and posts it.
func (h *harness) post(body string) int {
	h.Helper()
	signed, header := h.sign(body)
	return h.send(http.MethodPost, h.handler.path, signed, header).Code
}

func (h *harness) send(method, path, body string, header http.Header) *httptest.ResponseRecorder {
	h.Helper()
	r := httptest.NewRequestWithContext(h.Context(), method, path, strings.NewReader(body))
	for name, values := range header {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	h.handler.ServeHTTP(w, r)
	return w
}

// state says what is stored about a mail and its Contact, such as "bounced: 5.1.1 no such user".
func (h *harness) state(d enlist.DeliveryKey) (state string) {
	h.Helper()
	h.must(h.store.View(h.Context(), func(tx *db.Tx) error {
		contact, err := contacts.ByID(tx, d.List, d.Contact)
		if err != nil {
			return err
		}
		if contact.IsUnsubscribed {
			state = "unsubscribed "
		}
		delivery, err := messages.LoadDelivery(tx, d)
		if enlist.KindOf(err) == enlist.NotFound {
			return nil
		}
		if err == nil {
			state += string(delivery.Status) + ": " + delivery.Detail
		}
		return err
	}))
	return state
}

// outcomes returns the counts of events by outcome, without zeros.
func (h *harness) outcomes() map[string]float64 {
	h.Helper()
	counts := make(map[string]float64)
	registry := newRegistry(h)
	families, err := registry.Gather()
	h.must(err)
	for _, f := range families {
		for _, m := range f.GetMetric() {
			for _, l := range m.GetLabel() {
				if l.GetName() == "outcome" && m.GetCounter().GetValue() > 0 {
					counts[l.GetValue()] = m.GetCounter().GetValue()
				}
			}
		}
	}
	return counts
}

var errOutage = errors.New("the database does not answer")
