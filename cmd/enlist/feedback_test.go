package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/mail"
	"strings"
	"testing"
	"time"

	"enlist/api"
	"enlist/internal/db/dbtest"
	"enlist/internal/mail/mailtest"
)

// This test posts events of email providers about mails that the service sent.

// The service sends a Batch. The provider reports a bounce, a complaint and an unsubscription with what it finds in the
// header of the mails. The reports of the Batch and the Contacts show them.
//
// covers: decision 112, decision 113
func TestEventsOfAProviderReachTheReports(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.Each(t, eventsOfAProviderReachTheReports)
}

func eventsOfAProviderReachTheReports(t *testing.T, e dbtest.Engine) {
	const key = "signing-key"
	t.Setenv("ENLIST_SMTP_PROVIDER", "mailgun")
	t.Setenv("ENLIST_BOUNCE_SECRET", secret)
	t.Setenv("ENLIST_BOUNCE_KEY", key)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	server := mailtest.Start(t, mailtest.Options{})
	c := newCrash(t, e, server.URL())
	defer c.start()()
	message := c.recipientsAt("example.com", 4)
	batch := must(c.client.AddBatch(ctx, message, []api.Population{{ListID: 1}}, 0, false, api.BatchOptions{}))(t)
	variables := make(map[string]string) // by recipient
	for _, m := range must(server.Wait(ctx, 4))(t) {
		header := must(mail.ReadMessage(bytes.NewReader(m.Data)))(t).Header
		variables[m.To[0]] = header.Get("X-Mailgun-Variables")
	}
	endpoint := strings.TrimSuffix(c.url, "/api/jsonrpcserver") + "/bounces/mailgun/" + secret
	post := func(to, event, key string) int {
		stamp := fmt.Sprint(time.Now().Unix())
		mac := hmac.New(sha256.New, []byte(key))
		mac.Write([]byte(stamp + "token"))
		body := fmt.Sprintf(`{"signature":{"timestamp":%q,"token":"token","signature":%q},"event-data":{%s,"recipient":%q,"user-variables":%s}}`,
			stamp, hex.EncodeToString(mac.Sum(nil)), event, to, variables[to])
		reply := must(http.Post(endpoint, "application/json", strings.NewReader(body)))(t)
		reply.Body.Close()
		return reply.StatusCode
	}
	const failed = `"event":"failed","severity":"permanent","delivery-status":{"code":550,"enhanced-code":"5.1.1","message":"no such user"}`
	for _, step := range []struct {
		to, event, key string
		status         int
	}{
		{"r0@example.com", failed, "another key", http.StatusForbidden}, {"r0@example.com", failed, key, http.StatusOK},
		{"r0@example.com", failed, key, http.StatusOK}, {"r1@example.com", `"event":"complained"`, key, http.StatusOK},
		{"r2@example.com", `"event":"unsubscribed"`, key, http.StatusOK}, {"r3@example.com", `"event":"delivered"`, key, http.StatusOK},
	} {
		if got := post(step.to, step.event, step.key); got != step.status {
			t.Errorf("%s to %s: status %d, want %d", step.event, step.to, got, step.status)
		}
	}
	for _, kind := range []struct {
		name, want string
		call       func(context.Context, int64, api.Query) (map[int64][]api.Recipient, error)
	}{
		{"bounced", "r0@example.com", c.client.GetBatchBounced}, {"complained", "r1@example.com", c.client.GetBatchComplained},
		{"unsubscribed", "r1@example.com r2@example.com", c.client.GetBatchUnsubscribed},
	} {
		var got []string
		for _, row := range must(kind.call(ctx, batch, api.Query{}))(t)[1] {
			got = append(got, row.ContactEmail)
			if kind.name == "bounced" && (row.Code != "5.1.1" || row.Text != "5.1.1 no such user") {
				t.Errorf("the bounce has the code %q and the text %q", row.Code, row.Text)
			}
		}
		if strings.Join(got, " ") != kind.want {
			t.Errorf("%s: got %v, want %s", kind.name, got, kind.want)
		}
	}
}
