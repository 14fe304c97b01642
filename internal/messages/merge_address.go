package messages

import (
	"strings"
	"unicode"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages/merge"
)

// This file has the merge fields in from_address and reply_to of a Message. They are checked twice: with samples when a
// caller stores the Message, and with the Contact's values when a mail is made. reference.md: merge.address

// The keys of a Message with an address.
const (
	keyFromAddress = "from_address"
	keyReplyTo     = "reply_to"
)

// HasMergeFields reports whether an address of a Message depends on the Contact.
func HasMergeFields(text string) bool { return merge.Parse(text).HasFields() }

// readAddress accepts one email address, also with merge fields, or "".
func readAddress(text string) (string, error) {
	parts := merge.Parse(text)
	if !parts.HasFields() {
		return lists.ReadAddress(text)
	}
	text, err := enlist.ReadLine(text)
	if err != nil {
		return "", err
	}
	sample, inDomain := "", false
	for i := range parts {
		switch p := &parts[i]; {
		case merge.IsLink(p.Name):
			return "", enlist.Expected("an email address, without a link")
		case p.Name == "":
			sample += p.Text
			inDomain = inDomain || strings.Contains(p.Text, "@")
		case inDomain:
			sample += "x.example"
		default:
			sample += "x"
		}
	}
	_, _, valid := address.ParseEmail(sample)
	isOneField := len(merge.Parse(text)) == 1 // the value is the whole address
	if fallback, ok := fallbackAddress(text); !valid && !isOneField || ok && !isAddress(fallback) {
		return "", enlist.Expected("an email address, or one merge field whose value is one, not " +
			enlist.Quoted(text))
	}
	return text, nil
}

func isAddress(text string) bool {
	_, _, ok := address.ParseEmail(text)
	return ok
}

// fallbackAddress returns an address for a Contact without values. ok is false if a merge field has no fallback.
func fallbackAddress(text string) (filled string, ok bool) {
	parts := merge.Parse(text)
	for i := range parts {
		if parts[i].Name != "" && parts[i].Fallback == "" {
			return "", false
		}
		filled += parts[i].Value(func(string) string { return "" })
	}
	return filled, parts.HasFields()
}

// fillAddress fills the merge fields of an address of the Message with the Contact's values. A value is used as it is
// stored, so one with a line break, a name or a second address makes no address. The error is an *Undelivered.
func (m *OutgoingMail) fillAddress(key, text string) (string, error) {
	filled := ""
	for _, part := range merge.Parse(text) {
		filled += part.Value(func(name string) string {
			value, _ := MergeValue(m.Schema, m.Contact, name)
			return strings.Trim(value, " ")
		})
	}
	spelling, _, ok := address.ParseEmail(filled)
	// Quotes can contain a second address. Characters without a width can hide the real one.
	refused := func(r rune) bool { return r == '"' || unicode.Is(unicode.Cf, r) }
	if !ok || spelling != filled || strings.ContainsFunc(filled, refused) {
		return "", &Undelivered{Permanent: true,
			Detail: "the merge fields of " + key + " make no email address for this Contact"}
	}
	return spelling, nil
}

// FillSender returns the from_address and the reply_to of the Message for the Contact. The error is an *Undelivered.
func (m *OutgoingMail) FillSender() (from, replyTo string, err error) {
	from, replyTo = m.Message.FromAddress, m.Message.ReplyTo
	if HasMergeFields(from) {
		from, err = m.fillAddress(keyFromAddress, from)
	}
	if err == nil && HasMergeFields(replyTo) {
		replyTo, err = m.fillAddress(keyReplyTo, replyTo)
	}
	return from, replyTo, err
}
