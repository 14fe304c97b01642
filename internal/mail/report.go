package mail

import (
	"bufio"
	"io"
	"net/url"
	"strings"

	"enlist/internal/audience"

	"github.com/emersion/go-message"
	"github.com/emersion/go-message/textproto"
)

// ReportKind is what a report tells of a message that was sent.
type ReportKind string

// The kinds of reports. NoReport is any other mail, and reports of what
// concerns nobody: a delay, a delivery, a message that is not from here.
const (
	NoReport        ReportKind = ""
	BounceReport    ReportKind = "bounce"
	ComplaintReport ReportKind = "complaint"
)

// Report is what a mail server, or a recipient through it, says of a message
// that was sent.
type Report struct {
	Kind     ReportKind
	Delivery audience.DeliveryKey // which message
	Detail   string               // what went wrong; for NoReport, why it is none
}

// maxReport bounds how much of a report is looked at, in bytes. What tells
// something comes before the message that it is about.
const maxReport = 4 << 20

// maxParts bounds how many parts of a report are looked at, and maxText how much
// of the text for people, in bytes.
const (
	maxParts = 100
	maxText  = 64 << 10
)

// ReadReport reads a delivery status notification (RFC 3464) or a complaint
// (RFC 5965). Which message it is about, it says with a name that only the key
// can have made: in the address that it was sent to, which the mail server may
// know better than the header, in the sender of the message that it returns, or
// in a link of its header. What does not is none, whatever it looks like.
// decisions.md: 51
func ReadReport(r io.Reader, key *audience.LinkKey, recipient string) Report {
	s := &scan{key: key}
	s.address(recipient)
	e, err := message.Read(withoutFromLine(io.LimitReader(r, maxReport)))
	if e == nil {
		return Report{Detail: "it is no mail: " + shorten(err.Error())}
	}
	for _, field := range []string{"To", "Delivered-To", "X-Original-To", "Envelope-To", "X-Envelope-To"} {
		s.addresses(e.Header.Values(field))
	}
	s.entity(e, 0)
	return s.report()
}

// withoutFromLine passes over the line that some programs put before a mail.
func withoutFromLine(r io.Reader) io.Reader {
	b := bufio.NewReader(r)
	if start, err := b.Peek(5); err == nil && string(start) == "From " {
		for partial := true; partial && err == nil; {
			_, partial, err = b.ReadLine()
		}
	}
	return b
}

// scan is what was found in a report.
type scan struct {
	key      *audience.LinkKey
	delivery audience.DeliveryKey
	known    bool
	parts    int
	text     string // what is said to people, before the status

	failed, other string // what a status says, when it is a failure for good, or is not
	complaint     string // the kind of complaint
	isReport      bool
}

func (s *scan) report() Report {
	switch {
	case !s.isReport:
		return Report{Detail: "it is neither a delivery status notification nor a complaint"}
	case s.failed == "" && s.complaint == "":
		return Report{Detail: "it tells of nothing that is for good: " + shorten(s.other)}
	case !s.known:
		return Report{Detail: "it does not name a message that was sent from here"}
	case s.complaint != "":
		return Report{Kind: ComplaintReport, Delivery: s.delivery, Detail: shorten("complaint: " + s.complaint)}
	}
	return Report{Kind: BounceReport, Delivery: s.delivery, Detail: shorten(s.failed)}
}

// entity looks through a mail or a part of one.
func (s *scan) entity(e *message.Entity, depth int) {
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
			text, _ := io.ReadAll(io.LimitReader(e.Body, maxText)) // what there is before an error counts
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

// status reads a delivery status: fields about the message, then, after an empty
// line, about each recipient. RFC 3464, 2
func (s *scan) status(r io.Reader) {
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

func (s *scan) recipient(action string, h *textproto.Header) {
	status, _, _ := strings.Cut(strings.TrimSpace(h.Get("Status")), " ")
	_, diagnostic, _ := strings.Cut(h.Get("Diagnostic-Code"), ";")
	said := strings.TrimSpace(diagnostic)
	if said == "" {
		_, address, _ := strings.Cut(h.Get("Final-Recipient"), ";")
		said = s.saidOf(strings.TrimSpace(address))
	}
	detail := strings.TrimSpace(status + " " + said)
	if status == "5.0.0" { // says nothing: the reply may
		_, rest, _ := strings.Cut(said, " ")
		if better := enhanced(rest); better != "" {
			status = better
		}
	}
	if action == "failed" && enhanced(status) != "" && aboutAddress(status) {
		s.failed = detail
	} else {
		s.other = action + " " + status // and no address: it goes into a log
	}
}

// saidOf finds the reply for an address in the text for people, where OpenSMTPD
// has it alone: a line of the address, a colon and the reply.
func (s *scan) saidOf(address string) string {
	if address == "" {
		return ""
	}
	for line := range strings.Lines(s.text) {
		if said, ok := strings.CutPrefix(strings.TrimSpace(line), address+":"); ok {
			return strings.TrimSpace(said)
		}
	}
	return ""
}

// feedback reads what a recipient complains of. RFC 5965, 3
func (s *scan) feedback(r io.Reader) {
	h, _ := textproto.ReadHeader(bufio.NewReader(r)) // what there is before an error counts
	switch kind := strings.ToLower(strings.TrimSpace(h.Get("Feedback-Type"))); kind {
	case "abuse", "fraud", "opt-out", "opt-out-list":
		s.complaint = kind
	default: // not-spam, virus, auth-failure and others are no wish to get nothing more
		s.other = "feedback of type " + kind
	}
	s.addresses(h.Values("Original-Mail-From"))
	s.addresses(h.Values("Original-Rcpt-To"))
}

// original reads the header of the message that comes back.
func (s *scan) original(r io.Reader) {
	h, _ := textproto.ReadHeader(bufio.NewReader(r))
	s.addresses(h.Values("Return-Path"))
	s.addresses(h.Values("X-Original-Return-Path"))
	for _, links := range h.Values("List-Unsubscribe") {
		s.links(links)
	}
}

func (s *scan) addresses(all []string) {
	for _, a := range all {
		s.address(a)
	}
}

// longestTag bounds the name of a delivery, in bytes: who sends reports may write
// anything, and as much of it as a mail holds.
const longestTag = 128

// address looks for the name of a delivery in text with addresses: letters,
// digits and "-" after a plus sign.
func (s *scan) address(text string) {
	for rest := text; !s.known; {
		var found bool
		if _, rest, found = strings.Cut(rest, "+"); !found {
			return
		}
		tag := rest[:min(len(rest), longestTag)]
		if end := strings.IndexFunc(tag, noTag); end >= 0 {
			tag = tag[:end]
		}
		s.delivery, s.known = s.key.ReadTag(tag)
	}
}

func noTag(r rune) bool {
	return r != '-' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
}

// links looks for a link to unsubscribe that was made here.
func (s *scan) links(text string) {
	for link := range strings.SplitSeq(text, ",") {
		u, err := url.Parse(strings.Trim(strings.TrimSpace(link), "<>"))
		if err != nil || s.known {
			continue
		}
		if at := strings.LastIndex(u.Path, "/"+string(audience.LinkUnsubscribe)+"/"); at >= 0 {
			l, ok := s.key.Read(u.Path[at:])
			s.delivery, s.known = l.DeliveryKey, ok
		}
	}
}
