package lists

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/language"
)

// This file lists the keys of a List record, and reads the values that callers send for them.

// ListAttributes are the keys of a List record, in the order of a reply: the published keys, then our own.
var ListAttributes = enlist.WithVersion([]enlist.Attribute[enlist.List]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(l *enlist.List) enlist.ListID { return l.ID })),
	enlist.Searchable(enlist.ReadOnlyInt("creator_user_id",
		func(l *enlist.List) enlist.KeyID { return l.CreatorKeyID })),
	enlist.Searchable(enlist.TextKey("name", func(l *enlist.List) *string { return &l.Name }, enlist.ReadName)),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(l *enlist.List) int64 { return l.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("last_modified_time",
		func(l *enlist.List) int64 { return l.LastModifiedTime })),
	enlist.TextKey("on_register_address", func(l *enlist.List) *string { return &l.OnRegister }, readAddresses),
	enlist.TextKey("on_update_address", func(l *enlist.List) *string { return &l.OnUpdate }, readAddresses),
	enlist.TextKey("on_unsubscribe_address", func(l *enlist.List) *string { return &l.OnUnsubscribe }, readAddresses),
	enlist.FlagKey("disallow_duplicate_contacts", func(l *enlist.List) *bool { return &l.DisallowDuplicates }),
	enlist.Searchable(enlist.IntKey("folder_id", func(l *enlist.List) *enlist.FolderID { return &l.FolderID }, 0,
		MaxID)),
	enlist.Searchable(enlist.ReadOnlyInt("contact_count", func(l *enlist.List) int64 { return l.ContactCount })),
	countryCode(enlist.IntKey("country_code", func(l *enlist.List) *int64 { return &l.CountryCode }, 1, 999)),
	virtualNumber(),
	enlist.TextKey("sms_stop_words", func(l *enlist.List) *string { return &l.SMSStopWords }, enlist.ReadLine),
	enlist.TextKey("sms_response_action", func(l *enlist.List) *string { return &l.SMSResponseAction },
		enlist.ReadLine),
	enlist.TextKey("sms_response_field_ids", func(l *enlist.List) *string { return &l.SMSResponseFields },
		enlist.ReadLine),
	enlist.Searchable(enlist.ReadOnlyText("folder_name", func(l *enlist.List) string { return l.FolderName })),
	enlist.TextKey("address_types", func(l *enlist.List) *string { return &l.AddressTypes }, readAddressTypes),
	enlist.ReadOnlyText("creator_name", func(l *enlist.List) string { return l.CreatorName }),
	enlist.FlagKey("allow_send_to_duplicates", func(l *enlist.List) *bool { return &l.SendToDuplicates }),
	enlist.Searchable(enlist.FlagKey("is_gdpr_compliant", func(l *enlist.List) *bool { return &l.GDPR })),
	enlist.FlagKey("double_opt_in_required", func(l *enlist.List) *bool { return &l.DoubleOptIn }),
	enlist.FlagKey("track_opens", func(l *enlist.List) *bool { return &l.TrackOpens }),
	enlist.FlagKey("track_clicks", func(l *enlist.List) *bool { return &l.TrackClicks }),
	enlist.TextKey("from_name", func(l *enlist.List) *string { return &l.FromName }, enlist.ReadLine),
	enlist.TextKey("from_address", func(l *enlist.List) *string { return &l.FromAddress }, ReadAddress),
	enlist.TextKey("language", func(l *enlist.List) *string { return &l.Language },
		enlist.OneOf(append([]string{""}, language.Codes()...)...)),
	enlist.TextKey("confirmation_subject", func(l *enlist.List) *string { return &l.ConfirmSubject }, enlist.ReadLine),
	enlist.TextKey("confirmation_text", func(l *enlist.List) *string { return &l.ConfirmText }, ReadParagraphs),
	enlist.TextKey("consent_text", func(l *enlist.List) *string { return &l.ConsentText }, enlist.ReadLine),
	enlist.TextKey("imprint", func(l *enlist.List) *string { return &l.Imprint }, ReadParagraphs),
	enlist.FlagKey("is_public", func(l *enlist.List) *bool { return &l.Public }),
	enlist.TextKey("description", func(l *enlist.List) *string { return &l.Description }, ReadParagraphs),
	enlist.TextKey("farewell_text", func(l *enlist.List) *string { return &l.FarewellText }, ReadParagraphs),
	enlist.TextKey("preferences_text", func(l *enlist.List) *string { return &l.PreferencesText }, ReadParagraphs),
	enlist.TextKey("open_policy", func(l *enlist.List) *string { return (*string)(&l.OpenPolicy) },
		enlist.OneOf(append([]string{""}, enlist.TrackingPolicies...)...)),
	enlist.TextKey("click_policy", func(l *enlist.List) *string { return (*string)(&l.ClickPolicy) },
		enlist.OneOf(append([]string{""}, enlist.TrackingPolicies...)...)),
	enlist.TextKey("tracking_text", func(l *enlist.List) *string { return &l.TrackingText }, enlist.ReadLine),
})

// virtualNumber is a key that callers may set to a telephone number in any form. Replies have its digits as a number,
// which is 0 without a number.
func virtualNumber() enlist.Attribute[enlist.List] {
	a := enlist.TextKey("virtual_number", func(l *enlist.List) *string { return &l.VirtualNumber }, readVirtualNumber)
	a.Type = enlist.KeyInt
	a.Get = func(l *enlist.List) enlist.Value { return enlist.IntValue(digitsOf(l.VirtualNumber)) }
	return a
}

// readVirtualNumber accepts a line with at most 18 digits, which is more than a telephone number has.
func readVirtualNumber(text string) (string, error) {
	text, err := enlist.ReadLine(text)
	switch {
	case err != nil:
		return "", err
	case len(onlyDigits(text)) > 18:
		return "", enlist.Expected("a telephone number")
	case text == "0": // from a record that has no number
		return "", nil
	}
	return text, nil
}

// digitsOf returns the digits of a text as a number, or 0.
func digitsOf(text string) int64 {
	n, _ := strconv.ParseInt(onlyDigits(text), 10, 64) // 0 for no digits
	return n
}

func onlyDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, text)
}

// maxAddresses is the largest number of addresses that are notified of one event. The
// transaction of the event stores a job for each address.
const maxAddresses = 100

// MaxID is the greatest ID that a caller may send as an attribute.
const MaxID = 1<<63 - 1

// readAddresses accepts email addresses separated by commas. It removes repeated addresses.
// reference.md: list.on_register_address
func readAddresses(text string) (string, error) {
	var spellings, keys []string
	for _, item := range enlist.SplitTrimmed(text) {
		spelling, key, ok := address.ParseEmail(item)
		if !ok {
			return "", enlist.Expected("a list of email addresses separated by commas; " + enlist.Quoted(item) +
				" is not an email address")
		}
		if len(keys) == maxAddresses {
			return "", enlist.Expected("at most 100 addresses")
		}
		if !slices.Contains(keys, key) {
			spellings, keys = append(spellings, spelling), append(keys, key)
		}
	}
	return strings.Join(spellings, ","), nil
}

// ReadAddress accepts one email address or "".
func ReadAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	spelling, _, ok := address.ParseEmail(text)
	if !ok {
		return "", enlist.Expected("an email address, not " + enlist.Quoted(text))
	}
	return spelling, nil
}

// ReadParagraphs accepts a text of several lines, and removes the white space around it.
func ReadParagraphs(text string) (string, error) {
	const most = 5000
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	control := func(r rune) bool { return unicode.IsControl(r) && r != '\n' && r != '\t' }
	if utf8.RuneCountInString(text) > most || strings.ContainsFunc(text, control) {
		return "", enlist.Expected("a text of at most 5,000 characters without control characters")
	}
	return text, nil
}

// readAddressTypes accepts email, mobile, or both separated by a comma.
func readAddressTypes(text string) (string, error) {
	types := enlist.SplitTrimmed(text)
	slices.Sort(types)
	return enlist.OneOf("email", "mobile", "email,mobile")(strings.Join(slices.Compact(types), ","))
}

// countryCode returns the attribute with a check that refuses unknown telephone country codes.
func countryCode(a enlist.Attribute[enlist.List]) enlist.Attribute[enlist.List] {
	set := a.Set
	a.Set = func(l *enlist.List, in enlist.Input) error {
		if err := set(l, in); err != nil {
			return err
		}
		if !address.KnownCountryCode(l.CountryCode) {
			return enlist.Expected("a telephone country code, like 61")
		}
		return nil
	}
	return a
}
