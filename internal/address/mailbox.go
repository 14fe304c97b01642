package address

import "strings"

// This file says which addresses reach one mailbox. Limits of mails count them together. They are other Contacts all the
// same, because a person chooses a tag to tell mails apart.

// Mailbox returns the same text for all addresses that reach the same mailbox: other spellings, those with a +tag, and
// those with other dots at Gmail, which ignores them. A text that is no email address is its own mailbox.
func Mailbox(text string) string {
	_, key, ok := ParseEmail(text)
	if !ok {
		return text
	}
	at := strings.LastIndexByte(key, '@')
	local, domain := key[:at], key[at:]
	if tag := strings.IndexByte(local, '+'); tag > 0 {
		local = local[:tag]
	}
	if domain == "@gmail.com" || domain == "@googlemail.com" {
		local, domain = strings.ReplaceAll(local, ".", ""), "@gmail.com"
	}
	return local + domain
}
