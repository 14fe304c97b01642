package api_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"enlist/api"
)

// recorded is the part of a request that the tests check.
type recorded struct {
	path, retryKey, body string
}

// recordingClient starts a server that sends the same reply to every call. It returns a client of
// this server, and a pointer to the last request that the server got.
func recordingClient(t *testing.T, status int, reply string) (*api.Client, *recorded) {
	t.Helper()
	var saw recorded
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		saw = recorded{r.URL.Path, r.Header.Get("Idempotency-Key"), string(body)}
		w.WriteHeader(status)
		io.WriteString(w, reply)
	}))
	t.Cleanup(server.Close)
	client := api.NewClient(server.URL, "k")
	t.Cleanup(client.Close)
	return client, &saw
}

func TestParametersAreSentByPosition(t *testing.T) {
	ctx := context.Background()
	for _, test := range []struct {
		name, reply, want string
		call              func(*api.Client) error
	}{
		{"subscribe without consent", "7",
			`{"id":1,"method":"subscribeContact","params":["k",1,{"Email":"a@b.example"},"","",{},""]}`,
			func(c *api.Client) error {
				_, err := c.SubscribeContact(ctx, 1, api.Details{"Email": "a@b.example"}, api.Consent{})
				return err
			}},
		{"resubscribe with consent", "7",
			`{"id":1,"method":"resubscribeContact","params":["k",1,7,"gdpr","yes",{"News":true},"192.0.2.1"]}`,
			func(c *api.Client) error {
				_, err := c.ResubscribeContact(ctx, 1, 7, api.Consent{Type: api.ConsentGDPR, Text: "yes",
					Preferences: map[string]bool{"News": true}, IPAddress: "192.0.2.1"})
				return err
			}},
		{"confirm with a decision about the recording of opens and clicks", "7",
			`{"id":1,"method":"confirmContact","params":["k",1,7,"","denied","We count opens.","v3"]}`,
			func(c *api.Client) error {
				_, err := c.ConfirmContact(ctx, 1, 7, "", api.Tracking{Consent: "denied", Text: "We count opens.", Version: "v3"})
				return err
			}},
		{"the zero Query has no limit, so the server uses its default", "[]",
			`{"id":1,"method":"searchContacts","params":["k",1,[],null,0,"","",["all"]]}`,
			func(c *api.Client) error {
				_, err := c.SearchContacts(ctx, 1, api.Query{})
				return err
			}},
		{"a Query with all members", "[]",
			`{"id":1,"method":"searchFields","params":["k",1,[["name","exactly","X"],"OR",["id","in",[1,2]]],0,5,"name","ASC"]}`,
			func(c *api.Client) error {
				_, err := c.SearchFields(ctx, 1, api.Query{Limit: api.NoLimit, Offset: 5, SortBy: "name", SortOrder: api.Ascending,
					Criteria: api.Criteria{api.Test{"name", "exactly", "X"}, api.Or, api.Test{"id", "in", []int{1, 2}}}})
				return err
			}},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, saw := recordingClient(t, http.StatusOK, `{"id":1,"result":`+test.reply+`,"error":null}`)
			if err := test.call(client); err != nil {
				t.Fatal(err)
			}
			if saw.body != test.want || saw.path != api.Path {
				t.Errorf("sent %s to %s\nwant %s", saw.body, saw.path, test.want)
			}
		})
	}
}

func TestClientUsesThePathOfItsURL(t *testing.T) {
	client, saw := recordingClient(t, http.StatusOK, `{"id":1,"result":true,"error":null}`)
	base := client.HTTP.Transport
	var host string
	client.HTTP.Transport = roundTrip(func(r *http.Request) (*http.Response, error) {
		host = r.URL.Host
		return base.RoundTrip(r)
	})
	if err := client.Call(context.Background(), "x", nil, nil); err != nil {
		t.Fatal(err)
	}
	other := api.NewClient("http://"+host+"/behind/a/proxy", "k")
	defer other.Close()
	if err := other.Call(context.Background(), "x", nil, nil); err != nil {
		t.Fatal(err)
	}
	if saw.path != "/behind/a/proxy" {
		t.Errorf("the client called the path %s, want /behind/a/proxy", saw.path)
	}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestIdempotentSendsItsKey(t *testing.T) {
	client, saw := recordingClient(t, http.StatusOK, `{"id":1,"result":7,"error":null}`)
	if _, err := client.Idempotent("order-17").SubscribeContact(context.Background(), 1, nil, api.Consent{}); err != nil {
		t.Fatal(err)
	}
	if saw.retryKey != "order-17" {
		t.Errorf("the client sent the Idempotency-Key %q, want order-17", saw.retryKey)
	}
}

func TestRefusedCallReturnsItsCode(t *testing.T) {
	client, _ := recordingClient(t, http.StatusOK, `{"id":1,"result":null,"error":{"code":330,"message":"Contact Limit Reached"}}`)
	_, err := client.SubscribeContact(context.Background(), 1, nil, api.Consent{})
	if refused, ok := errors.AsType[*api.Error](err); !ok || refused.Code != api.CodeContactLimit {
		t.Errorf("got the error %v, want code %d", err, api.CodeContactLimit)
	}
}

func TestInvalidReplyIsNotAnAPIError(t *testing.T) {
	for _, test := range []struct {
		name string

		status int
		reply  string
		want   string
	}{
		{"status 503", http.StatusServiceUnavailable, "stopping", "503 Service Unavailable: stopping"},
		{"incomplete JSON", http.StatusOK, `{"id":1,"result":[{"id":1},`, "unexpected end"},
		{"reply to another call", http.StatusOK, `{"id":2,"result":7,"error":null}`, "another call"},
		{"string instead of a number", http.StatusOK, `{"id":1,"result":"seven","error":null}`, "read result"},
		{"array instead of a number", http.StatusOK, `{"id":1,"result":[],"error":null}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, _ := recordingClient(t, test.status, test.reply)
			var id int64
			err := client.Call(context.Background(), "x", nil, &id)
			if _, refused := errors.AsType[*api.Error](err); refused || err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got the error %v, want an error with %q that is not an *api.Error", err, test.want)
			}
		})
	}
	client, _ := recordingClient(t, http.StatusOK, `{"id":1,"result":[],"error":null}`)
	if _, err := client.GetListByID(context.Background(), 1); err == nil {
		t.Error("the reply has no record, but GetListByID returned no error")
	}
}

func TestContactNamesAreComparedExactly(t *testing.T) {
	var c api.Contact
	err := json.Unmarshal([]byte(`{"id":7,"ID":"A-7","Email":"a@b.example","Price":12.50,"Note":"",`+
		`"is_active":true,"Is_Active":"maybe","creation_time":1700000000,"subscribed_via":"api"}`), &c)
	if err != nil {
		t.Fatal(err)
	}
	if c.ID != 7 || !c.IsActive || c.CreationTime != 1700000000 || c.SubscribedVia != "api" {
		t.Errorf("got wrong system values: %+v", c)
	}
	for _, test := range []struct {
		name string
		want string
	}{{"ID", "A-7"}, {"Is_Active", "maybe"}, {"Email", "a@b.example"}, {"Price", "12.50"}, {"Note", ""}} {
		t.Run(fmt.Sprintf("%.60q", test.name), func(t *testing.T) {
			if got, there := c.Values[test.name]; !there || got != test.want {
				t.Errorf("%s: got %q, %v; want %q", test.name, got, there, test.want)
			}
		})
	}
}
