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

// This file makes and reads the links of mails, and two other short texts that are signed the
// same way. What a link shows and does is in link_view.go; where a tracked link of a Message
// leads is in link_target.go. Package web serves the links.

// LinkKind is what a link in a mail does. It is the first part of the link's path.
type LinkKind string

// The kinds of links.
const (
	LinkUnsubscribe LinkKind = "u"
	LinkConfirm     LinkKind = "c"
	LinkOpen        LinkKind = "o" // an image; fetching it shows that the mail was opened
	LinkClick       LinkKind = "k" // redirects to a URL of the Message
	LinkContact     LinkKind = "n" // shows a Contact to the recipient of a notification
)

// Link is the content of a link in a mail: its kind, and the delivery that it was made for. It
// holds no address. Only a process with the database's LinkKey can make a valid path.
// decisions.md: 48
type Link struct {
	Kind LinkKind
	DeliveryKey
	Target LinkID // of a LinkClick
}

// LinkKey signs links. All processes on a database share one key.
type LinkKey [32]byte

// Lengths of signatures, in bytes: HMAC-SHA-256, cut off.
const (
	linkSignature      = 16
	tagSignature       = 8 // an address has room for 64 characters before its "@"
	messageIDSignature = 16
)

// LinkKey returns the database's key for links. The first call creates it.
func (s *Service) LinkKey(ctx context.Context) (LinkKey, error) {
	return ownUpdate(ctx, s, func(tx Tx, _ int64) (key LinkKey, err error) {
		fresh := make([]byte, len(key))
		rand.Read(fresh) // crypto/rand never returns an error
		stored, err := tx.Secret("links", fresh)
		copy(key[:], stored)
		return key, err
	})
}

// Path returns a link's path, such as /u/12-345-1767225600-a7/SIGNATURE.
func (k *LinkKey) Path(l Link) string {
	path := "/" + string(l.Kind) + "/" + l.DeliveryKey.String()
	if l.Kind == LinkClick {
		path += "-" + strconv.FormatInt(int64(l.Target), 10)
	}
	sum := k.sign("link", path)
	return path + "/" + base64.RawURLEncoding.EncodeToString(sum[:linkSignature])
}

// Read returns the link of a path, false for any path that Path would not return. It compares
// the whole path, so a link has one spelling only.
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
	l.DeliveryKey, ok = parseDeliveryKey(text)
	if !ok {
		return l, false
	}
	return l, hmac.Equal([]byte(k.Path(l)), []byte(path))
}

// Tag returns a signed text for a delivery, which mail carries in its envelope sender so that
// a bounce names the delivery. It has lower-case letters, digits and "-" only.
func (k *LinkKey) Tag(d DeliveryKey) string {
	text := d.String()
	sum := k.sign("tag", text)
	return text + "-" + hex.EncodeToString(sum[:tagSignature])
}

// ReadTag returns the delivery of a Tag, false if the signature is wrong. Mail servers may
// change the letter case of an address, so any case is accepted.
func (k *LinkKey) ReadTag(tag string) (d DeliveryKey, ok bool) {
	tag = strings.ToLower(tag)
	at := strings.LastIndexByte(tag, '-')
	if at < 0 {
		return d, false
	}
	d, ok = parseDeliveryKey(tag[:at])
	if !ok {
		return d, false
	}
	return d, hmac.Equal([]byte(k.Tag(d)), []byte(tag))
}

// MessageID returns the left side of a Message-ID. The same text gives the same ID, so a mail
// that is sent twice is recognised as one. Outsiders cannot predict the ID.
func (k *LinkKey) MessageID(text string) string {
	sum := k.sign("message", text)
	return hex.EncodeToString(sum[:messageIDSignature])
}

// sign returns the signature of a text. use keeps the three kinds of texts apart.
func (k *LinkKey) sign(use, text string) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(use + "\x00" + text))
	return mac.Sum(nil)
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
