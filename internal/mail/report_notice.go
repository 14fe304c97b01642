package mail

import (
	"bytes"
	"regexp"
	"strings"

	"enlist/internal/mail/reply"
)

// This file reads bounces that are plain text, such as those of qmail, Exim and DragonFly, and the text that comes
// before a delivery status.

var (
	// returned matches the first line of the returned message, and the lines that mail servers write before it.
	returned = regexp.MustCompile(`(?im)^(?:[-*_=>\s]*(?:` +
		`(?:(?:this is|below (?:this line )?is|here is|included is|following is|begin of)[^\n]*)?(?:a |the )?(?:copy of|` +
		`original|returned|unsent|undelivered|header of the original|headers of|message header|message text|body of)` +
		`[^\n]*(?:message|mail|header|follow)[^\n]*|[^\n]*below this line[^\n]*|message headers follow[^\n]*)|` +
		`(?:return-path|received|message-id|mime-version|dkim-signature|x-[a-z-]+): [^\n]*)$`)

	// delays matches what is written in warnings: the mail server goes on trying.
	delays = regexp.MustCompile(`(?i)delayed|not yet been delivered|will (?:be retried|continue|keep|try again|retry)|` +
		`still (?:being|trying|undelivered)|warning message only|do(?:es)? not need to (?:be )?resen[dt]|transient|` +
		`will be attempted`)

	// failures matches what mail systems write into bounces. It tells them from mails of people.
	failures = regexp.MustCompile(`(?i)mailer.?daemon|post.?master|mail.?deliver|undeliver|deliver\w*(?: \w+){0,4} (?:fail|error)|` +
		`(?:not|n't|unable to|error|fail\w*)(?: \w+){0,3} deliver|delivery (?:status|notif|to the following)|` +
		`delivery errors|returned.mail|failure notice|mail (?:system )?error|(?:not|n't) (?:be )?(?:reach|sent)`)

	// withCode matches a paragraph with a reply code or an enhanced status code.
	withCode = regexp.MustCompile(`(?m)(?:^|[\s#(:;<,\[])(?:[45]\d\d[ \-]|[45]\.\d{1,3}\.\d{1,3}\b)`)

	tags       = regexp.MustCompile(`(?s)<(?:style|script|head)\b.*?</(?:style|script|head)>|<[a-zA-Z/!][^>]*>`)
	paragraphs = regexp.MustCompile(`\n\s*\n`)
)

// notice reads a text part. Some mail servers put the fields of a delivery status, or the returned message, into it.
func (s *reportReader) notice(text []byte, html bool) {
	if len(text) > maxText {
		text = text[:maxText]
	}
	if s.sesEvent(text) {
		return
	}
	if html {
		if strings.TrimSpace(s.text) != "" {
			return
		}
		text = tags.ReplaceAll(text, []byte(" "))
	}
	if at := returned.FindIndex(text); at != nil && len(bytes.TrimSpace(text[:at[0]])) > 0 {
		s.original(text[at[0]:])
		text = text[:at[0]]
	}
	if s.isAnswer() && statusFields.Match(text) {
		s.status(text)
	}
	if len(s.text) < maxText {
		s.text += string(text) + "\n\n"
	}
}

var statusFields = regexp.MustCompile(`(?mi)^(?:final-recipient|action): `)

// judgeNotice returns what the text says about the address, and its reply.
func (s *reportReader) judgeNotice() (reply.Kind, string) {
	var replies []string
	for _, p := range paragraphs.Split(s.text, -1) {
		if withCode.MatchString(p) {
			replies = append(replies, strings.TrimSpace(p))
		}
	}
	text := strings.Join(replies, "\n")
	if kind := reply.Judge("", text, false); kind != reply.Unclear {
		return kind, text
	}
	return reply.Judge("", s.text, false), strings.TrimSpace(s.text)
}

// isAnswer reports whether a text can be a bounce: its recipient has the tag of the delivery, and it has no sender to reply
// to. People quote such texts.
func (s *reportReader) isAnswer() bool { return s.tagged && s.noSender }

// isBounce reports whether a mail without a delivery status is a bounce: a mail system that does not try again has
// written it.
func (s *reportReader) isBounce() bool {
	return s.isAnswer() && failures.MatchString(s.from+"\n"+s.subject+"\n"+s.text) && !s.isDelay()
}

func (s *reportReader) isDelay() bool { return s.delayed || delays.MatchString(s.subject+"\n"+s.text) }
