package dns

import "enlist/internal/accounts"

// Suggested returns the SPF and the DMARC record that a domain of senders needs, without looking any up. With an
// email provider, the SPF record is that of the provider, and its Value is "".
func (s *Setup) Suggested(domain string) (spf, dmarc accounts.DNSRecord) {
	envelope := domain
	if s.Bounces != "" {
		envelope = s.Bounces
	}
	spf = accounts.DNSRecord{Name: envelope, Type: "TXT"}
	if s.Provider == "" {
		spf.Value = spfRecord(s.Addresses, s.Relay)
	}
	return spf, accounts.DNSRecord{Name: "_dmarc." + organisation(domain), Type: "TXT", Value: "v=DMARC1; p=none"}
}
