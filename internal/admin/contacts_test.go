package admin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"enlist/internal/admin/ui"
	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file tests the pages of Contacts and of one person, as a browser sees them.

func TestPagesOfContacts(t *testing.T) {
	s := newSite(t, dbtest.SQLite.Own(t)) // the tests of the subjects run on both engines
	for _, rule := range []apptest.Rule[*site]{
		{Name: "conditions are added and removed without script, also in groups", Test: (*site).buildConditions},
		{Name: "the page shows the conditions of a Segment, and saves them", Test: (*site).editSegment},
		{Name: "the script of the page gets only the count", Test: (*site).liveCount},
		{Name: "the box finds addresses and names, and the table is sorted", Test: (*site).searchBox},
		{Name: "a file has the Contacts that match, for a spreadsheet and for an Import", Test: (*site).exportFile},
		{Name: "a change of many Contacts asks for their number, runs as a job and shows its progress", Test: (*site).changeMany},
		{Name: "the page of a person shows what happened, and changes the Contact", Test: (*site).personPage},
		{Name: "chosen Contacts are moved to another List, after a page that says what is copied", Test: (*site).copyMany},
		{Name: "one person is added with the reason, and an address that is there leads to its Contact", Test: (*site).addPerson},
		{Name: "values of a Contact are changed, and a bad one keeps what was typed", Test: (*site).editValues},
		{Name: "only a person with the level full and all Lists exports and erases a person", Test: (*site).personData},
		{Name: "the page of a person of other Lists and Accounts does not exist", Test: (*site).otherPersons},
		{Name: "texts of persons stay text", Test: (*site).markupOfPersons},
	} {
		s.Case(rule.Name, func() { rule.Test(s) })
	}
}

func (s *site) fullVisitor() *visitor {
	return s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
}

// garden returns a List with Fields of several types and three Contacts.
func (s *site) garden() enlist.ListID {
	list := s.AddList("name", "Garden")
	s.AddField(list, "name", "First Name", "type", "text")
	s.AddField(list, "name", "State", "type", "dropdown", "values_array", "NSW,ACT,VIC")
	s.AddField(list, "name", "Born", "type", "date", "time_format", "off")
	for _, c := range [][3]string{{"ann", "NSW", "1990-01-31"}, {"bob", "ACT", "2000-01-31"}, {"cleo", "VIC", ""}} {
		s.Subscribe(list, "Email", c[0]+"@garden.example", "First Name", strings.ToUpper(c[0]), "State", c[1], "Born", c[2])
	}
	return list
}

func (s *site) buildConditions() {
	v, list := s.fullVisitor(), s.garden()
	path := "/admin/contacts?list=" + id(list)
	_, at, text := v.get(path + "&new.0=State&add=0")
	v.wantText(text, "1 condition has", "[ ] ACT", "[ ] NSW")
	_, at, text = v.get(at + "&pick.0=NSW&pick.0=ACT&new.0=Born&group=1")
	if strings.Contains(at, "group=1") || !strings.Contains(text, `<fieldset class="group">`) ||
		!strings.Contains(text, `type="date" name="value"`) {
		s.Errorf("an added group is not shown at %s:\n%s", at, text)
	}
	form := url.Values{"list": {id(list)}, "g": {"0", "1", "1"}, "key": {"State", "Born", "First Name"},
		"op": {"in", "greater_than", "empty"}, "value": {"NSW,ACT", "1999-12-31", ""}, "match.1": {"any"}}
	v.want("/admin/contacts?"+form.Encode(), http.StatusOK, "1 match", "bob@garden.example",
		`[["State","in",["NSW","ACT"]],[["Born","greater_than","1999-12-31"],"OR",["First Name","exactly",""]]]`)
	form.Set("remove", "1")
	if _, at, text = v.get("/admin/contacts?" + form.Encode()); !strings.Contains(text, "0 match") || strings.Contains(at, "Born") {
		s.Errorf("after a condition was removed, the page is at %s:\n%s", at, text)
	}
	for conditions, want := range map[string]string{
		"&key=creation_time&op=greater_than&value=2020-01-01": "3 match", "&key=creation_time&op=less_than&value=2020-01-01": "0 match",
		"&key=last_open_time&op=never&value=": "3 match", "&key=last_open_time&op=ever&value=": "0 match",
		"&key=last_open_time&op=not_within_last&value=90&unit.0=days": "3 match", "&key=creation_time&op=longer_ago&value=1+year": "0 match",
		"&key=Born&op=yearly_within_next&value=12&unit.0=months": "2 match", "&key=Born&op=within_last&value=7": "0 match",
		"&key=Born&op=empty&value=": "1 match", "&key=is_active&op=exactly&value=1": "3 match",
		"&key=batch_opened&op=in&value=" + id(s.ID):                                                     "0 match",
		"&match=any&key=State&op=in&value=NSW&key=State&op=in&value=VIC":                                "2 match",
		"&match=any&g=1&key=State&op=in&value=NSW&g=1&key=First+Name&op=exactly&value=CLEO&match.1=all": "0 match",
	} {
		v.want(path+conditions, http.StatusOK, want)
	}
	v.want(path+"&key=Unknown&op=exactly&value=1", http.StatusUnprocessableEntity, "<Remove the condition of Unknown>")
	v.want(path+"&was="+id(s.News)+"&key=Unknown&op=exactly&value=1&q=bob", http.StatusOK, "1 match")
	period := `Value of Born: "2" Unit of time: "weeks" of "days", "weeks", "months", "years"`
	v.want(path+"&key=Born&op=yearly_within_next&value=2&unit.0=weeks", http.StatusOK, period, `[["Born","yearly_within_next","2 weeks"]]`)
	soon := s.SetSegment(list, "Birthday soon", apptest.Criterion("Born", "yearly_within_next", "2 weeks"))
	v.want("/admin/segments", http.StatusOK, "Born comes again in the next 2 weeks")
	v.want(fmt.Sprintf("/admin/contacts?open=1&list=%d&segment=%d", list, soon), http.StatusOK, period)
	v.want(path+"&top=State", http.StatusOK, "[NSW](", "33.3%", "State |")
}

func (s *site) editSegment() {
	v, list := s.fullVisitor(), s.garden()
	criteria := &enlist.Criteria{Any: []enlist.Criteria{
		{All: []enlist.Criteria{*apptest.Criterion("State", "in", []any{"NSW", "VIC"}), *apptest.Criterion("Born", "exactly", "")}},
		*apptest.Criterion("creation_time", "less_than", 1577836800)}} // 2020-01-01 in UTC
	segment := s.SetSegment(list, "Some", criteria)
	open := "/admin/contacts?open=1&list=" + id(list) + "&segment=" + id(segment)
	v.want(open, http.StatusOK, "the Segment “Some”", "1 match", "has no value")
	v.want("/admin/segments", http.StatusOK, "(State is one of NSW, VIC and Born has no value) or joined before 1 January 2020")
	form := url.Values{"list": {id(list)}, "segment": {id(segment)}, "key": {"State"}, "op": {"in"}, "value": {"ACT"}, "name": {"Some"}}
	if status, _, text := v.post("/admin/contacts/segments", form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "already has a Segment with this name") {
		s.Errorf("a second Segment with the name is answered with %d", status)
	}
	form.Set("replace", "1")
	if status, at, text := v.post("/admin/contacts/segments", form); status != http.StatusOK || !strings.Contains(text, "1 match") {
		s.Errorf("the changed Segment is answered with %d at %s", status, at)
	}
	all, err := s.App.Contacts.SearchSegments(s.Context(), s.Caller, list, enlist.Query{})
	s.Must(err)
	if len(all) != 1 || all[0].Criteria.Text() != `State in ["ACT"]` {
		s.Errorf("the Segments are %+v", all)
	}
	deep := &enlist.Criteria{Any: []enlist.Criteria{*apptest.Criterion("State", "exactly", "NSW"), {All: []enlist.Criteria{
		*apptest.Criterion("State", "not", "VIC"), {Any: []enlist.Criteria{*apptest.Criterion("State", "not", "VIC"), *apptest.Criterion("Born", "not", "")}}}}}}
	v.want("/admin/contacts?open=1&list="+id(list)+"&segment="+id(s.SetSegment(list, "Deep", deep)), http.StatusOK, "nested deeper", "2 match")
	s.SetSegment(list, "Words", &enlist.Criteria{All: []enlist.Criteria{*apptest.Criterion("is_unsubscribed", "exactly", 0),
		*apptest.Criterion("batch_opened", "in", []any{id(s.ID)}),
		*apptest.Criterion("last_open_time", "exactly", 0), *apptest.Criterion("First Name", "contains", "a b")}})
	v.want("/admin/segments", http.StatusOK, "Is not unsubscribed and opened the email “May, ", " and last opened: never and First Name contains “a b”")
	s.SetSegment(list, "Refused", &enlist.Criteria{All: []enlist.Criteria{*apptest.Criterion("tracking_consent", "exactly", "denied"),
		*apptest.Criterion("tracking_time", "greater_than", 0)}})
	v.want("/admin/segments", http.StatusOK, "Consent to tracking is refused and decided about tracking: ever")
	s.SetSegment(list, "Opposites", &enlist.Criteria{Any: []enlist.Criteria{*apptest.Criterion("is_active", "not", 1),
		*apptest.Criterion("batch_clicked", "not", id(s.ID)), *apptest.Criterion("State", "in", []any{"NSW"}),
		*apptest.Criterion("creation_time", "greater_than", 0)}})
	v.want("/admin/segments", http.StatusOK, "Is not active or did not click in the email “May, ", " or State is NSW or joined: ever")
}

func (s *site) liveCount() {
	v, list := s.fullVisitor(), s.garden()
	part := "count"
	fragment := func(path string) (int, string, http.Header) {
		r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, s.server.URL+path, nil)
		s.Must(err)
		r.Header.Set("HX-Request", "true")
		r.Header.Set("HX-Target", part)
		reply, err := v.client.Do(r)
		s.Must(err)
		defer reply.Body.Close()
		b, err := io.ReadAll(reply.Body)
		s.Must(err)
		return reply.StatusCode, string(b), reply.Header
	}
	path := "/admin/contacts?list=" + id(list)
	status, text, _ := fragment(path + "&key=State&op=in&value=NSW")
	if status != http.StatusOK || !strings.HasPrefix(text, `<section class="card" id="count"`) || !strings.Contains(text, "1 of 3") {
		s.Errorf("the count is answered with %d:\n%s", status, text)
	}
	status, text, _ = fragment(path + "&key=Unknown&op=in&value=NSW")
	if status != http.StatusOK || !strings.Contains(text, "no key") || strings.Contains(text, "<html") {
		s.Errorf("a count that does not work is answered with %d:\n%s", status, text)
	}
	if status, text, _ = fragment("/admin/sends/" + id(s.ID)); status != http.StatusOK || !strings.HasPrefix(text, `<main id="main"`) {
		s.Errorf("the main part of another page is answered with %d:\n%s", status, text)
	}
	v = s.stranger()
	for target, refresh := range map[string]string{"count": "", "main": "true"} { // only main has no typed conditions
		part = target
		if status, _, header := fragment(path); status != http.StatusUnauthorized || header.Get("HX-Refresh") != refresh {
			s.Errorf("%s of a stranger is answered with %d and %v", part, status, header)
		}
	}
}

func (s *site) searchBox() {
	v, list := s.fullVisitor(), s.garden()
	path := "/admin/contacts?list=" + id(list)
	v.want(path+"&q=CLEO+garden", http.StatusOK, "1 match", "cleo@garden.example")
	v.want(path+"&q=VIC", http.StatusOK, "0 match")
	_, _, text := v.get(path + "&sort=Email&order=down&column=Email")
	if strings.Index(text, "cleo@") > strings.Index(text, "ann@") || !strings.Contains(text, `aria-sort="descending"`) {
		s.Errorf("the table is not sorted:\n%s", text)
	}
}

func (s *site) exportFile() {
	v, list := s.fullVisitor(), s.garden()
	query := "list=" + id(list) + "&key=State&op=in&value=NSW,ACT&column=Email&column=State"
	v.want("/admin/contacts/export?"+query, http.StatusOK, "2 Contacts as CSV")
	form, err := url.ParseQuery(query + "&which=shown&for=import")
	s.Must(err)
	if status, _, text := v.post("/admin/contacts/export", form); status != http.StatusOK ||
		text != "Email,State\nann@garden.example,NSW\nbob@garden.example,ACT\n" {
		s.Errorf("the file is answered with %d: %q", status, text)
	}
	form.Set("key", "Unknown")
	if status, _, text := v.post("/admin/contacts/export", form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "Unknown") {
		s.Errorf("a search that does not work is answered with %d: %q", status, text)
	}
}

func (s *site) changeMany() {
	v, list := s.fullVisitor(), s.garden()
	query := "list=" + id(list) + "&key=State&op=in&value=NSW,ACT"
	v.want("/admin/contacts?"+query, http.StatusOK, "Change 2…")
	v.want("/admin/contacts/change?list="+id(list), http.StatusOK, "with at least one condition")
	v.want("/admin/contacts/change?list="+id(list)+"&id="+id(s.All(list)[0]), http.StatusOK, "Change for the 1 matching Contact of Garden")
	v.want("/admin/contacts/change?"+query, http.StatusOK, "that match: State is one of NSW, ACT. This runs")
	_, _, text := v.get("/admin/contacts/change?" + query)
	_, token, _ := strings.Cut(text, `name="token" value="`)
	token, _, _ = strings.Cut(token, `"`)
	form, err := url.ParseQuery(query + "&count=2&token=" + token)
	s.Must(err)
	for _, c := range [][]string{{"Choose a change", "action", ""}, {"Type 2", "action", "delete"}, {"Type 2", "action", "unsubscribe"}, {"Choose a Field", "action", "set"},
		{"expected a date", "action", "set", "field", "Born", "set", "soon"}, {"2 Contacts match now", "action", "deactivate", "count", "3"}} {
		one := url.Values{}
		for name, values := range form {
			one[name] = values
		}
		one.Set("token", c[0]) // each page has another one
		for i := 1; i < len(c); i += 2 {
			one.Set(c[i], c[i+1])
		}
		if status, _, text := v.post("/admin/contacts/change", one); status != http.StatusUnprocessableEntity ||
			!strings.Contains(strings.ToLower(text), strings.ToLower(c[0])) {
			s.Errorf("%v is answered with %d:\n%s", c, status, text)
		}
	}
	form.Set("action", "set")
	form.Set("field", "First Name")
	form.Set("set", "<b>Friend")
	var at [2]string
	for i := range at {
		_, at[i], text = v.post("/admin/contacts/change", form)
	}
	if at[0] != at[1] || !strings.Contains(text, "0 of 2") || !strings.Contains(text, `hx-trigger="every 2s"`) || strings.Contains(text, "<b>F") {
		s.Errorf("two presses lead to %v:\n%s", at, text)
	}
	number := ui.Int(at[0][strings.LastIndex(at[0], "/")+1:])
	if done, err := s.App.Contacts.MakeChange(s.Context(), contacts.MakeChange{ID: number}); err != nil || !done {
		s.Errorf("the job returns %v, %v", done, err)
	}
	form.Set("action", "delete")
	form.Set("token", "one form")
	form.Set("typed", "2")
	_, deletion, _ := v.post("/admin/contacts/change", form)
	if done, err := s.App.Contacts.MakeChange(s.Context(), contacts.MakeChange{ID: number + 1}); err != nil || !done {
		s.Errorf("the deletion returns %v, %v", done, err)
	}
	if _, again, _ := v.post("/admin/contacts/change", form); again != deletion || s.Count(list, "State", "exactly", "NSW") != 0 {
		s.Errorf("the second press after a deletion leads to %s, and the first one to %s", again, deletion)
	}
	s.Subscribe(list, "Email", "dora@garden.example", "State", "NSW", "First Name", "<b>Friend")
	s.Subscribe(list, "Email", "emil@garden.example", "State", "ACT", "First Name", "<b>Friend")
	v.want(at[0], http.StatusOK, "The change is done", "2 Contacts were changed")
	v.want("/admin/contacts?list="+id(list)+"&q=friend", http.StatusOK, "2 match")
	v.want("/admin/contacts/change?"+query, http.StatusOK, "Changes of the last 30 days", "set First Name to “<b>Friend”")
	form.Set("token", "another")
	form.Set("action", "delete")
	form.Set("typed", "2")
	_, other, _ := v.post("/admin/contacts/change", form)
	form.Del("token") // as a program sends it: it must not get the change of another user
	if _, without, _ := s.as("colleague", users.Membership{Role: enlist.Manager}).post("/admin/contacts/change", form); without == other {
		s.Errorf("a form without a token leads to %s", without)
	} else if _, again, _ := v.post("/admin/contacts/change", form); again == without {
		s.Errorf("two users without a token are both led to %s", again)
	}
	if _, _, text := v.post(other+"/cancel", nil); !strings.Contains(text, "stopped: cancelled") || s.Count(list, "State", "exactly", "NSW") != 1 {
		s.Errorf("the cancelled change is shown as:\n%s", text)
	}
	for _, w := range []*visitor{s.signedInElsewhere(), s.signedIn(users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{s.News}})} {
		w.want(at[0], http.StatusNotFound)
		w.want("/admin/contacts/change?"+query, http.StatusNotFound)
		for _, path := range []string{at[0] + "/cancel", "/admin/contacts/change"} {
			if status, _, _ := w.post(path, form); status != http.StatusNotFound {
				s.Errorf("POST %s of another person is answered with %d", path, status)
			}
		}
	}
	v.want("/admin/contacts/changes/99999", http.StatusNotFound)
}

func (s *site) personPage() {
	v, one := s.fullVisitor(), s.Contacts[0]
	s.Open(one, apptest.PersonAgent)
	s.Click(one, s.Links[0], apptest.PersonAgent)
	path := "/admin/contacts/person?list=" + id(s.News) + "&contact=" + id(one)
	v.want(path, http.StatusOK, "Gets email.", "was opened", "https://a.example/", "(chart", "(subscribeContact)", "Deactivate")
	v.want(path+"&page=2", http.StatusOK, "Other Lists of this person", "[Back](")
	form := url.Values{"list": {id(s.News)}, "contact": {id(one)}}
	for _, step := range [][2]string{{"deactivate", "Is deactivated"}, {"reactivate", "Gets email."}, {"unsubscribe", "Has unsubscribed"}} {
		form.Set("do", step[0])
		if status, _, text := v.post("/admin/contacts/person", form); status != http.StatusOK || !strings.Contains(text, step[1]) {
			s.Errorf("%s is answered with %d:\n%s", step[0], status, text)
		}
	}
	v.want(path, http.StatusOK, "On the Unsubscriber List")
	form.Set("do", "again")
	if status, _, text := v.post("/admin/contacts/person", form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "Has unsubscribed") {
		s.Errorf("a new subscription without a reason is answered with %d", status)
	}
	form.Set("text", "by telephone")
	if status, _, text := v.post("/admin/contacts/person", form); status != http.StatusOK || !strings.Contains(text, "“by telephone”") {
		s.Errorf("a new subscription is answered with %d:\n%s", status, text)
	}
	if status, _, text := v.post("/admin/contacts/person/proof", form); status != http.StatusOK || !strings.Contains(text, "by telephone") {
		s.Errorf("the proof is answered with %d:\n%s", status, text)
	}
	decision := url.Values{"list": {id(s.News)}, "contact": {id(one)}, "tracking_consent": {"granted"}}
	v.want(path, http.StatusOK, "Has not decided about tracking of opens and clicks: both are tracked.")
	v.send("/admin/contacts/person/tracking", decision, http.StatusUnprocessableEntity, "Nothing was changed", "How the person told you")
	decision.Set("tracking_consent", "denied")
	v.send("/admin/contacts/person/tracking", decision, http.StatusOK, "is in the consent ledger", "none are tracked.")
	form.Set("do", "other")
	if status, _, _ := v.post("/admin/contacts/person", form); status != http.StatusNotFound {
		s.Errorf("an unknown change is answered with %d", status)
	}
}

func (s *site) editValues() {
	v, list := s.fullVisitor(), s.garden()
	contact := s.All(list)[0]
	path := "/admin/contacts/person/edit?list=" + id(list) + "&contact=" + id(contact)
	v.want(path, http.StatusOK, `: "ann@garden.example"`, `Born: "1990-01-31"`, `State: "NSW" of`)
	field := func(name string) string {
		all, err := s.App.Lists.SearchFields(s.Context(), s.Caller, list, enlist.Query{Criteria: apptest.Criterion("name", "exactly", name)})
		s.Must(err)
		return "field_" + id(all[0].ID)
	}
	form := url.Values{"list": {id(list)}, "contact": {id(contact)}, field("Email"): {"no address"}, field("First Name"): {"Anna"}}
	if status, _, text := v.post("/admin/contacts/person/edit", form); status != http.StatusUnprocessableEntity ||
		len(missing(text, `: "no address" !`, `First Name: "Anna"`)) > 0 {
		s.Errorf("a bad address is answered with %d:\n%s", status, shown(text))
	}
	form.Set(field("Email"), "anna@garden.example")
	form.Set(field("Born"), "")
	if status, _, text := v.post("/admin/contacts/person/edit", form); status != http.StatusOK || len(missing(text, "| Anna |", "anna@garden.example")) > 0 || strings.Contains(text, "1990-01-31") {
		s.Errorf("new values are answered with %d:\n%s", status, text)
	}
	for _, code := range []string{"de", ""} {
		v.post("/admin/contacts/person/edit", url.Values{"list": {id(list)}, "contact": {id(contact)}, "contact_language": {code}})
		if n := s.Count(list, "contact_language", "exactly", code); code == "de" && n != 1 || code == "" && n != int64(len(s.All(list))) {
			s.Errorf("%d Contacts have the language %q", n, code)
		}
	}
}

func (s *site) copyMany() {
	v, list := s.fullVisitor(), s.garden()
	s.AddField(list, "name", "Only here", "type", "text")
	target := s.AddList("name", "Orchard")
	path := "/admin/contacts/change?list=" + id(list) + "&key=State&op=in&value=NSW"
	_, _, text := v.get(path)
	v.wantText(text, "(_) copy them to another List", `To the List: "`, `"Orchard"`)
	form := url.Values{"list": {id(list)}, "g": {"0"}, "key": {"State"}, "op": {"in"}, "value": {"NSW"}, "count": {"1"}, "action": {"move"}}
	_, _, text = v.post("/admin/contacts/change", form)
	v.wantText(text, "!Choose a List.")
	form.Set("target_move", id(target))
	_, at, text := v.post("/admin/contacts/change", form)
	v.wantText(text, "# Move 1 Contact to Orchard", "are copied: Email, Mobile Phone.", "Orchard does not have these Fields, so their values are not copied: First Name, State,",
		"A Contact stays in its List if it has a value that the Field in Orchard does not accept", "No email is sent.", "<Move Contacts>(/admin/contacts/change)")
	if !strings.HasPrefix(at, "/admin/contacts/copy?") || len(s.All(target)) > 0 {
		s.Errorf("the first form leads to %s, and the other List has %d Contacts", at, len(s.All(target)))
	}
	form.Set("target", id(target))
	_, at, text = v.post("/admin/contacts/change", form)
	v.wantText(text, "Garden · move to Orchard", "0 of 1")
	change := ui.Int(at[strings.LastIndex(at, "/")+1:])
	done, err := s.App.Contacts.CopyContacts(s.Context(), contacts.CopyContacts{ID: change})
	if s.Must(err); !done || len(s.All(target)) != 1 {
		s.Errorf("the change has ended: %v, and the other List has %d Contacts", done, len(s.All(target)))
	}
	form.Set("key", "Email")
	form.Set("op", "contains")
	form.Set("value", "@")
	form.Set("count", id(int64(len(s.All(list)))))
	hedge := s.AddList("name", "Hedge")
	s.AddField(hedge, "name", "State", "type", "decimal")
	for action, want := range map[string]string{"move": "left out, because", "copy": "not copied."} {
		form.Set("action", action)
		form.Set("token", action)
		form.Set("target", id(hedge))
		_, at, _ = v.post("/admin/contacts/change", form)
		_, err = s.App.Contacts.CopyContacts(s.Context(), contacts.CopyContacts{ID: ui.Int(at[strings.LastIndex(at, "/")+1:])})
		s.Must(err)
		v.want(at, http.StatusOK, "the other List does not accept", want)
	}
	form.Set("token", "another")
	form.Set("target", id(target))
	other := s.signedIn(users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{list}})
	if status, _, _ := other.post("/admin/contacts/change", form); status != http.StatusNotFound && status != http.StatusUnprocessableEntity {
		s.Errorf("a user of one List copies to another one, with %d", status)
	}
}

func (s *site) addPerson() {
	v, list := s.fullVisitor(), s.garden()
	path := "/admin/contacts/new?list=" + id(list)
	v.want("/admin/contacts?list="+id(list), http.StatusOK, "[Add Contact]("+path+")")
	v.want(path, http.StatusOK, `Email (needs a value): ""`, `Born: ""`, `State: "" of`, "How the person asked to be subscribed, such as on paper")
	email, born := s.fieldKey(list, "Email"), s.fieldKey(list, "Born")
	form := url.Values{email: {"no address"}, born: {"soon"}, "text": {""}}
	_, _, text := v.post(path, form)
	v.wantText(text, `Email (needs a value): "no address" !`, `Born: "soon" !`, `: "" !Enter how the person agreed to get emails.`, "The Contact was not added.")
	form = url.Values{email: {"ANN@garden.example"}, "text": {"On paper, 3 May"}}
	_, _, text = v.post(path, form)
	v.wantText(text, `Email (needs a value): "ANN@garden.example" !the List has a Contact with this address already`,
		"[Show the existing Contact](/admin/contacts/person?list="+id(list)+"&contact="+id(s.All(list)[0])+")")
	form.Set(email, "new@garden.example")
	_, _, text = v.post(path, form)
	v.wantText(text, "The Contact was added.", "| new@garden.example |")
	added := s.All(list)[len(s.All(list))-1]
	var rows ui.Rows[enlist.LedgerRow]
	err := s.App.Contacts.ContactConsents(s.Context(), s.Caller, contacts.LedgerQuery{List: list, Contact: added}, &rows)
	consents := rows.All
	s.Must(err)
	if c := consents[0]; len(consents) != 1 || c.Method != contacts.MethodUser || c.Type != contacts.ConsentDirect || c.Text != "On paper, 3 May" {
		s.Errorf("the ledger has %+v", consents)
	}
	s.addAgain(path, list, form)
	_, err = s.App.Lists.EditList(s.Context(), s.Caller, list, apptest.Details("is_gdpr_compliant", true, "double_opt_in_required", true))
	s.Must(err)
	v.want(path, http.StatusOK, "The text that the person agreed to*", "The person gets an email with a link")
	form.Set(email, "later@garden.example")
	_, _, text = v.post(path, form)
	v.wantText(text, "The Contact was added.", "Has not confirmed the subscription")
}

// addAgain adds addresses of the Unsubscriber List, of which a user has to say that the person asked again.
func (s *site) addAgain(path string, list enlist.ListID, form url.Values) {
	v, email := s.fullVisitor(), s.fieldKey(list, "Email")
	defer form.Set("text", form.Get("text"))
	for of, address := range map[enlist.ListID]string{list: "left@garden.example", 0: "gone@garden.example"} {
		contact := s.Subscribe(list, "Email", address)
		_, err := s.App.Contacts.Unsubscribe(s.Context(), s.Caller, contacts.UnsubscribeRequest{List: of, Address: address})
		s.Must(err)
		_, err = s.App.Contacts.DeleteContacts(s.Context(), s.Caller, contacts.DeleteRequest{List: list, Contacts: []enlist.ContactID{contact}})
		s.Must(err)
		n := len(s.All(list))
		form.Set(email, address)
		form.Set("text", "Asked again by phone, 7 May")
		_, _, text := v.post(path, form)
		v.wantText(text, `Email (needs a value): "`+address+`" !this address is on the Unsubscriber List`, "[ ] Add the address all the same",
			"[Show the entry on the Unsubscriber List](/admin/unsubscribers?q="+url.QueryEscape(address)+")", "Asked again by phone")
		form.Set("again", "1")
		form.Set("text", "")
		_, _, text = v.post(path, form)
		v.wantText(text, "!Enter how the person agreed to get emails.", "[x] Add the address all the same")
		if len(s.All(list)) != n {
			s.Errorf("%s was added without a reason", address)
		}
		form.Set("text", "Asked again by phone, 7 May")
		_, _, text = v.post(path, form)
		v.wantText(text, "The Contact was added.", "| "+address+" |", "Asked again by phone, 7 May")
		form.Del("again")
		all := s.All(list)
		var rows ui.Rows[enlist.LedgerRow]
		s.Must(s.App.Contacts.ContactConsents(s.Context(), s.Caller, contacts.LedgerQuery{List: list, Contact: all[len(all)-1]}, &rows))
		if c := rows.All; len(c) != 1 || c[0].Method != "resubscribeContact" || c[0].Text != "Asked again by phone, 7 May" {
			s.Errorf("the ledger has %+v", c)
		}
	}
}

// fieldKey returns the name of the input of a Field.
func (s *site) fieldKey(list enlist.ListID, name string) string {
	all, err := s.App.Lists.SearchFields(s.Context(), s.Caller, list, enlist.Query{Criteria: apptest.Criterion("name", "exactly", name)})
	s.Must(err)
	return "field_" + id(all[0].ID)
}

func (s *site) personData() {
	list := s.garden()
	form := url.Values{"address": {"bob@garden.example"}, "typed": {"bob"}}
	for _, m := range []users.Membership{{Level: enlist.Standard}, {Level: enlist.Full, Lists: []enlist.ListID{list}}} {
		v := s.signedIn(m)
		for _, path := range []string{"export", "erase"} {
			if status, _, _ := v.post("/admin/contacts/person/"+path, form); status != http.StatusForbidden && status != http.StatusNotFound {
				s.Errorf("%s of level %s is answered with %d", path, m.Level, status)
			}
		}
	}
	v := s.fullVisitor()
	if status, _, text := v.post("/admin/contacts/person/export", form); status != http.StatusOK || !strings.Contains(text, `"list_name":"Garden"`) {
		s.Errorf("the export is answered with %d:\n%s", status, text)
	}
	v.want("/admin/contacts/person/erase?address=bob@garden.example", http.StatusOK, "Contacts", "cannot be undone")
	if status, _, _ := v.post("/admin/contacts/person/erase", form); status != http.StatusUnprocessableEntity || s.Count(list, "Email", "exactly", "bob@garden.example") != 1 {
		s.Errorf("an erasure with another address typed is answered with %d", status)
	}
	form.Set("typed", "BOB@garden.example")
	if status, _, text := v.post("/admin/contacts/person/erase", form); status != http.StatusOK || s.Count(list, "Email", "exactly", "bob@garden.example") != 0 {
		s.Errorf("the erasure is answered with %d:\n%s", status, text)
	}
}

func (s *site) otherPersons() {
	own := s.AddList("name", "Own")
	restricted := s.signedIn(users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{own}})
	query := "list=" + id(s.News) + "&contact=" + id(s.Contacts[1])
	form, err := url.ParseQuery(query + "&do=deactivate")
	s.Must(err)
	for _, v := range []*visitor{restricted, s.signedInElsewhere()} {
		for _, path := range []string{"/admin/contacts/person?", "/admin/contacts/person/edit?", "/admin/contacts/export?"} {
			v.want(path+query, http.StatusNotFound)
		}
		for _, path := range []string{"", "/edit", "/proof"} {
			if status, _, _ := v.post("/admin/contacts/person"+path, form); status != http.StatusNotFound && status != http.StatusForbidden {
				s.Errorf("POST %s is answered with %d", path, status)
			}
		}
	}
	reader := s.signedIn(users.Membership{Level: enlist.Read})
	for _, path := range []string{"/person?", "/person/edit?", "/export?", "/change?", "/changes/1?", "/person/erase?"} {
		reader.want("/admin/contacts"+path+query, http.StatusForbidden)
	}
	for _, path := range []string{"/person", "/person/edit", "/person/proof", "/person/export", "/person/erase", "/export", "/change", "/changes/1/cancel"} {
		if status, _, _ := reader.post("/admin/contacts"+path, form); status != http.StatusForbidden {
			s.Errorf("POST %s of the level read is answered with %d", path, status)
		}
	}
	if c := s.Contact(s.News, s.Contacts[1]); !c.IsActive {
		s.Error("another person has deactivated the Contact")
	}
}

func (s *site) markupOfPersons() {
	list := s.AddList("name", hostile)
	s.AddField(list, "name", "F <i>", "type", "text")
	contact, err := s.App.Contacts.Subscribe(s.Context(), s.Caller, contacts.SubscribeRequest{List: list,
		Details: apptest.Details("Email", "a@example.com", "F <i>", hostile), Consent: contacts.Consent{Type: contacts.ConsentDirect, Text: hostile}})
	s.Must(err)
	s.SetSegment(list, hostile, apptest.Criterion("F <i>", "exactly", hostile))
	v := s.fullVisitor()
	query := "?list=" + id(list) + "&contact=" + id(contact)
	for _, path := range []string{"/admin/contacts/person" + query, "/admin/contacts/person/edit" + query,
		"/admin/contacts" + query + "&top=F+%3Ci%3E", "/admin/contacts/export" + query,
		"/admin/contacts" + query + "&q=" + url.QueryEscape(hostile)} {
		if _, _, text := v.get(path); strings.Contains(text, "<script>") || strings.Contains(text, "<img") || !strings.Contains(text, "&lt;") {
			s.Errorf("GET %s has markup of others, or does not show the text:\n%s", path, text)
		}
	}
}
