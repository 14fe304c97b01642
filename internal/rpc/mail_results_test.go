package rpc

import (
	"strings"
	"testing"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// These tests check calls after a mail was sent to a Contact or bounced. The jobs that send mails do
// not run here, so these tests store the results of mails themselves.

// covers: spec reactivateContact.bounce, contact.is_bounce_deactivated
func TestReactivatingClearsBounceDeactivated(t *testing.T) {
	h := newHarness(t, Options{})
	h.post(t, h.request("addList", `{"name":"News"}`))
	h.post(t, h.request("subscribeContact", `1,{"Email":"ann@example.com"}`))
	err := h.store.Update(t.Context(), func(tx *db.Tx) error {
		c, err := contacts.ByID(tx, 1, 1)
		if err != nil {
			return err
		}
		c.IsActive, c.IsBounceDeactivated = false, true
		return contacts.Update(tx, c)
	})
	if err != nil {
		t.Fatal(err)
	}
	flags := func() string {
		return h.post(t, h.request("searchContacts", `1,[["is_bounce_deactivated","in","0,1"]],1,0,"","",["is_active","is_bounce_deactivated"]`))
	}
	steps := []struct{ method, params, after string }{
		{"subscribeContact", `1,{"Email":"ann@example.com"}`, `{"is_active":false,"is_bounce_deactivated":true}`},
		{"deactivateContact", `1,1`, `{"is_active":false,"is_bounce_deactivated":true}`},
		{"reactivateContact", `1,1`, `{"is_active":true,"is_bounce_deactivated":false}`},
	}
	for _, s := range steps {
		t.Run("after "+s.method, func(t *testing.T) {
			if reply := h.post(t, h.request(s.method, s.params)); !strings.Contains(reply, `"result":1,`) {
				t.Fatalf("got %s, want the result 1", reply)
			}
			if got := flags(); !strings.Contains(got, s.after) {
				t.Errorf("got %s, want %s", got, s.after)
			}
		})
	}
}

// covers: spec getContactDeliveries, getMessagesSentToContact
func TestMailsToAContactAreReturnedNewestFirst(t *testing.T) {
	h := newHarness(t, Options{})
	h.post(t, h.request("addList", `{"name":"News"}`))
	h.post(t, h.request("subscribeContact", `1,{"Email":"ann@example.com"}`))
	h.post(t, h.request("addMessage", `{"name":"Welcome","subject":"Hello {{First Name}}","text_content":"Hello"}`))
	delivery := func(event int64, cause string) messages.Delivery {
		return messages.Delivery{DeliveryKey: enlist.DeliveryKey{List: 1, Contact: 1, Time: event, Cause: cause},
			Address: "ann@example.com", Status: messages.DeliverySent}
	}
	asked := delivery(10, messages.CauseConfirmation)
	asked.SentTime, asked.Subject = 11, "Please confirm"
	welcome := delivery(20, messages.CauseAutoresponder(7))
	welcome.SentTime, welcome.Subject, welcome.MessageID = 30, "Hello \"Ann\"", 1
	gone := delivery(20, messages.CauseAutoresponder(8))
	gone.SentTime, gone.MessageID, gone.Status, gone.Detail = 25, 99, messages.DeliveryBounced, "the mail server answered 550 no such user"
	another := delivery(20, messages.CauseAutoresponder(8))
	another.Contact = 2
	err := h.store.Update(t.Context(), func(tx *db.Tx) error {
		for _, d := range []messages.Delivery{asked, welcome, gone, another} {
			if err := d.Put(tx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `{"id":1,"result":[` +
		`{"message_id":1,"autoresponder_id":7,"name":"Welcome","subject":"Hello \"Ann\"","address":"ann@example.com","time":30,"status":"sent","detail":""},` +
		`{"message_id":99,"autoresponder_id":8,"name":"","subject":"","address":"ann@example.com","time":25,"status":"bounced","detail":"the mail server answered 550 no such user"},` +
		`{"message_id":0,"autoresponder_id":0,"name":"","subject":"Please confirm","address":"ann@example.com","time":11,"status":"sent","detail":""}],"error":null}`
	if got := h.post(t, h.request("getContactDeliveries", "1,1")); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	const sent = `{"id":1,"message_id":1,"batch_id":0,"message_type":"email","name":"Welcome","send_time":30,"first_open_time":0,"last_open_time":0,"open_type":"not_opened"}`
	const bounced = `{"id":1,"message_id":99,"batch_id":0,"message_type":"email","name":"","send_time":25,"first_open_time":0,"last_open_time":0,"open_type":"not_opened"}`
	for params, rows := range map[string]string{"": sent + "," + bounced, `,"email"`: sent + "," + bounced, `,"all",25,29`: bounced, `,"",26`: sent, `,"sms"`: ""} {
		if got := h.post(t, h.request("getMessagesSentToContact", "1,1"+params)); got != `{"id":1,"result":[`+rows+`],"error":null}` {
			t.Errorf("%s: got %s, want the rows %s", params, got, rows)
		}
	}
}
