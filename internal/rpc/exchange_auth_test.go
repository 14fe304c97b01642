package rpc

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/audience"
)

// covers: spec auth.delay, decision 12
func TestReplyIsDelayedAfter20InvalidKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := failures{now: time.Now}
		from, other := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")
		took := func(from netip.Addr, failed int) time.Duration {
			start := time.Now()
			f.wait(t.Context(), from, failed)
			return time.Since(start)
		}
		for i := range 20 {
			if d := took(from, 1); d != 0 {
				t.Errorf("failure %d waits %v", i+1, d)
			}
		}
		if d := took(from, 1); d != 100*time.Millisecond {
			t.Errorf("failure 21 waits %v", d)
		}
		if d := took(other, 20); d != 0 {
			t.Errorf("another address waits %v", d)
		}
		if d := took(from, 100); d != 2*time.Second {
			t.Errorf("failure 121 waits %v", d)
		}
		time.Sleep(time.Minute)
		if d := took(from, 1); d != 0 {
			t.Errorf("after a minute it waits %v", d)
		}
		f.waiting = maxWaiting
		if d := took(from, 100); d != 0 {
			t.Errorf("the 1,001st waits %v", d)
		}
	})
}

// covers: decision 12
func TestFailuresOfAtMost10000AddressesAreStored(t *testing.T) {
	f := failures{now: func() time.Time { return firstMoment }}
	for i := range maxAddresses + 100 {
		f.count(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1)
	}
	if len(f.seen) > maxAddresses {
		t.Errorf("%d addresses are remembered", len(f.seen))
	}
}

func TestFailuresOfAnIPv6NetworkCountTogether(t *testing.T) {
	for _, test := range []struct {
		remote   string
		expected string
	}{
		{"192.0.2.1:1234", "192.0.2.1"}, {"[::ffff:192.0.2.1]:5", "192.0.2.1"}, {"[2001:db8:1:2:3:4:5:6]:7", "2001:db8:1:2::"},
		{"[fe80::1%eth0]:7", "fe80::"}, {"@", "invalid IP"},
	} {
		t.Run(fmt.Sprintf("%.60q", test.remote), func(t *testing.T) {
			if got := clientAddress(test.remote).String(); got != test.expected {
				t.Errorf("%s counts as %s, expected %s", test.remote, got, test.expected)
			}
		})
	}
}

// A good key is not delayed, however often its address has failed.
//
// covers: decision 12
func TestValidKeyIsNeverDelayed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	bad := fmt.Sprintf(`{"id":1,"method":"countLists","params":[%q]}`, strings.Repeat("0", 64))
	h.post(t, "["+strings.Repeat(bad+",", 19)+bad+"]")
	if reply := h.post(t, h.request("countLists", "")); !strings.Contains(reply, `"result":0`) {
		t.Error(reply)
	}
	if h.post(t, "["+bad+","+h.request("countLists", "")+"]"); h.handler.failures.seen[clientAddress("127.0.0.1:1")].count != 20 {
		t.Errorf("failures: %v", h.handler.failures.seen)
	}
}

// covers: decision 43
func TestCallOverTheAccountLimitWaitsThenIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := callLimiter{size: 2, wait: 5 * time.Second}
		first, err := l.acquire(t.Context(), 1)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := l.acquire(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		if _, err := l.acquire(t.Context(), 1); audience.KindOf(err) != audience.Busy || time.Since(started) != 5*time.Second {
			t.Errorf("%v after %v", err, time.Since(started))
		}
		if _, err := l.acquire(t.Context(), 2); err != nil {
			t.Error(err)
		}
		time.AfterFunc(time.Second, first)
		started = time.Now()
		if _, err := l.acquire(t.Context(), 1); err != nil || time.Since(started) != time.Second {
			t.Errorf("%v after %v", err, time.Since(started))
		}
	})
}

// An earlier call has put the key into the cache. After the key is revoked, each call is
// refused with 300, even a call that has another error or needs no List.
//
// covers: decision 11, decision 13
func TestRevokedKeyIsRefusedThoughCached(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"id":1,"method":"noSuchMethod","params":["KEY"]}`,
		`{"id":1,"method":"getListById","params":["KEY",{}]}`,
		`{"id":1,"method":"getSessionInfo","params":["KEY"]}`,
		`{"id":1,"method":"getTimezoneList","params":["KEY"]}`,
		`{"id":1,"method":"searchLists","params":["KEY"]}`,
		`{"id":1,"method":"addList","params":["KEY",{"name":"News"}]}`,
		`{"id":1,"method":"searchContacts","params":["KEY",1]}`,
	} {
		t.Run(body, func(t *testing.T) {
			h := newHarness(t, Options{})
			id := h.addKey(t, "SHORT", audience.KeyDetails{Account: 1, Level: audience.Full})
			body = strings.ReplaceAll(body, "KEY", h.keys["SHORT"])
			if reply := h.post(t, body); strings.Contains(reply, `"code":300`) {
				t.Errorf("%s: %s", body, reply)
			}
			if err := h.store.Update(t.Context(), func(tx audience.Tx) error { return tx.RevokeKey(id, 1) }); err != nil {
				t.Fatal(err)
			}
			if reply := h.post(t, body); !strings.Contains(reply, `"code":300`) {
				t.Errorf("%s: %s", body, reply)
			}
		})
	}
}
