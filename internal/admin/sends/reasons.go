package sends

import (
	"html/template"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/recipients"
	"enlist/internal/reports"
)

// This file says why mails did not arrive, and what the sender can do.

// reason is a row of the table of reasons.
type reason struct {
	Reason                    recipients.BounceReason
	Name                      string
	Do                        template.HTML // what the sender can do; "": nothing
	Providers                 string        // that gave the reason, those with most mails first
	Bounced, Failed, Deferred int64
	Lost, Most                int64 // mails that did not arrive, and the largest number of them that a reason has
}

// reasonTexts are what the pages call a reason, and what the sender can do.
var reasonTexts = map[recipients.BounceReason]struct{ name, do string }{
	recipients.ReasonUnknownAddress: {"sends.no_mailbox", ""},
	recipients.ReasonDisabled:       {"sends.mailbox_disabled", ""},
	recipients.ReasonFull:           {"sends.mailbox_full", ""},
	recipients.ReasonUnreachable:    {"sends.no_mail_server", ""},
	recipients.ReasonPolicy:         {"sends.by_policy", ""},
	recipients.ReasonContent:        {"sends.by_content", ""},
	recipients.ReasonOther:          {"sends.another_reason", ""},

	"account_limit":  {"sends.by_account", "sends.do_account"},
	"relay":          {"sends.by_relay", "sends.do_relay"},
	"reverse_dns":    {"sends.by_reverse_dns", "sends.do_reverse_dns"},
	"tls":            {"sends.by_tls", "sends.do_tls"},
	"authentication": {"sends.by_authentication", "sends.do_authentication"},
	"block_list":     {"sends.by_block_list", "sends.do_block_list"},
	"reputation":     {"sends.by_reputation", "sends.do_reputation"},
	"rate":           {"sends.by_rate", "sends.do_rate"},
	"try_later":      {"sends.by_later", "sends.do_later"},
	"spam":           {"sends.by_spam", "sends.do_spam"},
	"sender_address": {"sends.by_sender", "sends.do_sender"},
}

// reasonText is what the pages call a reason.
func reasonText(r *ui.Request, name recipients.BounceReason) string {
	if text, known := reasonTexts[name]; known {
		return r.Text(text.name)
	}
	return string(name)
}

// reasonsOf returns the reasons of a Batch, those that most mails have first.
func reasonsOf(q *ui.Request, r *reports.BatchReport) (all []reason) {
	for _, s := range r.ByReason() {
		row := reason{Reason: s.Reason, Name: reasonText(q, s.Reason), Providers: providersOf(q, r, s.Reason),
			Bounced: s.Bounced, Failed: s.Failed, Deferred: s.Deferred, Lost: s.Bounced + s.Failed}
		if do := reasonTexts[s.Reason].do; do != "" {
			row.Do = q.Language.HTML(do, "domains", domainsPath)
		}
		if row.Lost+row.Deferred > 0 {
			all = append(all, row)
		}
	}
	slices.SortStableFunc(all, func(a, b reason) int { return int(b.Lost - a.Lost) })
	for i := range all {
		all[i].Most = max(1, all[0].Lost)
	}
	return all
}

// domainsPath is the page of the domains from which the Account sends.
const domainsPath = "/admin/sending/domains"

// providersOf names the providers that gave a reason.
func providersOf(q *ui.Request, r *reports.BatchReport, name recipients.BounceReason) string {
	sums := slices.DeleteFunc(slices.Clone(r.Domains), func(s recipients.DomainSums) bool { return s.Reason != name })
	slices.SortStableFunc(sums, func(a, b recipients.DomainSums) int {
		return int(b.Bounced + b.Failed + b.Deferred - a.Bounced - a.Failed - a.Deferred)
	})
	var names []string
	for i := range sums {
		names = append(names, providerText(q, sums[i].Group))
	}
	return q.Language.Series(names)
}
