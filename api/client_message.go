// This file has the operations on Messages and autoresponders. An unknown Message
// is CodeNoMessage, an unknown autoresponder CodeNoCampaign.

package api

import "context"

// Message is a Message's record.
type Message struct {
	ID               int64  `json:"id"`
	CreatorUserID    int64  `json:"creator_user_id"` // ID of the key that created it
	CreatorName      string `json:"creator_name"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"`
	Type             string `json:"type"` // email or sms
	Name             string `json:"name"`
	FolderID         int64  `json:"folder_id"`  // 0: in none
	EmailType        string `json:"email_type"` // html, plain-html, plain or raw_html
	Subject          string `json:"subject"`
	FromName         string `json:"from_name"`    // "": the List's, as for FromAddress
	FromAddress      string `json:"from_address"` // one email address
	ReplyTo          string `json:"reply_to"`

	// The contents, up to 2 MiB each. Only GetMessageByID returns them, on request.
	HTMLContent string `json:"html_content"`
	TextContent string `json:"text_content"`
	SMSContent  string `json:"sms_content"`
}

// Autoresponder is an autoresponder's record. It sends a Message to a Contact
// after an event of that Contact.
type Autoresponder struct {
	ID               int64  `json:"id"`
	CreatorUserID    int64  `json:"creator_user_id"` // ID of the key that created it
	CreatorName      string `json:"creator_name"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"`
	ListID           int64  `json:"list_id"`
	MessageID        int64  `json:"message_id"`
	EventType        string `json:"event_type"` // subscribe, unsubscribe, update_profile, confirm or api_upload
	FolderID         int64  `json:"folder_id"`  // 0: in none
	Timezone         string `json:"timezone"`   // IANA name; "": the Account's
	IsActive         bool   `json:"is_active"`

	TimeCriteriaType           string `json:"time_criteria_type"`      // immediate, delay or specific
	TimeCriteriaTimestamp      int64  `json:"time_criteria_timestamp"` // of specific: when to send; 0: hour and minute
	TimeCriteriaOffsetValue    int64  `json:"time_criteria_offset_value"`
	TimeCriteriaOffsetPeriod   string `json:"time_criteria_offset_period"` // minute, hour, day or week
	TimeCriteriaSpecificHour   int64  `json:"time_criteria_specific_hour"`
	TimeCriteriaSpecificMinute int64  `json:"time_criteria_specific_minute"`
}

// SentMessage is the result of one mail to a Contact.
type SentMessage struct {
	MessageID       int64  `json:"message_id"` // 0: the request to confirm the subscription
	AutoresponderID int64  `json:"autoresponder_id"`
	Name            string `json:"name"` // of the Message; "" after it was deleted
	Subject         string `json:"subject"`
	Address         string `json:"address"`
	Time            int64  `json:"time"`
	Status          string `json:"status"` // sent, bounced, failed or complained
	Detail          string `json:"detail"` // the reply of the mail server
}

// AddMessage creates a Message and returns its ID. details need at least the
// name and the subject.
func (c *Client) AddMessage(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addMessage", details)
}

// EditMessage changes the attributes in details, of the Message whose "id" is in
// them, and returns the ID.
func (c *Client) EditMessage(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editMessage", details)
}

// DeleteMessage deletes a Message. A Message that an autoresponder sends is
// refused with CodeInvalidParameters.
func (c *Client) DeleteMessage(ctx context.Context, message int64) error {
	return c.Call(ctx, "deleteMessage", []any{message}, nil)
}

// GetMessageByID returns one Message, with its contents when retrieveContent is true.
func (c *Client) GetMessageByID(ctx context.Context, message int64, retrieveContent bool) (*Message, error) {
	return callOne[Message](ctx, c, "getMessageById", message, retrieveContent)
}

// SearchMessages returns the Messages of the Account that match, without their contents.
func (c *Client) SearchMessages(ctx context.Context, q Query) ([]Message, error) {
	return call[[]Message](ctx, c, "searchMessages", q.params()...)
}

// CountMessages counts the Messages of the Account that match.
func (c *Client) CountMessages(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countMessages", criteria.param())
}

// GetMessagesSentToContact returns the mails that events caused to be sent to a
// Contact, newest first, with those that could not be delivered.
func (c *Client) GetMessagesSentToContact(ctx context.Context, list, contact int64) ([]SentMessage, error) {
	return call[[]SentMessage](ctx, c, "getMessagesSentToContact", list, contact)
}

// AddAutoresponder creates an autoresponder and returns its ID. details need at
// least list_id, message_id and event_type.
func (c *Client) AddAutoresponder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addAutoresponder", details)
}

// EditAutoresponder changes the attributes in details, of the autoresponder whose
// "id" is in them, and returns the ID.
func (c *Client) EditAutoresponder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editAutoresponder", details)
}

// DeleteAutoresponder deletes an autoresponder. Its mails that are due later are
// not sent.
func (c *Client) DeleteAutoresponder(ctx context.Context, autoresponder int64) error {
	return c.Call(ctx, "deleteAutoresponder", []any{autoresponder}, nil)
}

// GetAutoresponderByID returns one autoresponder.
func (c *Client) GetAutoresponderByID(ctx context.Context, autoresponder int64) (*Autoresponder, error) {
	return callOne[Autoresponder](ctx, c, "getAutoresponderById", autoresponder)
}

// SearchAutoresponders returns the autoresponders that match.
func (c *Client) SearchAutoresponders(ctx context.Context, q Query) ([]Autoresponder, error) {
	return call[[]Autoresponder](ctx, c, "searchAutoresponders", q.params()...)
}

// CountAutoresponders counts the autoresponders that match.
func (c *Client) CountAutoresponders(ctx context.Context, criteria Criteria) (int64, error) {
	return call[int64](ctx, c, "countAutoresponders", criteria.param())
}
