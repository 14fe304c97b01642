package rpc

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// covers: spec auth.delay
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
				t.Errorf("the reply to failure %d was delayed by %v, want no delay", i+1, d)
			}
		}
		if d := took(from, 1); d != 100*time.Millisecond {
			t.Errorf("the reply to failure 21 was delayed by %v, want 100 ms", d)
		}
		if d := took(other, 20); d != 0 {
			t.Errorf("the reply to another address was delayed by %v, want no delay", d)
		}
		if d := took(from, 100); d != 2*time.Second {
			t.Errorf("the reply to failure 121 was delayed by %v, want 2 s", d)
		}
		time.Sleep(time.Minute)
		if d := took(from, 1); d != 0 {
			t.Errorf("a minute later, the reply to the first failure was delayed by %v, want no delay", d)
		}
		f.waiting = maxWaiting
		if d := took(from, 100); d != 0 {
			t.Errorf("while 1,000 replies wait, a reply was delayed by %v, want no delay", d)
		}
	})
}

// covers: spec auth.delay
func TestStoresFailuresFor10000AddressesAtMost(t *testing.T) {
	f := failures{now: func() time.Time { return firstMoment }}
	for i := range maxAddresses + 100 {
		f.count(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1)
	}
	if len(f.seen) > maxAddresses {
		t.Errorf("%d addresses are stored, want at most %d", len(f.seen), maxAddresses)
	}
}

// An attacker with many addresses cannot make the server forget the failures of one of them.
//
// covers: spec auth.delay
func TestAnAddressWithManyFailuresIsNotForgottenForNewOnes(t *testing.T) {
	f := failures{now: func() time.Time { return firstMoment }}
	guessing := netip.MustParseAddr("192.0.2.1")
	f.count(guessing, 30)
	for i := range 3 * maxAddresses {
		f.count(netip.AddrFrom4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}), 1)
	}
	if got := f.count(guessing, 1); got != 11*delayStep {
		t.Errorf("after %d other addresses, the reply to failure 31 is delayed by %v, want %v", 3*maxAddresses, got,
			11*delayStep)
	}
}

func TestFailuresOfAnIPv6NetworkAreCountedTogether(t *testing.T) {
	for _, test := range []struct {
		remote   string
		expected string
	}{
		{"192.0.2.1:1234", "192.0.2.1"}, {"[::ffff:192.0.2.1]:5", "192.0.2.1"}, {"[2001:db8:1:2:3:4:5:6]:7", "2001:db8:1:2::"},
		{"[fe80::1%eth0]:7", "fe80::"}, {"@", "invalid IP"},
	} {
		t.Run(fmt.Sprintf("%.60q", test.remote), func(t *testing.T) {
			if got := clientAddress(test.remote).String(); got != test.expected {
				t.Errorf("failures of %s are counted for %s, want %s", test.remote, got, test.expected)
			}
		})
	}
}

// The reply to a call with a valid key is not delayed, even after many calls with an invalid key
// from the same IP address.
//
// covers: spec auth.delay
func TestValidKeyIsNeverDelayed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	bad := fmt.Sprintf(`{"id":1,"method":"countLists","params":[%q]}`, strings.Repeat("0", 64))
	h.post(t, "["+strings.Repeat(bad+",", 19)+bad+"]")
	if reply := h.post(t, h.request("countLists", "")); !strings.Contains(reply, `"result":0`) {
		t.Errorf("a call with a valid key after 20 failures: got %s, want the result 0", reply)
	}
	if h.post(t, "["+bad+","+h.request("countLists", "")+"]"); h.handler.failures.seen[clientAddress("127.0.0.1:1")].count != 20 {
		t.Errorf("after a batch with a valid key, the failures are %v, want still 20", h.handler.failures.seen)
	}
}

// covers: decision 43
func TestCallOverTheAccountLimitWaitsAndIsThenRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &Handler{calls: newCallLimiter(2, 5*time.Second)}
		first := &exchange{handler: h}
		if err := first.enter(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if err := (&exchange{handler: h}).enter(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		started := time.Now()
		if err := (&exchange{handler: h}).enter(t.Context(), 1); enlist.KindOf(err) != enlist.Busy || time.Since(started) != 5*time.Second {
			t.Errorf("the third call: got %v after %v, want the kind Busy after 5 s", err, time.Since(started))
		}
		if err := (&exchange{handler: h}).enter(t.Context(), 2); err != nil {
			t.Errorf("a call of another Account: got %v, want a slot", err)
		}
		time.AfterFunc(time.Second, first.leave)
		started = time.Now()
		if err := (&exchange{handler: h}).enter(t.Context(), 1); err != nil || time.Since(started) != time.Second {
			t.Errorf("a call while a slot becomes free: got %v after %v, want a slot after 1 s", err, time.Since(started))
		}
	})
}

// The first call of each test stores the key in the cache. After the key is revoked, the server
// refuses each call with 300, even if the call has another error or needs no List.
//
// covers: spec auth.restricted, errors.order
func TestRevokedKeyIsRefusedEvenIfCached(t *testing.T) {
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
			id := h.addKey(t, "SHORT", accounts.KeyDetails{Account: 1, Level: enlist.Full})
			body = strings.ReplaceAll(body, "KEY", h.keys["SHORT"])
			if reply := h.post(t, body); strings.Contains(reply, `"code":300`) {
				t.Errorf("%s before the key is revoked: got %s, want a reply without code 300", body, reply)
			}
			if err := h.store.Update(t.Context(), func(tx *db.Tx) error { return accounts.RevokeKey(tx, id, 1) }); err != nil {
				t.Fatal(err)
			}
			if reply := h.post(t, body); !strings.Contains(reply, `"code":300`) {
				t.Errorf("%s after the key is revoked: got %s, want code 300", body, reply)
			}
		})
	}
}
