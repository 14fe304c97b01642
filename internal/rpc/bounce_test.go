package rpc

import (
	"strings"
	"testing"

	"enlist/internal/audience"
)

// Only a bounce sets is_bounce_deactivated, and bounces come with sending mail;
// so the flag is set in the store here.
//
// covers: spec reactivateContact.bounce, contact.is_bounce_deactivated
func TestReactivatingClearsBounceDeactivated(t *testing.T) {
	h := newHarness(t, Options{})
	call := func(method, params string) string {
		t.Helper()
		return h.exchange(t, &step{verb: "POST", path: "/rpc", proto: "HTTP/1.1", status: 200,
			body: []byte(`{"id":1,"method":"` + method + `","params":["` + h.keys["FULL"] + `",` + params + `]}`)})
	}
	call("addList", `{"name":"News"}`)
	call("subscribeContact", `1,{"Email":"ann@example.com"}`)
	err := h.store.Update(t.Context(), func(tx audience.Tx) error {
		c, err := tx.Contact(1, 1)
		if err != nil {
			return err
		}
		c.IsActive, c.IsBounceDeactivated = false, true
		return tx.UpdateContact(c)
	})
	if err != nil {
		t.Fatal(err)
	}
	flags := func() string {
		return call("searchContacts", `1,[["is_bounce_deactivated","in","0,1"]],1,0,"","",["is_active","is_bounce_deactivated"]`)
	}
	steps := []struct{ method, params, after string }{
		{"subscribeContact", `1,{"Email":"ann@example.com"}`, `{"is_active":false,"is_bounce_deactivated":true}`},
		{"deactivateContact", `1,1`, `{"is_active":false,"is_bounce_deactivated":true}`},
		{"reactivateContact", `1,1`, `{"is_active":true,"is_bounce_deactivated":false}`},
	}
	for _, s := range steps {
		if reply := call(s.method, s.params); !strings.Contains(reply, `"result":1,`) {
			t.Fatalf("%s: %s", s.method, reply)
		}
		if got := flags(); !strings.Contains(got, s.after) {
			t.Errorf("after %s: %s, expected %s", s.method, got, s.after)
		}
	}
}
