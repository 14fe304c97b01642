package audience

import (
	"slices"
	"strings"

	"enlist/internal/address"
)

// This file lists the keys of a List record, and reads the values that callers send for them.

// ListAttributes are the keys of a List record, in the order of a reply.
var ListAttributes = []Attribute[List]{
	searchable(readOnlyInt("id", func(l *List) ListID { return l.ID })),
	searchable(readOnlyInt("creator_user_id", func(l *List) KeyID { return l.CreatorKeyID })),
	readOnlyText("creator_name", func(l *List) string { return l.CreatorName }),
	searchable(textKey("name", func(l *List) *string { return &l.Name }, readName)),
	searchable(readOnlyInt("creation_time", func(l *List) int64 { return l.CreationTime })),
	searchable(readOnlyInt("last_modified_time", func(l *List) int64 { return l.LastModifiedTime })),
	textKey("on_register_address", func(l *List) *string { return &l.OnRegister }, readAddresses),
	textKey("on_update_address", func(l *List) *string { return &l.OnUpdate }, readAddresses),
	textKey("on_unsubscribe_address", func(l *List) *string { return &l.OnUnsubscribe }, readAddresses),
	flagKey("disallow_duplicate_contacts", func(l *List) *bool { return &l.DisallowDuplicates }),
	flagKey("allow_send_to_duplicates", func(l *List) *bool { return &l.SendToDuplicates }),
	searchable(intKey("folder_id", func(l *List) *FolderID { return &l.FolderID }, 0, maxID)),
	searchable(readOnlyText("folder_name", func(l *List) string { return l.FolderName })),
	searchable(readOnlyInt("contact_count", func(l *List) int64 { return l.ContactCount })),
	countryCode(intKey("country_code", func(l *List) *int64 { return &l.CountryCode }, 1, 999)),
	textKey("virtual_number", func(l *List) *string { return &l.VirtualNumber }, readLine),
	textKey("sms_stop_words", func(l *List) *string { return &l.SMSStopWords }, readLine),
	textKey("sms_response_action", func(l *List) *string { return &l.SMSResponseAction }, readLine),
	textKey("sms_response_field_ids", func(l *List) *string { return &l.SMSResponseFields }, readLine),
	textKey("address_types", func(l *List) *string { return &l.AddressTypes }, readAddressTypes),
	searchable(flagKey("is_gdpr_compliant", func(l *List) *bool { return &l.GDPR })),
	flagKey("double_opt_in_required", func(l *List) *bool { return &l.DoubleOptIn }),
	flagKey("track_opens", func(l *List) *bool { return &l.TrackOpens }),
	flagKey("track_clicks", func(l *List) *bool { return &l.TrackClicks }),
	textKey("from_name", func(l *List) *string { return &l.FromName }, readLine),
	textKey("from_address", func(l *List) *string { return &l.FromAddress }, readAddress),
}

// maxAddresses is the largest number of addresses that are notified of one event. The
// transaction of the event stores a job for each address.
const maxAddresses = 100

// maxID is the greatest ID that a caller may send as an attribute.
const maxID = 1<<63 - 1

// readAddresses accepts email addresses separated by commas. It removes repeated addresses.
// decisions.md: 17
func readAddresses(text string) (string, error) {
	var spellings, keys []string
	for _, item := range splitTrimmed(text) {
		spelling, key, ok := address.ParseEmail(item)
		if !ok {
			return "", expected("a list of email addresses separated by commas; " + quoted(item) +
				" is not an email address")
		}
		if len(keys) == maxAddresses {
			return "", expected("at most 100 addresses")
		}
		if !slices.Contains(keys, key) {
			spellings, keys = append(spellings, spelling), append(keys, key)
		}
	}
	return strings.Join(spellings, ","), nil
}

// readAddress accepts one email address or "".
func readAddress(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	spelling, _, ok := address.ParseEmail(text)
	if !ok {
		return "", expected("an email address, not " + quoted(text))
	}
	return spelling, nil
}

// readAddressTypes accepts email, mobile, or both separated by a comma.
func readAddressTypes(text string) (string, error) {
	types := splitTrimmed(text)
	slices.Sort(types)
	return oneOf("email", "mobile", "email,mobile")(strings.Join(slices.Compact(types), ","))
}

// countryCode returns the attribute with a check that refuses unknown telephone country codes.
func countryCode(a Attribute[List]) Attribute[List] {
	set := a.Set
	a.Set = func(l *List, in Input) error {
		if err := set(l, in); err != nil {
			return err
		}
		if !address.KnownCountryCode(l.CountryCode) {
			return expected("a telephone country code, like 61")
		}
		return nil
	}
	return a
}
