package api_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

	"enlist/api"
)

// serverWithReply returns a server that sends the same reply to every call.
func serverWithReply(reply string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, reply)
	}))
}

func ExampleClient_SubscribeContact() {
	server := serverWithReply(`{"id":1,"result":7,"error":null}`)
	defer server.Close()

	client := api.NewClient(server.URL, "the API key")
	defer client.Close()
	id, err := client.SubscribeContact(context.Background(), 1,
		api.Details{"Email": "ada@example.com"},
		api.Consent{Type: api.ConsentGDPR, Text: "Monthly news by mail"})
	fmt.Println(id, err)
	// Output: 7 <nil>
}

func ExampleClient_AddContacts() {
	server := serverWithReply(`{"id":1,"result":{"0":7,"2":8},"error":null}`)
	defer server.Close()

	client := api.NewClient(server.URL, "the API key")
	defer client.Close()
	people := []api.Details{{"Email": "ada@example.com"}, {"Email": "no-address"}, {"Email": "bob@example.com", "State": "NSW"}}
	// This call has its own Idempotency-Key, so a program can repeat it until it gets a reply.
	added, err := client.Idempotent("upload-2026-01-31-part-1").AddContacts(context.Background(), 1, people, api.AddOptions{RemoveUnsubscribers: 2})
	if err != nil {
		fmt.Println(err)
	}
	for i := range people {
		if id, ok := added[i]; ok {
			fmt.Println(people[i]["Email"], "is Contact", id)
		} else {
			fmt.Println(people[i]["Email"], "was left out")
		}
	}
	// Output:
	// ada@example.com is Contact 7
	// no-address was left out
	// bob@example.com is Contact 8
}

func ExampleClient_SearchContacts() {
	server := serverWithReply(`{"id":1,"result":[{"id":7,"Email":"ada@example.com"}],"error":null}`)
	defer server.Close()

	client := api.NewClient(server.URL, "the API key")
	defer client.Close()
	found, err := client.SearchContacts(context.Background(), 1, api.Query{
		Criteria: api.Criteria{api.Test{"State", "exactly", "NSW"}, api.Or, api.Test{"Age", "greater_than", 30}},
		SortBy:   "creation_time",
		Limit:    10,
	}, "id", "Email")
	if err != nil {
		fmt.Println(err)
	}
	for _, contact := range found {
		fmt.Println(contact.ID, contact.Values["Email"])
	}
	// Output: 7 ada@example.com
}

func ExampleError() {
	server := serverWithReply(`{"id":1,"result":null,"error":{"code":303,"message":"Unable to Load List"}}`)
	defer server.Close()

	client := api.NewClient(server.URL, "the API key")
	defer client.Close()
	_, err := client.ResubscribeContact(context.Background(), 99, 7, api.Consent{})
	if refused, ok := errors.AsType[*api.Error](err); ok && refused.Code == api.CodeNoList {
		fmt.Println("there is no such List")
	}
	// Output: there is no such List
}
