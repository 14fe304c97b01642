package rpc

import (
	"io"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
)

// This file tests a way to read replies that a public client has: the R package for this interface (version 3.0)
// deletes what is before the first "[" of a reply and after the last "]", and parses the rest. So a result may be an
// array, an object without arrays, or an object with one array, and texts may have brackets only inside an array.

// bracketCalls are calls of that client, with brackets in texts, on the fixture of publishedResults.
var bracketCalls = []struct{ method, params string }{
	{"editList", `{"id":1,"name":"News [a] ] ["}`}, {"searchLists", ``}, {"getListById", `1`}, {"getListById", `99`},
	{"addField", `1,{"name":"A [b]","type":"text"}`}, {"searchFields", `1`}, {"getFieldById", `1,1`},
	{"addFolder", `{"name":"] [","type":"list"}`}, {"searchFolders", `"list"`}, {"getFolderById", `1`},
	{"uploadBase64FileData", `{"name":"a [b].txt","data":"aGk="},3,"increment",true,false`},
	{"searchFiles", ``}, {"getFileById", `1`}, {"findFileInFolder", `"a [b].txt",3`},
	{"addContacts", `1,[{"Email":"z@example.com","A [b]":"] ["}],false,0`}, {"addContacts", `1,[{"Email":"no [address]"}]`},
	{"editContacts", `1,[{"id":1,"A [b]":"[c]"}],false`}, {"editContacts", `1,[{"id":1,"Email":"no [address]"}]`},
	{"searchContacts", `1,[],0,0,"","",["all"]`}, {"searchContacts", `1,[["B [c]","exactly","[d]"]]`},
	{"countContacts", `1,["A [b]","exactly","[c]"]`}, {"deleteContacts", `1,[99]`}, {"unsubscribeContact", `1,"[x]"`},
	{"searchBatches", ``}, {"getBatchById", `1`}, {"getBatchStatus", `1`}, {"getBatchStatistics", `1`},
	{"getBatchContacts", `1`}, {"getBatchOpened", `1`}, {"getBatchNotOpened", `1`}, {"getBatchBounced", `1`},
	{"getBatchUnsubscribed", `1`}, {"getBatchComplained", `1`}, {"getBatchAutoDeactivated", `1`}, {"getBatchResponses", `1`},
	{"getBatchLinkStatistics", `1`}, {"getBatchLinkContacts", `1,"https://a.example/"`}, {"getBatchContactLinks", `1,1`},
	{"editMessage", `{"id":1,"name":"May [x]","html_content":"<p>] [</p>"}`}, {"searchMessages", ``}, {"getMessageById", `1,true`},
	{"getTimezoneList", ``}, {"no[such]method", ``},
}

func TestClientThatCutsRepliesAtBracketsReadsThem(t *testing.T) {
	apptest.Run(t, apptest.Own, newPublishedResults, []apptest.Rule[*publishedResults]{
		{Name: "a client that cuts replies at square brackets reads each result", Test: (*publishedResults).cutAtBrackets},
	})
}

func (f *publishedResults) cutAtBrackets() {
	for _, call := range bracketCalls {
		f.Case(call.method+" "+call.params, func() {
			reply := f.replyAt("?version=3.0", call.method, call.params)
			whole, err := parse(reply)
			f.Must(err)
			want := whole
			cut := reply
			if first := strings.IndexByte(reply, '['); first >= 0 {
				cut = reply[first : strings.LastIndexByte(reply, ']')+1]
				want = child(whole, "result")
				if want.Kind == enlist.InputObject && len(want.Items) == 1 {
					want = &want.Items[0] // the rows of the only List
				}
			}
			got, err := parse(cut)
			if err != nil || got.Kind != want.Kind || len(got.Items) != len(want.Items) {
				f.Errorf("the client reads %.200s (%v) of %.300s", cut, err, reply)
			}
		})
	}
}

// replyAt is post of a call on a URL with a query.
func (f *publishedResults) replyAt(query, method, params string) string {
	resp, err := f.server.Client().Post(f.server.URL+"/rpc"+query, "application/json", strings.NewReader(f.request(method, params)))
	f.Must(err)
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	f.Must(err)
	return string(reply)
}
