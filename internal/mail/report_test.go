package mail

import (
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
)

// The tests in this file read reports of Postfix and other mail servers, and mails that only look
// like reports.

var (
	reportKey = enlist.LinkKey{7}
	reported  = enlist.DeliveryKey{List: 12, Contact: 345, Time: 1767225600, Cause: "a7"}
)

// reportNames replaces TAG in a report by the tag of the delivery, and LINK by its link to
// unsubscribe.
var reportNames = strings.NewReplacer("\n", "\r\n", "TAG", reportKey.Tag(reported),
	"LINK", reportKey.Path(enlist.Link{Kind: enlist.LinkUnsubscribe, DeliveryKey: reported}))

// dsn returns a delivery status notification about one recipient, in the form that Postfix writes.
func dsn(to, fields, original string) string {
	return reportNames.Replace(
		`Return-Path: <>
From: MAILER-DAEMON@mx.example.org (Mail Delivery System)
To: ` + to + `
Subject: Undelivered Mail Returned to Sender
Auto-Submitted: auto-replied
MIME-Version: 1.0
Content-Type: multipart/report; report-type=delivery-status; boundary="B"

--B
Content-Type: text/plain; charset=x-unheard-of

I'm sorry to have to inform you that your message could not be delivered.

ann@example.com: 550 5.7.1 said to people

--B
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.example.org
Arrival-Date: Fri, 20 Nov 2026 17:00:00 +0000

Final-Recipient: rfc822; ann@example.com
Original-Recipient: rfc822;ann@example.com
` + fields + `
Remote-MTA: dns; mx.example.com

--B
Content-Type: text/rfc822-headers

` + original + `
From: list@example.org
To: ann@example.com
Subject: Hello

--B--
`)
}

// arf returns a complaint in the Abuse Reporting Format (RFC 5965).
func arf(kind, mailFrom, original string) string {
	return reportNames.Replace(
		`From: <feedback@mx.example.com>
To: <abuse@example.org>
Subject: FW: Hello
MIME-Version: 1.0
Content-Type: multipart/report; report-type=feedback-report; boundary="B"

--B
Content-Type: text/plain; charset="US-ASCII"
Content-Transfer-Encoding: 7bit

This is an email abuse report.

--B
Content-Type: message/feedback-report

Feedback-Type: ` + kind + `
User-Agent: SomeGenerator/1.0
Version: 1
Original-Mail-From: ` + mailFrom + `
Source-IP: 192.0.2.1

--B
Content-Type: message/rfc822
Content-Disposition: inline

` + original + `
From: <list@example.org>
To: <ann@example.com>
Subject: Hello

Text
--B--
`)
}

const (
	failedStatus  = "Action: failed\nStatus: 5.1.1\nDiagnostic-Code: smtp; 550 5.1.1 <ann@example.com>: nobody here"
	delayedStatus = "Action: delayed\nStatus: 4.4.1\nDiagnostic-Code: X-Postfix; connection refused"
)

// ReadReport returns a bounce or a complaint only if the report has the tag or the link of a delivery
// of this service. A bounce must also be about a permanent failure. Every other mail is ignored.
//
// covers: decision 51
func TestReportsAreUnderstoodOrIgnored(t *testing.T) {
	for _, c := range []struct {
		name            string
		text, recipient string
		want            ReportKind
		detail          string
	}{
		{"bounce", dsn("bounces+TAG@example.org", failedStatus, "X: y"), "", BounceReport,
			"5.1.1 550 5.1.1 <ann@example.com>: nobody here"},
		{"capitals", dsn("Bounces+"+strings.ToUpper(reportKey.Tag(reported))+"@EXAMPLE.ORG", failedStatus, "X: y"), "", BounceReport, "5.1.1"},
		{"an address with a display name", dsn("\"Bounces + more\" <bounces+TAG@example.org>", failedStatus, "X: y"), "", BounceReport, "5.1.1"},
		{"a first line of the mbox format", "From MAILER-DAEMON  Fri Nov 20 17:00:00 2026\n" + dsn("bounces+TAG@example.org", failedStatus, "X: y"), "", BounceReport, "5.1.1"},
		{"tag in the recipient that the mail server passes", dsn("x@example.org", failedStatus, "X: y"), "bounces+" + reportKey.Tag(reported) + "@example.org", BounceReport, "5.1.1"},
		{"tag in Delivered-To", "Delivered-To: bounces+" + reportKey.Tag(reported) + "@example.org\r\n" + dsn("x@example.org", failedStatus, "X: y"), "", BounceReport, "5.1.1"},
		{"tag in the return path of the returned message", dsn("x@example.org", failedStatus, "Return-Path: <bounces+TAG@example.org>"), "", BounceReport, "5.1.1"},
		{"link in the returned message", dsn("x@example.org", failedStatus, "List-Unsubscribe: <mailto:x@y>,\n <https://example.org/mailLINK>"), "", BounceReport, "5.1.1"},
		{"status with a comment", dsn("bounces+TAG@example.org", "Action: Failed\nStatus: 5.2.1 (disabled)", "X: y"), "", BounceReport, "5.2.1"},
		{"given up after tries", dsn("bounces+TAG@example.org", "Action: failed\nStatus: 4.4.7", "X: y"), "", BounceReport, "given up after tries: 4.4.7"},
		{"action without a status", dsn("bounces+TAG@example.org", "Action: failed\nDiagnostic-Code: smtp; 550 user unknown", "X: y"), "", BounceReport, "550 user unknown"},

		{"no tag", dsn("bounces@example.org", failedStatus, "X: y"), "", NoReport, "does not name a message"},
		{"forged tag", dsn("bounces+12-345-1767225600-a7-0123456789abcdef@example.org", failedStatus, "X: y"), "", NoReport, "does not name a message"},
		{"forged link", dsn("x@example.org", failedStatus, "List-Unsubscribe: <https://example.org/u/12-345-1767225600-a7/AAAAAAAAAAAAAAAAAAAAAA>"), "", NoReport, "does not name a message"},
		{"delayed", dsn("bounces+TAG@example.org", delayedStatus, "X: y"), "", NoReport, "delayed 4.4.1"},
		{"relayed", dsn("bounces+TAG@example.org", "Action: relayed\nStatus: 2.0.0", "X: y"), "", NoReport, "relayed"},
		{"status without a reason", dsn("bounces+TAG@example.org", "Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550", "X: y"), "", RefusalReport, "5.0.0 550"},
		{"given up because of a policy", dsn("bounces+TAG@example.org", "Action: failed\nStatus: 4.7.1", "X: y"), "", RefusalReport, "4.7.1"},
		{"refused for policy", dsn("bounces+TAG@example.org", "Action: failed\nStatus: 5.7.1", "X: y"), "", RefusalReport, "5.7.1"},
		{"policy status in the text part", dsn("bounces+TAG@example.org", "Action: failed\nStatus: 5.0.0", "X: y"), "", RefusalReport, "5.0.0 550 5.7.1 said to people"},
		{"policy status in the reply", dsn("bounces+TAG@example.org", "Action: failed\nStatus: 5.0.0\nDiagnostic-Code: smtp; 550 5.7.1 blocked", "X: y"), "", RefusalReport, "5.0.0 550 5.7.1 blocked"},
		{"message too long", dsn("bounces+TAG@example.org", "Action: failed\nStatus: 5.3.4", "X: y"), "", RefusalReport, "5.3.4"},
		{"holiday note", "To: bounces+" + reportKey.Tag(reported) + "@example.org\r\nSubject: I am away\r\n\r\nUntil Monday. 550 5.1.1\r\n", "", NoReport, "neither"},
		{"empty", "", "", NoReport, "neither"},
		{"bytes that are not a mail", "\x00\x01\xff", "", NoReport, ""},
		{"complaint", arf("abuse", "<bounces+TAG@example.org>", "X: y"), "", ComplaintReport, "complaint: abuse"},
		{"complaint with the link to unsubscribe", arf("abuse", "<>", "List-Unsubscribe: <https://example.orgLINK>"), "", ComplaintReport, "complaint: abuse"},
		{"report that a message is not spam", arf("not-spam", "<bounces+TAG@example.org>", "X: y"), "", NoReport, "not-spam"},
		{"complaint about a message of another sender", arf("abuse", "<x@example.org>", "X: y"), "", NoReport, "does not name a message"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := ReadReport(strings.NewReader(c.text), &reportKey, c.recipient)
			if got.Kind != c.want || !strings.Contains(got.Detail, c.detail) {
				t.Errorf("got the kind %q and the detail %q, want %q and %q", got.Kind, got.Detail, c.want, c.detail)
			}
			if got.Kind != NoReport && got.Delivery != reported {
				t.Errorf("the report is about the delivery %v, want %v", got.Delivery, reported)
			}
		})
	}
}

// A report has no effect if its tag was signed with another key.
//
// covers: decision 51
func FuzzReport(f *testing.F) {
	f.Add(dsn("bounces+TAG@example.org", failedStatus, "X: y"), "")
	f.Add(dsn("x@example.org", failedStatus, "List-Unsubscribe: <https://example.orgLINK>"), "bounces+1-2-3-c-00@x")
	f.Add(arf("abuse", "<bounces+TAG@example.org>", "X: y"), "")
	f.Fuzz(func(t *testing.T, text, recipient string) {
		other := enlist.LinkKey{8}
		if got := ReadReport(strings.NewReader(text), &other, recipient); got.Kind != NoReport {
			t.Errorf("with another key, got %+v, want NoReport", got)
		}
		if got := ReadReport(strings.NewReader(text), &reportKey, recipient); len(got.Detail) > longestDetail+100 {
			t.Errorf("the detail has %d bytes, want at most %d", len(got.Detail), longestDetail+100)
		}
	})
}

// Anyone can send a mail to the address for bounces. ReadReport must also read a mail with a very
// large header fast.
//
// covers: decision 51
func TestLargeReportsAreReadFast(t *testing.T) {
	for _, c := range []struct{ name, filling string }{
		{"plus signs", strings.Repeat("+-", 400)},
		{"texts that are almost tags", strings.Repeat("+1-2-3-c-0123456789abcdef", 30)},
	} {
		t.Run(c.name, func(t *testing.T) {
			const header = 900 << 10 // in bytes; a header of more than 1 MiB is not read
			mail := "From: a@example.com\r\nTo: " + strings.Repeat(c.filling+"\r\n ", header/(len(c.filling)+3)) + "x\r\n\r\nhello\r\n"
			began := time.Now()
			if r := ReadReport(strings.NewReader(mail), &reportKey, ""); !strings.HasPrefix(r.Detail, "it is neither") {
				t.Errorf("got %+v, want NoReport", r)
			}
			if took := time.Since(began); took > time.Minute {
				t.Errorf("ReadReport took %v, want less than a minute", took)
			}
		})
	}
}
