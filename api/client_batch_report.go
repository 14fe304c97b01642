// This file has the reports of Batches. An error has the code CodeNoBatch if the Batch
// does not exist, and CodeInvalidSearch if a query is invalid.

package api

import (
	"context"
	"maps"
	"slices"
)

// BatchStatistics are the numbers of a Batch. Most numbers of opens and clicks count
// requests of persons and of programs; those whose names begin with Human count persons
// only.
type BatchStatistics struct {
	IsScheduled        bool                       `json:"is_scheduled"`
	SendTime           int64                      `json:"send_time"`
	FirstSentTime      int64                      `json:"first_sent_time"`
	LastSentTime       int64                      `json:"last_sent_time"`
	EmailCount         int64                      `json:"email_count"` // recipients that get the mail or have got it
	UnsentCount        int64                      `json:"unsent_count"`
	FailedCount        int64                      `json:"failed_count"`
	GrossHTML          int64                      `json:"gross_html"` // requests for the image
	GrossPlain         int64                      `json:"gross_plain"`
	HTMLOpenCount      int64                      `json:"html_open_count"` // mails opened first by the image
	TextOpenCount      int64                      `json:"text_open_count"` // mails opened first by a click
	OpenedCount        int64                      `json:"opened_count"`
	NotOpenedCount     int64                      `json:"not_opened_count"`
	BounceCount        int64                      `json:"bounce_count"`
	UpdateProfileCount int64                      `json:"update_profile_count"` // always 0, like the numbers of friends
	UnsubscribeCount   int64                      `json:"unsubscribe_count"`
	ToFriendCount      int64                      `json:"to_friend_count"`
	UniqueToFriend     int64                      `json:"unique_to_friend_count"`
	UniqueContactClick int64                      `json:"unique_contact_click"` // mails in which a link was clicked
	UniqueLinkClick    int64                      `json:"unique_link_click"`    // pairs of a mail and a clicked link
	GrossClick         int64                      `json:"gross_click"`
	DeactivatedCount   int64                      `json:"deactivated_count"`
	ComplainedCount    int64                      `json:"complained_count"`
	SendStatus         string                     `json:"send_status"`
	DeviceStatistics   map[string]DeviceNumbers   `json:"device_statistics"` // by desktop, mobile and unknown
	MailClients        map[string]MailClientCount `json:"mail_clients"`
	HumanOpenedCount   int64                      `json:"human_opened_count"`
	HumanContactClick  int64                      `json:"human_contact_click"`
	HumanLinkClick     int64                      `json:"human_link_click"`
	SentCount          int64                      `json:"sent_count"`    // accepted by the mail server
	RefusedCount       int64                      `json:"refused_count"` // refused because of the address; also bounces
	SkippedCount       int64                      `json:"skipped_count"`
	RepeatedCount      int64                      `json:"repeated_count"` // sent again, because the outcome was unknown
	DoubtfulCount      int64                      `json:"doubtful_count"` // not sent again, because the outcome was unknown
	Reason             string                     `json:"reason"`         // why the server paused or failed the Batch
	LocalTime          string                     `json:"local_time"`     // the option
	WinnerReason       string                     `json:"winner_reason"`  // why a variant is the winner
	LeftOut            map[string]int64           `json:"left_out"`       // Contacts that got no mail, by reason
	Periods            []BatchPeriod              `json:"periods"`
	Editions           []BatchEdition             `json:"editions"`
	Variants           []BatchVariantNumbers      `json:"variants"`
}

// BatchEdition is a state of a Message that was sent. An edit makes a new edition.
type BatchEdition struct {
	Variant       int64  `json:"variant"` // 0: the Batch has no variants
	MessageID     int64  `json:"message_id"`
	MessageTime   int64  `json:"message_time"` // when the Message was edited
	Subject       string `json:"subject"`
	FirstSentTime int64  `json:"first_sent_time"`
	SentCount     int64  `json:"sent_count"`
}

// BatchVariantNumbers are the numbers of all mails of a variant.
type BatchVariantNumbers struct {
	Variant            int64  `json:"variant"` // from 1
	MessageID          int64  `json:"message_id"`
	Subject            string `json:"subject"` // empty: the subject of the Message
	SentCount          int64  `json:"sent_count"`
	OpenedCount        int64  `json:"opened_count"`
	HumanOpenedCount   int64  `json:"human_opened_count"`
	UniqueContactClick int64  `json:"unique_contact_click"`
	HumanContactClick  int64  `json:"human_contact_click"`
	IsWinner           bool   `json:"is_winner"`
}

// DeviceNumbers are the opened mails on a kind of device.
type DeviceNumbers struct {
	TotalCount int64   `json:"total_count"`
	Percentage float64 `json:"percentage"`
}

// MailClientCount is the number of opened mails in a group of mail programs.
type MailClientCount struct {
	Title   string  `json:"title"`
	Total   int64   `json:"total"`
	Percent float64 `json:"percent"`
}

// BatchPeriod is the numbers of an hour. After the first week a period is a day.
type BatchPeriod struct {
	Time               int64 `json:"time"` // beginning of the period
	OpenedCount        int64 `json:"opened_count"`
	HumanOpenedCount   int64 `json:"human_opened_count"`
	UniqueContactClick int64 `json:"unique_contact_click"`
	HumanContactClick  int64 `json:"human_contact_click"`
}

// BatchLink is the numbers of a link of a Batch.
type BatchLink struct {
	LinkID       int64  `json:"link_id"`
	LinkName     string `json:"link_name"` // the URL
	LinkURL      string `json:"link_url"`  // as in the Message
	ClickCount   int64  `json:"click_count"`
	ContactCount int64  `json:"contact_count"`
}

// BatchRow is a recipient of a Batch. Members that the kind of rows does not have are zero.
type BatchRow struct {
	ListID                int64  `json:"-"`       // 0 in the rows of GetBatchLinkContacts
	SendID                int64  `json:"send_id"` // ID of the mail in its Batch
	ContactID             int64  `json:"contact_id"`
	ContactEmail          string `json:"contact_email"` // address that the mail went to
	Time                  int64  `json:"time"`          // of the first event
	Device                string `json:"device"`
	MailClient            string `json:"mail_client"`
	OpenCount             int64  `json:"open_count"`
	IsHuman               bool   `json:"is_human"` // a person opened or clicked
	LinkID                int64  `json:"link_id"`
	LinkClickID           int64  `json:"link_click_id"`
	LinkName              string `json:"link_name"`
	LinkURL               string `json:"link_url"`
	LinksClicked          int64  `json:"links_clicked"`
	Type                  string `json:"type"` // of a bounce
	Code                  string `json:"code"`
	Text                  string `json:"text"`
	ComplaintTimestamp    int64  `json:"complaint_timestamp"`
	ComplaintProviderType string `json:"complaint_provider_type"`
	IsComplaint           bool   `json:"is_complaint"`
}

// BatchRows is a kind of rows.
type BatchRows string

// The kinds of rows.
const (
	BatchContacts        BatchRows = "getBatchContacts"  // all recipients that get the mail or have got it
	BatchOpened          BatchRows = "getBatchOpened"    // who opened the mail
	BatchNotOpened       BatchRows = "getBatchNotOpened" // whose mail arrived and was not opened
	BatchBounced         BatchRows = "getBatchBounced"
	BatchUnsubscribed    BatchRows = "getBatchUnsubscribed"
	BatchComplained      BatchRows = "getBatchComplained"
	BatchAutoDeactivated BatchRows = "getBatchAutoDeactivated"
	BatchUpdated         BatchRows = "getBatchUpdated" // always empty
	BatchResponses       BatchRows = "getBatchResponses"
)

// GetBatchStatistics returns the numbers of a Batch.
func (c *Client) GetBatchStatistics(ctx context.Context, batch int64) (*BatchStatistics, error) {
	return call[*BatchStatistics](ctx, c, "getBatchStatistics", batch)
}

// GetBatchLinkStatistics returns the numbers of the links of a Batch.
func (c *Client) GetBatchLinkStatistics(ctx context.Context, batch int64) ([]BatchLink, error) {
	return call[[]BatchLink](ctx, c, "getBatchLinkStatistics", batch)
}

// GetBatchRows returns the recipients of a kind, in order of List and of Contact. The query
// can sort by contact_id only.
func (c *Client) GetBatchRows(ctx context.Context, kind BatchRows, batch int64, q Query) ([]BatchRow, error) {
	return c.rowsByList(ctx, string(kind), append([]any{batch}, q.params()...))
}

// GetBatchLinkContacts returns the recipients that clicked a link. url is the URL as in the
// Message.
func (c *Client) GetBatchLinkContacts(ctx context.Context, batch int64, url string, q Query) ([]BatchRow, error) {
	return call[[]BatchRow](ctx, c, "getBatchLinkContacts", append([]any{batch, url}, q.params()...)...)
}

// GetBatchContactLinks returns the links that a recipient clicked. send is the SendID of a row.
func (c *Client) GetBatchContactLinks(ctx context.Context, batch, send int64, q Query) ([]BatchRow, error) {
	return c.rowsByList(ctx, "getBatchContactLinks", append([]any{batch, send}, q.params()...))
}

// rowsByList calls a method whose result is an object with an array for each List.
func (c *Client) rowsByList(ctx context.Context, method string, params []any) (rows []BatchRow, err error) {
	lists, err := call[map[int64][]BatchRow](ctx, c, method, params...)
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		for _, row := range lists[list] {
			row.ListID = list
			rows = append(rows, row)
		}
	}
	return rows, err
}
