package audience

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// LinkKind is what a link in a mail does. It is the first part of its path.
type LinkKind string

// The kinds of links.
const (
	LinkUnsubscribe LinkKind = "u"
	LinkConfirm     LinkKind = "c"
	LinkOpen        LinkKind = "o" // an image that says the mail was opened
	LinkClick       LinkKind = "k" // leads on to a target of the Message
	LinkContact     LinkKind = "n" // shows a Contact to those who were notified
)

// Link is what a link in a mail says: for whom it was made and because of what.
// It carries no address, and nobody can make one without the database's key.
// decisions.md: 48
type Link struct {
	Kind LinkKind
	DeliveryKey
	Target LinkID // of a LinkClick
}

// LinkKey signs links. All processes on a database share it.
type LinkKey [32]byte

// LinkKey returns the database's key for links, which it makes at the first call.
func (s *Service) LinkKey(ctx context.Context) (key LinkKey, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		fresh := make([]byte, len(key))
		rand.Read(fresh) // never fails
		kept, err := tx.Secret("links", fresh)
		copy(key[:], kept)
		return err
	})
	return key, err
}

// Path returns a link's path, which begins with a slash and ends in the signature:
// /u/12-345-1767225600-a7/SIGNATURE.
func (k *LinkKey) Path(l Link) string {
	path := "/" + string(l.Kind) + "/" + l.DeliveryKey.String()
	if l.Kind == LinkClick {
		path += "-" + strconv.FormatInt(int64(l.Target), 10)
	}
	sum := k.sign("link", path)
	return path + "/" + base64.RawURLEncoding.EncodeToString(sum[:16])
}

// Read returns what a path says, false when it is none that Path made.
func (k *LinkKey) Read(path string) (l Link, ok bool) {
	kind, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	text, _, _ := strings.Cut(rest, "/")
	l.Kind = LinkKind(kind)
	switch l.Kind {
	case LinkClick:
		at := strings.LastIndexByte(text, '-')
		if at < 0 {
			return l, false
		}
		target, err := strconv.ParseInt(text[at+1:], 10, 64)
		if err != nil {
			return l, false
		}
		l.Target, text = LinkID(target), text[:at]
	case LinkUnsubscribe, LinkConfirm, LinkOpen, LinkContact:
	default:
		return l, false
	}
	if l.DeliveryKey, ok = parseDeliveryKey(text); !ok {
		return l, false
	}
	return l, hmac.Equal([]byte(k.Path(l)), []byte(path))
}

// Tag returns a short text that names a delivery and nobody can make up, for
// the envelope sender of a mail: lower-case letters, digits and "-".
func (k *LinkKey) Tag(d DeliveryKey) string {
	text := d.String()
	sum := k.sign("tag", text)
	return text + "-" + hex.EncodeToString(sum[:8])
}

// ReadTag returns the delivery that a Tag names, in any letter case.
func (k *LinkKey) ReadTag(tag string) (d DeliveryKey, ok bool) {
	tag = strings.ToLower(tag)
	at := strings.LastIndexByte(tag, '-')
	if at < 0 {
		return d, false
	}
	if d, ok = parseDeliveryKey(tag[:at]); !ok {
		return d, false
	}
	return d, hmac.Equal([]byte(k.Tag(d)), []byte(tag))
}

// MessageID returns the first part of a Message-ID: the same for the same
// text, and nobody else's.
func (k *LinkKey) MessageID(text string) string {
	sum := k.sign("message", text)
	return hex.EncodeToString(sum[:16])
}

func (k *LinkKey) sign(use, text string) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(use + "\x00" + text))
	return mac.Sum(nil)
}

// String joins the parts with "-".
func (d DeliveryKey) String() string {
	b := strconv.AppendInt(nil, int64(d.List), 10)
	b = strconv.AppendInt(append(b, '-'), int64(d.Contact), 10)
	b = strconv.AppendInt(append(b, '-'), d.Time, 10)
	return string(append(append(b, '-'), d.Cause...))
}

func parseDeliveryKey(text string) (d DeliveryKey, ok bool) {
	parts := strings.Split(text, "-")
	if len(parts) != 4 {
		return d, false
	}
	var numbers [3]int64
	for i := range numbers {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return d, false
		}
		numbers[i] = n
	}
	return DeliveryKey{ListID(numbers[0]), ContactID(numbers[1]), numbers[2], parts[3]}, true
}

// LinkTx reads and stores what links in mails need, in a transaction.
type LinkTx interface {
	// LinkTargets returns an ID for each URL of a Message, in their order, and inserts
	// those that are new. URLs are given as the Message has them.
	LinkTargets(message MessageID, urls []string) ([]LinkID, error)
	// LinkTarget returns the Message and the URL of an ID. Its error is of kind NoLink
	// when there is none.
	LinkTarget(id LinkID) (message MessageID, url string, err error)
	// Secret returns the secret with a name. If there is none it stores fresh first.
	Secret(name string, fresh []byte) ([]byte, error)
}
