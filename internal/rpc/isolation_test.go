package rpc

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// These tests walk the whole table of methods. No method may show or change what a key must not use: records of another
// Account, a method above the key's level, and Lists outside the key's restriction.

// foreign has the ID of a record of the other Account by the name of a parameter or of a key in a parameter. In a
// service without the records of addForeignRecords, these IDs do not exist.
var foreign = map[string]string{
	"list_id": "3", "target_list_id": "3", "change_id": "2", "saved_block_id": "2", "member_id": "2", "contact_id": "2", "field_id": "8", "preference_id": "2", "segment_id": "2", "form_id": "2", "folder_id": "8", "message_id": "3",
	"autoresponder_id": "2", "webhook_id": "2", "batch_id": "3", "queue_id": "3", "send_id": "2", "file_id": "2",
	"contacts": `[{"id":2}]`, "contact_ids": `[2]`, "lists": `[3]`, "populations": `[{"list_id":3}]`,
}

// foreignInside are calls of the Account of the key FULL that name a record of the other Account inside a parameter.
var foreignInside = []struct{ method, params string }{
	{"editList", `{"id":3,"name":"Mine"}`},
	{"addList", `{"name":"Mine","folder_id":8}`},
	{"editList", `{"id":1,"folder_id":8}`},
	{"editField", `3,{"id":6,"name":"Mine"}`},
	{"editField", `1,{"id":6,"name":"Mine"}`},
	{"addField", `1,{"name":"Mine","type":"file","file_folder_id":10}`},
	{"editFolder", `{"id":8,"name":"Mine"}`},
	{"addMessage", `{"name":"Mine","subject":"Hello","text_content":"Hello","folder_id":9}`},
	{"editMessage", `{"id":3,"name":"Mine"}`},
	{"editMessage", `{"id":1,"html_content":"<img src=\"file:2\">"}`},
	{"addAutoresponder", `{"list_id":3,"message_id":1,"event_type":"subscribe"}`},
	{"addAutoresponder", `{"list_id":1,"message_id":3,"event_type":"subscribe"}`},
	{"editAutoresponder", `{"id":2,"is_active":false}`},
	{"editAutoresponder", `{"id":1,"message_id":3}`},
	{"addWebhook", `{"object":"contact","event":"created","list_id":3,"url":"https://example.com/"}`},
	{"editWebhook", `{"id":2,"event":"updated"}`},
	{"editWebhook", `{"id":1,"list_id":3}`},
	{"addBatch", `1,[{"list_id":1},{"list_id":3}]`},
	{"addBatch", `1,[{"list_id":1}],0,true,{"exclude":{"batches":[3]}}`},
	{"checkBatch", `1,[{"list_id":1},{"list_id":3}]`},
	{"addBatch", `1,[{"list_id":1,"segment_id":2}]`},
	{"addBatch", `1,[{"list_id":3,"segment_id":2}]`},
	{"addBatchByContactSearch", `1,[1],[["segment_id","exactly",2]]`},
	{"checkBatch", `1,[{"list_id":1,"segment_id":2}]`},
	{"addAutoresponder", `{"list_id":1,"message_id":1,"event_type":"subscribe","segment_id":2}`},
	{"editAutoresponder", `{"id":1,"segment_id":2}`},
	{"countContacts", `1,["segment_id","in","2"]`},
	{"deleteContacts", `1,[],[["segment_id","exactly",2]]`},
	{"setMember", `{"email":"max@example.org","list_ids":"3"}`},
	{"copyContacts", `1,2,[],[["segment_id","exactly",2]]`},
	{"checkBatch", `1,[{"list_id":1}],{"exclude":{"batches":[3]}}`},
	{"checkBatch", `1,[{"list_id":1}],{"variants":[{},{"message_id":3}]}`},
	{"uploadBase64FileData", `{"name":"a.txt","data":"YQ=="},10,"overwrite"`},
	{"searchContacts", `1,[["batch_sent","exactly",3]]`},
	{"searchLists", `[["id","exactly",3]]`},
	{"searchMessages", `[["id","exactly",3]]`},
	{"searchAutoresponders", `[["list_id","exactly",3]]`},
	{"searchWebhooks", `[["list_id","exactly",3]]`},
	{"searchBatches", `[["list_id","exactly",3]]`},
	{"searchFiles", `[["folder_id","exactly",10]]`},
}

// Each parameter of each method gets the ID of a record of another Account. The reply is the same as if the record did
// not exist, and the records of the other Account do not change.
func TestRecordsOfAnotherAccountDoNotExist(t *testing.T) {
	t.Parallel()
	with, without := newHarness(t, Options{}), newHarness(t, Options{})
	for _, h := range []*harness{with, without} {
		h.addOneOfEachRecord(t)
	}
	with.addForeignRecords(t)
	before := with.recordsOf(t, "OTHER")
	check := func(method, params string) {
		t.Helper()
		got := with.post(t, with.request(method, params))
		want := without.post(t, without.request(method, params))
		if got != want {
			t.Errorf("%s(%s) of a record of another Account: %s\nof a record that does not exist: %s", method, params, got, want)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(with.handler.methods)) {
		for i, parameter := range with.handler.methods[name].params[1:] {
			if parameter == "contact_ids" && name != "deleteContacts" {
				continue // a copy of none is a change too, and its ID is another one
			}
			if id := foreign[parameter]; id != "" && !strings.HasPrefix(name, "subscribe") {
				params := slices.Clone(goodParams[name])
				params[i] = id
				check(name, strings.Join(params, ","))
			}
		}
	}
	for _, inside := range foreignInside {
		check(inside.method, inside.params)
	}
	if after := with.recordsOf(t, "OTHER"); after != before {
		t.Errorf("the records of the other Account changed from\n%s\nto\n%s", before, after)
	}
}

// addForeignRecords adds one record of each kind to the Account of the key OTHER. Their IDs are those of foreign.
func (h *harness) addForeignRecords(t *testing.T) {
	t.Helper()
	own := h.keys["FULL"]
	h.keys["FULL"] = h.keys["OTHER"]
	defer func() { h.keys["FULL"] = own }()
	for _, record := range []struct{ method, params string }{
		{"addFolder", `{"name":"Theirs","type":"list"}`},
		{"addFolder", `{"name":"Theirs","type":"message"}`},
		{"addFolder", `{"name":"Theirs","type":"file"}`},
		{"addList", `{"name":"Theirs"}`},
		{"addListPreference", `3,"Theirs"`},
		{"setSegment", `3,"Theirs",[["Email","contains","x"]]`},
		{"setForm", `3,{"name":"Theirs"}`},
		{"subscribeContact", `3,{"Email":"theirs@example.org"}`},
		{"addField", `3,{"name":"Photo","type":"file"}`},
		{"addMessage", `{"name":"Theirs","subject":"Hello","text_content":"Hello"}`},
		{"addBatch", `3,[{"list_id":3}]`},
		{"addAutoresponder", `{"list_id":3,"message_id":3,"event_type":"subscribe"}`},
		{"addWebhook", `{"object":"contact","event":"created","url":"https://example.com/"}`},
		{"uploadBase64FileData", `{"name":"theirs.txt","data":"YQ=="},10`},
		{"setMember", `{"email":"theirs@example.org","name":"Theirs","role":"reader"}`},
		{"setSavedBlock", `"Theirs",[{"type":"line"}]`},
		{"addList", `{"name":"Theirs too"}`},
		{"copyContacts", `3,4,[2]`},
	} {
		h.call(t, record.method, record.params)
	}
	for kind, read := range map[string]string{
		"list_id": "searchLists", "field_id": `searchFields 3,[["type","exactly","file"]]`,
		"preference_id": "searchListPreferences 3", "segment_id": "searchSegments 3", "form_id": "searchForms 3", "contact_id": "searchContacts 3", "message_id": "searchMessages", "autoresponder_id": "searchAutoresponders", "webhook_id": "searchWebhooks",
		"batch_id": "searchBatches", "file_id": "searchFiles", "saved_block_id": "searchSavedBlocks", "member_id": "searchMembers",
	} {
		method, params, _ := strings.Cut(read, " ")
		if id := child(&h.call(t, method, params).Items[0], "id").Text; id != foreign[kind] {
			t.Fatalf("the test expects %s %s, but %s returns %s", kind, foreign[kind], read, id)
		}
	}
}

// recordsOf returns all records that a key can read.
func (h *harness) recordsOf(t *testing.T, key string) string {
	t.Helper()
	var all strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h.handler.methods)) {
		if strings.HasPrefix(name, "search") {
			params := slices.Clone(h.handler.methods[name].params[1:])
			params = slices.DeleteFunc(params, func(p string) bool { return p != "list_id" && p != "folder_type" })
			for i, p := range params {
				params[i] = map[string]string{"list_id": ",3", "folder_type": `,"file"`}[p]
			}
			body := fmt.Sprintf(`{"id":1,"method":%q,"params":[%q%s]}`, name, h.keys[key], strings.Join(params, ""))
			fmt.Fprintln(&all, name, h.post(t, body))
		}
	}
	return all.String()
}

// A method needs a key of its level: a key of each lower level gets 321, and nothing changes.
func TestEachMethodNeedsItsLevel(t *testing.T) {
	t.Parallel()
	h := newHarnessWithRecords(t)
	before := h.store.committed()
	for _, name := range slices.Sorted(maps.Keys(h.handler.methods)) {
		for key, level := range map[string]enlist.Level{"READ": enlist.Read, "STANDARD": enlist.Standard} {
			if level >= h.handler.methods[name].level {
				continue
			}
			body := strings.Replace(h.request(name, strings.Join(goodParams[name], ",")), h.keys["FULL"], h.keys[key], 1)
			if reply := h.post(t, body); !strings.Contains(reply, `"code":321,`) {
				t.Errorf("%s with the key %s: %s, want code 321", name, key, reply)
			}
		}
	}
	if h.store.committed() != before {
		t.Error("a call with a key of a lower level changed something")
	}
}

// secrets are texts of the first List of addOneOfEachRecord.
var secrets = regexp.MustCompile(`Customers|ann@example\.org|"id":1,"list_id":1`)

// A key that is restricted to the second List gets 321 from each method that changes the first List or the Account, and
// no method shows it anything of the first List.
func TestARestrictedKeyUsesOnlyItsLists(t *testing.T) {
	t.Parallel()
	h := newHarnessWithRecords(t)
	h.addKey(t, "SECOND", accounts.KeyDetails{Account: h.account, Level: enlist.Full, Lists: []enlist.ListID{2}})
	before := h.store.committed()
	for _, name := range slices.Sorted(maps.Keys(h.handler.methods)) {
		params := goodParams[name]
		if name == "deleteList" || name == "clearList" {
			params = []string{"1"}
		}
		body := strings.Replace(h.request(name, strings.Join(params, ",")), h.keys["FULL"], h.keys["SECOND"], 1)
		reply := h.post(t, body)
		if h.handler.methods[name].writes && !strings.Contains(reply, fmt.Sprintf(`"code":%d,`, api.CodeDenied)) {
			t.Errorf("%s: %s, want code 321", name, reply)
		}
		if secrets.MatchString(reply) {
			t.Errorf("%s shows %s", name, reply)
		}
	}
	if h.store.committed() != before {
		t.Error("a call with a restricted key changed something")
	}
}
