package mail

import (
	"bytes"
	"cmp"
	"io"
	"net/textproto"
	"net/url"
	"regexp"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/mail/reply"
)

// This file reads the mails that mail servers send back: reports about delivery
// failures (bounces), complaints of recipients, and mails that ask to unsubscribe. The command "enlist bounce" calls
// ReadReport, and then deactivates or unsubscribes the Contact.

// ReportKind says what a report means for the message that was sent.
type ReportKind string

// The kinds of reports. NoReport is any other mail, or a report that changes nothing.
// Examples are a report about a delay or about a message of another sender.
const (
	NoReport        ReportKind = ""
	BounceReport    ReportKind = "bounce"
	RefusalReport   ReportKind = "refusal" // the mail failed, and nothing is held against the address
	ComplaintReport ReportKind = "complaint"
	UnsubscribeMail ReportKind = "request to unsubscribe" // a mail program wrote to the address in List-Unsubscribe
)

// Report has the result of reading a report about a message that was sent.
type Report struct {
	Kind     ReportKind
	Delivery enlist.DeliveryKey // key of the message's delivery; zero for NoReport
	Detail   string             // reason of the failure; for NoReport, why the mail is ignored
}

// Limits for a mail to the address for bounces. They are needed because anyone can
// send a mail to this address.
const (
	maxReport = 4 << 20  // bytes of a report that are read; enough, because the status is before the returned message
	maxParts  = 100      // MIME parts
	maxText   = 64 << 10 // bytes of the text part
)

// ReadReport reads a delivery status notification (RFC 3464), a bounce that is plain text, or a complaint (RFC 5965).
// A report must contain the tag of a delivery, which this service signed with the key. So a forged report has no effect.
// ReadReport looks for the tag in three addresses: recipient, the header fields with the report's recipient, and the
// sender of the returned message. In place of the tag, it also accepts the link to unsubscribe in the returned message,
// because this service has signed it too. A bounce that is plain text, and a mail with the subject "unsubscribe", count
// only with the tag in their recipient.
// decisions.md: 51
func ReadReport(r io.Reader, key *enlist.LinkKey, recipient string) Report {
	s := &reportReader{key: key}
	s.address(recipient)
	text, err := io.ReadAll(io.LimitReader(r, maxReport))
	if err != nil {
		return Report{Detail: "it cannot be read: " + Shorten(err.Error())}
	}
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	if bytes.HasPrefix(text, []byte("From ")) { // the first line of the mbox format
		_, text, _ = bytes.Cut(text, []byte("\n"))
	}
	mail := parsePart(text)
	for _, field := range []string{"To", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To"} {
		s.addresses(mail.header.Values(field))
	}
	s.tagged = s.found
	s.from, s.subject, s.noSender = mail.header.Get("From"), mail.header.Get("Subject"), true
	for _, path := range mail.header.Values("Return-Path") {
		local, _, _ := strings.Cut(strings.ToLower(strings.Trim(path, "<> ")), "@")
		s.noSender = s.noSender && (local == "" || local == "mailer-daemon")
	}
	s.part(&mail, 0)
	return s.report()
}

// reportReader collects the information of a report while its parts are read.
type reportReader struct {
	key      *enlist.LinkKey
	delivery enlist.DeliveryKey
	found    bool   // delivery contains the key from a tag or from a link
	tagged   bool   // the tag was in the recipient
	noSender bool   // the return path is empty
	from     string // fields of the report
	subject  string
	parts    int    // number of MIME parts read so far
	text     string // the text before the status or the returned message

	failed     string // status and reply of a permanent failure of the address
	refused    string // and of one for another reason
	isUnclear  bool   // a permanent failure has no reason that is known
	unclear    string // its status and reply
	other      string // any other status or type of complaint
	complaint  string // type of a complaint that unsubscribes
	isLeaving  bool   // the mail asks to unsubscribe
	isReport   bool
	isReturned bool // a part has a returned message
	delayed    bool // the status says that the mail server tries again
}

func (s *reportReader) report() Report {
	s.decide()
	switch {
	case s.isLeaving:
		return Report{Kind: UnsubscribeMail, Delivery: s.delivery, Detail: "asked to unsubscribe"}
	case !s.isReport:
		return Report{Detail: "it is neither a delivery status notification nor a complaint"}
	case s.failed == "" && s.complaint == "" && s.refused == "":
		return Report{Detail: "it reports no permanent failure of the address: " + Shorten(s.other)}
	case !s.found:
		return Report{Detail: "it does not name a message that this service sent"}
	case s.complaint != "":
		return Report{Kind: ComplaintReport, Delivery: s.delivery, Detail: Shorten("complaint: " + s.complaint)}
	case s.failed == "":
		return Report{Kind: RefusalReport, Delivery: s.delivery, Detail: Shorten(s.refused)}
	}
	return Report{Kind: BounceReport, Delivery: s.delivery, Detail: Shorten(s.failed)}
}

// decide uses the text if the status gives no reason or is missing, and finds complaints without a feedback report.
func (s *reportReader) decide() {
	switch {
	case s.failed != "" || s.complaint != "":
		return
	case !s.isReport && !s.tagged && s.isReturned && s.found && complaints.MatchString(s.subject):
		s.isReport, s.complaint = true, "returned to a feedback loop"
		return
	case !s.isReport && s.tagged && optOut.MatchString(s.subject):
		s.isLeaving = true
		return
	case s.isReport && !s.isUnclear, !s.isReport && !s.isBounce():
		return
	}
	kind, text := s.judgeNotice()
	if s.isReport = s.isReport || kind != reply.Unclear; kind.IsAboutAddress() {
		s.failed = givenUp(kind, s.unclear+text) + strings.TrimSpace(s.unclear+" "+text)
	} else if s.isReport {
		s.refused = strings.TrimSpace(s.unclear + " " + text)
	} else {
		s.other += " the text is about: " + cmp.Or(string(kind), "nothing that is known")
	}
}

// complaints matches the subjects of complaints that are no feedback reports, such as those of Microsoft's JMRP.
var complaints = regexp.MustCompile(`(?i)\b(?:complaint|abuse|spam|junk)`)

// optOut matches the subject of a mail that a mail program writes to unsubscribe.
var optOut = regexp.MustCompile(`(?i)^\s*(?:unsubscribe|opt-?out)\s*$`)

func (s *reportReader) part(p *part, depth int) {
	if s.parts++; s.parts > maxParts || depth > 4 {
		return
	}
	switch kind, boundary := p.mediaType(); kind {
	case "message/delivery-status", "message/global-delivery-status":
		s.status(p.content())
	case "message/feedback-report":
		s.isReport = true
		s.feedback(p.content())
	case "text/plain", "text/html":
		s.notice(p.content(), kind == "text/html")
	case "message/rfc822", "text/rfc822-headers", "text/rfc822-header", "message/global", "message/global-headers":
		returned := parsePart(p.content())
		if kind, _ := returned.mediaType(); kind == "multipart/report" { // a server has passed on the report of another one
			s.part(&returned, depth+1)
			return
		}
		s.original(p.content())
	default:
		if !strings.HasPrefix(kind, "multipart/") {
			return
		}
		all := p.split(boundary, maxParts)
		for i := range all {
			s.part(&all[i], depth+1)
		}
		if len(all) == 0 { // the boundary does not occur
			s.notice(p.body, false)
		}
	}
}

// status reads a delivery status. First it has a group of fields about the message, and then a group for each
// recipient. Empty lines separate the groups. RFC 3464, 2
func (s *reportReader) status(text []byte) {
	for _, group := range paragraphs.Split(string(text), -1) {
		h := fieldsOf([]byte(strings.TrimLeft(group, "\n")))
		action := strings.ToLower(h.Get("Action"))
		if action == "" && h.Get("Final-Recipient") != "" && strings.HasPrefix(h.Get("Status"), "5.") {
			action = "failed"
		}
		if action != "" {
			s.isReport = true
			s.recipient(action, h)
		}
		s.addresses(h.Values("Original-Recipient"))
		s.addresses(h.Values("Final-Recipient"))
	}
}

// recipient reads the fields about one recipient. It records a bounce only if the failure is final and the recipient's
// address is the reason. A failure with a temporary code is final too: the mail server has given up.
func (s *reportReader) recipient(action string, h textproto.MIMEHeader) {
	status, _, _ := strings.Cut(h.Get("Status"), " ") // a comment can follow
	_, diagnostic, _ := strings.Cut(h.Get("Diagnostic-Code"), ";")
	text := strings.TrimSpace(diagnostic)
	// Postfix writes only into the text that a reply was about the mail.
	afterData := endOfData.MatchString(s.text)
	kind := reply.Judge(status, text, afterData)
	if text == "" {
		_, address, _ := strings.Cut(h.Get("Final-Recipient"), ";")
		text = s.replyFor(strings.TrimSpace(address))
	}
	if kind == reply.Unclear {
		kind = reply.Judge(status, text, afterData)
	}
	detail := strings.TrimSpace(status + " " + text)
	action, _, _ = strings.Cut(action, " ")
	switch {
	case action != "failed":
		s.delayed = s.delayed || action == "delayed"
		s.other = action + " " + status // without the recipient's address, because this text is logged
	case kind.IsAboutAddress():
		s.failed = givenUp(kind, detail) + detail
	case kind == reply.Unclear:
		s.isUnclear, s.unclear = true, detail
		fallthrough
	default:
		s.refused = givenUp(kind, detail) + cmp.Or(detail, "refused without a reason")
	}
}

// endOfData matches what mail servers write about a reply to the mail itself.
var endOfData = regexp.MustCompile(`(?i)\b(?:reply to|after) end of data\b`)

// givenUp returns what is written before the reply of a mail server that has given up. text begins with the status.
func givenUp(kind reply.Kind, text string) string {
	if strings.HasPrefix(text, "4") || kind == reply.Unreachable && !strings.HasPrefix(text, "5") {
		return "given up after tries: "
	}
	return ""
}

// replyFor finds the reply for an address in the text part. OpenSMTPD writes the reply
// only there, in a line with the address, a colon and the reply.
func (s *reportReader) replyFor(address string) string {
	if address == "" {
		return ""
	}
	for line := range strings.Lines(s.text) {
		if answer, ok := strings.CutPrefix(strings.TrimSpace(line), address+":"); ok {
			return strings.TrimSpace(answer)
		}
	}
	return ""
}

// feedback reads a complaint. RFC 5965, 3
func (s *reportReader) feedback(text []byte) {
	h := fieldsOf(text)
	switch kind := strings.ToLower(h.Get("Feedback-Type")); kind {
	case "abuse", "fraud", "opt-out", "opt-out-list":
		s.complaint = kind
	default: // with not-spam, virus, auth-failure and others, the recipient does not ask to be unsubscribed
		s.other = "feedback of type " + kind
	}
	s.addresses(h.Values("Original-Mail-From"))
	s.addresses(h.Values("Original-Rcpt-To"))
}

// original reads the header of the returned message.
func (s *reportReader) original(text []byte) {
	s.isReturned = true
	mail := parsePart(bytes.TrimLeft(text, "\n"))
	s.addresses(mail.header.Values("Return-Path"))
	s.addresses(mail.header.Values("X-Original-Return-Path"))
	for _, links := range mail.header.Values("List-Unsubscribe") {
		s.links(links)
	}
}

func (s *reportReader) addresses(all []string) {
	for _, a := range all {
		s.address(a)
	}
}

// longestTag limits the tag of a delivery, in bytes. A limit is needed because anyone
// can send a report with any text.
const longestTag = 128

// address looks for the tag of a delivery in a text with addresses. A tag follows a plus
// sign and consists of letters, digits and "-".
func (s *reportReader) address(text string) {
	_, tags, _ := strings.Cut(text, "+")
	for tag := range strings.SplitSeq(tags, "+") {
		if s.found {
			return
		}
		tag = tag[:min(len(tag), longestTag)]
		if end := strings.IndexFunc(tag, notTagChar); end >= 0 {
			tag = tag[:end]
		}
		s.delivery, s.found = s.key.ReadTag(tag)
	}
}

func notTagChar(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// links looks for a link to unsubscribe that this service has signed.
func (s *reportReader) links(text string) {
	for link := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.Trim(strings.TrimSpace(link), "<>"))
		if err != nil || s.found {
			continue
		}
		if at := strings.LastIndex(u.Path, "/"+string(enlist.LinkUnsubscribe)+"/"); at >= 0 {
			l, ok := s.key.Read(u.Path[at:])
			s.delivery, s.found = l.DeliveryKey, ok
		}
	}
}
