package lists

import (
	"strconv"
	"strings"
	"testing"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// shownRecord returns a record as "key=value" pairs in the order of its keys.
func shownRecord[T any](attributes []enlist.Attribute[T], record *T) string {
	var pairs []string
	for _, a := range attributes {
		cell := a.Get(record)
		value := cell.Text
		switch {
		case cell.Kind == enlist.KeyInt:
			value = strconv.FormatInt(cell.Int, 10)
		case cell.Kind == enlist.KeyBool:
			value = strconv.FormatBool(cell.Int == 1)
		}
		pairs = append(pairs, a.Name+"="+value)
	}
	return strings.Join(pairs, " ")
}

// The keys of each record, in their order. reference.md: Fields, field.record
//
// covers: spec field.record, list.record
func TestRecordsHaveTheirKeysInOrder(t *testing.T) {
	list := enlist.List{ID: 1, AccountID: 2, CreatorKeyID: 3, CreatorName: "Ann", Name: "News", CreationTime: 4, LastModifiedTime: 5, OnRegister: "r@x.io", OnUpdate: "u@x.io", OnUnsubscribe: "q@x.io", DisallowDuplicates: true, SendToDuplicates: true, FolderID: 6, FolderName: "Lists", ContactCount: 7, CountryCode: 61, VirtualNumber: "+61", SMSStopWords: "stop", SMSResponseAction: "do_nothing", SMSResponseFields: "8,9", AddressTypes: "email,mobile",
		GDPR: true, DoubleOptIn: true, TrackOpens: true, TrackClicks: true, FromName: "News", FromAddress: "n@x.io", Language: "de", ConfirmSubject: "S", ConfirmText: "T", ConsentText: "C", Imprint: "I", Public: true, Description: "D", FarewellText: "F", PreferencesText: "P", OpenPolicy: "ask", ClickPolicy: "off", TrackingText: "R"}
	field := enlist.Field{ID: 1, ListID: 2, Name: "State", Type: enlist.Dropdown, Mandatory: true, AllowUpdate: true, ShowInForm: true, Length: 3, Size: 4, RowSize: "5", DefaultValue: "d", Values: "a,b", Defaults: "b", DontStoreDefault: true, AllowedFileTypes: "images", FileFolderID: 6, AddressType: enlist.AddressMobile, TimeFormat: "12h", DateValidation: "past", DisplayOrder: 7}
	for _, c := range []struct{ name, got, want string }{
		{"List", shownRecord(ListAttributes, &list), "id=1 creator_user_id=3 name=News creation_time=4 last_modified_time=5 " +
			"on_register_address=r@x.io on_update_address=u@x.io on_unsubscribe_address=q@x.io disallow_duplicate_contacts=true " +
			"folder_id=6 contact_count=7 country_code=61 virtual_number=61 sms_stop_words=stop sms_response_action=do_nothing " +
			"sms_response_field_ids=8,9 folder_name=Lists address_types=email,mobile creator_name=Ann allow_send_to_duplicates=true is_gdpr_compliant=true double_opt_in_required=true track_opens=true track_clicks=true " +
			"from_name=News from_address=n@x.io language=de confirmation_subject=S confirmation_text=T consent_text=C imprint=I is_public=true description=D farewell_text=F preferences_text=P open_policy=ask click_policy=off tracking_text=R"},
		{"Field", shownRecord(FieldAttributes, &field), "id=1 list_id=2 name=State type=dropdown is_mandatory=true allow_update=true show_in_form=1 length=3 size=4 row_size=5 " +
			"default_value=d values_array=a,b defaults_array=b dont_store_default=1 allowed_file_types=images file_folder_id=6 address_type=mobile time_format=12h " +
			"date_validation=past display_order=7"},
		{"empty Field", shownRecord(FieldAttributes, &enlist.Field{}), "id=0 list_id=0 name= type= is_mandatory=false allow_update=false show_in_form=0 length=0 size=0 row_size= " +
			"default_value= values_array= defaults_array= dont_store_default=0 allowed_file_types= file_folder_id=0 address_type=none time_format= " +
			"date_validation= display_order=0"},
		{"preference", shownRecord(enlist.PreferenceAttributes, &enlist.Preference{ID: 1, ListID: 2, Name: "Weekly"}), "id=1 list_id=2 name=Weekly"},
		{"Folder", shownRecord(accounts.FolderAttributes, &accounts.Folder{ID: 1, AccountID: 2, Name: "Lists", Type: "list", CreationTime: 3, ItemCount: 4}),
			"id=1 name=Lists creation_time=3 type=list item_count=4"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, _ := strings.Cut(c.got, " version=") // the last key of Lists and Fields
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// Callers may send a telephone number in any form. A record has its digits, which a caller may send back.
func TestVirtualNumberIsANumber(t *testing.T) {
	a := virtualNumber()
	for _, c := range []struct {
		sent   string
		stored string
		shown  int64
	}{{"", "", 0}, {"0", "", 0}, {"61400000000", "61400000000", 61400000000}, {"+61 400 000 000", "+61 400 000 000", 61400000000}, {"none", "none", 0}} {
		var list enlist.List
		err := a.Set(&list, enlist.Input{Kind: enlist.InputText, Text: c.sent})
		if err != nil || list.VirtualNumber != c.stored || a.Get(&list) != enlist.IntValue(c.shown) {
			t.Errorf("%q: stored %q, shown %v (error %v), want %q and %d", c.sent, list.VirtualNumber, a.Get(&list), err, c.stored, c.shown)
		}
	}
	if err := a.Set(new(enlist.List), enlist.Input{Kind: enlist.InputText, Text: "1234567890123456789"}); err == nil {
		t.Error("19 digits were accepted")
	}
}

// covers: spec list.searchable
func TestListsAreSearchableByNineKeys(t *testing.T) {
	var names []string
	for _, a := range ListAttributes {
		if a.Searchable {
			names = append(names, a.Name)
		}
	}
	const want = "id creator_user_id name creation_time last_modified_time folder_id contact_count folder_name is_gdpr_compliant"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// covers: spec field.display_order
func TestHiddenFieldsComeLast(t *testing.T) {
	fields := []enlist.Field{{ID: 1, DisplayOrder: -1}, {ID: 2, DisplayOrder: 5}, {ID: 3, DisplayOrder: -1}, {ID: 5, DisplayOrder: 0}, {ID: 4, DisplayOrder: 5}}
	enlist.SortFields(fields)
	for i, want := range []enlist.FieldID{5, 2, 4, 1, 3} {
		if fields[i].ID != want {
			t.Fatalf("Field %d is at index %d, want Field %d: %+v", fields[i].ID, i, want, fields)
		}
	}
}

func TestQuotedTextIsShortAndHasNoSquareBrackets(t *testing.T) {
	long := strings.Repeat("ä", 80)
	for _, c := range []struct{ name, text, want string }{
		{"brackets become parentheses", "a[b]", `"a(b)"`},
		{"quotes and control characters are escaped", "a\"\n", `"a\"\n"`},
		{"a text over 100 bytes is cut", long, `"` + long[:100] + `…"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := enlist.Quoted(c.text); got != c.want {
				t.Errorf("quoted(%q) = %s, want %s", c.text, got, c.want)
			}
		})
	}
}
