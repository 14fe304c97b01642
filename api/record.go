// This file has the records in replies. Times are Unix seconds; 0 means never.

package api

// List is the record of a List. specification: List
type List struct {
	ID                        int64  `json:"id"`
	CreatorUserID             int64  `json:"creator_user_id"` // ID of the API key that created the List
	CreatorName               string `json:"creator_name"`
	Name                      string `json:"name"`
	CreationTime              int64  `json:"creation_time"`
	LastModifiedTime          int64  `json:"last_modified_time"`
	OnRegisterAddress         string `json:"on_register_address"` // comma-separated addresses; the next two members too
	OnUpdateAddress           string `json:"on_update_address"`
	OnUnsubscribeAddress      string `json:"on_unsubscribe_address"`
	DisallowDuplicateContacts bool   `json:"disallow_duplicate_contacts"`
	AllowSendToDuplicates     bool   `json:"allow_send_to_duplicates"`
	FolderID                  int64  `json:"folder_id"`
	FolderName                string `json:"folder_name"`
	ContactCount              int64  `json:"contact_count"`
	CountryCode               int64  `json:"country_code"` // telephone code for numbers without a country code
	VirtualNumber             string `json:"virtual_number"`
	SMSStopWords              string `json:"sms_stop_words"`
	SMSResponseAction         string `json:"sms_response_action"`
	SMSResponseFieldIDs       string `json:"sms_response_field_ids"`
	AddressTypes              string `json:"address_types"`
	IsGDPRCompliant           bool   `json:"is_gdpr_compliant"`
	DoubleOptInRequired       bool   `json:"double_opt_in_required"`
	TrackOpens                bool   `json:"track_opens"`
	TrackClicks               bool   `json:"track_clicks"`
	FromName                  string `json:"from_name"`
	FromAddress               string `json:"from_address"`
}

// Field is the record of a Field. Attributes that its Type does not use are empty.
// specification: Field
type Field struct {
	ID               int64  `json:"id"`
	ListID           int64  `json:"list_id"`
	Name             string `json:"name"`
	Type             string `json:"type"` // text, comment, decimal, currency, date, dropdown, radio, checkbox or file
	IsMandatory      bool   `json:"is_mandatory"`
	AllowUpdate      bool   `json:"allow_update"`
	ShowInForm       int64  `json:"show_in_form"` // 0 or 1
	Length           int64  `json:"length"`       // largest number of characters; 0: no limit
	Size             int64  `json:"size"`
	RowSize          string `json:"row_size"`
	DefaultValue     string `json:"default_value"`
	ValuesArray      string `json:"values_array"`   // comma-separated
	DefaultsArray    string `json:"defaults_array"` // comma-separated
	DontStoreDefault int64  `json:"dont_store_default"`
	AllowedFileTypes string `json:"allowed_file_types"`
	FileFolderID     int64  `json:"file_folder_id"`
	AddressType      string `json:"address_type"` // email or mobile
	TimeFormat       string `json:"time_format"`  // off, 12h or 24h
	DateValidation   string `json:"date_validation"`
	DisplayOrder     int64  `json:"display_order"` // -1: hidden
}

// Preference is the record of a List preference: a question that each Contact of the
// List can answer with yes or no.
type Preference struct {
	ID     int64  `json:"id"`
	ListID int64  `json:"list_id"`
	Name   string `json:"name"`
}

// Folder is the record of a Folder, which groups Lists, Messages or files.
type Folder struct {
	ID           int64  `json:"id"`
	Name         string `json:"name"`
	CreationTime int64  `json:"creation_time"`
	Type         string `json:"type"` // list, message or file
	ItemCount    int64  `json:"item_count"`
}

// ConsentRecord is a row of the consent ledger of a Contact.
type ConsentRecord struct {
	Time            int64           `json:"time"`
	Method          string          `json:"method"`
	ConsentType     ConsentType     `json:"consent_type"`
	ConsentText     string          `json:"consent_text"`
	IPAddress       string          `json:"ip_address"`
	ListPreferences map[string]bool `json:"list_preferences"`
	KeyName         string          `json:"key_name"`   // name of the API key of the call
	ImportID        int64           `json:"import_id"`  // the Import of a file that the consent comes from; 0: none
	ImportRow       int64           `json:"import_row"` // number of the row in this file
}

// Unsubscriber is a row of the Account's Unsubscriber List.
type Unsubscriber struct {
	ContactID   int64  `json:"contact_id"` // 0: no Contact had the address
	ListID      int64  `json:"list_id"`    // 0: the call that unsubscribed the address was for no List
	AddressType string `json:"address_type"`
	Address     string `json:"address"`
	Time        int64  `json:"time"`
}

// SessionInfo describes an API key and its Account.
type SessionInfo struct {
	AccountID   int64  `json:"account_id"`
	AccountName string `json:"account_name"`
	KeyName     string `json:"key_name"`
	AccessLevel string `json:"access_level"` // read, standard or full
	Version     string `json:"version"`      // version of the server
}

// Timezone is a time zone that the server accepts.
type Timezone struct {
	Timezone    string `json:"timezone"` // IANA name
	DisplayName string `json:"display_name"`
}
