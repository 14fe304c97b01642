package feedback

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"math/big"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"enlist/internal/enlist"
)

// This file tests the checks of requests, with keys that the tests make.

// A request with a wrong signature or an old time changes nothing.
//
// covers: decision 112
func TestForgedRequestsAreRefused(t *testing.T) {
	for _, provider := range []string{"mailgun", "sendgrid"} {
		h := newHarness(t, provider)
		d, tag := h.mail(provider)
		body := strings.ReplaceAll(examples[provider][0].body, "TAG", tag)
		signed, header := h.sign(body)
		foreign, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
		h.must(err)
		forged := map[string]func() (string, http.Header){
			"no signature": func() (string, http.Header) { return body, nil },
		}
		if provider == "mailgun" {
			old, soon := now.Add(-maxAge-time.Second), now.Add(maxAge+time.Second)
			forged["another key"] = func() (string, http.Header) { return signMailgun(body, "another", now), nil }
			forged["an old time"] = func() (string, http.Header) { return signMailgun(body, mailgunKey, old), nil }
			forged["a later time"] = func() (string, http.Header) { return signMailgun(body, mailgunKey, soon), nil }
			forged["another token"] = func() (string, http.Header) { return strings.Replace(signed, `"token":"0`, `"token":"1`, 1), nil }
			forged["another time"] = func() (string, http.Header) {
				return strings.Replace(signed, fmt.Sprint(now.Unix()), fmt.Sprint(now.Unix()+1), 1), nil
			}
			forged["an empty signature"] = func() (string, http.Header) { return `{"signature":{"timestamp":"1"},"event-data":` + body + `}`, nil }
		} else {
			h.simulate(provider) // other keys
			forged["another body"] = func() (string, http.Header) { return strings.Replace(body, "bounce", "Bounce", 1), header }
			forged["another key"] = func() (string, http.Header) { return body, signSendGrid(foreign, body, now) }
			forged["another time"] = func() (string, http.Header) {
				changed := header.Clone()
				changed.Set(sendGridTime, fmt.Sprint(now.Unix()+1))
				return body, changed
			}
		}
		for name, forge := range forged {
			body, header := forge()
			if code := h.send(http.MethodPost, h.handler.path, body, header).Code; code != http.StatusForbidden || h.state(d) != "" {
				t.Errorf("%s, %s: status %d, state %q, want 403 and no change", provider, name, code, h.state(d))
			}
		}
		if got, want := h.outcomes(), map[string]float64{"refused": float64(len(forged))}; !maps.Equal(got, want) {
			t.Errorf("%s: counts %v, want %v", provider, got, want)
		}
		if code := h.send(http.MethodPost, h.handler.path, signed, header).Code; code != http.StatusOK || h.state(d) == "" {
			t.Errorf("%s: status %d for the request that was not changed, want 200", provider, code)
		}
	}
}

// An old request of SendGrid is refused although its signature is right.
func TestAnOldRequestOfSendGridIsRefused(t *testing.T) {
	h := newHarness(t, "sendgrid")
	d, tag := h.mail("sendgrid")
	body := strings.ReplaceAll(examples["sendgrid"][0].body, "TAG", tag)
	signed, header := h.sign(body)
	h.handler.now = func() time.Time { return now.Add(maxAge + time.Second) }
	if code := h.send(http.MethodPost, h.handler.path, signed, header).Code; code != http.StatusForbidden || h.state(d) != "" {
		t.Errorf("status %d, state %q, want 403 and no change", code, h.state(d))
	}
}

// sns simulates Amazon SNS: a host with a certificate, which signs messages and confirms subscriptions.
type sns struct {
	*harness
	private   *rsa.PrivateKey
	server    *httptest.Server
	requests  []string // paths, with their queries
	status    int      // of the answer to a confirmation
	location  string   // to which a confirmation is redirected
	version   string
	signature func(m map[string]string)
}

func newRSAKey() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) }

// rsaKey returns a key that is made once, because making one takes longer than a test.
var rsaKey = sync.OnceValues(newRSAKey)

func newSNS(h *harness, key func() (*rsa.PrivateKey, error)) *sns {
	h.Helper()
	private, err := key()
	h.must(err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotBefore: now, NotAfter: now.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, private.Public(), private)
	h.must(err)
	s := &sns{harness: h, private: private, status: http.StatusOK, version: "2"}
	s.server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests = append(s.requests, r.URL.RequestURI())
		if strings.HasSuffix(r.URL.Path, ".pem") {
			w.Write(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
			return
		}
		w.Header().Set("Location", s.location)
		w.WriteHeader(s.status)
	}))
	s.server.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.server.StartTLS()
	h.Cleanup(s.server.Close)
	t, err := newTopic(topic)
	if err != nil {
		h.Fatal(err)
	}
	h.handler.read = t.events
	if t.host != "sns.eu-central-1.amazonaws.com" {
		h.Errorf("the host of %s is %s", topic, t.host)
	}
	t.host = strings.TrimPrefix(s.server.URL, "https://")
	t.client.Transport = s.server.Client().Transport
	return s
}

// sign lets posts of the harness go through SNS.
func (s *sns) sign() {
	s.harness.sign = func(body string) (string, http.Header) {
		return s.message("Notification", map[string]string{"Message": body}), nil
	}
}

// message returns a signed message. more are further keys, which are signed too if they exist at that time.
func (s *sns) message(kind string, more map[string]string) string {
	s.Helper()
	m := map[string]string{"Type": kind, "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324", "TopicArn": topic, "Message": "text",
		"Timestamp": now.Format("2006-01-02T15:04:05.000Z"), "SignatureVersion": s.version,
		"SigningCertURL": s.server.URL + "/SimpleNotificationService-0123abcd.pem"}
	maps.Copy(m, more)
	order := []string{"Message", "MessageId", "Subject", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"}
	text := ""
	for _, key := range order {
		if value, ok := m[key]; ok {
			text += key + "\n" + value + "\n"
		}
	}
	hash, sum := crypto.SHA1, sha1.Sum([]byte(text))
	digest := sum[:]
	if s.version == "2" {
		long := sha256.Sum256([]byte(text))
		hash, digest = crypto.SHA256, long[:]
	}
	signature, err := rsa.SignPKCS1v15(rand.Reader, s.private, hash, digest)
	s.must(err)
	m["Signature"] = base64.StdEncoding.EncodeToString(signature)
	if s.signature != nil {
		s.signature(m)
	}
	body, err := json.Marshal(m)
	s.must(err)
	return string(body)
}

// postRaw posts a body without a further signature.
func (s *sns) postRaw(body string) int {
	s.Helper()
	return s.send(http.MethodPost, s.handler.path, body, nil).Code
}

// bounceOf returns the event of a bounce.
func (s *sns) bounceOf() (enlist.DeliveryKey, map[string]string) {
	d, tag := s.mail("ses")
	return d, map[string]string{"Message": strings.ReplaceAll(examples["ses"][0].body, "TAG", tag)}
}

// Both versions of the signature are accepted, with a subject and without. The certificate is requested once.
//
// covers: decision 112
func TestMessagesOfSNSAreChecked(t *testing.T) {
	s := newSNS(newHarness(t, "ses"), rsaKey)
	for _, version := range []string{"1", "2"} {
		s.version = version
		for _, subject := range []string{"", "Amazon SES Email Event Notification"} {
			d, message := s.bounceOf()
			if subject != "" {
				message["Subject"] = subject
			}
			if code := s.postRaw(s.message("Notification", message)); code != http.StatusOK || !strings.HasPrefix(s.state(d), "bounced") {
				t.Errorf("version %s, subject %q: status %d, state %q, want 200 and a bounce", version, subject, code, s.state(d))
			}
		}
	}
	if len(s.requests) != 1 {
		t.Errorf("the certificate was requested by %v, want one request", s.requests)
	}
}

// Messages of another topic, with another signature, an old time, or a certificate of another host change nothing. No
// other host is asked for a certificate.
//
// covers: decision 112
func TestForgedMessagesOfSNSAreRefused(t *testing.T) {
	own := newSNS(newHarness(t, "ses"), rsaKey)
	foreign := newSNS(newHarness(t, "ses"), newRSAKey)
	host := strings.TrimPrefix(own.server.URL, "https://")
	set := func(key, value string) func(m map[string]string) { return func(m map[string]string) { m[key] = value } }
	for name, c := range map[string]struct {
		signed map[string]string         // before the signature
		change func(m map[string]string) // after it
	}{
		"another topic":                   {signed: map[string]string{"TopicArn": topic + "2"}},
		"an old message":                  {signed: map[string]string{"Timestamp": now.Add(-maxAge - time.Second).Format(time.RFC3339)}},
		"no time":                         {signed: map[string]string{"Timestamp": ""}},
		"a changed event":                 {change: func(m map[string]string) { m["Message"] += " " }},
		"an added subject":                {change: set("Subject", "x")},
		"a removed signature":             {change: set("Signature", "")},
		"another version":                 {change: set("SignatureVersion", "3")},
		"the other version":               {change: set("SignatureVersion", "1")},
		"another host":                    {change: set("SigningCertURL", foreign.server.URL+"/SimpleNotificationService-0123abcd.pem")},
		"the host as a user":              {change: set("SigningCertURL", "https://"+host+"@127.0.0.1:1/SimpleNotificationService-0123abcd.pem")},
		"the host in a longer one":        {change: set("SigningCertURL", "https://"+host+".example.org/SimpleNotificationService-0123abcd.pem")},
		"no TLS":                          {change: set("SigningCertURL", "http://"+host+"/SimpleNotificationService-0123abcd.pem")},
		"another path":                    {change: set("SigningCertURL", own.server.URL+"/SimpleNotificationService.pem")},
		"a query":                         {change: set("SigningCertURL", own.server.URL+"/SimpleNotificationService-1.pem?x=1")},
		"a path that leads elsewhere":     {change: set("SigningCertURL", own.server.URL+"/SimpleNotificationService-/../x.pem")},
		"an escaped path":                 {change: set("SigningCertURL", own.server.URL+"/SimpleNotificationService-1%2f..%2fx.pem")},
		"no certificate":                  {change: set("SigningCertURL", "")},
		"a signature of another customer": {change: func(m map[string]string) { foreign.signedCopy(m) }},
	} {
		d, message := own.bounceOf()
		maps.Copy(message, c.signed)
		own.signature, own.requests = c.change, nil
		if code := own.postRaw(own.message("Notification", message)); code != http.StatusForbidden || own.state(d) != "" {
			t.Errorf("%s: status %d, state %q, want 403 and no change", name, code, own.state(d))
		}
	}
	if len(foreign.requests) > 0 {
		t.Errorf("another host was asked for %v", foreign.requests)
	}
}

// signedCopy replaces the signature by one of another key.
func (s *sns) signedCopy(m map[string]string) {
	var other map[string]string
	if err := json.Unmarshal([]byte(s.message(m["Type"], map[string]string{"Message": m["Message"]})), &other); err != nil {
		s.Fatal(err)
	}
	m["Signature"] = other["Signature"]
}

// A subscription to the topic is confirmed on the host of SNS only. If SNS does not answer, it must send the message again.
//
// covers: decision 112
func TestSubscriptionsToTheTopicAreConfirmed(t *testing.T) {
	s := newSNS(newHarness(t, "ses"), rsaKey)
	confirm := func(url string) int {
		s.requests = nil
		return s.postRaw(s.message("SubscriptionConfirmation", map[string]string{"Token": "t0", "SubscribeURL": url}))
	}
	own := s.server.URL + "/?Action=ConfirmSubscription&Token=t0"
	if code := confirm(own); code != http.StatusOK || len(s.requests) != 2 || s.requests[1] != "/?Action=ConfirmSubscription&Token=t0" {
		t.Errorf("status %d after the requests %v, want 200 after the certificate and the confirmation", code, s.requests)
	}
	foreign := newSNS(newHarness(t, "ses"), newRSAKey)
	for _, url := range []string{foreign.server.URL + "/?Token=t0", strings.Replace(own, "https", "http", 1), "", "https://"} {
		if code := confirm(url); code != http.StatusForbidden || len(s.requests)+len(foreign.requests) > 0 {
			t.Errorf("%q: status %d after the requests %v %v, want 403 and no request", url, code, s.requests, foreign.requests)
		}
	}
	s.location = foreign.server.URL + "/"
	for _, status := range []int{http.StatusFound, http.StatusInternalServerError, http.StatusForbidden} {
		s.status = status
		if code := confirm(own); code != http.StatusServiceUnavailable {
			t.Errorf("SNS answers with %d: status %d, want 503", status, code)
		}
	}
	if len(foreign.requests) > 0 {
		t.Errorf("a redirect was followed to another host: %v", foreign.requests)
	}
	if strings.Contains(s.log.String(), "t0") {
		t.Errorf("the log has the token: %s", s.log.String())
	}
	if code := s.postRaw(s.message("UnsubscribeConfirmation", map[string]string{"Token": "t0", "SubscribeURL": own})); code != http.StatusOK {
		t.Errorf("the end of a subscription: status %d, want 200", code)
	}
}

// A key that does not fit the provider is refused when the service starts.
func TestKeysOfProvidersAreChecked(t *testing.T) {
	private, err := rsaKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(private.Public())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range [][2]string{{"mailgun", ""}, {"sendgrid", ""}, {"sendgrid", "AAAA"}, {"sendgrid", "?"},
		{"sendgrid", base64.StdEncoding.EncodeToString(der)}, {"ses", ""}, {"ses", "arn:aws:sqs:eu-central-1:123456789012:bounces"},
		{"ses", "arn:aws:sns:x.example.org/:123456789012:bounces"}, {"postmark", "key"}, {"other", ""}} {
		if _, err := New(Options{Provider: c[0], Secret: secret, Key: c[1]}); err == nil {
			t.Errorf("%s accepts the key %q", c[0], c[1])
		}
	}
	china, err := newTopic("arn:aws-cn:sns:cn-north-1:123456789012:bounces")
	if err != nil || china.host != "sns.cn-north-1.amazonaws.com.cn" {
		t.Errorf("the host of a topic in China is %v, %v", china, err)
	}
}
