// This file has the operations on Messages and autoresponders. An error has the code
// CodeNoMessage if the Message does not exist, and CodeNoCampaign if the
// autoresponder does not exist.

package api

import "context"

// Message is the record of a Message.
type Message struct {
	ID               int64  `json:"id"`
	CreatorUserID    int64  `json:"creator_user_id"` // ID of the API key that created the Message
	CreatorName      string `json:"creator_name"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"`
	Type             string `json:"type"` // email or sms
	Name             string `json:"name"`
	FolderID         int64  `json:"folder_id"`  // 0: in no Folder
	EmailType        string `json:"email_type"` // html, plain-html, plain, raw_html or markdown
	Subject          string `json:"subject"`
	FromName         string `json:"from_name"`    // "": the from_name of the List
	FromAddress      string `json:"from_address"` // one email address; "": the from_address of the List
	ReplyTo          string `json:"reply_to"`
	Attachments      string `json:"attachments"`   // IDs of files, separated by commas
	InlineImages     string `json:"inline_images"` // IDs of files, separated by commas; the HTML refers to them as cid:NAME

	// The contents, up to 2 MiB each. They are empty, unless GetMessageByID returned
	// the Message and retrieveContent was true.
	HTMLContent string `json:"html_content"`
	TextContent string `json:"text_content"`
	SMSContent  string `json:"sms_content"`
}

// Autoresponder is the record of an autoresponder. An autoresponder sends a Message
// to a Contact after an event of this Contact.
type Autoresponder struct {
	ID               int64  `json:"id"`
	CreatorUserID    int64  `json:"creator_user_id"` // ID of the API key that created the autoresponder
	CreatorName      string `json:"creator_name"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"`
	ListID           int64  `json:"list_id"`
	MessageID        int64  `json:"message_id"`
	EventType        string `json:"event_type"` // subscribe, unsubscribe, update_profile, confirm or api_upload
	FolderID         int64  `json:"folder_id"`  // 0: in no Folder
	Timezone         string `json:"timezone"`   // IANA name; "": the time zone of the Account
	IsActive         bool   `json:"is_active"`

	TimeCriteriaType           string `json:"time_criteria_type"`      // immediate, delay or specific
	TimeCriteriaTimestamp      int64  `json:"time_criteria_timestamp"` // for the type specific; 0: use the hour and minute below
	TimeCriteriaOffsetValue    int64  `json:"time_criteria_offset_value"`
	TimeCriteriaOffsetPeriod   string `json:"time_criteria_offset_period"` // minute, hour, day or week
	TimeCriteriaSpecificHour   int64  `json:"time_criteria_specific_hour"`
	TimeCriteriaSpecificMinute int64  `json:"time_criteria_specific_minute"`
}

// SentMessage describes one mail to a Contact and its delivery.
type SentMessage struct {
	MessageID       int64  `json:"message_id"` // 0: the mail asked to confirm the subscription
	AutoresponderID int64  `json:"autoresponder_id"`
	Name            string `json:"name"` // name of the Message; "" after the Message was deleted
	Subject         string `json:"subject"`
	Address         string `json:"address"`
	Time            int64  `json:"time"`
	Status          string `json:"status"` // sent, bounced, failed or complained
	Detail          string `json:"detail"` // reply of the mail server
}

// AddMessage creates a Message and returns its ID. details must contain at least
// name and subject.
func (c *Client) AddMessage(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addMessage", details)
}

// EditMessage changes attributes of a Message and returns its ID. details contain
// the new values, and the ID of the Message as "id".
func (c *Client) EditMessage(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editMessage", details)
}

// DeleteMessage deletes a Message. If an autoresponder sends this Message, the error
// has the code CodeInvalidParameters.
func (c *Client) DeleteMessage(ctx context.Context, message int64) error {
	return c.Call(ctx, "deleteMessage", []any{message}, nil)
}

// GetMessageByID returns one Message. It returns the contents of the Message only if
// retrieveContent is true.
func (c *Client) GetMessageByID(ctx context.Context, message int64, retrieveContent bool) (*Message, error) {
	return callOne[Message](ctx, c, "getMessageById", message, retrieveContent)
}

// SearchMessages returns the Messages of the Account that match the query, without
// their contents.
func (c *Client) SearchMessages(ctx context.Context, q Query) ([]Message, error) {
	return call[[]Message](ctx, c, "searchMessages", q.params()...)
}

// CountMessages returns the number of Messages of the Account that match the
// criteria.
func (c *Client) CountMessages(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countMessages", criteria.param())
}

// Preview is a mail as a Contact would get it.
type Preview struct {
	Subject  string   `json:"subject"`
	From     string   `json:"from"`
	To       string   `json:"to"`
	ReplyTo  string   `json:"reply_to"`
	Headers  string   `json:"headers"` // as they are sent
	HTML     string   `json:"html"`
	Text     string   `json:"text"`
	Size     int64    `json:"size"`     // of the mail, in bytes
	Findings []string `json:"findings"` // what is probably wrong, such as a merge field without a value
}

// PreviewMessage returns the mail that a Contact would get from a Message. The server sends nothing.
func (c *Client) PreviewMessage(ctx context.Context, message, list, contact int64) (*Preview, error) {
	return call[*Preview](ctx, c, "previewMessage", message, list, contact)
}

// SendTestMessage sends a Message to at most five addresses, with [test] before its subject. The mail has
// the values of a Contact; 0 means no List or no Contact.
func (c *Client) SendTestMessage(ctx context.Context, message int64, addresses []string, list, contact int64) error {
	params := []any{message, addresses}
	if list != 0 {
		params = append(params, list)
		if contact != 0 {
			params = append(params, contact)
		}
	}
	return c.Call(ctx, "sendTestMessage", params, nil)
}

// GetMessagesSentToContact returns the mails that the server sent to a Contact,
// newest first. It includes mails that could not be delivered.
func (c *Client) GetMessagesSentToContact(ctx context.Context, list, contact int64) ([]SentMessage, error) {
	return call[[]SentMessage](ctx, c, "getMessagesSentToContact", list, contact)
}

// AddAutoresponder creates an autoresponder and returns its ID. details must contain
// at least list_id, message_id and event_type.
func (c *Client) AddAutoresponder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addAutoresponder", details)
}

// EditAutoresponder changes attributes of an autoresponder and returns its ID.
// details contain the new values, and the ID of the autoresponder as "id".
func (c *Client) EditAutoresponder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editAutoresponder", details)
}

// DeleteAutoresponder deletes an autoresponder. The server does not send the mails
// of the autoresponder that are still waiting.
func (c *Client) DeleteAutoresponder(ctx context.Context, autoresponder int64) error {
	return c.Call(ctx, "deleteAutoresponder", []any{autoresponder}, nil)
}

// GetAutoresponderByID returns one autoresponder.
func (c *Client) GetAutoresponderByID(ctx context.Context, autoresponder int64) (*Autoresponder, error) {
	return callOne[Autoresponder](ctx, c, "getAutoresponderById", autoresponder)
}

// SearchAutoresponders returns the autoresponders that match the query.
func (c *Client) SearchAutoresponders(ctx context.Context, q Query) ([]Autoresponder, error) {
	return call[[]Autoresponder](ctx, c, "searchAutoresponders", q.params()...)
}

// CountAutoresponders returns the number of autoresponders that match the criteria.
func (c *Client) CountAutoresponders(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countAutoresponders", criteria.param())
}
