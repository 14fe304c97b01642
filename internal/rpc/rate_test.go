package rpc

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
)

// send sends a body and returns the reply and its headers.
func (h *harness) send(t *testing.T, path, body string) (string, http.Header) {
	t.Helper()
	resp, err := h.server.Client().Post(h.server.URL+path, "", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("status %s, error %v; want 200", resp.Status, err)
	}
	return string(text), resp.Header
}

// covers: spec limit.rate, decision 107
func TestAKeyOverItsRateIsRefused(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	if err := h.service.Accounts.ChangeSettings(t.Context(), 0, map[string]string{"key-rate": "60/minute,burst=2"}); err != nil {
		t.Fatal(err)
	}
	if err := h.service.ReadSettings(t.Context()); err != nil {
		t.Fatal(err)
	}
	h.addKey(t, "SLOW", accounts.KeyDetails{Account: h.account, Level: enlist.Read,
		Rate: enlist.CallRate{Calls: 2, Period: enlist.PerMinute, Burst: 1}})
	free := h.addKey(t, "FREE", accounts.KeyDetails{Account: h.account, Level: enlist.Read, Rate: enlist.AnyRate})
	call := func(key, wantCode, policy, limit, retry string) {
		t.Helper()
		reply, header := h.send(t, "/rpc", `{"id":1,"method":"countLists","params":["`+h.keys[key]+`"]}`)
		if !strings.Contains(reply, wantCode) || header.Get("RateLimit-Policy") != policy || header.Get("RateLimit") != limit ||
			header.Get("Retry-After") != retry {
			t.Errorf("%s: got %s with %q, %q and %q; want %s with %q, %q and %q", key, reply, header.Get("RateLimit-Policy"),
				header.Get("RateLimit"), header.Get("Retry-After"), wantCode, policy, limit, retry)
		}
	}
	const good, over = `"result":0`, `"result":null,"error":{"code":399,`
	call("READ", good, `"default";q=2;w=2`, `"default";r=1;t=1`, "")
	call("READ", good, `"default";q=2;w=2`, `"default";r=0;t=1`, "")
	call("READ", over, `"default";q=2;w=2`, `"default";r=0;t=1`, "1")
	call("FULL", good, `"default";q=2;w=2`, `"default";r=1;t=1`, "")
	call("SLOW", good, `"key";q=1;w=30`, `"key";r=0;t=30`, "")
	h.setClock(firstMoment.Add(1500 * time.Millisecond))
	call("SLOW", over, `"key";q=1;w=30`, `"key";r=0;t=29`, "29")
	call("READ", good, `"default";q=2;w=2`, `"default";r=0;t=1`, "")
	for range 5 {
		call("FREE", good, "", "", "")
	}
	if err := h.service.Accounts.EditKey(t.Context(), free, accounts.KeyEdit{Rate: &enlist.CallRate{Calls: 1, Period: enlist.PerSecond, Burst: 1}}); err != nil {
		t.Fatal(err)
	}
	call("FREE", good, "", "", "") // this call has the cached key; its transaction sees the change
	call("FREE", good, `"key";q=1;w=1`, `"key";r=0;t=1`, "")
	call("FREE", over, `"key";q=1;w=1`, `"key";r=0;t=1`, "1")
	if err := h.service.Accounts.EditKey(t.Context(), free, accounts.KeyEdit{Rate: &enlist.AnyRate}); err != nil {
		t.Fatal(err)
	}
	call("OTHER", good, `"default";q=2;w=2`, `"default";r=1;t=1`, "") // its transaction sees the change
	call("FREE", good, "", "", "")
}

// Each call of a batch counts, and calls in XML count too. A refused call changes nothing.
//
// covers: decision 107
func TestEachCallOfABatchCountsForTheRate(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	h.addKey(t, "SLOW", accounts.KeyDetails{Account: h.account, Level: enlist.Full,
		Rate: enlist.CallRate{Calls: 4, Period: enlist.PerMinute, Burst: 4}})
	add := `{"id":1,"method":"addList","params":["` + h.keys["SLOW"] + `",{"name":"x"}]}`
	reply, header := h.send(t, "/rpc", "["+add+","+add+","+add+"]")
	if strings.Count(reply, `"error":null`) != 3 || header.Get("RateLimit") != `"key";r=1;t=15` {
		t.Errorf("a batch of 3: got %s with RateLimit %q, want 3 results and 1 call left", reply, header.Get("RateLimit"))
	}
	reply, header = h.send(t, "/rpc", "["+add+","+add+","+add+"]")
	if strings.Count(reply, `"error":null`) != 1 || strings.Count(reply, `"code":399`) != 2 || header.Get("Retry-After") != "15" {
		t.Errorf("a second batch: got %s with Retry-After %q, want one result, two refusals and 15", reply, header.Get("Retry-After"))
	}
	xml := `<methodCall><methodName>countLists</methodName><params><param><value><string>` + h.keys["SLOW"] +
		`</string></value></param></params></methodCall>`
	if reply, _ := h.send(t, "/api/xmlrpcserver", xml); !strings.Contains(reply, "<int>399</int>") {
		t.Errorf("a call in XML: got %s, want fault 399", reply)
	}
	if reply, _ := h.send(t, "/rpc", h.request("countLists", "")); !strings.Contains(reply, `"result":4`) {
		t.Errorf("after the refusals: got %s, want the 4 Lists of the calls that were not refused", reply)
	}
}
