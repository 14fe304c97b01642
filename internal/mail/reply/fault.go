package reply

import (
	"regexp"
	"slices"
	"strings"
)

// This file says what the sender of a mail can change after a refusal that is no fault of the address. Google, Microsoft
// and Yahoo publish the codes and texts: pages "Gmail SMTP errors and codes", "Email non-delivery reports in Exchange
// Online", "Outlook.com Postmaster: Troubleshooting" and "SMTP Error Codes" of the Yahoo Sender Hub. The other codes are
// those of RFC 7372 and RFC 3463.

// Fault is what a mail server holds against the sender.
type Fault string

// The faults.
const (
	Account        Fault = "account_limit"  // the account at the sender's email provider is over a limit, or blocked
	Relay          Fault = "relay"          // the sender's mail server does not take mails from this service
	ReverseDNS     Fault = "reverse_dns"    // the IP address of the mail server has no name
	TLS            Fault = "tls"            // the mail came without encryption
	Authentication Fault = "authentication" // SPF, DKIM or DMARC
	BlockList      Fault = "block_list"     // of IP addresses or domains
	Reputation     Fault = "reputation"     // complaints, or a bad record of the IP address or the domain
	Rate           Fault = "rate"           // too many mails in a short time
	Later          Fault = "try_later"      // greylisting and other refusals for a time
	Spam           Fault = "spam"           // the text or its links
	SenderAddress  Fault = "sender_address" // the envelope sender or its domain
)

// faultRow has what mail servers say about one fault. codes and texts are as in row.
type faultRow struct {
	fault Fault
	codes string
	texts []string
}

// faultTable has the rows in the order in which they are looked for. A reply about a rate can name the cause of the
// limit, and then the cause counts.
var faultTable = []faultRow{
	{Account, "4.5 7.501 7.502 7.503 7.700 7.705 7.708", []string{
		"tenant has exceeded", "exceeded threshold", "traffic not accepted from this ip", "daily user sending",
		"daily sending", "daily smtp relay", "smtp relay limit", "sending limit exceeded", "sending quota",
		"sending email account", "spam abuse detected",
	}},
	{Relay, "7.57 7.64 7.750", []string{
		"relay", "authentication required", "client was not authenticated", "not authorized to send email directly",
		"unregistered domain", "log in", "login", "starttls command first", "must issue", "mail sending denied",
		"email sending denied", "authentication is required", "requires authentication", "authentication credentials",
		"allowed rcpthost", "is not verified",
	}},
	{ReverseDNS, "7.25", []string{
		"ptr", "reverse dns", "rdns", "reverse lookup", "reverse name", "reverse hostname", "no reverse",
		"reverse mapping", "find your hostname", "name lookup failed", "forward dns",
		"does not match the ip address of the hostname",
	}},
	{TLS, "7.10 7.29", []string{
		"tls required", "senders to use tls", "must use tls", "tls connection", "requires tls", "not using a tls",
		"encryption needed", "encryption required",
	}},
	{SenderAddress, "1.7 1.8", []string{"null mx", "nullmx", "unresolvable"}},
	{Authentication, "7.20 7.21 7.22 7.23 7.24 7.26 7.27 7.30 7.31 7.32 7.40 7.509 7.515", []string{
		"dmarc", "dkim", "spf", "sender policy framework", "sender id", "unauthenticated", "authentication level",
		"authentication check", "authenticate with", "authentication didn't", "not authenticated",
		"isn't authenticated", "is not authenticated", "fails authentication", "failed authentication",
		"isn't aligned", "is not aligned",
	}},
	{BlockList, "", []string{
		"s3150", "s3140", "block list", "blocklist", "block-list", "blacklist", "black list", "black-list",
		"blocked list", "dnsbl", "rbl", "spamhaus", "spamcop", "barracuda", "sorbs", "bl21", "bl23", "banned sending ip",
		"banned sender", "is listed", "listed in", "listed at", "listed by", "listed on", "ou-001", "dy-001", "dy-002",
		"delist", "blocked using", "blocked by * list", "dynamic ip", "ip profile",
	}},
	{Reputation, "", []string{
		"reputation", "complaint", "tss0", "tss1", "ts0", "permanently deferred", "sc-001", "sc-002", "sc-003",
		"sc-004", "ou-002", "mail rejected by * for policy",
	}},
	{Rate, "7.28 7.508", []string{
		"unusual rate", "unusual amount", "rate limit", "rate-limit", "rate exceeded", "sending rate",
		"exceeded the rate", "exceeded permitted limits", "too many", "too much", "too fast", "too quickly", "at a rate",
		"frequency", "frequently", "throttl", "connection limit", "connection rate", "concurrent", "rp-001", "rp-002",
		"rp-003", "access denied, please try again later", "maximum number of connections", "limit exceeded",
		"message per connection", "same message-id",
	}},
	{Later, "", []string{
		"greylist", "graylist", "grey-list", "gray-list", "grey list", "try again", "try later", "temporar", "deferred",
		"server busy", "come back later", "retry", "resources",
	}},
	{Spam, "", []string{
		"unsolicited", "spam", "junk", "ph01", "ph0", "nature of the content", "content or the links", "suspicious",
		"security issue", "phish", "virus", "malware", "bulk mail", "url",
		"content rejected", "message content", "content denied", "identified as", "detected as",
	}},
}

var faultTexts = func() (texts []*regexp.Regexp) {
	for _, r := range faultTable {
		texts = append(texts, pattern(r.texts))
	}
	return texts
}()

// Faults returns all faults.
func Faults() (all []Fault) {
	for i := range faultTable {
		all = append(all, faultTable[i].fault)
	}
	return all
}

// FaultOf returns what a reply, or the text of a report, of the kind Policy or Sender holds against the sender. It returns
// "" if the reply names nothing that the sender can change.
func FaultOf(text string) Fault {
	words := normalise(text)
	codes := Codes(text)
	for i := range faultTable {
		listed := strings.Fields(faultTable[i].codes)
		if faultTexts[i].MatchString(words) || slices.ContainsFunc(codes, func(code string) bool {
			_, detail, _ := strings.Cut(code, ".")
			return slices.Contains(listed, detail)
		}) {
			return faultTable[i].fault
		}
	}
	return ""
}
