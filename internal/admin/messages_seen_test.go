package admin_test

import (
	"bytes"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file tests which Messages a person of only some Lists sees and uses.

// covers: spec auth.restricted, decision 142
func TestMessagesOfOthers(t *testing.T) {
	apptest.Run(t, apptest.Slow, newSite, []apptest.Rule[*site]{
		{Name: "a Message of others is answered everywhere like one that does not exist", Test: (*site).othersMessages},
		{Name: "a person sees and edits the own Messages, and sends them to the own List", Test: (*site).ownMessages},
		{Name: "a person sees a Message that was sent only to the own Lists, and cannot change it", Test: (*site).sentToOwnLists},
		{Name: "a person cannot put a file of others into a Message", Test: (*site).filesOfOthers},
		{Name: "an autoresponder of the List keeps its Message, and gets none of others", Test: (*site).autoresponderOfOthers},
		{Name: "who may use all Lists sees all Messages, and keys of one List send any", Test: (*site).allMessages},
	})
}

// limited returns the browser of a person of one List.
func (s *site) limited(name string, list enlist.ListID) *visitor {
	return s.as(name, users.Membership{Level: enlist.Full, Lists: []enlist.ListID{list}, MaySend: true})
}

func (s *site) othersMessages() {
	own := s.AddList("name", "Of the person")
	s.Subscribe(own, "Email", "own@example.com")
	visitors := []*visitor{s.limited("one", own), s.signedInElsewhere(),
		s.as("standard", users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{own}, MaySend: true}),
		s.as("reader", users.Membership{Level: enlist.Read, Lists: []enlist.ListID{own}})}
	other := s.AddMessage("Draft of others")
	for _, v := range visitors {
		for _, pattern := range []string{"/admin/messages/%", "/admin/messages/%/mail", "/admin/messages/%/delete",
			"/admin/sends/check?message=%&list=" + id(own), "/admin/sends/check?message=%&list=" + id(own) + "&test=1&subject=a&subject=b",
			"/admin/sends/check?list=" + id(own) + "&test=1&variant=0&variant=%&message="} {
			v.sameAnswer(func(m enlist.MessageID) (int, string, string) {
				return v.get(strings.ReplaceAll(pattern, "%", id(m)))
			}, other, s.Message)
		}
		for pattern, form := range map[string]url.Values{"/admin/messages/%": {"subject": {"Taken"}, "name": {"Taken"}, "email_type": {"html"}},
			"/admin/messages/%/test": {"to": {"a@example.com"}}, "/admin/messages/%/delete": nil, "/admin/messages": {"copy": {"%"}},
			"/admin/sends": {"message": {"%"}, "list": {id(own)}}, "/admin/sends/check": {"message": {"%"}, "list": {id(own)}},
			"/admin/autoresponders/new?list=" + id(own): {"message_id": {"%"}, "event_type": {"subscribe"}}} {
			v.sameAnswer(func(m enlist.MessageID) (int, string, string) {
				sent := url.Values{}
				for key, values := range form {
					sent.Set(key, strings.ReplaceAll(values[0], "%", id(m)))
				}
				return v.post(strings.ReplaceAll(pattern, "%", id(m)), sent)
			}, other, s.Message)
		}
		for _, path := range []string{"/admin/messages", "/admin/sends", "/admin/sends/new", "/admin/", "/admin/sending",
			"/admin/autoresponders/new?list=" + id(own), "/admin/contacts?list=" + id(own)} {
			v.wantWithout(path, "Draft of others", ">May<")
		}
	}
	if m, err := s.App.Messages.Message(s.Context(), s.Caller, other); err != nil || m.Subject != "Hello" {
		s.Errorf("the Message of others is now %v, %v", m, err)
	}
}

// sameAnswer compares the answers about Messages with that about one that does not exist.
func (v *visitor) sameAnswer(ask func(enlist.MessageID) (int, string, string), all ...enlist.MessageID) {
	v.Helper()
	const missing = 9999999
	status, at, text := ask(missing)
	for _, m := range all {
		gotStatus, gotAt, got := ask(m)
		plain := func(text string) string {
			return regexp.MustCompile(`[0-9]+|[0-9a-z]{6}-[A-Z0-9]{26}`).ReplaceAllString(text, "N")
		}
		if gotStatus != status || status == http.StatusOK && !strings.Contains(at, "sign-in") ||
			plain(cut(got)) != plain(cut(text)) || plain(gotAt) != plain(at) {
			v.Errorf("the Message %d is answered with %d at %s:\n%s\nand one that does not exist with %d at %s:\n%s", m, gotStatus, gotAt,
				cut(got), status, at, cut(text))
		}
	}
}

func (s *site) ownMessages() {
	own := s.AddList("name", "Of the person")
	s.Subscribe(own, "Email", "own@example.com")
	v, colleague := s.limited("one", own), s.limited("two", own)
	_, at, _ := v.post("/admin/messages", url.Values{"start": {"club"}})
	message := strings.TrimPrefix(at, "/admin/messages/")
	if status, _, text := v.post(at, url.Values{"name": {"Mine"}, "subject": {"Mine"}, "email_type": {"markdown"}, "content": {"Hello"}}); status != http.StatusOK {
		s.Fatalf("the own Message is answered with %d:\n%s", status, cut(text))
	}
	v.want("/admin/messages", http.StatusOK, "[Mine](")
	colleague.want(at, http.StatusNotFound)
	colleague.wantWithout("/admin/messages", ">Mine<")
	s.full().want(at, http.StatusOK, "Mine")
	v.want("/admin/sends/new", http.StatusOK, `"Mine"`)
	added := v.sendPlan(url.Values{"message": {message}, "list": {id(own)}})
	v.want("/admin/sends/"+id(added), http.StatusOK, "# Mine")
	colleague.want(at, http.StatusOK, "Mine") // it was sent to the List of both
	_, copied, _ := v.post("/admin/messages", url.Values{"copy": {message}})
	v.want(copied, http.StatusOK, "Copy of Mine")
	if _, at, _ := v.post(copied+"/delete", nil); !strings.HasPrefix(at, "/admin/messages?done") {
		s.Errorf("the own Message is not deleted: %s", at)
	}
	form := v.shown(url.Values{"message": {message}, "list": {id(own)}})
	form.Set("list", id(s.News))
	if added, _ := v.press(form); added != 0 {
		s.Error("a person sends to a List of others")
	}
}

func (s *site) sentToOwnLists() {
	v := s.limited("news", s.News)
	path := "/admin/messages/" + id(s.Message)
	v.want(path, http.StatusOK, "# Text", "<iframe")
	v.wantWithout(path, "Save", "Delete")
	for _, to := range []string{path, path + "/delete"} {
		if status, _, _ := v.post(to, url.Values{"subject": {"Taken"}, "name": {"Taken"}, "email_type": {"html"}}); status != http.StatusNotFound {
			s.Errorf("POST %s is answered with %d", to, status)
		}
	}
	v.want(path+"/delete", http.StatusNotFound)
	v.want("/admin/sends/check?message="+id(s.Message)+"&list="+id(s.News), http.StatusOK, "# May", "Send now")
	v.want(s.pathOf(), http.StatusOK, "# May")
	// It is sent to a List of others too, as a variant.
	other := s.AddList("name", "Of others")
	s.AddChecked(batches.BatchRequest{Message: s.AddMessage("June"), Populations: []batches.PopulationRequest{{List: other}},
		Options: batches.BatchOptions{VariantOptions: batches.VariantOptions{Variants: []batches.Variant{{}, {Message: s.Message}}}}})
	v.want(path, http.StatusNotFound)
	v.want(s.pathOf(), http.StatusOK, "# Campaign "+id(s.ID))
	v.wantWithout(s.pathOf(), "May")
	v.post("/admin/messages", url.Values{"start": {"letter"}})
	v.want("/admin/sends/new?copy="+id(s.ID), http.StatusOK, `: "choose one" of`)
}

func (s *site) filesOfOthers() {
	own := s.AddList("name", "Of the person")
	v := s.limited("one", own)
	file, err := s.App.Files.UploadImage(s.Context(), s.Caller, "secret.png", bytes.NewReader(pngImage(s)))
	s.Must(err)
	_, at, _ := v.post("/admin/messages", url.Values{"start": {"empty:blocks"}})
	status, _, text := v.post(at, url.Values{"name": {"Mine"}, "subject": {"Mine"}, "email_type": {"blocks"}, "count": {"1"},
		"0.type": {"image"}, "0.file": {id(file.ID)}})
	if status != http.StatusUnprocessableEntity || !strings.Contains(text, "no file with the ID") {
		s.Errorf("the file of others is answered with %d:\n%s", status, cut(text))
	}
}

func (s *site) autoresponderOfOthers() {
	own := s.AddList("name", "Of the person")
	welcome := s.AddMessage("Welcome of others")
	auto, err := s.App.Batches.AddAutoresponder(s.Context(), s.Caller,
		apptest.Details("list_id", int(own), "message_id", int(welcome), "event_type", "subscribe"))
	s.Must(err)
	_, err = s.App.Batches.AddAutoresponder(s.Context(), s.Caller,
		apptest.Details("list_id", int(s.News), "message_id", int(welcome), "event_type", "subscribe"))
	s.Must(err)
	v, path := s.limited("one", own), "/admin/autoresponders/"+id(auto)
	v.wantWithout(path, "Welcome of others")
	v.want(path, http.StatusOK, `value="`+id(welcome)+`" selected>unchanged`)
	form := url.Values{"message_id": {id(welcome)}, "event_type": {"unsubscribe"}}
	if status, _, text := v.post(path, form); status != http.StatusOK {
		s.Errorf("the autoresponder is answered with %d:\n%s", status, cut(text))
	}
	form.Set("message_id", id(s.Message))
	if status, _, _ := v.post(path, form); status == http.StatusOK {
		s.Error("the autoresponder gets a Message of others")
	}
}

func (s *site) allMessages() {
	own := s.AddList("name", "Of the person")
	s.full().want("/admin/messages/"+id(s.Message), http.StatusOK, "Save")
	request := batches.BatchRequest{Message: s.Message, Populations: []batches.PopulationRequest{{List: own}}}
	if _, err := s.App.Batches.AddBatch(s.Context(), s.Restricted(own), request); err != nil {
		s.Errorf("a key of one List cannot send: %v", err)
	}
	if _, err := s.App.Messages.Message(s.Context(), s.Restricted(own), s.Message); enlist.KindOf(err) != enlist.Denied {
		s.Errorf("a key of one List reads a Message: %v", err)
	}
}
