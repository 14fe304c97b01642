package feedback

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/mail"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
)

// This file tests what the events of each provider change, and what the endpoint refuses.

func newRegistry(h *harness) *prometheus.Registry {
	registry := prometheus.NewRegistry()
	registry.MustRegister(h.handler.Metrics()...)
	return registry
}

// examples are events of the providers. TAG is what the provider repeats of the mail's header.
var examples = map[string][]struct {
	name    string
	body    string
	outcome string
	state   string // of the mail and its Contact
}{
	"postmark": {
		{"hard bounce", `{"RecordType":"Bounce","Type":"HardBounce","TypeCode":1,"Email":"r@example.com","MessageID":"m-1",
			"Details":"smtp;550 5.1.1 no such user","Metadata":{"enlist":"TAG"}}`, "bounce", "bounced: 550 5.1.1 no such user"},
		{"address that Postmark refuses", `{"RecordType":"Bounce","Type":"BadEmailAddress","Description":"not an address","Metadata":{"enlist":"TAG"}}`,
			"bounce", "bounced: not an address"},
		{"delay", `{"RecordType":"Bounce","Type":"Transient","Metadata":{"enlist":"TAG"}}`, "ignored", ""},
		{"blocked", `{"RecordType":"Bounce","Type":"Blocked","Metadata":{"enlist":"TAG"}}`, "refusal", "failed: refusal reported by postmark"},
		{"complaint", `{"RecordType":"SpamComplaint","Type":"SpamComplaint","Email":"r@example.com","Metadata":{"enlist":"TAG"}}`,
			"complaint", "unsubscribed complained: complaint reported by postmark"},
		{"unsubscription", `{"RecordType":"SubscriptionChange","SuppressSending":true,"SuppressionReason":"ManualSuppression",
			"Origin":"Recipient","Metadata":{"enlist":"TAG"}}`, "unsubscribe", "unsubscribed "},
		{"suppression by the operator", `{"RecordType":"SubscriptionChange","SuppressSending":true,"SuppressionReason":"ManualSuppression",
			"Origin":"Customer","Metadata":{"enlist":"TAG"}}`, "ignored", ""},
		{"end of a suppression", `{"RecordType":"SubscriptionChange","SuppressSending":false,"SuppressionReason":"ManualSuppression","Origin":"Recipient","Metadata":{"enlist":"TAG"}}`, "ignored", ""},
		{"delivery", `{"RecordType":"Delivery","Recipient":"r@example.com","Metadata":{"enlist":"TAG"}}`, "ignored", ""},
		{"unknown event", `{"RecordType":"Tomorrow","Type":7,"Metadata":[]}`, "ignored", ""},
		{"mail of another program", `{"RecordType":"Bounce","Type":"HardBounce","Email":"r1@example.com","Metadata":{}}`, "unknown", ""},
		{"forged tag", `{"RecordType":"Bounce","Type":"HardBounce","Metadata":{"enlist":"1-1-1782898200-c-0123456789abcdef"}}`, "unknown", ""},
	},
	"mailgun": {
		{"permanent failure", `{"event":"failed","severity":"permanent","reason":"bounce","recipient":"r@example.com",
			"delivery-status":{"code":550,"enhanced-code":"5.1.1","message":"no such user"},"user-variables":{"enlist":"TAG"}}`,
			"bounce", "bounced: 5.1.1 no such user"},
		{"failure without a reason", `{"event":"failed","severity":"permanent","reason":"generic",
			"delivery-status":{"code":550,"message":"no"},"user-variables":{"enlist":"TAG"}}`, "refusal", "failed: no"},
		{"failure with a text about the address", `{"event":"failed","severity":"permanent","reason":"generic",
			"delivery-status":{"code":550,"message":"no such user"},"user-variables":{"enlist":"TAG"}}`, "bounce", "bounced: no such user"},
		{"suppressed", `{"event":"failed","severity":"permanent","reason":"suppress-bounce",
			"delivery-status":{"code":605,"description":"bounced before"},"user-variables":{"enlist":"TAG"}}`, "bounce", "bounced: bounced before"},
		{"too many attempts", `{"event":"failed","severity":"permanent","reason":"old","delivery-status":{"code":602},"user-variables":{"enlist":"TAG"}}`,
			"refusal", "failed: refusal reported by mailgun"},
		{"refused sender", `{"event":"failed","severity":"permanent","reason":"generic",
			"delivery-status":{"code":550,"enhanced-code":"5.7.1","message":"policy"},"user-variables":{"enlist":"TAG"}}`, "refusal", "failed: 5.7.1 policy"},
		{"temporary failure", `{"event":"failed","severity":"temporary","delivery-status":{"code":450},"user-variables":{"enlist":"TAG"}}`, "ignored", ""},
		{"complaint", `{"event":"complained","recipient":"r@example.com","user-variables":{"enlist":"TAG"}}`, "complaint", "unsubscribed complained: complaint reported by mailgun"},
		{"unsubscription", `{"event":"unsubscribed","user-variables":{"enlist":"TAG"}}`, "unsubscribe", "unsubscribed "},
		{"delivery", `{"event":"delivered","user-variables":{"enlist":"TAG"}}`, "ignored", ""},
		{"mail of another program", `{"event":"complained","recipient":"r1@example.com","user-variables":[]}`, "unknown", ""},
	},
	"sendgrid": {
		{"bounce", `[{"email":"r@example.com","event":"bounce","type":"bounce","status":"5.0.0","reason":"550 5.1.1 no such user",
			"smtp-id":"<1@example.org>","enlist":"TAG"}]`, "bounce", "bounced: 5.0.0 550 5.1.1 no such user"},
		{"blocked", `[{"event":"bounce","type":"blocked","status":"5.7.1","reason":"550 policy","enlist":"TAG"}]`, "refusal", "failed: 5.7.1 550 policy"},
		{"refused sender", `[{"event":"bounce","type":"bounce","status":"5.0.0","reason":"550 5.7.26 unauthenticated","enlist":"TAG"}]`, "refusal", "failed: 5.0.0 550 5.7.26 unauthenticated"},
		{"dropped", `[{"event":"dropped","reason":"Bounced Address","enlist":"TAG"}]`, "bounce", "bounced: Bounced Address"},
		{"dropped content", `[{"event":"dropped","reason":"Spam Content","enlist":"TAG"}]`, "refusal", "failed: Spam Content"},
		{"delay", `[{"event":"deferred","response":"400 later","enlist":"TAG"}]`, "ignored", ""},
		{"complaint", `[{"event":"spamreport","email":"r@example.com","enlist":"TAG"}]`, "complaint", "unsubscribed complained: complaint reported by sendgrid"},
		{"unsubscription", `[{"event":"unsubscribe","enlist":"TAG"}]`, "unsubscribe", "unsubscribed "},
		{"unsubscription from a group", `[{"event":"group_unsubscribe","asm_group_id":1,"enlist":"TAG"}]`, "unsubscribe", "unsubscribed "},
		{"mail of another program", `[{"event":"spamreport","email":"r1@example.com","enlist":{"a":1}}]`, "unknown", ""},
	},
	"ses": {
		{"bounce of a configuration set", `{"eventType":"Bounce","bounce":{"bounceType":"Permanent","bounceSubType":"General",
			"bouncedRecipients":[{"emailAddress":"r@example.com","action":"failed","status":"5.1.1","diagnosticCode":"smtp; 550 5.1.1 no such user"}]},
			"mail":{"messageId":"0102","source":"news@example.org","tags":{"ses:operation":["SendSmtpEmail"],"enlist":["TAG"]}}}`,
			"bounce", "bounced: 5.1.1 550 5.1.1 no such user"},
		{"bounce of an identity", `{"notificationType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":[{"emailAddress":"r@example.com"}]},
			"mail":{"source":"news@example.org","headers":[{"name":"From","value":"news@example.org"},{"name":"X-Enlist-Delivery","value":"TAG"}]}}`,
			"bounce", "bounced: bounce reported by ses"},
		{"bounce with an envelope sender", `{"notificationType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":[{}]},
			"mail":{"source":"b+TAG@example.org"}}`, "bounce", "bounced: bounce reported by ses"},
		{"suppressed complaint", `{"eventType":"Complaint","complaint":{"complaintSubType":"OnAccountSuppressionList"},"mail":{"tags":{"enlist":["TAG"]}}}`,
			"bounce", "bounced: not delivered: the address is on the suppression list of SES"},
		{"full mailbox", `{"eventType":"Bounce","bounce":{"bounceType":"Transient","bounceSubType":"MailboxFull"},"mail":{"tags":{"enlist":["TAG"]}}}`, "ignored", ""},
		{"refused sender", `{"eventType":"Bounce","bounce":{"bounceType":"Permanent","bouncedRecipients":[{"status":"5.7.1"}]},
			"mail":{"tags":{"enlist":["TAG"]}}}`, "refusal", "failed: 5.7.1"},
		{"complaint", `{"eventType":"Complaint","complaint":{"complaintSubType":null,"complaintFeedbackType":"abuse"},"mail":{"tags":{"enlist":["TAG"]}}}`,
			"complaint", "unsubscribed complained: abuse"},
		{"complaint without a type", `{"notificationType":"Complaint","complaint":{},"mail":{"headers":[{"name":"x-enlist-delivery","value":"TAG"}]}}`,
			"complaint", "unsubscribed complained: complaint reported by ses"},
		{"report that a mail is no spam", `{"eventType":"Complaint","complaint":{"complaintFeedbackType":"not-spam"},"mail":{"tags":{"enlist":["TAG"]}}}`, "ignored", ""},
		{"delivery", `{"eventType":"Delivery","mail":{"tags":{"enlist":["TAG"]}}}`, "ignored", ""},
		{"check of a new topic", `Successfully checked the topic.`, "ignored", ""},
		{"mail of another program", `{"eventType":"Complaint","complaint":{},"mail":{"source":"shop@example.org","tags":{}}}`, "unknown", ""},
	},
}

// A provider repeats the tag of the mail's header in its events. Bounces, complaints and unsubscriptions are recorded,
// and all other events change nothing. The same event a second time changes nothing either.
//
// covers: decision 112, decision 113
func TestEventsOfProvidersAreRecorded(t *testing.T) {
	for _, provider := range slices.Sorted(maps.Keys(providers)) {
		t.Run(provider, func(t *testing.T) {
			h := newHarness(t, provider)
			if provider == "ses" {
				newSNS(h, rsaKey).sign()
			}
			for _, example := range examples[provider] {
				t.Run(example.name, func(t *testing.T) {
					h.handler.events.Reset()
					other, _ := h.mail(provider)
					d, tag := h.mail(provider)
					body := strings.ReplaceAll(example.body, "TAG", tag)
					if code := h.post(body); code != http.StatusOK {
						t.Fatalf("status %d, want 200", code)
					}
					want := map[string]float64{example.outcome: 1}
					if diff := cmp.Diff(want, h.outcomes()); diff != "" || h.state(d) != example.state {
						t.Errorf("the state is %q, want %q; counts %s", h.state(d), example.state, diff)
					}
					if h.post(body) != http.StatusOK || h.state(d) != example.state {
						t.Errorf("after the event was repeated: the state is %q, want %q", h.state(d), example.state)
					}
					if example.state != "" {
						want["repeated"] = 1
					} else {
						want[example.outcome]++
					}
					if diff := cmp.Diff(want, h.outcomes()); diff != "" {
						t.Errorf("after the event was repeated: counts %s", diff)
					}
					if h.state(other) != "" {
						t.Errorf("the mail to another Contact is %q", h.state(other))
					}
				})
			}
		})
	}
}

// A request can have many events. If one cannot be stored, the provider repeats the request, and then the events that
// were stored change nothing.
//
// covers: decision 112
func TestABatchOfEventsIsStoredBeforeTheAnswer(t *testing.T) {
	h := newHarness(t, "sendgrid")
	const n = 1000
	events := make([]string, n)
	deliveries := make([]enlist.DeliveryKey, 3)
	for i := range events {
		events[i] = `{"event":"delivered","enlist":"1-1-1-c-00"}`
	}
	for i := range deliveries {
		d, tag := h.mail("sendgrid")
		deliveries[i], events[i*(n/3)] = d, `{"event":"spamreport","enlist":"`+tag+`"}`
	}
	events[n-1] = strings.Replace(events[0], "spamreport", "bounce", 1) // fails
	body := "[" + strings.Join(events, ",") + "]"
	h.failing.err = errOutage
	if code := h.post(body); code != http.StatusServiceUnavailable {
		t.Errorf("while the database does not answer: status %d, want 503", code)
	}
	h.failing.err = nil
	if code := h.post(body); code != http.StatusOK {
		t.Errorf("status %d, want 200", code)
	}
	for _, d := range deliveries {
		if got := h.state(d); got != "unsubscribed complained: complaint reported by sendgrid" {
			t.Errorf("the state is %q, want a complaint", got)
		}
	}
	want := map[string]float64{"complaint": 3, "repeated": 4, "failed": 1, "ignored": 2 * (n - 4)}
	if diff := cmp.Diff(want, h.outcomes()); diff != "" {
		t.Error(diff)
	}
}

// Only POST requests to the URL with the secret are read, up to a size. No answer says more.
//
// covers: decision 112
func TestOnlyTheURLWithTheSecretAnswers(t *testing.T) {
	h := newHarness(t, "postmark")
	d, tag := h.mail("postmark")
	body := strings.ReplaceAll(examples["postmark"][0].body, "TAG", tag)
	for _, path := range []string{"/bounces/", "/bounces/postmark/", "/bounces/postmark/" + secret + "x", "/bounces/postmark/" + secret[1:],
		"/bounces/mailgun/" + secret, "/bounces/postmark/" + secret + "/", "/bounces/postmark/" + strings.ToUpper(secret)} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			if code := h.send(method, path, body, nil).Code; code != http.StatusNotFound {
				t.Errorf("%s %s: status %d, want 404", method, path, code)
			}
		}
	}
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete} {
		if w := h.send(method, h.handler.path, body, nil); w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
			t.Errorf("%s: status %d, Allow %q, want 405 and POST", method, w.Code, w.Header().Get("Allow"))
		}
	}
	if code := h.post(strings.Repeat(" ", maxBody) + body); code != http.StatusRequestEntityTooLarge {
		t.Errorf("a body over 4 MiB: status %d, want 413", code)
	}
	if code := h.post(`{"RecordType":`); code != http.StatusBadRequest {
		t.Errorf("a broken body: status %d, want 400", code)
	}
	if got, want := h.outcomes(), map[string]float64{"refused": 2}; h.state(d) != "" || !maps.Equal(got, want) {
		t.Errorf("the state is %q, counts %v, want %v", h.state(d), got, want)
	}
	if code := h.post(strings.Repeat(" ", maxBody-len(body)) + body); code != http.StatusOK || h.state(d) == "" {
		t.Errorf("a body of 4 MiB: status %d, state %q, want 200 and a bounce", code, h.state(d))
	}
	for _, part := range []string{secret, tag, "example.com"} {
		if strings.Contains(h.log.String(), part) {
			t.Errorf("the log has %q: %s", part, h.log.String())
		}
	}
}

// Bodies come from outside. No body stops the program, and none without the tag of a delivery has one.
func FuzzEvents(f *testing.F) {
	for _, provider := range slices.Sorted(maps.Keys(providers)) {
		for _, example := range examples[provider] {
			f.Add([]byte(example.body))
		}
	}
	var links enlist.LinkKey
	f.Fuzz(func(t *testing.T, body []byte) {
		events, _ := readPostmark(t.Context(), nil, body, now)
		var gun mailgunEvent
		if decode(body, &gun.Event) == nil {
			events = append(events, event{gun.kind(), gun.Event.Variables.Enlist, gun.Event.Status.Message})
		}
		var grid []sendGridEvent
		if decode(body, &grid) == nil {
			for i := range grid {
				events = append(events, event{grid[i].kind(), grid[i].Enlist, grid[i].Reason})
			}
		}
		var e mail.SESEvent
		if decode(body, &e) == nil {
			what, detail := e.Meaning()
			events = append(events, event{kind(what), e.Tag(), detail})
		}
		for _, e := range events {
			if d, ok := links.ReadTag(e.tag); ok {
				t.Errorf("the body names the delivery %v, which has no signature", d)
			}
		}
	})
}
