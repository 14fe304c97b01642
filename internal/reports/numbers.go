package reports

import (
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file has the keys of the numbers of a Batch.

// BatchReportAttributes are the keys of the published interface, in their order on the wire. No page of this service
// forwards a mail to a friend or updates a profile, so these numbers are 0.
var BatchReportAttributes = []enlist.Attribute[BatchReport]{
	enlist.ReadOnlyFlag("is_scheduled", func(r *BatchReport) bool { return r.IsScheduled }),
	enlist.ReadOnlyInt("send_time", func(r *BatchReport) int64 { return r.SendTime }),
	enlist.ReadOnlyInt("first_sent_time", func(r *BatchReport) int64 { return r.FirstSent }),
	enlist.ReadOnlyInt("last_sent_time", func(r *BatchReport) int64 { return r.LastSent }),
	enlist.ReadOnlyInt("email_count", func(r *BatchReport) int64 { return r.ToSend() }),
	enlist.ReadOnlyInt("unsent_count", (*BatchReport).Unsent),
	enlist.ReadOnlyInt("failed_count", func(r *BatchReport) int64 { return r.Failed }),
	enlist.ReadOnlyInt("gross_html", func(r *BatchReport) int64 { return r.Opens }),
	enlist.ReadOnlyInt("gross_plain", func(r *BatchReport) int64 { return r.ClickOpened }),
	enlist.ReadOnlyInt("html_open_count", func(r *BatchReport) int64 { return r.ImageOpened }),
	enlist.ReadOnlyInt("text_open_count", func(r *BatchReport) int64 { return r.ClickOpened }),
	enlist.ReadOnlyInt("opened_count", func(r *BatchReport) int64 { return r.Opened() }),
	enlist.ReadOnlyInt("not_opened_count", (*BatchReport).NotOpened),
	enlist.ReadOnlyInt("bounce_count", func(r *BatchReport) int64 { return r.Bounced }),
	enlist.ReadOnlyInt("update_profile_count", none),
	enlist.ReadOnlyInt("unsubscribe_count", func(r *BatchReport) int64 { return r.Unsubscribed }),
	enlist.ReadOnlyInt("to_friend_count", none),
	enlist.ReadOnlyInt("unique_to_friend_count", none),
	enlist.ReadOnlyInt("unique_contact_click", func(r *BatchReport) int64 { return r.Clicked }),
	enlist.ReadOnlyInt("unique_link_click", func(r *BatchReport) int64 { return r.LinksClicked }),
	enlist.ReadOnlyInt("gross_click", func(r *BatchReport) int64 { return r.Clicks }),
	enlist.ReadOnlyInt("deactivated_count", func(r *BatchReport) int64 { return r.Deactivated }),
	enlist.ReadOnlyInt("complained_count", func(r *BatchReport) int64 { return r.Complained }),
	enlist.ReadOnlyText("send_status", func(r *BatchReport) batches.BatchStatus { return r.SendStatus() }),
}

func (r *BatchReport) winnerReason() string {
	if r.Variants == nil {
		return ""
	}
	return r.Variants.Verdict
}

// none is the number of what this service does not have.
func none(*BatchReport) int64 { return 0 }

// OwnReportAttributes are the keys of getBatchReport, which the published interface does not have.
var OwnReportAttributes = []enlist.Attribute[BatchReport]{
	enlist.ReadOnlyInt("human_opened_count", func(r *BatchReport) int64 { return r.HumanOpened }),
	enlist.ReadOnlyInt("human_contact_click", func(r *BatchReport) int64 { return r.HumanClicked }),
	enlist.ReadOnlyInt("human_link_click", func(r *BatchReport) int64 { return r.HumanLinks }),
	enlist.ReadOnlyInt("sent_count", func(r *BatchReport) int64 { return r.Sent }),
	enlist.ReadOnlyInt("refused_count", func(r *BatchReport) int64 { return r.Refused }),
	enlist.ReadOnlyInt("skipped_count", func(r *BatchReport) int64 { return r.Skipped }),
	enlist.ReadOnlyInt("repeated_count", func(r *BatchReport) int64 { return r.Repeated }),
	enlist.ReadOnlyInt("doubtful_count", func(r *BatchReport) int64 { return r.Doubtful }),
	enlist.ReadOnlyText("name", func(r *BatchReport) string { return r.Name }),
	enlist.ReadOnlyText("reason", func(r *BatchReport) string { return r.Reason }),
	enlist.ReadOnlyText("local_time", func(r *BatchReport) string { return r.LocalTime }),
	enlist.ReadOnlyText("winner_reason", (*BatchReport).winnerReason),
	enlist.ReadOnlyInt("measured_opens", func(r *BatchReport) int64 { return r.MeasuredOpens() }),
	enlist.ReadOnlyInt("measured_clicks", func(r *BatchReport) int64 { return r.MeasuredClicks() }),
	enlist.ReadOnlyFlag("track", func(r *BatchReport) bool { return !r.Untracked }),
}

// LeftOutAttributes are the numbers of Contacts that got no mail, by reason.
var LeftOutAttributes = []enlist.Attribute[recipients.Counts]{
	enlist.ReadOnlyInt("unsubscribed", func(c *recipients.Counts) int64 { return c.LeftUnsubscribed }),
	enlist.ReadOnlyInt("inactive", func(c *recipients.Counts) int64 { return c.LeftInactive }),
	enlist.ReadOnlyInt("unconfirmed", func(c *recipients.Counts) int64 { return c.LeftUnconfirmed }),
	enlist.ReadOnlyInt("no_address", func(c *recipients.Counts) int64 { return c.LeftNoAddress }),
	enlist.ReadOnlyInt("suppressed", func(c *recipients.Counts) int64 { return c.LeftSuppressed }),
	enlist.ReadOnlyInt("duplicate", func(c *recipients.Counts) int64 { return c.LeftDuplicate }),
	enlist.ReadOnlyInt("sent_before", func(c *recipients.Counts) int64 { return c.LeftSentBefore }),
	enlist.ReadOnlyInt("excluded", func(c *recipients.Counts) int64 { return c.LeftExcluded }),
	enlist.ReadOnlyInt("gone", func(c *recipients.Counts) int64 { return c.LeftGone }),
}

// PeriodAttributes are the keys of the numbers of a period.
var PeriodAttributes = []enlist.Attribute[recipients.PeriodSums]{
	enlist.ReadOnlyInt("time", func(p *recipients.PeriodSums) int64 { return p.Time }),
	enlist.ReadOnlyInt("opened_count", func(p *recipients.PeriodSums) int64 { return p.Opened() }),
	enlist.ReadOnlyInt("human_opened_count", func(p *recipients.PeriodSums) int64 { return p.HumanOpened }),
	enlist.ReadOnlyInt("unique_contact_click", func(p *recipients.PeriodSums) int64 { return p.Clicked }),
	enlist.ReadOnlyInt("human_contact_click", func(p *recipients.PeriodSums) int64 { return p.HumanClicked }),
	enlist.ReadOnlyInt("unsubscribe_count", func(p *recipients.PeriodSums) int64 { return p.Unsubscribed }),
	enlist.ReadOnlyInt("complained_count", func(p *recipients.PeriodSums) int64 { return p.Complained }),
}
