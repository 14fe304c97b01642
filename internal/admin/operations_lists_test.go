package admin_test

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tests the pages of Lists, with their Fields and preferences.

func (s *operations) lists() {
	v := s.full()
	at := v.send("/admin/lists/new", url.Values{"name": {"Garden <b>"}, "track_opens": {"1"}, "country_code": {"49"},
		"disallow_duplicate_contacts": {"1"}}, http.StatusOK, "The List was created", "are in country +49", "Garden <b>")
	path, _, _ := strings.Cut(at, "?")
	v.send("/admin/lists/new", url.Values{"name": {" "}, "imprint": {"Us\r\nall"}, "country_code": {"49"}}, http.StatusUnprocessableEntity, "Us all")
	v.send(path+"/settings", url.Values{"name": {"Garden"}, "from_address": {"no address"}, "country_code": {"49"}},
		http.StatusUnprocessableEntity, `"no address" !expected an email address`)
	v.send(path+"/settings", url.Values{"name": {"Garden"}, "double_opt_in_required": {"1"}, "country_code": {"49"}}, http.StatusOK,
		"confirm with a link", "are not tracked")
	list := enlist.ListID(ui64(path))
	s.Subscribe(list, "Email", "ann@example.com")
	v.want(path, http.StatusOK, "Can receive email", "90 days", "1 Contact", "do not see this List",
		"double_opt_in&op=exactly&value=1)", "Not confirmed yet", "double_opt_in&op=exactly&value=0)",
		"added | confirmed | unsubscribed | bounced | complained | removed |")
	v.want("/admin/lists", http.StatusOK, "(chart 90 days: from 0 to 1;)")
	v.send("/admin/forms/"+id(list)+"/texts", url.Values{"is_public": {"1"}, "description": {"All <plants>"}, "farewell_text": {"Bye <all>"}, "preferences_text": {"Your <choice>"}}, http.StatusOK)
	v.want(path, http.StatusOK, "can see and join this List", "All <plants>", "Bye <all>", "Your <choice>", "](/admin/forms/"+id(list)+"/texts)")
	engine := s.App.DB.Engine
	s.App.DB.Engine = busy{engine}
	v.want(path, http.StatusOK, "The server is busy", "?count=1")
	s.App.DB.Engine = engine
	v.want(path+"/copy", http.StatusOK, "2 Fields")
	copied := v.send(path+"/copy", url.Values{"name": {"Second"}}, http.StatusOK, "This is the copy", "0 Contacts")
	v.want("/admin/lists?find=seco", http.StatusOK, "Second", "1 to 1 of 1")
	v.want(path+"/clear", http.StatusOK, "This deletes 1 Contact", "Garden")
	v.send(path+"/clear", url.Values{"typed": {"garden"}}, http.StatusUnprocessableEntity, "Nothing was changed")
	if n := s.List(list).ContactCount; n != 1 {
		s.Fatalf("the List has %d Contacts, want 1", n)
	}
	v.send(path+"/clear", url.Values{"typed": {"Garden"}, "count": {"0"}}, http.StatusUnprocessableEntity, "the List has 1 Contact now",
		`name="count" value="1"`)
	v.send(path+"/clear", url.Values{"typed": {"Garden"}, "count": {"1"}}, http.StatusOK, "1 Contact")
	second, _, _ := strings.Cut(copied, "?")
	v.send(second+"/delete", url.Values{"typed": {"Second"}}, http.StatusOK, "Second was deleted")
	v.want(second, http.StatusNotFound)
	v.want(path+"/nothing", http.StatusNotFound)
	if n := s.List(list).ContactCount; n != 0 {
		s.Errorf("the List has %d Contacts, want 0", n)
	}
}

// busy is an engine with too many searches.
type busy struct{ db.Engine }

func (busy) Search(context.Context, func(*db.Tx) error) error {
	return enlist.Refuse(enlist.Busy, "too many searches at once")
}

// ui64 returns the number at the end of a path.
func ui64(path string) (n int64) {
	for _, c := range path[strings.LastIndexByte(path, '/')+1:] {
		n = n*10 + int64(c-'0')
	}
	return n
}

func (s *operations) fields() {
	v, list := s.full(), s.AddList("name", "Fields")
	path := "/admin/lists/" + id(list)
	v.want(path+"/fields/new", http.StatusOK, `name="allow_update" value="1">`, `name="show_in_form" value="1">`)
	v.send(path+"/fields/new", url.Values{"name": {"Email"}, "type": {"text"}}, http.StatusUnprocessableEntity, `Name*: "Email" !the List has a Field`)
	v.send(path+"/fields/new", url.Values{"name": {"Age"}, "type": {"text"}, "time_format": {"off"}}, http.StatusOK, "The Field was added")
	var age enlist.FieldID
	all, err := s.App.Lists.SearchFields(s.Context(), s.Caller, list, enlist.Query{})
	s.Must(err)
	for i := range all {
		if all[i].Name == "Age" {
			age = all[i].ID
		}
	}
	s.Subscribe(list, "Email", "ann@example.com", "Age", "twelve")
	one := path + "/fields/" + id(age)
	v.want(one, http.StatusOK, `: "Age"`, "Delete")
	number := url.Values{"name": {"Age"}, "type": {"decimal"}, "time_format": {"off"}, "display_order": {"3"}}
	v.send(one, number, http.StatusUnprocessableEntity, "1 Contact has a value that does not fit")
	short := url.Values{"name": {"Age"}, "type": {"text"}, "length": {"3"}, "time_format": {"off"}, "display_order": {"3"}}
	v.send(one, short, http.StatusUnprocessableEntity, "1 Contact has a value", "anyway")
	if f := s.Field(list, age); f.Length != 0 {
		s.Errorf("the length is %d before the person has agreed", f.Length)
	}
	short.Set("agreed", "5") // of an earlier page
	v.send(one, short, http.StatusUnprocessableEntity, "1 Contact has a value", `name="agreed" value="1"`)
	short.Set("agreed", "1")
	v.send(one, short, http.StatusOK, "at most 3 characters")
	v.send(one+"/up", nil, http.StatusOK)
	if names := strings.Join(s.Fields(list, enlist.Query{SortBy: "display_order"}), " "); s.Field(list, age).DisplayOrder != 2 {
		s.Errorf("after the move, the Fields are %s", names)
	}
	v.want(one+"/delete", http.StatusOK, "the value of 1 Contact")
	v.send(one+"/delete", url.Values{"typed": {"Other"}}, http.StatusUnprocessableEntity, "Type it exactly as shown")
	v.send(one+"/delete", url.Values{"typed": {"Age"}}, http.StatusUnprocessableEntity, "the Field now has values of 1 Contact")
	v.send(one+"/delete", url.Values{"typed": {"Age"}, "count": {"1"}}, http.StatusOK, "was deleted")
	v.want(one, http.StatusNotFound)
	v.want(path+"/fields/"+id(s.EmailField(list)), http.StatusOK, "the email address")
	v.send(path+"/fields/"+id(s.EmailField(list))+"/delete", url.Values{"typed": {"Email"}, "count": {"1"}}, http.StatusUnprocessableEntity, "keeps its email Field")
}

// asksWhoHasNotConfirmed makes a List with Contacts ask them to confirm, in each of the ways.
func (s *operations) asksWhoHasNotConfirmed() {
	v := s.full()
	for _, c := range []struct {
		choice    string
		confirmed bool
		at        string
	}{{"confirm", true, "/admin/contacts/changes/"}, {"ask", false, "/admin/contacts/changes/"}, {"wait", false, "/admin/lists/"}} {
		list := s.AddList("name", "Asks "+c.choice)
		path := "/admin/lists/" + id(list) + "/settings"
		ann := s.Subscribe(list, "Email", "ann@example.com")
		form := url.Values{"name": {"Renamed"}, "double_opt_in_required": {"1"}, "country_code": {"49"}}
		v.send(path, form, http.StatusUnprocessableEntity, "1 Contact gets email today without having confirmed: 100% of the List")
		form.Set("waiting", c.choice)
		if c.choice == "confirm" {
			form.Set("count", "1")
			v.send(path, form, http.StatusUnprocessableEntity, "Write when and how these people agreed.", `value="confirm" checked`)
		}
		if s.List(list).DoubleOptIn {
			s.Errorf("the List asks people to confirm before the user has said what happens to them")
		}
		form.Set("statement", "fair in Bonn, 2022")
		form.Set("count", "2")
		v.send(path, form, http.StatusUnprocessableEntity, map[bool]string{true: "1 Contact now: check the number again",
			false: "1 Contacts match now: look at them again"}[c.choice == "wait"])
		form.Set("count", "1")
		at, _, _ := strings.Cut(v.send(path, form, http.StatusOK), "?")
		if !strings.HasPrefix(at, c.at) || !s.List(list).DoubleOptIn || s.List(list).Name != "Renamed" {
			s.Errorf("after the choice %s the page is %s and the List %+v", c.choice, at, s.List(list))
		}
		if strings.HasPrefix(at, "/admin/contacts/changes/") {
			done, err := s.App.Contacts.MakeChange(s.Context(), contacts.MakeChange{ID: ui64(at)})
			if err != nil || !done {
				s.Errorf("the change returns %v, %v", done, err)
			}
		}
		if s.Contact(list, ann).DoubleOptIn != c.confirmed {
			s.Errorf("after the choice %s the Contact is confirmed: %v", c.choice, !c.confirmed)
		}
		v.want("/admin/lists/"+id(list), http.StatusOK, "Can receive email", "Not confirmed yet")
	}
}

// asksWhoGetsMail makes a List no longer ask its people to confirm.
func (s *operations) asksWhoGetsMail() {
	v, list := s.full(), s.AddList("name", "Stops", "double_opt_in_required", "1")
	path, form := "/admin/lists/"+id(list)+"/settings", url.Values{"name": {"Stops"}, "country_code": {"49"}}
	s.Subscribe(list, "Email", "ann@example.com")
	v.send(path, form, http.StatusUnprocessableEntity, "1 Contact has not confirmed, and gets no email today. From now on it gets email",
		`name="agreed" value="1" required`, "See who they are")
	s.Subscribe(list, "Email", "bob@example.com")
	form.Set("agreed", "1")
	v.send(path, form, http.StatusUnprocessableEntity, "2 Contacts have not confirmed", `name="agreed" value="2" required`)
	if !s.List(list).DoubleOptIn {
		s.Error("the List asks for no confirmation before the user has agreed to the number")
	}
	form.Set("agreed", "2")
	v.send(path, form, http.StatusOK, "are subscribed immediately")
	empty := s.AddList("name", "Empty", "double_opt_in_required", "1")
	v.send("/admin/lists/"+id(empty)+"/settings", url.Values{"name": {"Empty"}, "country_code": {"49"}}, http.StatusOK, "are subscribed immediately")
}

var seenInput = regexp.MustCompile(`name="(seen|form_seen)" value="([0-9a-f]+)"`)

// changedByOthers sends forms of two tabs.
func (s *operations) changedByOthers() {
	v, list := s.full(), s.AddList("name", "Shared", "country_code", 49)
	s.AddField(list, "name", "Town", "type", "text")
	message := s.AddMessage("Shared")
	form, err := s.App.Forms.SetForm(s.Context(), s.Caller, list, 0, apptest.Details("name", "Shared"))
	s.Must(err)
	webhook := s.AddWebhook("contact", "subscribed", "url", "https://w.example.com/", "list_id", list)
	autoresponder, err := s.App.Batches.AddAutoresponder(s.Context(), s.Caller, apptest.Details("list_id", int(list), "message_id", int(s.AddMessage("Welcome")), "event_type", "subscribe"))
	s.Must(err)
	_, _, text := v.get("/admin/lists/" + id(list))
	town := regexp.MustCompile(`/admin/lists/\d+/fields/\d+">Town`).FindString(text)
	for path, c := range map[string]struct {
		form       url.Values
		key, value string
		marked     string
	}{
		"/admin/lists/" + id(list) + "/settings":    {url.Values{"name": {"Shared"}, "country_code": {"49"}}, "track_opens", "1", "it is selected now"},
		strings.TrimSuffix(town, `">Town`):          {url.Values{"name": {"Town"}, "type": {"text"}, "time_format": {"off"}}, "length", "20", "it is “20” now"},
		"/admin/messages/" + id(message):            {url.Values{"name": {"Shared"}, "subject": {"Old"}, "email_type": {"markdown"}}, "content", "Hello", "There is a text that is not in the Message:<a"},
		"/admin/forms/" + id(list) + "/texts":       {url.Values{"language": {"de"}}, "farewell_text", "Bye\r\nall", "it is “Bye all” now"},
		"/admin/forms/" + id(list) + "/" + id(form): {url.Values{"name": {"Shared"}, "is_open": {"1"}, "order" + id(s.EmailField(list)): {"1"}}, "sites", "https://a.example\r\nhttps://b.example", "it is “https://a.example https://b.example” now"},
		"/admin/look":                                {themeForm(), "imprint", "Us\r\nall", "it is “Us all” now"},
		"/admin/account/edit":                        {url.Values{"name": {"Club"}, "timezone": {"Asia/Tokyo"}, "country_code": {"49"}, "send_delay": {"1"}, "approve_above": {"0"}}, "send_delay", "3", "it is “3” now"},
		"/admin/webhooks/" + id(webhook):             {url.Values{"url": {"https://x.example.com/"}, "event": {"contact:subscribed"}, "list_id": {id(list)}}, "url", "https://y.example.com/", "it is “https://y.example.com/” now"},
		"/admin/autoresponders/" + id(autoresponder): {url.Values{"message_id": {id(message)}, "event_type": {"subscribe"}, "segment_id": {"0"}, "when": {"delay"}, "offset": {"1"}, "period": {"hour"}, "clock": {"00:00"}}, "offset", "7", "it is “7” now"},
	} {
		saw := func(form url.Values, text string) {
			found := seenInput.FindStringSubmatch(text)
			if found == nil {
				s.Fatalf("%s does not say what it has shown:\n%s", path, cut(text))
			}
			form.Set(found[1], found[2])
		}
		_, _, text := v.get(strings.TrimSuffix(path, "/edit"))
		old, other := c.form, maps.Clone(c.form)
		saw(old, text)
		saw(other, text)
		other.Set(c.key, c.value)
		v.send(path, other, http.StatusOK)
		v.send(path, other, http.StatusOK) // pressed twice
		status, _, text := v.post(path, old)
		if status != http.StatusUnprocessableEntity || !strings.Contains(text, "Nothing was saved: this was changed since you opened the page") ||
			!strings.Contains(text, c.marked) {
			s.Errorf("%s is answered with %d:\n%s", path, status, cut(text))
		}
		saw(old, text)
		if found := replaces.FindStringSubmatch(text); found != nil { // the button "Save" of a Message
			old.Set("replaces", found[1])
		}
		v.send(path, old, http.StatusOK)
	}
}

func (s *operations) preferences() {
	v, list := s.full(), s.AddList("name", "Preferences")
	path := "/admin/lists/" + id(list)
	v.send(path+"/preferences/new", url.Values{"name": {"Weekly"}}, http.StatusOK, "Weekly")
	v.send(path+"/preferences/new", url.Values{"name": {"Weekly"}}, http.StatusUnprocessableEntity, "of this name already")
	all, err := s.App.Lists.SearchPreferences(s.Context(), s.Caller, list, enlist.Query{})
	s.Must(err)
	one := path + "/preferences/" + id(all[0].ID)
	v.send(one, url.Values{"name": {"Each week"}}, http.StatusOK, "Each week")
	v.send(one+"/delete", url.Values{"typed": {"Weekly"}}, http.StatusUnprocessableEntity)
	v.send(one+"/delete", url.Values{"typed": {"Each week"}}, http.StatusOK, "was deleted")
	v.want(one, http.StatusNotFound)
}
