package reply

// This file is the table of what mail servers say. To teach the service a new code or text, add it to the row of its
// kind, and the reply to the tests.

// Kind says what the reply of a mail server is about.
type Kind string

// The kinds. Unclear is a reply without evidence.
const (
	Unclear        Kind = ""
	UnknownAddress Kind = "unknown address"
	Moved          Kind = "moved"
	NoDomain       Kind = "no domain" // the domain does not exist, or takes no mail
	Disabled       Kind = "disabled"  // the mailbox exists and takes no mail
	Full           Kind = "full"
	Unreachable    Kind = "unreachable" // no answer until the mail server gave up
	Policy         Kind = "policy"      // the receiver does not want this mail, this rate or this server
	Sender         Kind = "sender"
	Content        Kind = "content" // size, form or virus
	Loop           Kind = "loop"
	System         Kind = "system" // a fault of the mail server itself
)

// row has what mail servers say about one kind.
type row struct {
	kind    Kind
	address bool // the kind is evidence about the address
	// codes are the subject and detail of enhanced status codes, without their class (RFC 3463 and the registry of
	// IANA). A subject alone is for its other details. Codes that stand in no row, such as 0.0, 1.0 and 3.0, say
	// nothing, and the text decides.
	codes string
	// texts are in lower case. Addresses, host names and links are taken out of a reply before. * stands for up to 40
	// characters, and a text begins at the beginning of a word.
	texts []string
}

// table has the rows in the order in which their texts are looked for: a reply that speaks of a policy and of the
// address is about the policy.
var table = []row{
	{UnknownAddress, true, "", []string{ // certain, whatever else the reply says
		"user unknown", "unknown user", "no such user", "no such recipient", "no such mailbox",
		"invalid recipient", "not listed in * directory", "not listed in * address book", "user does not exist",
		"user doesn't exist", "mailbox does not exist", "account that you tried to reach does not exist",
		"recipnotfound", "recipientnotfound",
	}},
	{Disabled, true, "7.13", []string{
		"account is blocked", "account is disabled", "account * disabled", "account has been disabled",
		"disabled recipient", "mailbox disabled", "mailbox is disabled", "mailbox is frozen",
		"account * suspended",
	}},
	{Loop, false, "4.6 4.14", []string{
		"loop", "too many hops", "hop count", "hops exceeded", "maximum hop", "too many received",
	}},
	{Sender, false, "1.7 1.8 1.9 7.27", []string{
		"sender address", "sender rejected", "sender denied", "sender refused", "sender not", "sender is not",
		"sender was", "sender verif", "sender domain", "sender id", "sender blocked", "sender unknown",
		"sender must", "invalid sender", "unknown sender", "domain of sender", "sender's domain", "verify sender",
		"mail from command", "after mail from", "mail from:", "from address", "from header", "envelope from",
		"return address", "originator", "sending domain",
	}},
	{Policy, false, "7", []string{
		"spam", "junk", "bulk mail", "unsolicited", "suspicious", "block", "blacklist", "black list", "black-list",
		"dnsbl", "rbl", "listed in", "listed at", "listed by", "listed on", "is listed", "reputation", "policy",
		"policies", "dmarc", "spf", "dkim", "authenticat", "not authori", "unauthori", "relay not", "relaying",
		"relay access", "relay denied", "relay operation", "to relay", "we do not relay", "open relay",
		"cannot relay", "allowed rcpthost", "does not accept mail from", "rate limit", "rate exceeded",
		"sending rate", "too many", "too much mail", "too fast", "too quickly", "frequency", "frequently",
		"throttl", "limit exceeded for your", "temporarily deferred", "greylist",
		"graylist", "grey-list", "reverse dns", "rdns", "ptr", "reverse lookup", "reverse name", "reverse-",
		"no reverse", "helo", "ehlo", "virus", "malware", "infected", "phish", "banned", "firewall",
		"administrative prohibition", "administratively", "prohibited", "starttls", "certificate", "encryption",
		"not allowed", "not permitted", "not accepted", "refused to accept", "restrict", "forbidden", "security",
		"filter", "complaint", "abus", "violat", "ip address", "your ip", "ip is", "bad ip", "ip range", "dynamic",
		"client host", "connection refused by", "your host", "your server", "your mail server", "your email",
		"your message was rejected", "transaction failed", "access denied", "permission", "blocked",
		"message rejected", "mail rejected", "rejected message", "content rejected", "message content",
		"message was identified", "detected", "resources restricted", "concurrent", "connection limit",
		"connection rate", "error: dns", "at a rate", "daily", "my name was rejected", "initial connection",
	}},
	{Full, true, "2.2 3.1", []string{
		"quota", "mailbox full", "mailbox is full", "mailbox * is full", "mailbox * full", "inbox is full",
		"full mailbox", "account is full", "mailbox size", "insufficient * space", "insufficient * storage",
		"insufficient disk", "not enough * space", "out of storage", "storage * exceeded", "exceeded storage",
		"disk full", "disk space", "over * limit of", "exceeded * allocation", "mailfolder is full",
		"mail box full", "mailbox exceed", "mailbox * exceed",
	}},
	{Disabled, true, "2.1", []string{
		"disabled", "deactivated", "inactive", "not active", "is suspended", "been suspended", "account suspended",
		"suspended", "account * locked", "account * closed", "mailbox closed", "no longer available",
		"no longer active", "no longer in use", "no longer valid", "no longer accept", "discontinued",
		"terminated", "account expired", "mailbox expired", "is not accepting * mail", "isn't accepting",
		"not currently accepting",
	}},
	{Moved, true, "1.6", []string{
		"has moved", "have moved", "user moved", "moved to", "address * changed", "changed * address",
		"no longer work", "no longer employed", "no longer with", "left the company", "no longer on server",
		"mail for * has been moved",
	}},
	{System, false, "3", []string{
		"internal error", "internal * error", "system error", "local error", "configuration error",
		"local configuration", "system resources", "i/o error",
	}},
	{NoDomain, true, "1.2 4.4 4.310", []string{
		"host unknown", "unknown host", "host not found", "host or domain name not found", "domain not found",
		"domain name not found", "domain does not exist", "domain doesn't exist", "domain * does not exist",
		"domain * not found", "no such domain", "unknown domain", "domain unknown", "invalid domain", "bad domain",
		"nxdomain", "name or service not known", "name server: host", "couldn't find any host",
		"couldn't find a mail", "could not find a gateway", "could not find a mail", "cannot find * server",
		"could not be found * domain", "no mail exchange", "no mx", "non-existent host", "non-existent domain",
		"nonexistent domain", "does not accept mail", "doesn't accept mail", "does not receive mail", "nullmx",
		"null mx", "no smtp service", "illegal host", "bad destination", "lookup * no such",
		"unrouteable mail domain", "unrouteable domain", "mail domain * exist", "no valid hosts",
	}},
	{UnknownAddress, true, "1.1 1.3 1.4 1.10", []string{
		"user unknown", "user is unknown", "user * unknown", "unknown user", "unknown recipient", "unknown local",
		"unknown address", "unknown mailbox", "unknown account", "unknown email", "unknown e-mail",
		"unknown or illegal", "recipient unknown", "recipient * unknown", "recipient is unknown",
		"address unknown", "mailbox unknown", "addressee unknown", "account unknown", "no such", "does not exist",
		"doesn't exist", "do not exist", "not exist", "non-existent", "nonexist", "recipient not found",
		"recipient * not found", "recipnotfound", "user not found", "user * not found", "mailbox not found",
		"mailbox * not found", "address not found", "address * not found", "account not found",
		"account * not found", "name not found", "not found in", "not recognized", "not recognised",
		"unrecognized", "invalid recipient", "invalid user", "invalid mailbox", "invalid address",
		"invalid account", "invalid rcpt", "invalid email", "invalid e-mail", "invalid final", "recipient invalid",
		"recipient is invalid", "mailbox invalid", "address is invalid", "address invalid", "user invalid",
		"mailbox unavailable", "mailbox not available", "mailbox is unavailable", "unavailable mailbox",
		"mailbox is not available", "user unavailable", "bad recipient", "bad address", "bad destination mailbox",
		"no mailbox", "no account", "no user", "not our customer", "doesn't have a", "does not have a",
		"not a valid", "not a known", "no valid recipient", "unrouteable", "unroutable", "undeliverable address",
		"user * not listed", "not listed in", "not in directory", "unable to find", "can't find user",
		"cannot find user", "not known", "not local", "no one by", "isn't in", "not present in",
		"recipient address rejected", "recipient rejected", "unable to validate recipient",
		"delivery to the following recipient * rejected", "unknown or invalid", "this user", "not match",
		"no recipients", "invalid mail address", "mail address * not",
	}},
	{Content, false, "2.3 3.4 6", []string{
		"too large", "too big", "too long", "message size", "size limit", "size exceed", "exceed * size",
		"maximum * size", "attachment", "malformed", "8bit", "mime", "header", "message format", "line length",
	}},
	{Unreachable, true, "4.1 4.2 4.5 4.7 4.300 4.316", []string{
		"timed out", "timeout", "time out", "connection refused", "no route", "network is unreachable",
		"network unreachable", "unable to connect", "could not connect", "couldn't connect", "not connect",
		"did not respond", "not responding", "retry time", "expired", "giving up", "given up", "lost connection",
		"connection reset", "connection dropped", "in the queue", "has been in queue", "too old", "deadline",
		"unreachable", "not reachable", "couldn't establish", "failed * attempts", "failing for a long time",
	}},
}
