package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/httpapi"
	"enlist/internal/httpserver"
)

// harness is a Service with one Account, its List, and a server of the Handler of package httpapi.
type harness struct {
	service *app.App
	caller  *enlist.Caller
	list    enlist.ListID
	keys    map[string]string
	url     string
}

func newHarness(t testing.TB, e dbtest.Engine, o httpapi.Options) *harness {
	t.Helper()
	return newHarnessOn(t, e.Own(t), o)
}

func newHarnessOn(t testing.TB, store db.Engine, o httpapi.Options) *harness {
	t.Helper()
	h := &harness{keys: map[string]string{}, service: app.New(store, func() time.Time { return time.Unix(1_700_000_000, 0) })}
	account, err := h.service.Accounts.AddAccount(t.Context(), accounts.AccountDetails{Name: "Example", ContactLimit: enlist.NoContactLimit})
	check(t, err)
	h.caller, err = h.service.Accounts.Operator(t.Context(), account.ID)
	check(t, err)
	h.list = h.addList(t, "People")
	mux := httpserver.NewMux()
	httpapi.New(h.service, o).Routes(mux)
	server := httptest.NewServer(mux)
	h.url = server.URL
	t.Cleanup(server.Close)
	return h
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// detail returns a value in the form in which a call sends it.
func detail(key, text string) enlist.Detail {
	return enlist.Detail{Key: key, Value: enlist.Input{Kind: enlist.InputText, Text: text}}
}

// addList adds a List that has a Field of each type.
func (h *harness) addList(t testing.TB, name string) enlist.ListID {
	t.Helper()
	list, err := h.service.Lists.AddList(t.Context(), h.caller, []enlist.Detail{detail("name", name)})
	check(t, err)
	for _, f := range [][]enlist.Detail{
		{detail("name", "Name"), detail("type", "text")},
		{detail("name", "Note; long, \"quoted\""), detail("type", "comment")},
		{detail("name", "Score"), detail("type", "decimal")},
		{detail("name", "Born"), detail("type", "date"), detail("time_format", "24h")},
		{detail("name", "Colours"), detail("type", "checkbox"), detail("values_array", "red,green,blue")},
	} {
		_, err := h.service.Lists.AddField(t.Context(), h.caller, list, f)
		check(t, err)
	}
	return list
}

// addKey adds a key with a level, and with the Lists of its restriction.
func (h *harness) addKey(t testing.TB, name string, account enlist.AccountID, level enlist.Level, lists ...enlist.ListID) enlist.KeyID {
	t.Helper()
	key, text, err := h.service.Accounts.AddKey(t.Context(), accounts.KeyDetails{Account: account, Name: name, Level: level, Lists: lists})
	check(t, err)
	h.keys[name] = text
	return key.ID
}

// get requests a path with a key, and returns the reply and its body. err is the error of reading the body.
func (h *harness) get(t testing.TB, key, path string) (reply *http.Response, body string, err error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+path, nil)
	check(t, err)
	if key != "" {
		r.Header.Set("Authorization", "Bearer "+h.keys[key])
	}
	reply, err = http.DefaultTransport.RoundTrip(r)
	check(t, err)
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	return reply, string(text), err
}

// addMany adds n Contacts with long notes.
func (h *harness) addMany(t testing.TB, n int, note string) {
	t.Helper()
	var rows [][]enlist.Detail
	for i := range n {
		rows = append(rows, []enlist.Detail{detail("Email", fmt.Sprintf("person%d@example.com", i)), detail("Note; long, \"quoted\"", note)})
	}
	_, err := h.service.Contacts.AddContacts(t.Context(), h.caller, contacts.AddRequest{List: h.list, Contacts: rows})
	check(t, err)
}
