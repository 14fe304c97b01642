package rpc

import (
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file compares the results of methods with their published pages. testdata/published/NAME.txt has the facts of a
// page: its address, the request of its example without the key, and each value of the result, as a path with its type.
// A * in a path stands for any ID or name. Lines after "version 3.3" are for this version in the URL. A line "cut" says
// which facts come from another source, because the stored page is cut off. A line "differs" says where a page differs
// from itself. Samples write numbers and flags as texts, but replies have numbers and bools.

// publishedCalls has each published method that has a page, with its parameters on the fixture of publishedResults,
// without the key. The calls run in this order: those that change something last.
var publishedCalls = []struct{ method, params string }{
	{"getSessionInfo", ``},
	{"getCreditBalance", `"sms"`},
	{"searchAccounts", ``},
	{"countAccounts", ``},
	{"getAccountById", `1`},
	{"searchUsers", ``},
	{"countUsers", `1`},
	{"getUserById", `1,1`},
	{"searchLists", ``},
	{"countLists", ``},
	{"getListById", `1`},
	{"searchFields", `1`},
	{"countFields", `1`},
	{"getFieldById", `1,1`},
	{"searchFolders", `"list"`},
	{"countFolders", `"file"`},
	{"getFolderById", `1`},
	{"searchFiles", ``},
	{"countFiles", ``},
	{"getFileById", `1`},
	{"searchContacts", `1`},
	{"countContacts", `1`},
	{"getContactById", `1,1`},
	{"searchPreviousUnsubscribers", ``},
	{"countPreviousUnsubscribers", ``},
	{"getMessagesSentToContact", `1,1`},
	{"searchMessages", ``},
	{"countMessages", ``},
	{"getMessageById", `1,true`},
	{"searchAutoresponders", ``},
	{"countAutoresponders", ``},
	{"getAutoresponderById", `1`},
	{"searchBatches", `[["list_id","exactly",1]]`},
	{"countBatches", `[["list_id","exactly",1]]`},
	{"getBatchById", `1`},
	{"getBatchStatus", `1`},
	{"getAllCurrentBatches", ``},
	{"getBatchIdByQueueId", `1`},
	{"getBatchStatistics", `1`},
	{"getBatchOpened", `1`},
	{"getBatchNotOpened", `1`},
	{"getBatchBounced", `1`},
	{"getBatchUnsubscribed", `1`},
	{"getBatchComplained", `1`},
	{"getBatchLinkStatistics", `1`},
	{"getBatchLinkContacts", `1,"https://a.example/"`},
	{"getBatchResponses", `1`},

	{"deactivateContact", `1,1`},
	{"reactivateContact", `1,1`},
	{"confirmContact", `1,1`},
	{"unsubscribeContactById", `1,1`},
	{"resubscribeContact", `1,1`},
	{"addContacts", `1,[{"Email":"ann@example.com"},{"Email":"bob@example.com"}]`},
	{"editContacts", `1,[{"id":2,"Mobile Phone":"61400000000"},{"id":3,"Mobile Phone":"61400000001"}]`},
	{"deleteContacts", `1,[2,3,4]`},
	{"subscribeContact", `1,{"Email":"eve@example.com"}`},
	{"unsubscribeContact", `1,"eve@example.com"`},
	{"addFolder", `{"name":"New","type":"list"}`},
	{"editFolder", `{"id":$FOLDER,"name":"Renamed"}`},
	{"deleteFolder", `$FOLDER`},
	{"uploadBase64FileData", `{"name":"b.txt","data":"YQ=="},3`},
	{"deleteFile", `1`},
	{"addField", `2,{"name":"City","type":"text"}`},
	{"editField", `2,{"id":$FIELD,"name":"Town"}`},
	{"deleteField", `2,$FIELD`},
	{"addMessage", `{"name":"June","subject":"June","text_content":"Hello"}`},
	{"editMessage", `{"id":1,"subject":"May again"}`},
	{"addAutoresponder", `{"list_id":1,"message_id":1,"event_type":"subscribe"}`},
	{"editAutoresponder", `{"id":1,"is_active":false}`},
	{"addWebhook", `{"object":"contact","event":"created","url":"https://example.com/"}`},
	{"addBatch", `1,[{"list_id":1}],9999999999`},
	{"addBatchByContactSearch", `1,[1],[],9999999999`},
	{"editBatch", `$BATCH,"pause"`},
	{"deleteMessage", `$MESSAGE`},
	{"addList", `{"name":"New"}`},
	{"editList", `{"id":1,"name":"Renamed"}`},
	{"clearList", `1`},
	{"deleteList", `1`},
}

// pagesNotFound are published methods whose page is not stored anywhere. Only their summary is known.
var pagesNotFound = []string{"getTimezoneList", "getFolderIdForField", "setFieldFolderId", "findFileInFolder",
	"deleteAutoresponder", "getAutoresponderBatchId", "deleteBatch", "getBatchContacts", "getBatchContactLinks", "getBatchAutoDeactivated",
	"getBatchUpdated", "editWebhook", "deleteWebhook", "getWebhookById", "searchWebhooks", "countWebhooks"}

// refusedCalls are published methods that do what only the operator may do. They have no result.
var refusedCalls = []struct{ method, params string }{
	{"addAccount", `{},{}`},
	{"editAccount", `{"id":1}`},
	{"deleteAccount", `1`},
	{"addUser", `1,{}`},
	{"editUser", `1,{"id":1}`},
	{"deleteUser", `1,1`},
}

// ownMethods are methods that only this service has.
var ownMethods = []string{"addListPreference", "deleteListPreference", "searchListPreferences", "getContactPreferences",
	"getContactConsents", "getContactDeliveries", "exportPerson", "erasePerson", "previewMessage", "sendTestMessage",
	"checkBatch", "chooseBatchWinner", "getBatchReport", "getBatchOpens", "getBatchClicked",
	"getKeyInfo", "searchAuditLog", "countAuditLog", "setSegment", "deleteSegment", "searchSegments",
	"setForm", "deleteForm", "searchForms", "getFormDays",
	"copyContacts", "moveContacts", "getContactChangeById", "cancelContactChange",
	"setMember", "deleteMember", "searchMembers",
	"setSavedBlock", "deleteSavedBlock", "searchSavedBlocks", "getSavedBlockById", "getListDays", "getTheme", "setTheme"}

// alwaysEmpty are methods whose result never has a value, because this service sends no SMS.
var alwaysEmpty = map[string]bool{"getBatchResponses": true}

// Each method of the API is compared with its page, or a list above says why not.
func TestEachPublishedMethodIsComparedWithItsPage(t *testing.T) {
	seen := make(map[string]int)
	for _, call := range slices.Concat(publishedCalls, refusedCalls) {
		seen[call.method]++
		publishedPage(t, call.method)
	}
	for _, name := range slices.Concat(pagesNotFound, ownMethods) {
		seen[name]++
	}
	for name := range methods(new(app.App)) {
		if seen[name] != 1 {
			t.Errorf("%s is in %d lists, want 1", name, seen[name])
		}
		delete(seen, name)
	}
	for name := range seen {
		t.Errorf("%s is no method of the API", name)
	}
}

func TestResultsHaveThePublishedKeysInTheirOrder(t *testing.T) {
	apptest.Run(t, apptest.Own, newPublishedResults, []apptest.Rule[*publishedResults]{
		{Name: "results have the published keys in their order and no others", Test: (*publishedResults).compare},
		{Name: "the request of each page is understood", Test: (*publishedResults).requests},
		{Name: "methods that only the operator may use are refused", Test: (*publishedResults).refusals},
		{Name: "Messages sent to a Contact say how and when they were opened", Test: (*publishedResults).openedMessages},
	})
}

// publishedResults is a Batch that was sent, and a server with its Account.
type publishedResults struct {
	*apptest.SentBatch
	*harness
}

func newPublishedResults(t *testing.T, store db.Engine) *publishedResults {
	f := &publishedResults{SentBatch: apptest.NewSentBatch(5)(t, store)}
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Pass(time.Second)
	f.Click(f.Contacts[0], f.Links[0], apptest.PersonAgent)
	_, err := f.App.Sending.Bounced(t.Context(), f.Mail(f.Contacts[1]), "smtp; 550 5.1.1 no such user")
	f.Must(err)
	_, err = f.App.Sending.Complained(t.Context(), f.Mail(f.Contacts[2]), "spam")
	f.Must(err)
	_, err = f.App.Sending.UnsubscribeByLink(t.Context(), f.Mail(f.Contacts[3]), "")
	f.Must(err)
	_, text, err := f.App.Accounts.AddKey(t.Context(), accounts.KeyDetails{Account: f.Caller.Account.ID, Name: "FULL", Level: enlist.Full})
	f.Must(err)
	f.harness = &harness{service: f.App, keys: map[string]string{"FULL": text}}
	f.handler = New(f.App, Options{Now: f.Clock, Version: "test", Log: slog.New(slog.NewTextHandler(io.Discard, nil))})
	f.server = httptest.NewServer(f.handler)
	t.Cleanup(f.server.Close)
	return f
}

// addRecords adds a record of each kind that the fixture lacks. It returns names for IDs that publishedCalls uses.
func (f *publishedResults) addRecords() *strings.Replacer {
	id := func(method, params string) string { return f.call(f.T, method, params).Text }
	id("uploadBase64FileData", `{"name":"a.txt","data":"YQ=="},3`)
	id("addAutoresponder", `{"list_id":1,"message_id":1,"event_type":"subscribe"}`)
	id("addList", `{"name":"Second"}`)
	return strings.NewReplacer("$BATCH", id("addBatch", `1,[{"list_id":1}],9999999999`),
		"$FOLDER", id("addFolder", `{"name":"Empty","type":"list"}`),
		"$FIELD", id("addField", `2,{"name":"Street","type":"text"}`),
		"$MESSAGE", id("addMessage", `{"name":"Unused","subject":"Hello","text_content":"Hello"}`))
}

func (f *publishedResults) compare() {
	ids := f.addRecords()
	for _, call := range publishedCalls {
		f.Case(call.method, func() {
			for _, page := range publishedPage(f.T, call.method) {
				if alwaysEmpty[call.method] {
					page.values = []string{"result array"}
				}
				reply := f.callAt(f.T, "?version="+page.version, call.method, ids.Replace(call.params))
				f.compareValues(call.method, page, valuesOf(nil, "result", reply))
			}
		})
	}
}

// compareValues compares the values of a result with those of a page. After the published keys of a record may be keys
// that callers can set, because an edit is the only way to read and write a setting that the page does not have; and its version, for the key if_version.
func (f *publishedResults) compareValues(method string, page publishedVersion, got []string) {
	for i, want := range page.values {
		if i == len(got) {
			f.Errorf("version %s lacks %s", page.version, strings.Join(page.values[i:], ", "))
			return
		}
		whole, _ := path.Match(strings.Replace(want, " number", " int", 1), got[i])
		if same, _ := path.Match(want, got[i]); !same && !whole {
			f.Errorf("version %s: value %d is %s, want %s", page.version, i+1, got[i], want)
		}
	}
	for _, more := range got[min(len(page.values), len(got)):] {
		name, _, _ := strings.Cut(path.Base(more), " ")
		if !settableKeys(method)[name] && name != "version" {
			f.Errorf("version %s has the further value %s", page.version, more)
		}
	}
}

// settableKeys returns the keys that callers may set of the record that a method returns.
func settableKeys(method string) map[string]bool {
	d := Describe("")
	settable := make(map[string]bool)
	for _, m := range d.Methods {
		_, record := m.Result.Items()
		for _, r := range d.Records {
			if m.Name != method || r.Name != string(record) {
				continue
			}
			for _, key := range r.Keys {
				settable[key.Name] = key.Settable
			}
		}
	}
	return settable
}

// requests sends the request of each page. Its IDs are unknown, so a refusal may only say this.
func (f *publishedResults) requests() {
	for _, call := range slices.Concat(publishedCalls, refusedCalls) {
		for _, page := range publishedPage(f.T, call.method) {
			reply := f.post(f.T, f.request(call.method, page.request[1:len(page.request)-1]))
			if strings.Contains(reply, "folder_id: expected a Folder") {
				continue // an unknown Folder in details is 310
			}
			for _, code := range []int{100, 104, 310, 311} {
				if strings.Contains(reply, fmt.Sprintf(`"code":%d,`, code)) {
					f.Errorf("%s%s: %s", call.method, page.request, reply)
				}
			}
		}
	}
}

func (f *publishedResults) refusals() {
	for _, call := range refusedCalls {
		if reply := f.post(f.T, f.request(call.method, call.params)); !strings.Contains(reply, `"code":321,`) {
			f.Errorf("%s: %s, want 321", call.method, reply)
		}
	}
}

// openedMessages opens a mail by its image, twice, and another by a click.
func (f *publishedResults) openedMessages() {
	sent := f.Batch(f.ID).FirstSent
	first := f.Now.Unix() - 1
	f.Pass(time.Minute)
	f.Open(f.Contacts[0], apptest.PersonAgent)
	f.Click(f.Contacts[4], f.Links[1], apptest.PersonAgent)
	for i, opens := range map[int]string{0: fmt.Sprintf(`%d,"last_open_time":%d,"open_type":"html"`, first, first+61),
		4: fmt.Sprintf(`%d,"last_open_time":%[1]d,"open_type":"text"`, first+61), 2: `0,"last_open_time":0,"open_type":"not_opened"`} {
		id := f.Contacts[i]
		want := fmt.Sprintf(`[{"id":%d,"message_id":%d,"batch_id":%d,"message_type":"email","name":"May","send_time":%d,"first_open_time":%s}]`,
			id, f.Message, f.ID, sent, opens)
		got := f.post(f.T, f.request("getMessagesSentToContact", fmt.Sprintf("%d,%d,\"email\",%d,%[3]d", f.News, id, sent)))
		if got != `{"id":1,"result":`+want+`,"error":null}` {
			f.Errorf("got %s, want %s", got, want)
		}
	}
}

// publishedVersion is what a page says about one version.
type publishedVersion struct {
	version, request string
	values           []string
}

// publishedPage reads the file of a method.
func publishedPage(t *testing.T, method string) []publishedVersion {
	t.Helper()
	text, err := os.ReadFile("testdata/published/" + method + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	all := []publishedVersion{{version: "3.0"}}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch last := &all[len(all)-1]; name {
		case "page", "cut", "differs":
		case "version":
			all = append(all, publishedVersion{version: rest, request: last.request})
		case "request":
			last.request = rest
		default:
			last.values = append(last.values, name+" "+rest)
		}
	}
	return all
}

// valuesOf appends the path and the type of each value in a result, in their order. Of an array it takes the first item.
func valuesOf(all []string, file string, v *enlist.Input) []string {
	if len(v.Items) == 0 {
		return append(all, file+" "+typeOf(v))
	}
	for i := range v.Items {
		switch {
		case v.Kind == enlist.InputObject:
			all = valuesOf(all, file+"/"+v.Items[i].Name, &v.Items[i])
		case i == 0:
			all = valuesOf(all, file+"/0", &v.Items[i])
		}
	}
	return all
}

// typeOf returns the type of a value as the pages name it.
func typeOf(v *enlist.Input) string {
	switch v.Kind {
	case enlist.InputText:
		return "string"
	case enlist.InputTrue, enlist.InputFalse:
		return "bool"
	case enlist.InputNumber:
		if _, err := strconv.ParseInt(v.Text, 10, 64); err != nil {
			return "number"
		}
		return "int"
	case enlist.InputObject:
		return "object"
	}
	return "array"
}
