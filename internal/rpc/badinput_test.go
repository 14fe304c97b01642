package rpc

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/enlist"
)

// These tests send one invalid parameter at a time to each method. The server must refuse the call
// with the right code, and change nothing.

// goodParams has valid parameters for each method, without the key. They are for a service that
// addOneOfEachRecord prepared.
var goodParams = map[string][]string{
	"subscribeContact":            {`1`, `{"Email":"bob@example.org"}`, `"direct"`, `"text"`, `{"News":true}`, `"192.0.2.1"`},
	"resubscribeContact":          {`1`, `1`, `"direct"`, `"text"`, `{"News":true}`, `"192.0.2.1"`, `"granted"`, `"text"`, `"v1"`, `"de"`},
	"unsubscribeContact":          {`1`, `"unknown@example.org"`, `"192.0.2.1"`},
	"unsubscribeContactById":      {`1`, `1`, `"192.0.2.1"`},
	"deactivateContact":           {`1`, `1`},
	"reactivateContact":           {`1`, `1`},
	"copyContacts":                {`1`, `2`, `[1]`, `[["Email","contains","x"]]`},
	"moveContacts":                {`1`, `2`, `[1]`, `[["Email","contains","x"]]`},
	"getContactChangeById":        {`1`},
	"cancelContactChange":         {`1`},
	"confirmContact":              {`1`, `1`, `"192.0.2.1"`, `"denied"`, `"text"`, `"v1"`},
	"searchContacts":              {`1`, `[["Email","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`, `["id"]`},
	"countContacts":               {`1`, `[["Email","exactly","x"]]`},
	"getContactById":              {`1`, `1`, `["id"]`},
	"getContactPreferences":       {`1`, `1`},
	"getListDays":                 {`1`, `"2026-01-01"`, `"2026-01-31"`},
	"getContactConsents":          {`1`, `1`, `10`, `0`, `true`},
	"searchPreviousUnsubscribers": {`1`, `[["address","exactly","x"]]`, `10`, `0`, `"time"`, `"ASC"`},
	"countPreviousUnsubscribers":  {`1`, `[["address","exactly","x"]]`},
	"addList":                     {`{"name":"Another"}`},
	"editList":                    {`{"id":1,"name":"Customers"}`},
	"deleteList":                  {`2`},
	"clearList":                   {`2`},
	"searchLists":                 {`[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countLists":                  {`[["name","exactly","x"]]`},
	"getListById":                 {`1`},
	"addListPreference":           {`1`, `"Offers"`},
	"deleteListPreference":        {`1`, `1`},
	"searchListPreferences":       {`1`, `[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"setSegment":                  {`1`, `"Readers"`, `[["Email","contains","x"]]`, `1`},
	"deleteSegment":               {`1`, `1`},
	"setForm":                     {`1`, `{"name":"Sign-up"}`, `1`},
	"deleteForm":                  {`1`, `1`},
	"getFormDays":                 {`1`, `1`, `"2026-01-01"`, `"2026-01-31"`},
	"searchForms":                 {`1`, `[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"searchSegments":              {`1`, `[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"addField":                    {`1`, `{"name":"City","type":"text"}`},
	"editField":                   {`1`, `{"id":1,"name":"Email"}`},
	"deleteField":                 {`1`, `2`},
	"searchFields":                {`1`, `[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countFields":                 {`1`, `[["name","exactly","x"]]`},
	"getFieldById":                {`1`, `1`},
	"getFolderIdForField":         {`1`, `5`},
	"setFieldFolderId":            {`1`, `5`, `3`},
	"getCreditBalance":            {`"sms"`},
	"getMessagesSentToContact":    {`1`, `1`, `"email"`, `1`, `7`},
	"getContactDeliveries":        {`1`, `1`},
	"addContacts":                 {`1`, `[{"Email":"bob@example.org"}]`, `true`, `1`, `"192.0.2.1"`},
	"editContacts":                {`1`, `[{"id":1,"Mobile Phone":"0412345678"}]`, `true`},
	"deleteContacts":              {`1`, `[1]`, `[["Email","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"addWebhook":                  {`{"object":"contact","event":"created","url":"https://example.com/"}`},
	"editWebhook":                 {`{"id":1,"event":"updated"}`},
	"deleteWebhook":               {`1`},
	"getWebhookById":              {`1`},
	"searchWebhooks":              {`[["event","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countWebhooks":               {`[["event","exactly","x"]]`},
	"addMessage":                  {`{"name":"Welcome","subject":"Hello","text_content":"Hello"}`},
	"editMessage":                 {`{"id":1,"name":"Welcome"}`},
	"deleteMessage":               {`2`},
	"searchMessages":              {`[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countMessages":               {`[["name","exactly","x"]]`},
	"getMessageById":              {`1`, `true`},
	"setSavedBlock":               {`"Foot"`, `[{"type":"line"}]`, `1`},
	"deleteSavedBlock":            {`1`},
	"searchSavedBlocks":           {`[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"getSavedBlockById":           {`1`},
	"previewMessage":              {`1`, `1`, `1`},
	"sendTestMessage":             {`1`, `["ann@example.org"]`, `1`, `1`},
	"addAutoresponder":            {`{"list_id":1,"message_id":1,"event_type":"subscribe"}`},
	"editAutoresponder":           {`{"id":1,"is_active":false}`},
	"deleteAutoresponder":         {`1`},
	"searchAutoresponders":        {`[["list_id","exactly",1]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countAutoresponders":         {`[["list_id","exactly",1]]`},
	"getAutoresponderById":        {`1`},
	"checkBatch":                  {`1`, `[{"list_id":1}]`, `{"exclude":{"batches":[1]}}`},
	"addBatch":                    {`1`, `[{"list_id":1}]`, `0`, `true`, `{"name":"May","exclude":{"batches":[1]}}`},
	"addBatchByContactSearch":     {`1`, `[1]`, `[["Email","exactly","x"]]`, `0`, `false`},
	"getBatchIdByQueueId":         {`1`},
	"editBatch":                   {`1`, `"pause"`, `0`},
	"deleteBatch":                 {`1`},
	"getBatchById":                {`1`},
	"searchBatches":               {`[["list_id","exactly",1]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countBatches":                {`[["list_id","exactly",1]]`},
	"getAllCurrentBatches":        {},
	"getBatchStatus":              {`1`},
	"getAutoresponderBatchId":     {`1`},
	"chooseBatchWinner":           {`1`, `1`},
	"uploadBase64FileData":        {`{"name":"a.txt","data":"YQ=="}`, `3`, `"overwrite"`},
	"deleteFile":                  {`1`},
	"searchFiles":                 {`[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countFiles":                  {`[["name","exactly","x"]]`},
	"getFileById":                 {`1`},
	"findFileInFolder":            {`"a.txt"`, `3`},
	"getBatchStatistics":          {`1`},
	"getBatchReport":              {`1`},
	"getBatchLinkStatistics":      {`1`},
	"getBatchContacts":            {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchOpened":              {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchNotOpened":           {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchBounced":             {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchUnsubscribed":        {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchComplained":          {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchAutoDeactivated":     {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchUpdated":             {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchResponses":           {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchClicked":             {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchOpens":               {`1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchLinkContacts":        {`1`, `"https://example.com/"`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"getBatchContactLinks":        {`1`, `1`, `[["contact_id","exactly",1]]`, `10`, `0`, `"contact_id"`, `"ASC"`},
	"addFolder":                   {`{"name":"Letters","type":"message"}`},
	"editFolder":                  {`{"id":1,"name":"Audiences"}`},
	"deleteFolder":                {`7`},
	"countFolders":                {`"list"`, `[["name","exactly","x"]]`},
	"searchFolders":               {`"list"`, `[["name","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"getFolderById":               {`1`},
	"getSessionInfo":              {},
	"getKeyInfo":                  {},
	"getTheme":                    {},
	"setTheme":                    {`{"width":640}`},
	"searchAccounts":              {`[["id","exactly",1]]`, `10`, `0`, `"id"`, `"ASC"`, `false`},
	"countAccounts":               {`[["id","exactly",1]]`, `true`},
	"getAccountById":              {`1`},
	"searchUsers":                 {`1`, `[["username","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"countUsers":                  {`1`, `[["username","exactly","x"]]`},
	"getUserById":                 {`1`, `1`},
	"setMember":                   {`{"email":"eva@example.org","name":"Eva","role":"writer"}`},
	"deleteMember":                {`1`},
	"searchMembers":               {`[["email","exactly","x"]]`, `10`, `0`, `"id"`, `"ASC"`},
	"addUser":                     {`1`, `{"username":"x"}`},
	"editUser":                    {`1`, `{"id":1}`},
	"deleteUser":                  {`1`, `1`},
	"addAccount":                  {`{"company_name":"x"}`, `{}`},
	"editAccount":                 {`{"id":1}`},
	"deleteAccount":               {`1`},
	"getTimezoneList":             {},
	"exportPerson":                {`"unknown@example.org"`},
	"erasePerson":                 {`"unknown@example.org"`, `true`},
	"searchAuditLog":              {`[["object","exactly","x"]]`, `10`, `0`, `"time"`, `"ASC"`},
	"countAuditLog":               {`[["object","exactly","x"]]`},
}

// badValues are values that are invalid for most parameters.
var badValues = []string{
	`null`, `true`, `false`, `0`, `7`, `-1`, `1.5`, `1e400`, `-1e400`, `99999999999999999999`, `""`, `"x"`, `"1.5"`, `"é😀"`, `[]`, `[1]`, `["x"]`, `[[]]`,
	`[null]`, `[{}]`, `{}`, `{"a":1}`, `{"id":[]}`, `{"Email":{}}`, `{"News":"maybe"}`, `[["Email","exactly",{}]]`,
	`"\u0000"`, `"\ud800"`, "\"\xff\"", `{"a":1,"a":2}`, `{"a":"\udfff"}`,
	strings.Repeat(`[`, 70) + strings.Repeat(`]`, 70), strings.Repeat(`[`, 12_000) + strings.Repeat(`]`, 12_000),
	`"` + strings.Repeat("x", 70_000) + `"`,
}

// Each parameter of each method gets each value of badValues. The call must fail with a published
// error and change nothing. It may succeed if the value is valid or means "omitted". With -short,
// each parameter gets a third of the values, and the parameters next to it get the others.
//
// covers: spec value.placeholder, errors.order, decision 8
func TestInvalidParameterFailsWithoutChange(t *testing.T) {
	t.Parallel()
	h := newHarnessWithRecords(t)
	for _, name := range slices.Sorted(maps.Keys(h.handler.methods)) {
		m := h.handler.methods[name]
		good, ok := goodParams[name]
		if !ok || len(good) != len(m.params)-1 {
			t.Fatalf("goodParams needs one value for each parameter of %s: %v", name, m.params[1:])
		}
		for i := range good {
			for j, bad := range badValues {
				if testing.Short() && (i+j)%3 != 0 {
					continue
				}
				params := slices.Clone(good)
				params[i] = bad
				body := h.request(name, strings.Join(params, ","))
				before := h.store.committed()
				failed := clearlyFailed(t, h.post(t, body), body)
				if failed && h.store.committed() != before {
					t.Errorf("%.200s: the call failed but changed something", body)
				}
				if !failed && m.writes {
					h = newHarnessWithRecords(t) // the change must not affect later cases
				}
			}
		}
		if alwaysRefused(m.summary) {
			continue
		}
		if m.writes {
			h = newHarnessWithRecords(t)
		}
		h.call(t, name, strings.Join(append(good, `{"more":"than needed"}`, `7`), ","))
	}
}

// The clients send the defaults of optional parameters. Their effect is that of a missing parameter.
//
// covers: decision 75
func TestSentDefaultHasTheEffectOfAMissingParameter(t *testing.T) {
	if testing.Short() {
		t.Skip("calls each method several times: run it with \"make check\"")
	}
	t.Parallel()
	for _, m := range Describe("test").Methods {
		var required, all []string
		for i, p := range m.Params[1:] {
			if p.Default != "" {
				all = append(all, p.Default)
				continue
			}
			required, all = append(required, goodParams[m.Name][i]), append(all, goodParams[m.Name][i])
		}
		if len(required) == len(all) {
			continue
		}
		var replies []string
		for _, params := range [][]string{required, all} {
			h := newHarnessWithRecords(t)
			replies = append(replies, h.post(t, h.request(m.Name, strings.Join(params, ","))))
		}
		if replies[0] != replies[1] {
			t.Errorf("%s(%s): without the defaults %.200s, with them %.200s", m.Name, strings.Join(all, ","),
				replies[0], replies[1])
		}
	}
}

// addListsAndContact adds two Lists. The first List gets a preference and a Contact. If the
// database already has Lists, addListsAndContact does nothing.
func (h *harness) addListsAndContact(t testing.TB) {
	t.Helper()
	if h.call(t, "countLists", "").Text != "0" {
		return
	}
	h.call(t, "addList", `{"name":"Customers"}`)
	h.call(t, "addList", `{"name":"Second"}`)
	h.call(t, "addListPreference", `1,"News"`)
	h.call(t, "setSegment", `1,"Readers",[["Email","contains","x"]]`)
	h.call(t, "setForm", `1,{"name":"Sign-up"}`)
	h.call(t, "subscribeContact", `1,{"Email":"ann@example.org"}`)
	h.call(t, "copyContacts", `1,2,[1]`)
}

// addOneOfEachRecord calls addListsAndContact and adds two Messages, a Batch with variants, an
// autoresponder that sends the first Message, a webhook, an empty Folder, a file Field and a file. If the
// database already has Messages, it does nothing.
func (h *harness) addOneOfEachRecord(t testing.TB) {
	t.Helper()
	if h.call(t, "countMessages", "").Text != "0" {
		return
	}
	h.addListsAndContact(t)
	h.call(t, "addMessage", `{"name":"Welcome","subject":"Hello","text_content":"Hello"}`)
	h.call(t, "addMessage", `{"name":"Unused","subject":"Hello","text_content":"Hello"}`)
	h.call(t, "addBatch", `1,[{"list_id":1}],0,false,{"variants":[{},{"subject":"Good morning"}]}`)
	h.call(t, "addAutoresponder", `{"list_id":1,"message_id":1,"event_type":"subscribe"}`)
	h.call(t, "addWebhook", `{"object":"contact","event":"created","url":"https://example.com/"}`)
	h.call(t, "setMember", `{"email":"max@example.org","name":"Max","role":"writer"}`)
	h.call(t, "setSavedBlock", `"Foot","[{\"type\":\"line\"}]"`)
	h.call(t, "addFolder", `{"name":"Unused","type":"list"}`)
	h.call(t, "addField", `1,{"name":"Photo","type":"file"}`)
	h.call(t, "uploadBase64FileData", `{"name":"a.txt","data":"YQ=="},3`)
}

// clearlyFailed reports whether a reply is an error. It fails the test if the error is internal or
// if its message does not begin with the published name.
func clearlyFailed(t *testing.T, reply, body string) bool {
	t.Helper()
	v, err := parse(reply)
	if err != nil {
		t.Errorf("%.200s: the reply is not valid JSON: %.200s", body, reply)
		return true
	}
	failed := child(v, "error")
	if failed == nil || failed.Kind == enlist.InputNull {
		return false
	}
	n, _ := child(failed, "code").AsInt()
	message := child(failed, "message").Text
	name := api.Code(n).Name()
	if api.Code(n) == api.CodeUndefined {
		name = "Undefined Error" // what follows depends on the method
	}
	if name == "" || n < 103 || !strings.HasPrefix(message, name) {
		t.Errorf("%.200s: got %s, want an error with a published code and name that is not internal", body, reply)
	}
	if strings.ContainsAny(message, "[]") || len(message) > 600 {
		t.Errorf("%.200s: the message %q has a square bracket or more than 600 bytes", body, message)
	}
	return true
}

// The server refuses a body that ends too early, at any byte, and changes nothing.
//
// covers: decision 8
func TestTruncatedBodyIsRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	h.addListsAndContact(t)
	body := h.request("subscribeContact", `1,{"Email":"bob@example.org"},"gdpr","text é"`)
	before := h.store.committed()
	for i := range len(body) {
		if reply := h.post(t, body[:i]); !strings.HasPrefix(reply, `{"id":null,"result":null,"error":{"code":106,`) {
			t.Errorf("%s: got %s, want code 106", body[:i], reply)
		}
	}
	if h.store.committed() != before {
		t.Error("a call with a truncated body changed something")
	}
}

// A call that is wrong in several ways returns the error of the first check. The server checks the
// key, the method, the access level, the text of the parameters, the List and the Contact, the types of
// the parameters and then the rules of the method.
func TestChecksRunInADefinedOrder(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	h.addListsAndContact(t)
	unknown := strings.Repeat("0", 64)
	keyNames := strings.NewReplacer(h.keys["READ"], "READ", h.keys["STANDARD"], "STANDARD", unknown, "UNKNOWN")
	for _, test := range []struct {
		method, params string
		code           int
	}{
		{"nothing", `7,"\ud800"`, 301},
		{"nothing", `"",1`, 301},
		{"nothing", fmt.Sprintf(`%q,"\ud800"`, unknown), 300},
		{"nothing", `"\ud800"`, 300},
		{"nothing", fmt.Sprintf(`%q,"\ud800"`, h.keys["READ"]), 104},
		{"searchContacts", fmt.Sprintf(`%q,"\ud800"`, h.keys["READ"]), 321},
		{"searchContacts", fmt.Sprintf(`%q,"\ud800"`, h.keys["STANDARD"]), 310},
		{"searchContacts", fmt.Sprintf(`%q,77,"\ud800"`, h.keys["STANDARD"]), 311},
		{"searchContacts", fmt.Sprintf(`%q,1,7`, h.keys["STANDARD"]), 311},
		{"searchContacts", fmt.Sprintf(`%q,77,7`, h.keys["STANDARD"]), 303},
		{"searchContacts", fmt.Sprintf(`%q,77,[["nothing","exactly",1]]`, h.keys["STANDARD"]), 303},
		{"subscribeContact", fmt.Sprintf(`%q,77,7,"nothing"`, h.keys["STANDARD"]), 303},
		{"subscribeContact", fmt.Sprintf(`%q,1,7,"nothing"`, h.keys["STANDARD"]), 310},
		{"subscribeContact", fmt.Sprintf(`%q,77,{"Email":"x"},"nothing"`, h.keys["STANDARD"]), 303},
		{"subscribeContact", fmt.Sprintf(`%q,1,{"Email":"x"},"nothing"`, h.keys["STANDARD"]), 334},
		{"subscribeContact", fmt.Sprintf(`%q,1,{"Email":"x"},"gdpr"`, h.keys["STANDARD"]), 335},
		{"subscribeContact", fmt.Sprintf(`%q,1,{"Email":"x"}`, h.keys["STANDARD"]), 317},
		{"resubscribeContact", fmt.Sprintf(`%q,1,77,"nothing"`, h.keys["STANDARD"]), 304},
		{"resubscribeContact", fmt.Sprintf(`%q,1,1,7`, h.keys["STANDARD"]), 334},
		{"resubscribeContact", fmt.Sprintf(`%q,1,1,"gdpr"," "`, h.keys["STANDARD"]), 335},
		{"resubscribeContact", fmt.Sprintf(`%q,1,1.5`, h.keys["STANDARD"]), 304},
		{"resubscribeContact", fmt.Sprintf(`%q,99,"x","bad"`, h.keys["STANDARD"]), 303},
		{"resubscribeContact", fmt.Sprintf(`%q,null,1`, h.keys["STANDARD"]), 303},
		{"resubscribeContact", fmt.Sprintf(`%q,1,1e30`, h.keys["STANDARD"]), 304},
	} {
		t.Run(test.method+" "+keyNames.Replace(test.params), func(t *testing.T) {
			reply := h.post(t, fmt.Sprintf(`{"id":1,"method":%q,"params":[%s]}`, test.method, test.params))
			if !strings.Contains(reply, fmt.Sprintf(`"error":{"code":%d,`, test.code)) {
				t.Errorf("%s %s: got %s, want code %d", test.method, keyNames.Replace(test.params), reply, test.code)
			}
		})
	}
}

// The number of values for one Contact is limited, because a transaction finds their Fields while
// other writers wait.
//
// covers: spec subscribeContact.rule.5
func TestContactHasAtMost10000Values(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	h.addListsAndContact(t)
	for _, test := range []struct {
		n        int
		expected string
	}{{maxDetails, `"error":null`}, {maxDetails + 1, `"code":310`}} {
		t.Run(fmt.Sprintf("%d values", test.n), func(t *testing.T) {
			var details strings.Builder
			for i := range test.n - 1 {
				fmt.Fprintf(&details, `,"no Field %d":1`, i)
			}
			reply := h.post(t, h.request("subscribeContact", `1,{"Email":"a@example.com"`+details.String()+`}`))
			if !strings.Contains(reply, test.expected) {
				t.Errorf("%d values: got %s, want %s", test.n, reply, test.expected)
			}
		})
	}
}
