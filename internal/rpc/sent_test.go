package rpc

import (
	"testing"

	"enlist/internal/audience"
)

// Sending is for package jobs; what it leaves is put into the store here.
//
// covers: spec getMessagesSentToContact, decision 54
func TestGetMessagesSentToContactReturnsNewestFirst(t *testing.T) {
	h := newHarness(t, Options{})
	call := func(method, params string) string {
		t.Helper()
		return h.exchange(t, &step{verb: "POST", path: "/rpc", proto: "HTTP/1.1", status: 200,
			body: []byte(`{"id":1,"method":"` + method + `","params":["` + h.keys["FULL"] + `",` + params + `]}`)})
	}
	call("addList", `{"name":"News"}`)
	call("subscribeContact", `1,{"Email":"ann@example.com"}`)
	call("addMessage", `{"name":"Welcome","subject":"Hello {{First Name}}"}`)
	delivery := func(event int64, cause string) audience.Delivery {
		return audience.Delivery{DeliveryKey: audience.DeliveryKey{List: 1, Contact: 1, Time: event, Cause: cause},
			Address: "ann@example.com", Status: audience.DeliverySent}
	}
	asked := delivery(10, audience.CauseConfirmation)
	asked.SentTime, asked.Subject = 11, "Please confirm"
	welcome := delivery(20, audience.CauseAutoresponder(7))
	welcome.SentTime, welcome.Subject, welcome.MessageID = 30, "Hello \"Ann\"", 1
	gone := delivery(20, audience.CauseAutoresponder(8))
	gone.SentTime, gone.MessageID, gone.Status, gone.Detail = 25, 99, audience.DeliveryBounced, "the mail server answered 550 no such user"
	another := delivery(20, audience.CauseAutoresponder(8))
	another.Contact = 2
	err := h.store.Update(t.Context(), func(tx audience.Tx) error {
		for _, d := range []audience.Delivery{asked, welcome, gone, another} {
			if err := tx.PutDelivery(&d); err != nil {
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
	if got := call("getMessagesSentToContact", "1,1"); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
