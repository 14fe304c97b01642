package dns

import "enlist/internal/accounts"

// Suggested returns the SPF and the DMARC record that a domain of senders needs, without looking any up. The Value of
// the SPF record is "" if it is not known: an email provider says what it is, and without a mail server there is none.
func (s *Setup) Suggested(domain string) (spf, dmarc accounts.DNSRecord) {
	envelope := domain
	if s.Bounces != "" {
		envelope = s.Bounces
	}
	spf = accounts.DNSRecord{Name: envelope, Type: "TXT"}
	if s.Provider == "" && (s.Relay != "" || len(s.Addresses) > 0) {
		spf.Value = spfRecord(s.Addresses, s.Relay)
	}
	return spf, accounts.DNSRecord{Name: "_dmarc." + organisation(domain), Type: "TXT", Value: "v=DMARC1; p=none"}
}
