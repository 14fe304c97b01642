package rpc

import (
	_ "embed"
	"encoding/json"
	"slices"
	"strings"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/forms"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/recipients"
	"enlist/internal/reports"
	"enlist/internal/sending"
	"enlist/internal/users"
	"enlist/internal/webhooks"
)

// This file describes the API for programs and people: package reference makes the reference page, the Markdown
// and the clients of it, and describe_openrpc.go the document of OpenRPC. Everything comes from the table of
// methods and the tables of keys of the records. decisions.md: 73

// Description describes the API.
type Description struct {
	Version string // of the service
	Methods []MethodInfo
	Records []RecordInfo
}

// MethodInfo describes one method.
type MethodInfo struct {
	Name    string
	Noun    string // "Contacts", "Lists", …
	Summary string
	Level   string // lowest access level of a key: read, standard or full
	Writes  bool   // accepts an Idempotency-Key
	Params  []ParamInfo
	Result  Type
	Returns string // what the result is, beside its type; may be empty
	Errors  []ErrorInfo
	Example *Example // nil if there is none
}

// ParamInfo describes a parameter. Default is JSON, and empty for a required parameter.
type ParamInfo struct {
	Name, Meaning string
	Type          Type
	Default       string
}

// ErrorInfo is an error code with its published name.
type ErrorInfo struct {
	Code api.Code
	Name string
}

// Example is a call from the wire transcripts. Params begin with the text YOUR-KEY.
type Example struct {
	Params []json.RawMessage `json:"params"`
	Result json.RawMessage   `json:"result"`
}

// RecordInfo describes a kind of record.
type RecordInfo struct {
	Name string
	Open bool // has further keys, whose names are those of the Fields
	Keys []KeyInfo
}

// KeyInfo describes a key of a record.
type KeyInfo struct {
	Name       string
	Meaning    string // empty if the name says it
	Type       Type
	Optional   bool // some methods return the record without it
	Searchable bool // criteria may test it
	Settable   bool // details may have it
}

// examplesJSON has an example for each method, from testdata/reference.txt. go test ./internal/rpc -run Transcripts
// -update writes it.
//
//go:embed examples.json
var examplesJSON []byte

// commonErrors are the errors that every method can return, beside the one for an internal error. reference.md:
// auth.restricted, errors.order
var commonErrors = []api.Code{api.CodeUnreadable, api.CodeInvalidKey, api.CodeMissingKey,
	api.CodeInvalidParameters, api.CodeDenied, api.CodeTooManyConcurrent}

// Describe returns the description of the API. version is the version of the service.
func Describe(version string) Description {
	var examples map[string]*Example
	if err := json.Unmarshal(examplesJSON, &examples); err != nil {
		panic("examples.json: " + err.Error())
	}
	d := Description{Version: version, Records: records()}
	all := methods(new(app.App))
	sorted := make([]*method, len(all))
	for _, m := range all {
		sorted[m.position] = m
	}
	known := parameters()
	for _, m := range sorted {
		info := m.describe(known)
		info.Example = examples[m.name]
		d.Methods = append(d.Methods, info)
	}
	return d
}

// describe returns the description of a method, without its example. known are all parameters.
func (m *method) describe(known map[string]ParamInfo) MethodInfo {
	result, returns, _ := strings.Cut(m.returns, ", ")
	info := MethodInfo{Name: m.name, Noun: m.noun, Summary: m.summary, Level: m.level.String(), Writes: m.writes,
		Result: Type(result), Returns: returns}
	for _, name := range m.params {
		param := known[name]
		if value, optional := m.defaults[name]; optional {
			param.Default = value
			if param.Type == "string" {
				param.Default = string(appendString(nil, value))
			}
		}
		info.Params = append(info.Params, param)
	}
	failure, _ := api.FailureName(m.name)
	codes := append(slices.Concat(m.errors, commonErrors), failure)
	slices.Sort(codes)
	for _, code := range slices.Compact(codes) {
		info.Errors = append(info.Errors, ErrorInfo{code, errorName(m.name, code)})
	}
	return info
}

// errorName returns the published name of a code. The name of 302 depends on the method.
func errorName(method string, code api.Code) string {
	if failure, name := api.FailureName(method); failure == code {
		return name
	}
	return code.Name()
}

// records returns the kinds of records.
func records() []RecordInfo {
	contact := record("Contact", enlist.ContactAttributes)
	contact.Open = true
	consent := plainRecord("Consent", "time integer", "method string", "consent_type string", "consent_text string",
		"ip_address string", "list_preferences object of boolean", "key_name string", "import_id integer",
		"import_row integer", "tracking_consent string", "tracking_text_version string")
	preview := plainRecord("Preview", "subject string", "from string", "to string", "reply_to string", "headers string",
		"html string", "text string", "size integer", "findings array of string")
	audit := record("AuditRow", accounts.AuditAttributes).with("before object", "after object")
	all := []RecordInfo{
		contact, record("ContactChange", contacts.ChangeAttributes), consent, record("SentMessage", reports.SentMessageAttributes),
		record("ContactDelivery", reports.ContactDeliveryAttributes),
		record("Unsubscriber", contacts.UnsubscriberAttributes),
		record("List", lists.ListAttributes), record("Preference", enlist.PreferenceAttributes),
		record("Segment", contacts.SegmentAttributes), record("Form", forms.FormAttributes),
		record("ListDay", lists.ListDayAttributes), record("FormDay", forms.DayAttributes),
		record("Field", lists.FieldAttributes), record("Message", messages.MessageAttributes),
		record("WholeMessage", messages.WholeMessageAttributes), record("Theme", messages.ThemeAttributes), preview,
		record("SavedBlock", messages.SavedAttributes), record("WholeSavedBlock", messages.WholeSavedAttributes),
		record("Autoresponder", batches.AutoresponderAttributes), record("Batch", batches.BatchAttributes),
		record("CurrentBatch", batches.CurrentBatchAttributes),
		record("BatchStatus", batches.BatchStatusAttributes),
		record("BatchCheck", batches.CheckAttributes).with("left_out object of integer",
			"findings array of BatchFinding"),
		record("BatchFinding", batches.FindingAttributes),
		record("BatchStatistics", reports.BatchReportAttributes).with(
			"device_statistics object of DeviceNumbers", "mail_clients object of MailClientNumbers"),
		record("BatchReport", reports.OwnReportAttributes).with("left_out object of integer",
			"periods array of BatchPeriod", "domains array of BatchDomain", "bounce_reasons array of BatchBounceReason",
			"editions array of BatchEdition", "variants array of BatchVariantNumbers"),
		plainRecord("DeviceNumbers", "total_count integer", "percentage number"),
		plainRecord("MailClientNumbers", "title string", "total integer", "percent number"),
		record("BatchPeriod", reports.PeriodAttributes), record("BatchEdition", recipients.EditionAttributes),
		record("BatchDomain", recipients.DomainAttributes), record("BatchBounceReason", recipients.ReasonAttributes),
		record("BatchVariantNumbers", sending.VariantAttributes),
		record("Link", reports.LinkAttributes), record("ClickedLink", reports.BatchRowAttributes(recipients.EventLink)),
		recipient(), record("Response", reports.ResponseAttributes), record("Webhook", webhooks.WebhookAttributes),
		record("WholeWebhook", webhooks.WholeWebhookAttributes),
		record("Folder", accounts.FolderAttributes), record("File", files.FileAttributes),
		plainRecord("Upload", "id integer", "url string"),
		record("Account", accounts.AccountAttributes), record("User", accounts.UserAttributes),
		record("Member", users.MemberAttributes),
		record("Session", sessionAttributes), record("KeyInfo", keyInfoAttributes),
		record("Credits", creditAttributes),
		plainRecord("TimeZone", "timezone string", "display_name string"), audit,
		plainRecord("Erasure", "rows object of integer", "left array of string"),
	}
	meanings := keyMeanings()
	for _, r := range all {
		for i := range r.Keys {
			r.Keys[i].Meaning = keyMeaning(meanings, r.Name, r.Keys[i].Name)
		}
	}
	return all
}

// recipient describes the rows of the reports. Each report returns some of the keys.
func recipient() RecordInfo {
	all := record("Recipient", reports.BatchRowAttributes(recipients.RowsSent))
	for _, kind := range []recipients.EventKind{recipients.EventOpened, recipients.RowsOpens, recipients.EventClicked,
		recipients.EventUnsubscribed, recipients.EventBounced, recipients.EventComplained} {
		for _, key := range record("", reports.BatchRowAttributes(kind)).Keys {
			if !slices.ContainsFunc(all.Keys, func(k KeyInfo) bool { return k.Name == key.Name }) {
				key.Optional = true
				all.Keys = append(all.Keys, key)
			}
		}
	}
	return all
}

// record describes a kind of record by its table of keys.
func record[T any](name string, attributes []enlist.Attribute[T]) RecordInfo {
	r := RecordInfo{Name: name}
	for i := range attributes {
		a := &attributes[i]
		key := KeyInfo{Name: a.Name, Type: "string", Searchable: a.Searchable, Settable: a.Set != nil}
		switch a.Type {
		case enlist.KeyInt:
			key.Type = "integer"
		case enlist.KeyBool:
			key.Type = "boolean"
		}
		r.Keys = append(r.Keys, key)
	}
	return r
}

// plainRecord describes a record that has no table of keys. Each of keys is a name, a space and a type.
func plainRecord(name string, keys ...string) RecordInfo {
	return RecordInfo{Name: name}.with(keys...)
}

// with returns the record with further keys, which are as in plainRecord.
func (r RecordInfo) with(keys ...string) RecordInfo {
	for _, key := range keys {
		key, keyType, _ := strings.Cut(key, " ")
		r.Keys = append(r.Keys, KeyInfo{Name: key, Type: Type(keyType)})
	}
	return r
}
