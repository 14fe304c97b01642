package api

import "context"

// Message is a Message's record.
type Message struct {
	ID               int64  `json:"id"`
	CreatorUserID    int64  `json:"creator_user_id"` // ID of the key that made it
	CreatorName      string `json:"creator_name"`
	CreationTime     int64  `json:"creation_time"`
	LastModifiedTime int64  `json:"last_modified_time"`
	Type             string `json:"type"` // email or sms
	Name             string `json:"name"`
	FolderID         int64  `json:"folder_id"`  // 0: in none
	EmailType        string `json:"email_type"` // html, plain-html, plain or raw_html
	Subject          string `json:"subject"`
	FromName         string `json:"from_name"`    // "": the List's, as the next
	FromAddress      string `json:"from_address"` // one email address
	ReplyTo          string `json:"reply_to"`

	// Contents, of at most 2 MiB each; only from GetMessageByID, when asked for.
	HTMLContent string `json:"html_content"`
	TextContent string `json:"text_content"`
	SMSContent  string `json:"sms_content"`
}

// Autoresponder is an autoresponder's record: it sends a Message to a Contact
// because of an event.
type Autoresponder struct {
	ID               int64  `json:"id"`
	CreatorUserID    int64  `json:"creator_user_id"` // ID of the key that made it
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
	TimeCriteriaTimestamp      int64  `json:"time_criteria_timestamp"` // of specific: that very moment; 0: by hour and minute
	TimeCriteriaOffsetValue    int64  `json:"time_criteria_offset_value"`
	TimeCriteriaOffsetPeriod   string `json:"time_criteria_offset_period"` // minute, hour, day or week
	TimeCriteriaSpecificHour   int64  `json:"time_criteria_specific_hour"`
	TimeCriteriaSpecificMinute int64  `json:"time_criteria_specific_minute"`
}

// SentMessage says what became of one thing that was to be sent to a Contact.
type SentMessage struct {
	MessageID       int64  `json:"message_id"` // 0: the request to confirm the subscription
	AutoresponderID int64  `json:"autoresponder_id"`
	Name            string `json:"name"` // of the Message; "" when there is none any more
	Subject         string `json:"subject"`
	Address         string `json:"address"`
	Time            int64  `json:"time"`
	Status          string `json:"status"` // sent, bounced, failed or complained
	Detail          string `json:"detail"` // what the mail server said
}

// AddMessage stores a Message, of which details give at least name and
// subject, and returns its ID.
func (c *Client) AddMessage(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addMessage", details)
}

// EditMessage changes what details name, of the Message whose ID is in them, and returns the ID.
func (c *Client) EditMessage(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editMessage", details)
}

// DeleteMessage removes a Message that no autoresponder sends.
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

// GetMessagesSentToContact returns what was sent to a Contact because of
// events, or given up on, newest first.
func (c *Client) GetMessagesSentToContact(ctx context.Context, list, contact int64) ([]SentMessage, error) {
	return call[[]SentMessage](ctx, c, "getMessagesSentToContact", list, contact)
}

// AddAutoresponder stores an autoresponder, of which details give at least
// list_id, message_id and event_type, and returns its ID.
func (c *Client) AddAutoresponder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "addAutoresponder", details)
}

// EditAutoresponder changes what details name, of the autoresponder whose ID is in them, and returns the ID.
func (c *Client) EditAutoresponder(ctx context.Context, details Details) (int64, error) {
	return call[int64](ctx, c, "editAutoresponder", details)
}

// DeleteAutoresponder removes an autoresponder: what of it is due later is not sent.
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
