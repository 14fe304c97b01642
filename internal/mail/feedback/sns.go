package feedback

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"enlist/internal/mail"
)

// This file has the provider Amazon SES. It publishes its events on a topic of Amazon SNS, which posts and signs them: the
// values of a message are signed, and the message has the URL of the certificate. Any AWS customer can get signed messages
// of their own topics, so only one topic is accepted.

// snsTopic is the only topic that messages are accepted from.
type snsTopic struct {
	arn    string
	host   string // the only host that certificates and confirmations are requested from
	client *http.Client

	mu   sync.Mutex
	keys map[string]*rsa.PublicKey // by the URL of their certificate
}

const (
	snsTimeout     = 10 * time.Second // of a request to SNS
	maxCertificate = 64 << 10         // bytes
	maxKeys        = 8                // keys in memory; SNS uses one for about a year
)

var topicARN = regexp.MustCompile(`^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]+):[0-9]{12}:[A-Za-z0-9_-]+$`)

// certificatePath is the path of a certificate. It is one name, because a path with further slashes or with ".." could
// lead to another answer of the host.
var certificatePath = regexp.MustCompile(`^/SimpleNotificationService-[A-Za-z0-9]+\.pem$`)

func newTopic(arn string) (*snsTopic, error) {
	m := topicARN.FindStringSubmatch(arn)
	if m == nil {
		return nil, errors.New("set ENLIST_BOUNCE_KEY to the ARN of the SNS topic, such as arn:aws:sns:eu-central-1:123456789012:bounces")
	}
	host := "sns." + m[2] + ".amazonaws.com"
	if m[1] == "aws-cn" {
		host += ".cn"
	}
	// A redirect could lead to another host.
	client := &http.Client{Timeout: snsTimeout, CheckRedirect: func(*http.Request,
		[]*http.Request) error {
		return http.ErrUseLastResponse
	}}
	return &snsTopic{arn: arn, host: host, client: client, keys: make(map[string]*rsa.PublicKey)}, nil
}

type snsMessage struct {
	Type             string // Notification, SubscriptionConfirmation or UnsubscribeConfirmation
	MessageID        string `json:"MessageId"`
	TopicArn         string
	Subject          *string
	Message          string
	Timestamp        string
	Token            string
	SubscribeURL     string
	SignatureVersion string
	Signature        string
	SigningCertURL   string
}

// signed returns the text that the signature covers: the keys in this order, each with its value in the next line.
func (m *snsMessage) signed() []byte {
	var b strings.Builder
	add := func(key, value string) { b.WriteString(key + "\n" + value + "\n") }
	add("Message", m.Message)
	add("MessageId", m.MessageID)
	if m.Type == "Notification" {
		if m.Subject != nil {
			add("Subject", *m.Subject)
		}
		add("Timestamp", m.Timestamp)
	} else {
		add("SubscribeURL", m.SubscribeURL)
		add("Timestamp", m.Timestamp)
		add("Token", m.Token)
	}
	add("TopicArn", m.TopicArn)
	add("Type", m.Type)
	return []byte(b.String())
}

// open returns the message of a body, if SNS has signed it for the topic. Another topic and an old message are refused
// before the certificate is requested.
func (t *snsTopic) open(ctx context.Context, body []byte, now time.Time) (*snsMessage, error) {
	m := new(snsMessage)
	if err := decode(body, m); err != nil {
		return nil, err
	}
	sent, err := time.Parse(time.RFC3339, m.Timestamp)
	signature, badSignature := base64.StdEncoding.DecodeString(m.Signature)
	if m.TopicArn != t.arn || err != nil || badSignature != nil || !isFresh(sent, now) {
		return nil, errForged
	}
	key, err := t.key(ctx, m.SigningCertURL)
	if err != nil {
		return nil, err
	}
	hash, sum := crypto.SHA256, []byte(nil)
	switch m.SignatureVersion {
	case "1":
		digest := sha1.Sum(m.signed())
		hash, sum = crypto.SHA1, digest[:]
	case "2":
		digest := sha256.Sum256(m.signed())
		sum = digest[:]
	default:
		return nil, errForged
	}
	if rsa.VerifyPKCS1v15(key, hash, sum, signature) != nil {
		return nil, errForged
	}
	return m, nil
}

// isOwn reports whether a URL is on the host of SNS, over HTTPS.
func (t *snsTopic) isOwn(u *url.URL) bool {
	return u.Scheme == "https" && u.Host == t.host && u.User == nil
}

// key returns the public key of a certificate. The certificate is trusted because the host of SNS has it. Its path is
// checked too, because other paths of this host answer with texts that other customers choose.
func (t *snsTopic) key(ctx context.Context, certificate string) (*rsa.PublicKey, error) {
	u, err := url.Parse(certificate)
	if err != nil || !t.isOwn(u) || u.RawQuery != "" || !certificatePath.MatchString(u.EscapedPath()) {
		return nil, errForged
	}
	t.mu.Lock()
	key := t.keys[certificate]
	t.mu.Unlock()
	if key != nil {
		return key, nil
	}
	text, err := t.get(ctx, certificate)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of SNS: %w", err)
	}
	key, err = publicKey(text)
	if err != nil {
		return nil, fmt.Errorf("read the certificate of SNS: %w", err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.keys) >= maxKeys {
		clear(t.keys)
	}
	t.keys[certificate] = key
	return key, nil
}

func publicKey(text []byte) (*rsa.PublicKey, error) {
	block, _ := pem.Decode(text)
	if block == nil {
		return nil, errors.New("it is not in PEM format")
	}
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return nil, err
	}
	key, ok := c.PublicKey.(*rsa.PublicKey)
	if !ok {
		return nil, errors.New("its key is not RSA")
	}
	return key, nil
}

// confirm requests the URL by which SNS subscribes this service to the topic.
func (t *snsTopic) confirm(ctx context.Context, m *snsMessage) error {
	u, err := url.Parse(m.SubscribeURL)
	if err != nil || !t.isOwn(u) {
		return errForged
	}
	_, err = t.get(ctx, m.SubscribeURL)
	if err != nil {
		return fmt.Errorf("confirm the subscription of the SNS topic: %w", err)
	}
	return nil
}

// get requests a URL of SNS. Its errors do not contain the URL, because it can have a token.
func (t *snsTopic) get(ctx context.Context, from string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, errForged
	}
	reply, err := t.client.Do(r)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		return nil, failed.Err
	}
	if err != nil {
		return nil, err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, maxCertificate))
	if err == nil && reply.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s answered with the status %d", t.host, reply.StatusCode)
	}
	return text, err
}

func newSES(arn string) (reader, error) {
	topic, err := newTopic(arn)
	return topic.events, err
}

// sesTags is the header field with the tag that the events of a configuration set repeat as a tag of the message. The
// notifications of an identity have no tags, but can have the fields of the mail.
const sesTags = "X-SES-MESSAGE-TAGS"

func sesFields(tag string) string {
	return sesTags + ": " + variable + "=" + tag + "\r\n" + mail.SESHeader + ": " + tag + "\r\n"
}

func (t *snsTopic) events(ctx context.Context, _ http.Header, body []byte, now time.Time) ([]event, error) {
	m, err := t.open(ctx, body, now)
	if err != nil {
		return nil, err
	}
	e := mail.SESEvent{}
	switch {
	case m.Type == "SubscriptionConfirmation":
		return []event{{kind: ignored}}, t.confirm(ctx, m)
	case m.Type != "Notification", decode([]byte(m.Message), &e) != nil: // SES checks a new topic with a text
		return []event{{kind: ignored}}, nil
	}
	what, detail := e.Meaning()
	if what == mail.NoReport {
		return []event{{kind: ignored}}, nil
	}
	return []event{{kind(what), e.Tag(), detail}}, nil
}
