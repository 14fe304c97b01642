// Package reply says what the reply of a mail server means: whether it is evidence about the recipient's address.
//
// Judge is the only judgement of replies: those that the service gets while it sends, those in bounces that come as
// mail, and those in the events of email providers. table.go has the codes and texts.
package reply

import (
	"regexp"
	"strings"
)

// IsAboutAddress reports whether a permanent failure of this kind is held against the address.
func (k Kind) IsAboutAddress() bool { return addressKinds[k] }

// Judge returns the kind of a reply. status is an enhanced status code that a report or provider gives beside the reply,
// or "". A code in the text wins, because it is the receiver's own. A reply after the mail was sent is about the mail:
// only a code of the address counts then, and a text about a disabled mailbox. decisions.md: 50
func Judge(status, text string, afterData bool) Kind {
	words := normalise(text)
	afterData = afterData || dataStep.MatchString(words)
	byText, address := kindsOfText(words)
	code := kindOfCodes(status, text)
	switch {
	case code == Policy && genericPolicy.MatchString(status+" "+text) && byText == UnknownAddress:
		return byText
	case code == Unclear && beforeRcpt.MatchString(words) && byText.IsAboutAddress():
		return Sender
	case code == Unclear && afterData && byText.IsAboutAddress() && byText != Unreachable && byText != Disabled:
		return Unclear
	case code == Unclear:
		return byText
	case code.IsAboutAddress() && byText != Unclear && !byText.IsAboutAddress() && address == Unclear:
		return byText
	}
	return code
}

// Blames reports whether a provider's permanent failure is held against the address. Without a status and a reply, the
// type that the provider gives the failure decides.
func Blames(status, text string) bool {
	text = withoutType(text)
	return status == "" && text == "" || Judge(status, text, false).IsAboutAddress()
}

// Detail joins a status code and a reply, as the details of bounces have them.
func Detail(status, text string) string { return strings.TrimSpace(status + " " + withoutType(text)) }

// withoutType removes the type of a reply, as in "smtp; 550 …". RFC 3464, 2.3.6
func withoutType(text string) string {
	if kind, rest, ok := strings.Cut(text, ";"); ok && strings.EqualFold(strings.TrimSpace(kind), "smtp") {
		text = rest
	}
	return strings.TrimSpace(text)
}

// kindsOfText returns the kind of the first row with a text of the reply, and that of the first one about the address.
func kindsOfText(words string) (first, address Kind) {
	for i := range table {
		if texts[i] == nil || !texts[i].MatchString(words) {
			continue
		}
		if first == Unclear {
			first = table[i].kind
		}
		if table[i].address {
			return first, table[i].kind
		}
	}
	return first, Unclear
}

// Codes returns the enhanced status codes of a text.
func Codes(text string) (all []string) {
	for _, m := range enhanced.FindAllStringSubmatch(text, 20) {
		all = append(all, m[1])
	}
	return all
}

// kindOfCodes returns the kind of the first code that says something.
func kindOfCodes(status, text string) Kind {
	for _, code := range append(Codes(text), Codes(status)...) {
		_, detail, _ := strings.Cut(code, ".")
		subject, _, _ := strings.Cut(detail, ".")
		if strings.HasSuffix(detail, ".0") && subject != "7" && subject != "6" {
			continue
		}
		if kind, ok := kindsOfCodes[detail]; ok {
			return kind
		}
		if kind, ok := kindsOfCodes[subject]; ok {
			return kind
		}
	}
	return Unclear
}

var (
	// enhanced matches an enhanced status code of a failure, but no part of an IP address.
	enhanced = regexp.MustCompile(`(?:^|[^\d.])([45]\.\d{1,3}\.\d{1,3})(?:[^\d.]|\.\D|\.?$)`)
	// genericPolicy matches the code that some mail servers send with any text.
	genericPolicy = regexp.MustCompile(`(?:^|\s)5\.7\.[01](?:\D|$)`)
	// dataStep matches what mail servers write about a reply to the mail itself.
	dataStep = regexp.MustCompile(`end of data|after data|data command|final data|reply to data|\[body\]|message body|after end`)
	// beforeRcpt matches what mail servers write about a reply to a command before RCPT.
	beforeRcpt = regexp.MustCompile(`initial connection|(?:reply to|after) (?:helo|ehlo|mail|starttls)|mail from command`)
	// hidden matches what is no evidence: addresses, links and host names.
	hidden = regexp.MustCompile(`<[^<>\s]*>|[^\s<>()":;,]+@[^\s<>()":;,]+|\bhttps?:\S+|\b[\w-]+(?:\.[\w-]+)+\b`)
	// lists matches links to the operators of block lists.
	lists  = regexp.MustCompile(`\bhttps?:\S*(?:spamhaus|spamcop|barracuda|sorbs|blocklist|dnsbl|rbl|[?&]ip=)\S*`)
	spaces = regexp.MustCompile(`\s+`)

	addressKinds, kindsOfCodes, texts = compile(table)
)

// compile prepares the rows of the table.
func compile(rows []row) (address map[Kind]bool, codes map[string]Kind, texts []*regexp.Regexp) {
	address, codes, texts = make(map[Kind]bool), make(map[string]Kind), make([]*regexp.Regexp, len(rows))
	for i, r := range rows {
		address[r.kind] = r.address
		for _, code := range strings.Fields(r.codes) {
			codes[code] = r.kind
		}
		if len(r.texts) > 0 {
			texts[i] = pattern(r.texts)
		}
	}
	return address, codes, texts
}

// pattern matches a reply that has one of the texts of a row.
func pattern(texts []string) *regexp.Regexp {
	any := strings.ReplaceAll(regexp.QuoteMeta(strings.Join(texts, "\n")), `\*`, ".{0,40}?")
	return regexp.MustCompile(`\b(?:` + strings.ReplaceAll(any, "\n", "|") + ")")
}

func normalise(text string) string {
	text = lists.ReplaceAllString(strings.ToLower(text), " dnsbl ")
	return spaces.ReplaceAllString(hidden.ReplaceAllString(text, " "), " ")
}
