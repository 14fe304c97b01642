package mail

import (
	"bufio"
	"io"
	"net/url"
	"strings"

	"enlist/internal/enlist"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/textproto"
)

// This file reads the mails that mail servers send back: reports about delivery
// failures (bounces) and complaints of recipients. The command "enlist bounce" calls
// ReadReport, and then deactivates or unsubscribes the Contact.

// ReportKind says what a report means for the message that was sent.
type ReportKind string

// The kinds of reports. NoReport is any other mail, or a report that changes nothing.
// Examples are a report about a delay or about a message of another sender.
const (
	NoReport        ReportKind = ""
	BounceReport    ReportKind = "bounce"
	ComplaintReport ReportKind = "complaint"
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

// ReadReport reads a delivery status notification (RFC 3464) or a complaint (RFC 5965).
// A report must contain the tag of a delivery, which this service signed with the key.
// So a forged report has no effect. ReadReport looks for the tag in three addresses:
// recipient, the header fields with the report's recipient, and the sender of the
// returned message. In place of the tag, it also accepts the link to unsubscribe in the
// returned message, because this service has signed it too.
// decisions.md: 51
func ReadReport(r io.Reader, key *enlist.LinkKey, recipient string) Report {
	s := &reportReader{key: key}
	s.address(recipient)
	e, err := message.Read(withoutFromLine(io.LimitReader(r, maxReport)))
	if e == nil {
		return Report{Detail: "it cannot be parsed as a mail: " + Shorten(err.Error())}
	}
	for _, field := range []string{"To", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To"} {
		s.addresses(e.Header.Values(field))
	}
	s.entity(e, 0)
	return s.report()
}

// withoutFromLine skips a first line "From ...". Some programs write this line before
// a mail, as in the mbox format.
func withoutFromLine(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if start, err := b.Peek(5); err == nil && string(start) == "From " {
		for partial := true; partial && err == nil; {
			_, partial, err = b.ReadLine()
		}
	}
	return b
}

// reportReader collects the information of a report while its parts are read.
type reportReader struct {
	key      *enlist.LinkKey
	delivery enlist.DeliveryKey
	found    bool   // delivery contains the key from a tag or from a link
	parts    int    // number of MIME parts read so far
	text     string // the first text part; it is before the status

	failed    string // status and reply of a permanent failure
	other     string // any other status or type of complaint
	complaint string // type of a complaint that unsubscribes
	isReport  bool
}

// report returns the result after all parts were read.
func (s *reportReader) report() Report {
	switch {
	case !s.isReport:
		return Report{Detail: "it is neither a delivery status notification nor a complaint"}
	case s.failed == "" && s.complaint == "":
		return Report{Detail: "it reports no permanent failure: " + Shorten(s.other)}
	case !s.found:
		return Report{Detail: "it does not name a message that this service sent"}
	case s.complaint != "":
		return Report{Kind: ComplaintReport, Delivery: s.delivery, Detail: Shorten("complaint: " + s.complaint)}
	}
	return Report{Kind: BounceReport, Delivery: s.delivery, Detail: Shorten(s.failed)}
}

// entity reads a mail or a MIME part.
func (s *reportReader) entity(e *message.Entity, depth int) {
	if s.parts++; s.parts > maxParts || depth > 4 {
		return
	}
	kind, _, err := e.Header.ContentType()
	if err != nil {
		return
	}
	switch strings.ToLower(kind) {
	case "message/delivery-status", "message/global-delivery-status":
		s.isReport = true
		s.status(e.Body)
	case "message/feedback-report":
		s.isReport = true
		s.feedback(e.Body)
	case "text/plain":
		if s.text == "" {
			text, _ := io.ReadAll(io.LimitReader(e.Body, maxText)) // after an error, use the text before it
			s.text = string(text)
		}
	case "message/rfc822", "text/rfc822-headers", "message/global", "message/global-headers":
		s.original(e.Body)
	default:
		parts := e.MultipartReader()
		for parts != nil {
			part, err := parts.NextPart()
			if part == nil || err != nil && !message.IsUnknownCharset(err) && !message.IsUnknownEncoding(err) {
				return
			}
			s.entity(part, depth+1)
		}
	}
}

// status reads a delivery status. First it has a group of fields about the message, and
// then a group for each recipient. Empty lines separate the groups. RFC 3464, 2
func (s *reportReader) status(r io.Reader) {
	for b := bufio.NewReader(r); ; {
		if _, err := b.Peek(1); err != nil {
			return
		}
		h, err := textproto.ReadHeader(b)
		if action := strings.ToLower(strings.TrimSpace(h.Get("Action"))); action != "" {
			s.recipient(action, &h)
		}
		s.addresses(h.Values("Original-Recipient"))
		s.addresses(h.Values("Final-Recipient"))
		if err != nil {
			return
		}
	}
}

// recipient reads the fields about one recipient. It records a bounce only if the
// failure is permanent and the recipient's address is the reason.
func (s *reportReader) recipient(action string, h *textproto.Header) {
	status, _, _ := strings.Cut(strings.TrimSpace(h.Get("Status")), " ")
	_, diagnostic, _ := strings.Cut(h.Get("Diagnostic-Code"), ";")
	reply := strings.TrimSpace(diagnostic)
	if reply == "" {
		_, address, _ := strings.Cut(h.Get("Final-Recipient"), ";")
		reply = s.replyFor(strings.TrimSpace(address))
	}
	detail := strings.TrimSpace(status + " " + reply)
	if status == "5.0.0" {
		status = betterStatus(status, reply)
	}
	if action == "failed" && enhanced(status) != "" && aboutAddress(status) {
		s.failed = detail
	} else {
		s.other = action + " " + status // without the recipient's address, because this text is logged
	}
}

// BlamesAddress reports whether the recipient's address is the reason of a permanent failure. status is the enhanced
// status code, or "" if there is none. Without any code, the address is the reason. decisions.md: 50
func BlamesAddress(status, reply string) bool {
	status, _, _ = strings.Cut(strings.TrimSpace(status), " ") // a comment can follow
	if status == "" || status == "5.0.0" {
		status = betterStatus(status, reply)
	}
	return status == "" || aboutAddress(status)
}

// betterStatus returns the status code in a reply, or status if it has none. The status 5.0.0 gives no reason, but the
// reply sometimes begins with a better code, also after the code of SMTP.
func betterStatus(status, reply string) string {
	_, rest, _ := strings.Cut(reply, " ")
	for _, text := range [...]string{rest, reply} {
		if better := enhanced(text); better != "" {
			return better
		}
	}
	return status
}

// replyFor finds the reply for an address in the text part. OpenSMTPD writes the reply
// only there, in a line with the address, a colon and the reply.
func (s *reportReader) replyFor(address string) string {
	if address == "" {
		return ""
	}
	for line := range strings.Lines(s.text) {
		if reply, ok := strings.CutPrefix(strings.TrimSpace(line), address+":"); ok {
			return strings.TrimSpace(reply)
		}
	}
	return ""
}

// feedback reads a complaint. RFC 5965, 3
func (s *reportReader) feedback(r io.Reader) {
	h, _ := textproto.ReadHeader(bufio.NewReader(r)) // after an error, use the fields before it
	switch kind := strings.ToLower(strings.TrimSpace(h.Get("Feedback-Type"))); kind {
	case "abuse", "fraud", "opt-out", "opt-out-list":
		s.complaint = kind
	default: // with not-spam, virus, auth-failure and others, the recipient does not ask to be unsubscribed
		s.other = "feedback of type " + kind
	}
	s.addresses(h.Values("Original-Mail-From"))
	s.addresses(h.Values("Original-Rcpt-To"))
}

// original reads the header of the returned message.
func (s *reportReader) original(r io.Reader) {
	h, _ := textproto.ReadHeader(bufio.NewReader(r))
	s.addresses(h.Values("Return-Path"))
	s.addresses(h.Values("X-Original-Return-Path"))
	for _, links := range h.Values("List-Unsubscribe") {
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

// notTagChar reports whether a character cannot be part of a tag.
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
