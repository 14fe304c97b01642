package main

import (
	"errors"
	"testing"

	"enlist/api"
	"enlist/internal/db/dbtest"

	"github.com/google/go-cmp/cmp"
)

// These tests call the methods of Messages, Folders and autoresponders with the Go client.

func TestClientReadsAndWritesMessages(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientReadsAndWritesMessages)
}

func clientReadsAndWritesMessages(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	folder := must(client.AddFolder(ctx, api.Details{"name": "Letters", "type": "message"}))(t)
	must(client.EditFolder(ctx, api.Details{"id": folder, "name": "Post"}))(t)
	id := must(client.AddMessage(ctx, api.Details{"name": "Welcome", "subject": "Hello", "html_content": "<p>{{Email}}</p>", "folder_id": folder}))(t)
	must(client.EditMessage(ctx, api.Details{"id": id, "from_name": "Shop", "text_content": "Hi"}))(t)
	m := must(client.GetMessageByID(ctx, id, true))(t)
	want := &api.Message{ID: id, CreatorUserID: m.CreatorUserID, CreatorName: "first key", CreationTime: m.CreationTime, LastModifiedTime: m.LastModifiedTime,
		Type: "email", Name: "Welcome", FolderID: folder, EmailType: "html", Subject: "Hello", FromName: "Shop", HTMLContent: "<p>{{Email}}</p>", TextContent: "Hi",
		Size: int64(len("<p>{{Email}}</p>Hi")), ShowUnsubscribeLink: true, Utm: "account", Version: m.Version}
	if diff := cmp.Diff(want, m); diff != "" || m.CreationTime == 0 || m.Version == "" {
		t.Errorf("getMessageById: %s", diff)
	}
	want.HTMLContent, want.TextContent, want.Version = "", "", ""
	if m := must(client.GetMessageByID(ctx, id, false))(t); *m != *want {
		t.Errorf("getMessageById without contents: %+v", m)
	}
	if found := must(client.SearchMessages(ctx, api.Query{Criteria: api.Criteria{api.Test{"folder_id", "exactly", folder}}}))(t); !cmp.Equal(found, []api.Message{*want}) {
		t.Errorf("searchMessages: %+v", found)
	}
	if n := must(client.CountMessages(ctx, api.Criteria{api.Test{"type", "exactly", "sms"}}))(t); n != 0 {
		t.Errorf("countMessages: %d", n)
	}
	if n := must(client.CountFolders(ctx, "message", nil))(t); n != 2 {
		t.Errorf("countFolders: %d", n)
	}
	if refused, ok := errors.AsType[*api.Error](client.DeleteFolder(ctx, folder)); !ok || refused.Code != api.CodeCannotDeleteFolder {
		t.Errorf("deleteFolder of a Folder with a Message returned the error %v", refused)
	}
	must(0, client.DeleteMessage(ctx, id))(t)
	must(0, client.DeleteFolder(ctx, folder))(t)
}

func TestClientReadsAndWritesAutoresponders(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, clientReadsAndWritesAutoresponders)
}

func clientReadsAndWritesAutoresponders(t *testing.T, e dbtest.Engine) {
	client, ctx := startClient(t, e), t.Context()
	const list = 1
	message := must(client.AddMessage(ctx, api.Details{"name": "Welcome", "subject": "Hello", "text_content": "Hello"}))(t)
	id := must(client.AddAutoresponder(ctx, api.Details{"list_id": list, "message_id": message, "event_type": "subscribe", "time_criteria_type": "delay",
		"time_criteria_offset_value": 2, "time_criteria_offset_period": "day"}))(t)
	must(client.EditAutoresponder(ctx, api.Details{"id": id, "time_criteria_type": "specific", "time_criteria_specific_hour": 9,
		"time_criteria_specific_minute": 30, "timezone": "Europe/Berlin"}))(t)
	a := must(client.GetAutoresponderByID(ctx, id))(t)
	want := &api.Autoresponder{ID: id, CreatorUserID: a.CreatorUserID, CreatorName: "first key", CreationTime: a.CreationTime, LastModifiedTime: a.LastModifiedTime,
		ListID: list, MessageID: message, EventType: "subscribe", Timezone: "Europe/Berlin", IsActive: true, TimeCriteriaType: "specific",
		TimeCriteriaOffsetValue: 2, TimeCriteriaOffsetPeriod: "day", TimeCriteriaSpecificHour: 9, TimeCriteriaSpecificMinute: 30, Track: true, Version: a.Version}
	if diff := cmp.Diff(want, a); diff != "" || a.CreationTime == 0 || a.Version == "" {
		t.Errorf("getAutoresponderById: %s", diff)
	}
	byEvent := api.Criteria{api.Test{"event_type", "exactly", "subscribe"}}
	if found := must(client.SearchAutoresponders(ctx, api.Query{Criteria: byEvent}))(t); !cmp.Equal(found, []api.Autoresponder{*a}) {
		t.Errorf("searchAutoresponders: %+v", found)
	}
	if n := must(client.CountAutoresponders(ctx, api.Criteria{byEvent}))(t); n != 1 { // in one more array, as other clients send it
		t.Errorf("countAutoresponders: %d", n)
	}
	ada := must(client.SubscribeContact(ctx, list, api.Details{"Email": "ada@example.com"}, api.Consent{}))(t)
	if sent := must(client.GetContactDeliveries(ctx, list, ada))(t); len(sent) != 0 {
		t.Errorf("getMessagesSentToContact returned %+v before the service had sent a mail", sent)
	}
	must(0, client.DeleteAutoresponder(ctx, id))(t)
	if n := must(client.CountAutoresponders(ctx, nil))(t); n != 0 {
		t.Errorf("after deleteAutoresponder, countAutoresponders returned %d", n)
	}
}
