package rpc

import (
	"fmt"
	"strings"
	"testing"
)

// covers: spec addContacts.rows, decision 53
func TestBulkCallHasAtMost5000Rows(t *testing.T) {
	h := newHarness(t, Options{})
	h.call(t, "addList", `{"name":"News"}`)
	row := `{"id":1},`
	for _, test := range []struct {
		method string
		rows   int
		want   string
	}{
		{"addContacts", 5000, `"result":{}`},
		{"addContacts", 5001, `"code":310,"message":"Invalid Method Parameters: parameter 3, contacts: expected at most 5000 Contacts, not 5001"`},
		{"editContacts", 5000, `"code":320`},
		{"editContacts", 5001, `"code":310`},
	} {
		t.Run(fmt.Sprintf("%s with %d rows", test.method, test.rows), func(t *testing.T) {
			rows := strings.TrimSuffix(strings.Repeat(row, test.rows), ",")
			if reply := h.post(t, h.request(test.method, "1,["+rows+"]")); !strings.Contains(reply, test.want) {
				t.Errorf("%s with %d rows: got %.300s, want %s", test.method, test.rows, reply, test.want)
			}
		})
	}
	details := new(strings.Builder)
	for i := range maxDetails {
		fmt.Fprintf(details, `"f%d":1,`, i)
	}
	reply := h.post(t, h.request("addContacts", `1,[{`+details.String()+`"Email":"ann@example.com"}]`))
	if !strings.Contains(reply, `"code":310,"message":"Invalid Method Parameters: parameter 3, contacts: expected at most 10000 values for each Contact`) {
		t.Errorf("a row with too many values: got %.300s, want code 310", reply)
	}
}

// covers: spec editContacts.rows, decision 53
func TestEditContactsReportsTheFirstInvalidValueOfARow(t *testing.T) {
	h := newHarness(t, Options{})
	h.call(t, "addList", `{"name":"News"}`)
	h.call(t, "addField", `1,{"name":"First","type":"decimal"}`)
	h.call(t, "addField", `1,{"name":"Second","type":"decimal"}`)
	h.call(t, "subscribeContact", `1,{"Email":"ann@example.com"}`)
	reply := h.post(t, h.request("editContacts", `1,[{"id":1,"First":"x","Second":"x"}]`))
	if !strings.Contains(reply, `"code":320`) || !strings.Contains(reply, "First: expected a number") {
		t.Errorf("got %s, want code 320 and the error of the Field First", reply)
	}
}
