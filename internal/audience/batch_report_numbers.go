package audience

// This file has the keys of the numbers of a Batch.

// BatchReportAttributes are the keys of the published interface, in their order on the wire. No page of this service
// forwards a mail to a friend or updates a profile, so these numbers are 0.
var BatchReportAttributes = []Attribute[BatchReport]{
	readOnlyFlag("is_scheduled", func(r *BatchReport) bool { return r.IsScheduled }),
	readOnlyInt("send_time", func(r *BatchReport) int64 { return r.SendTime }),
	readOnlyInt("first_sent_time", func(r *BatchReport) int64 { return r.FirstSent }),
	readOnlyInt("last_sent_time", func(r *BatchReport) int64 { return r.LastSent }),
	readOnlyInt("email_count", (*BatchReport).Emails),
	readOnlyInt("unsent_count", (*BatchReport).Unsent),
	readOnlyInt("failed_count", func(r *BatchReport) int64 { return r.Failed }),
	readOnlyInt("gross_html", func(r *BatchReport) int64 { return r.Opens }),
	readOnlyInt("gross_plain", func(r *BatchReport) int64 { return r.ClickOpened }),
	readOnlyInt("html_open_count", func(r *BatchReport) int64 { return r.ImageOpened }),
	readOnlyInt("text_open_count", func(r *BatchReport) int64 { return r.ClickOpened }),
	readOnlyInt("opened_count", func(r *BatchReport) int64 { return r.Opened() }),
	readOnlyInt("not_opened_count", (*BatchReport).NotOpened),
	readOnlyInt("bounce_count", func(r *BatchReport) int64 { return r.Bounced }),
	readOnlyInt("update_profile_count", none),
	readOnlyInt("unsubscribe_count", func(r *BatchReport) int64 { return r.Unsubscribed }),
	readOnlyInt("to_friend_count", none),
	readOnlyInt("unique_to_friend_count", none),
	readOnlyInt("unique_contact_click", func(r *BatchReport) int64 { return r.Clicked }),
	readOnlyInt("unique_link_click", func(r *BatchReport) int64 { return r.LinksClicked }),
	readOnlyInt("gross_click", func(r *BatchReport) int64 { return r.Clicks }),
	readOnlyInt("deactivated_count", func(r *BatchReport) int64 { return r.Deactivated }),
	readOnlyInt("complained_count", func(r *BatchReport) int64 { return r.Complained }),
	readOnlyText("send_status", func(r *BatchReport) BatchStatus { return r.SendStatus() }),
}

// winnerReason says why a variant is the winner.
func (r *BatchReport) winnerReason() string {
	if r.Variants == nil {
		return ""
	}
	return r.Variants.Verdict
}

// none is the number of what this service does not have.
func none(*BatchReport) int64 { return 0 }

// OwnReportAttributes are further keys, which the published interface does not have.
var OwnReportAttributes = []Attribute[BatchReport]{
	readOnlyInt("human_opened_count", func(r *BatchReport) int64 { return r.HumanOpened }),
	readOnlyInt("human_contact_click", func(r *BatchReport) int64 { return r.HumanClicked }),
	readOnlyInt("human_link_click", func(r *BatchReport) int64 { return r.HumanLinks }),
	readOnlyInt("sent_count", func(r *BatchReport) int64 { return r.Sent }),
	readOnlyInt("refused_count", func(r *BatchReport) int64 { return r.Refused }),
	readOnlyInt("skipped_count", func(r *BatchReport) int64 { return r.Skipped }),
	readOnlyInt("repeated_count", func(r *BatchReport) int64 { return r.Repeated }),
	readOnlyInt("doubtful_count", func(r *BatchReport) int64 { return r.Doubtful }),
	readOnlyText("reason", func(r *BatchReport) string { return r.Reason }),
	readOnlyText("local_time", func(r *BatchReport) string { return r.LocalTime }),
	readOnlyText("winner_reason", (*BatchReport).winnerReason),
}

// LeftOutAttributes are the numbers of Contacts that got no mail, by reason.
var LeftOutAttributes = []Attribute[BatchCounts]{
	readOnlyInt("unsubscribed", func(c *BatchCounts) int64 { return c.LeftUnsubscribed }),
	readOnlyInt("inactive", func(c *BatchCounts) int64 { return c.LeftInactive }),
	readOnlyInt("unconfirmed", func(c *BatchCounts) int64 { return c.LeftUnconfirmed }),
	readOnlyInt("no_address", func(c *BatchCounts) int64 { return c.LeftNoAddress }),
	readOnlyInt("suppressed", func(c *BatchCounts) int64 { return c.LeftSuppressed }),
	readOnlyInt("duplicate", func(c *BatchCounts) int64 { return c.LeftDuplicate }),
	readOnlyInt("sent_before", func(c *BatchCounts) int64 { return c.LeftSentBefore }),
	readOnlyInt("excluded", func(c *BatchCounts) int64 { return c.LeftExcluded }),
	readOnlyInt("gone", func(c *BatchCounts) int64 { return c.LeftGone }),
}

// PeriodAttributes are the keys of the numbers of a period.
var PeriodAttributes = []Attribute[PeriodSums]{
	readOnlyInt("time", func(p *PeriodSums) int64 { return p.Time }),
	readOnlyInt("opened_count", func(p *PeriodSums) int64 { return p.Opened() }),
	readOnlyInt("human_opened_count", func(p *PeriodSums) int64 { return p.HumanOpened }),
	readOnlyInt("unique_contact_click", func(p *PeriodSums) int64 { return p.Clicked }),
	readOnlyInt("human_contact_click", func(p *PeriodSums) int64 { return p.HumanClicked }),
}
