package reply

import "testing"

// The replies are those that Google, Microsoft and Yahoo have published.
//
// covers: decision 50
func TestRefusalsForTheSenderNameTheirFault(t *testing.T) {
	for _, c := range []struct {
		text string
		want Fault
	}{
		{"550 5.7.515 Access denied, sending domain example.com doesn't meet the required authentication level. Spf= Fail , Dkim= Pass , DMARC= Fail", Authentication},
		{"550 5.7.509 Access denied, sending domain example.com does not pass DMARC verification and has a DMARC policy of reject.", Authentication},
		{"550 5.7.23 The message was rejected because of Sender Policy Framework violation", Authentication},
		{"550-5.7.26 This email has been blocked because the sender is unauthenticated. Gmail requires all senders to authenticate with either SPF or DKIM.", Authentication},
		{"550 5.7.26 Unauthenticated email from example.com is not accepted due to domain's DMARC policy.", Authentication},
		{"451 4.7.26 Unauthenticated email from example.com is not accepted due to domain's DMARC policy, but temporary DNS failures prevent authentication.", Authentication},
		{"421 4.7.26 This email has been rate limited because it is unauthenticated.", Authentication},
		{"421 4.7.27 Your email has been rate limited because SPF authentication didn't pass for this message.", Authentication},
		{"550 5.7.27 Gmail requires all bulk email senders to authenticate their email with SPF.", Authentication},
		{"421 4.7.30 Your email has been rate limited because DKIM authentication didn't pass for this message.", Authentication},
		{"550 5.7.30 Your email was blocked because DKIM authentication didn't pass", Authentication},
		{"421 4.7.31 Your email has been rate limited because the sending domain doesn't have a DMARC record", Authentication},
		{"421 4.7.40 Your email has been rate limited because the sending domain doesn't have a DMARC record", Authentication},
		{"421 4.7.32 Your email has been rate limited because the From: header (RFC5322) in this message isn't aligned with either the authenticated SPF or DKIM organizational domain.", Authentication},
		{"451 4.7.24 The SPF record of the sending domain has one or more suspicious entries.", Authentication},
		{"550 5.7.1 Yahoo requires all senders to authenticate with either SPF or DKIM", Authentication},
		{"5.7.22", Authentication},

		{"421 4.7.29 Your email has been rate limited because you're not using a TLS connection. Gmail requires all bulk email senders to use TLS/SSL for SMTP connections.", TLS},
		{"550 5.7.29 Gmail requires all bulk email senders to use TLS/SSL", TLS},
		{"421 4.7.0 TLS required for RCPT domain, closing connection.", TLS},

		{"550 5.7.25 This message was blocked because the sending IP address doesn't have a PTR record", ReverseDNS},
		{"550 5.7.25 [192.0.2.1] The IP address sending this message must have a reverse DNS record", ReverseDNS},
		{"451 4.7.23 The sending IP address for this message doesn't have a PTR record, or the PTR record's forward DNS entry doesn't match. your email has been temporarily rate limited.", ReverseDNS},
		{"550 5.7.1 This message does not meet IPv6 sending guidelines regarding PTR records and authentication.", ReverseDNS},
		{"450 4.7.1 Client host rejected: cannot find your reverse hostname, [192.0.2.1]", ReverseDNS},

		{"421 4.7.28 Gmail has detected an unusual rate of unsolicited email originating from your IP address", Rate},
		{"550 5.7.1 This email has been rate limited.", Rate},
		{"421 RP-001 The mail server IP connecting to Outlook.com server has exceeded the rate limit allowed.", Rate},
		{"451 4.7.500 Access denied, please try again later", Rate},
		{"451 4.7.652 The mail server [192.0.2.1] has exceeded the maximum number of connections", Rate},
		{"450 4.2.1 The user you are trying to contact is receiving email too quickly.", Rate},

		{"421 4.7.0 [TSS04] Messages from 192.0.2.1 temporarily deferred due to unexpected volume or user complaints - 4.16.55.1", Reputation},
		{"553 5.7.2 [TSS09] All messages from 192.0.2.1 will be permanently deferred; Retrying will NOT succeed.", Reputation},
		{"550 5.7.1 This message is likely suspicious due to the very low reputation of the sending domain.", Reputation},
		{"451 4.7.650 The mail server [192.0.2.1] has been temporarily rate limited due to IP reputation.", Reputation},
		{"550 SC-001 Mail rejected by Outlook.com for policy reasons.", Reputation},

		{"550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. Please contact your Internet service provider since part of their network is on our block list (S3150).", BlockList},
		{"550 5.7.1 Unfortunately, messages from [192.0.2.1] weren't sent. (S3140)", BlockList},
		{"553 5.7.1 [BL21] Connections will not be accepted from 192.0.2.1, because the ip is in Spamhaus's list", BlockList},
		{"550 5.7.606 Access denied, banned sending IP [192.0.2.1]", BlockList},
		{"550 5.7.511 Access denied, banned sender [192.0.2.1]", BlockList},
		{"550 OU-001 Mail rejected by Outlook.com for policy reasons.", BlockList},
		{"554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.spamhaus.org", BlockList},

		{"550 5.7.705 Access denied, tenant has exceeded threshold", Account},
		{"550 5.7.708 Access denied, traffic not accepted from this IP", Account},
		{"550 5.4.5 Daily user sending limit exceeded.", Account},
		{"550 5.7.1 Daily SMTP relay sending limit exceeded for this customer.", Account},

		{"550 5.7.64 TenantAttribution; Relay Access Denied", Relay},
		{"530 5.7.57 Client not authenticated to send mail", Relay},
		{"550 5.7.0 Email relay denied 192.0.2.1. Invalid credentials for relay", Relay},
		{"530 5.7.0 Authentication required.", Relay},

		{"451 4.7.1 Greylisted, please try again in 300 seconds", Later},
		{"421 4.7.0 Try again later, closing connection.", Later},

		{"550 5.7.1 This message is likely unsolicited email.", Spam},
		{"554 Message not allowed - [PH01] Email not accepted for policy reasons", Spam},
		{"421 4.7.0 This message is suspicious due to the nature of the content or the links within.", Spam},
		{"552 5.7.0 This message was blocked because its content presents a potential security issue.", Spam},

		{"550 5.7.27 Sender address has null MX", SenderAddress},
		{"553 5.1.8 the sender's domain does not exist", SenderAddress},
		{"550 5.7.1 Denied by policy", ""},
		{"550 5.7.507 Access denied, rejected by recipient", ""},
	} {
		for _, afterData := range []bool{false, true} {
			if kind := Judge("", c.text, afterData); kind.IsAboutAddress() {
				t.Errorf("%q (after data: %v) is of the kind %q, which is held against the address", c.text, afterData, kind)
			}
		}
		if got := FaultOf(c.text); got != c.want {
			t.Errorf("%q has the fault %q, want %q", c.text, got, c.want)
		}
	}
}
