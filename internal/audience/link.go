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

	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file makes and reads the links of mails. It also makes two other short texts that are
// signed in the same way: Tag and MessageID. link_view.go has what a link shows and does, and
// link_target.go finds the URL of a tracked link. Package web serves the links.

// LinkKind says what a link in a mail does. It is the first part of the link's path.
type LinkKind string

// The kinds of links.
const (
	LinkUnsubscribe LinkKind = "u"
	LinkConfirm     LinkKind = "c"
	LinkOpen        LinkKind = "o" // the tracking pixel; a request for it shows that the mail was opened
	LinkClick       LinkKind = "k" // redirects to a URL of the Message
	LinkContact     LinkKind = "n" // shows a Contact to the recipient of a notification
)

// Link is the content of a link in a mail: its kind, and the delivery that it was made for. It
// contains no email address. Only a process that has the database's LinkKey can make a valid
// path. decisions.md: 48
type Link struct {
	Kind LinkKind
	DeliveryKey
	Target enlist.LinkID // only for LinkClick
}

// LinkKey signs links. All processes that use a database share one key.
type LinkKey [32]byte

// Lengths of signatures, in bytes. A signature is the beginning of an HMAC-SHA-256.
const (
	linkSignature      = 16
	tagSignature       = 8 // an address has room for 64 characters before its "@"
	messageIDSignature = 16
)

// LinkKey returns the database's key for links. The first call creates it.
func (s *Service) LinkKey(ctx context.Context) (LinkKey, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) (key LinkKey, err error) {
		stored, err := storedSecret(tx, "links", len(key))
		copy(key[:], stored)
		return key, err
	})
}

// storedSecret returns the secret of the database with a name. The first call stores size random bytes.
func storedSecret(tx *db.Tx, name string, size int) ([]byte, error) {
	fresh := make([]byte, size)
	rand.Read(fresh) // crypto/rand never returns an error
	return Secret(tx, name, fresh)
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

// Read returns the link of a path. ok is false for any path that Path would not return. Read
// compares the complete path, so each link has exactly one valid path.
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
		l.Target, text = enlist.LinkID(target), text[:at]
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

// Tag returns a signed text for a delivery. A mail has the Tag in its envelope sender, so that
// a bounce identifies the delivery. A Tag has only lower-case letters, digits and "-".
func (k *LinkKey) Tag(d DeliveryKey) string {
	text := d.String()
	sum := k.sign("tag", text)
	return text + "-" + hex.EncodeToString(sum[:tagSignature])
}

// ReadTag returns the delivery of a Tag. ok is false if the Tag is not valid. Mail servers may
// change the letter case of an address, so ReadTag accepts any case.
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

// MessageID returns the part of a Message-ID before the "@". The same text gives the same ID,
// so that mail programs can recognise a mail that is sent twice. Only a process with the
// LinkKey can compute the ID.
func (k *LinkKey) MessageID(text string) string {
	sum := k.sign("message", text)
	return hex.EncodeToString(sum[:messageIDSignature])
}

// sign returns the signature of a text. use is different for each of the three kinds of texts,
// so that a signature is valid only for its kind.
func (k *LinkKey) sign(use, text string) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(use + "\x00" + text))
	return mac.Sum(nil)
}
