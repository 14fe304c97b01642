package enlist

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"
)

// DeliveryKey identifies one mail to a Contact by the event that caused it. The same event
// and cause give the same key, so a job that runs twice finds the delivery of its first run.
type DeliveryKey struct {
	List    ListID
	Contact ContactID
	Time    int64  // of the event
	Cause   string // CauseConfirmation or CauseAutoresponder; there are others for links in notifications and in test mails
}

// Autoresponder returns the ID in a Cause that CauseAutoresponder returned. For other causes it
// returns 0.
func (k DeliveryKey) Autoresponder() AutoresponderID {
	return AutoresponderID(k.idAfter("a"))
}

// idAfter returns the ID in a Cause that begins with a prefix. For other causes it returns 0.
func (k DeliveryKey) idAfter(prefix string) int64 {
	id, ok := strings.CutPrefix(k.Cause, prefix)
	if !ok {
		return 0
	}
	n, _ := strconv.ParseInt(id, 10, 64) // CauseAutoresponder or CauseBatch wrote a number
	return n
}

// String joins the four parts with "-". Links and envelope addresses contain it.
func (k DeliveryKey) String() string {
	b := strconv.AppendInt(nil, int64(k.List), 10)
	b = strconv.AppendInt(append(b, '-'), int64(k.Contact), 10)
	b = strconv.AppendInt(append(b, '-'), k.Time, 10)
	return string(append(append(b, '-'), k.Cause...))
}

// parseDeliveryKey reads the text that String returns. It also accepts other spellings of a
// number, such as "007". LinkKey refuses them, because it compares the complete text.
func parseDeliveryKey(text string) (k DeliveryKey, ok bool) {
	parts := strings.Split(text, "-")
	if len(parts) != 4 {
		return k, false
	}
	var numbers [3]int64
	for i := range numbers {
		n, err := strconv.ParseInt(parts[i], 10, 64)
		if err != nil {
			return k, false
		}
		numbers[i] = n
	}
	return DeliveryKey{ListID(numbers[0]), ContactID(numbers[1]), numbers[2], parts[3]}, true
}

// LinkFile is the first part of the path of a link to a file.
const LinkFile LinkKind = "f"

// FilePath returns the path of the link to a file, such as /f/12/SIGNATURE. The link stays the same when
// the file is overwritten. decisions.md: 64
func (k *LinkKey) FilePath(id FileID) string {
	path := "/" + string(LinkFile) + "/" + strconv.FormatInt(int64(id), 10)
	sum := k.sign("link", path)
	return path + "/" + base64.RawURLEncoding.EncodeToString(sum[:linkSignature])
}

// ReadFilePath returns the file of a path. ok is false for any path that FilePath would not return.
func (k *LinkKey) ReadFilePath(path string) (id FileID, ok bool) {
	rest, ok := strings.CutPrefix(path, "/"+string(LinkFile)+"/")
	if !ok {
		return 0, false
	}
	text, _, _ := strings.Cut(rest, "/")
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, false
	}
	return FileID(n), hmac.Equal([]byte(k.FilePath(FileID(n))), []byte(path))
}

// LinkKind says what a link in a mail does. It is the first part of the link's path.
type LinkKind string

const LinkUnsubscribe LinkKind = "u"

const LinkConfirm LinkKind = "c"

const LinkOpen LinkKind = "o" // the tracking pixel; a request for it shows that the mail was opened

const LinkClick LinkKind = "k" // redirects to a URL of the Message

const LinkContact LinkKind = "n" // shows a Contact to the recipient of a notification

const LinkPreferences LinkKind = "p" // shows the settings of a Contact

const LinkMail LinkKind = "w" // shows the mail as a page, without what is of one person

const LinkTracking LinkKind = "t" // shows what is recorded of opens and clicks, and whether the Contact agrees

// TrackingChoice is the name in the query of a LinkTracking for the word of a decision, for which the page has its button.
const TrackingChoice = "choice"

// AskForLink is the query of a mail as a page with which a reader asks for a mail with the own link to the settings.
const AskForLink = "link"

// ArchivePath returns the path of a mail in the archive of a public List.
func ArchivePath(list ListID, batch BatchID) string {
	return "/a/" + strconv.FormatInt(int64(list), 10) + "/" + strconv.FormatInt(int64(batch), 10)
}

// Link is the content of a link in a mail: its kind, and the delivery that it was made for. It
// contains no email address. Only a process that has the database's LinkKey can make a valid
// path. decisions.md: 48
type Link struct {
	Kind LinkKind
	DeliveryKey
	Target LinkID // only for LinkClick
	Values string // only for LinkClick: the Fingerprint of the Contact's values in the URL; "": it has none
}

// LinkKey signs links. All processes that use a database share one key.
type LinkKey [32]byte

const linkSignature = 16

const linkFingerprint = 6 // each character makes many mails longer

const tagSignature = 8 // an address has room for 64 characters before its "@"

const messageIDSignature = 16

// Path returns a link's path, such as /u/12-345-1767225600-a7/SIGNATURE.
func (k *LinkKey) Path(l Link) string {
	path := "/" + string(l.Kind) + "/" + l.DeliveryKey.String()
	if l.Kind == LinkClick {
		path += "-" + strconv.FormatInt(int64(l.Target), 10)
		if l.Values != "" {
			path += "." + l.Values
		}
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
		text, l.Values, _ = strings.Cut(text, ".")
		at := strings.LastIndexByte(text, '-')
		if at < 0 {
			return l, false
		}
		target, err := strconv.ParseInt(text[at+1:], 10, 64)
		if err != nil {
			return l, false
		}
		l.Target, text = LinkID(target), text[:at]
	case LinkUnsubscribe, LinkConfirm, LinkOpen, LinkContact, LinkPreferences, LinkMail, LinkTracking:
	default:
		return l, false
	}
	l.DeliveryKey, ok = parseDeliveryKey(text)
	if !ok {
		return l, false
	}
	return l, hmac.Equal([]byte(k.Path(l)), []byte(path))
}

// Fingerprint returns a short text that is different for other values of a Contact, or "" if there are none. It is
// different in each mail, so that two links do not show that two Contacts have equal values.
func (k *LinkKey) Fingerprint(about DeliveryKey, values string) string {
	if values == "" {
		return ""
	}
	sum := k.sign("values", about.String()+"\x00"+values)
	return base64.RawURLEncoding.EncodeToString(sum[:linkFingerprint])
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

// Stamp returns a signed time. A page has it in a form, so that the server knows when the form was shown.
func (k *LinkKey) Stamp(about string, at int64) string {
	text := strconv.FormatInt(at, 10)
	sum := k.sign("stamp", about+"\x00"+text)
	return text + "." + hex.EncodeToString(sum[:tagSignature])
}

// ReadStamp returns the time of a Stamp. ok is false if Stamp did not return the text for the same subject.
func (k *LinkKey) ReadStamp(about, stamp string) (at int64, ok bool) {
	text, _, _ := strings.Cut(stamp, ".")
	at, err := strconv.ParseInt(text, 10, 64)
	return at, err == nil && hmac.Equal([]byte(k.Stamp(about, at)), []byte(stamp))
}

// MessageID returns the part of a Message-ID before the "@". The same text gives the same ID,
// so that mail programs can recognise a mail that is sent twice. Only a process with the
// LinkKey can compute the ID.
func (k *LinkKey) MessageID(text string) string {
	sum := k.sign("message", text)
	return hex.EncodeToString(sum[:messageIDSignature])
}

// SenderID returns 12 digits that are the same in all mails of an installation.
func (k *LinkKey) SenderID() string { return hex.EncodeToString(k.sign("sender", "")[:6]) }

// Challenge returns the signature of a challenge of a passkey. purpose says what it is for.
func (k *LinkKey) Challenge(purpose string, challenge []byte) []byte {
	return k.sign("challenge", purpose+"\x00"+string(challenge))
}

// sign returns the signature of a text. use is different for each kind of texts,
// so that a signature is valid only for its kind.
func (k *LinkKey) sign(use, text string) []byte {
	mac := hmac.New(sha256.New, k[:])
	mac.Write([]byte(use + "\x00" + text))
	return mac.Sum(nil)
}

// Batch returns the ID in a Cause that CauseBatch returned. For other causes it returns 0.
func (k DeliveryKey) Batch() BatchID { return BatchID(k.idAfter("b")) }
