package rpc

import (
	"fmt"
	"io"
	"log/slog"
	"net/http/httptest"
	"os"
	"path"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file compares the results of methods with their published pages. testdata/published/NAME.txt has the facts of a
// page: its address, the request of its example without the key, and each value of the result, as a path with its type.
// A * in a path stands for any ID or name. Lines after "version 3.3" are for this version in the URL. A line "cut" says
// which facts come from another source, because the stored page is cut off. Samples write numbers and flags as texts,
// but replies have numbers and bools.

// publishedCalls has the parameters of each published method on the fixture of publishedResults, without the key.
var publishedCalls = map[string]string{
	"getSessionInfo":           ``,
	"getCreditBalance":         `"sms"`,
	"getMessagesSentToContact": `1,1`,
	"searchBatches":            `[["list_id","exactly",1]]`,
	"countBatches":             `[["list_id","exactly",1]]`,
	"getBatchById":             `1`,
	"getBatchStatistics":       `1`,

	"getBatchOpened":          `1`,
	"getBatchNotOpened":       `1`,
	"getBatchBounced":         `1`,
	"getBatchUnsubscribed":    `1`,
	"getBatchComplained":      `1`,
	"getBatchAutoDeactivated": `1`,
	"getBatchUpdated":         `1`,
	"getBatchContacts":        `1`,
	"getBatchContactLinks":    `1,1`,
	"getBatchLinkStatistics":  `1`,
	"getBatchLinkContacts":    `1,"https://a.example/"`,
	"getBatchResponses":       `1`,
	"getBatchIdByQueueId":     `1`,
	"searchUsers":             ``,
	"countUsers":              `1`,
	"getUserById":             `1,1`,
	"searchAccounts":          ``,
	"countAccounts":           ``,
	"getAccountById":          `1`,
	"deactivateContact":       `1,1`,
	"reactivateContact":       `1,1`,
	"confirmContact":          `1,1`,
	"resubscribeContact":      `1,1`,
	"unsubscribeContactById":  `1,1`,
}

// pagesNotFound are published methods whose page is not stored anywhere. Only their summary is known.
var pagesNotFound = map[string]bool{"getBatchAutoDeactivated": true, "getBatchUpdated": true, "getBatchContacts": true,
	"getBatchContactLinks": true, "getUserById": true}

// alwaysEmpty are methods whose result never has a value, because this service sends no SMS.
var alwaysEmpty = map[string]bool{"getBatchResponses": true}

func TestResultsHaveThePublishedKeysInTheirOrder(t *testing.T) {
	apptest.Run(t, apptest.Own, newPublishedResults, []apptest.Rule[*publishedResults]{
		{Name: "results have the published keys in their order and no others", Test: (*publishedResults).compare},
		{Name: "the request of each page is understood", Test: (*publishedResults).requests},
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

func (f *publishedResults) compare() {
	for method, params := range publishedCalls {
		f.Case(method, func() {
			for _, page := range publishedPage(f.T, method) {
				if alwaysEmpty[method] {
					page.values = []string{"result array"}
				}
				got := valuesOf(nil, "result", f.callAt(f.T, "?version="+page.version, method, params))
				if len(got) != len(page.values) {
					f.Errorf("version %s has %d values, want %d:\n%s", page.version, len(got), len(page.values), strings.Join(got, "\n"))
					continue
				}
				for i, want := range page.values {
					whole, _ := path.Match(strings.Replace(want, " number", " int", 1), got[i])
					if same, _ := path.Match(want, got[i]); !same && !whole {
						f.Errorf("version %s: value %d is %s, want %s", page.version, i+1, got[i], want)
					}
				}
			}
		})
	}
}

// requests sends the request of each page. Its IDs are unknown, so a refusal may only say this.
func (f *publishedResults) requests() {
	for method := range publishedCalls {
		for _, page := range publishedPage(f.T, method) {
			reply := f.post(f.T, f.request(method, page.request[1:len(page.request)-1]))
			for _, code := range []int{100, 104, 310, 311} {
				if strings.Contains(reply, fmt.Sprintf(`"code":%d,`, code)) {
					f.Errorf("%s%s: %s", method, page.request, reply)
				}
			}
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
	if pagesNotFound[method] {
		return nil
	}
	text, err := os.ReadFile("testdata/published/" + method + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	all := []publishedVersion{{version: "3.0"}}
	for line := range strings.Lines(string(text)) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch last := &all[len(all)-1]; name {
		case "page", "cut":
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
func valuesOf(all []string, path string, v *enlist.Input) []string {
	if len(v.Items) == 0 {
		return append(all, path+" "+typeOf(v))
	}
	for i := range v.Items {
		switch {
		case v.Kind == enlist.InputObject:
			all = valuesOf(all, path+"/"+v.Items[i].Name, &v.Items[i])
		case i == 0:
			all = valuesOf(all, path+"/0", &v.Items[i])
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
