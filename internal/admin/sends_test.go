package admin_test

import (
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
	"enlist/internal/users"
)

// This file tests the pages of sends and reports.

// covers: spec batch.domains, batch.variants, batch.exclude, decision 131
func TestPagesOfSends(t *testing.T) {
	apptest.Run(t, apptest.Slow, newSite, []apptest.Rule[*site]{
		{Name: "each number of a report leads to its people, persons and machines apart", Test: (*site).peopleOfReport},
		{Name: "people have pages of 100 with a search", Test: (*site).pagesOfPeople},
		{Name: "people need the level standard, and other Accounts and Lists see none", Test: (*site).accessToPeople},
		{Name: "cells that begin with = stay text, and markup stays text", Test: (*site).hostilePeople},
		{Name: "a report has providers, reasons and hours, and its file has them too", Test: (*site).partsOfReport},
		{Name: "a report draws the links with most clicks and the providers, and stays small with many links", Test: (*site).barsOfReport},
		{Name: "a report of an autoresponder has the last 30 days", Test: (*site).daysOfReport},
		{Name: "a report of a Batch with variants has intervals, and the winner can be chosen", Test: (*site).variantsOfReport},
		{Name: "a Batch is sent again to those people who did not open it", Test: (*site).sendAgain},
		{Name: "rates are of the mails that could be measured, and the pages say of how many", Test: (*site).measuredRates},
		{Name: "the tick of the last page of a send decides whether its mails are tracked", Test: (*site).sendsUntracked},
		{Name: "a second user approves a campaign to many, sees what is sent, and can refuse it", Test: (*site).approvals},
		{Name: "a copy has the choices of the Batch, also those that the page cannot show", Test: (*site).copies},
		{Name: "mistakes of a new send stand beside their input, which keeps its value", Test: (*site).mistakes},
		{Name: "the last page of a send names what slows it", Test: (*site).slowedSends},
		{Name: "the last page of a send counts each List and Segment, and sends a test to the person", Test: (*site).checkedSends},
		{Name: "Home says how fast a send is and when it is done, and pauses it", Test: (*site).runningSends},
		{Name: "the list of sends is filtered, and pauses and cancels", Test: (*site).listOfSends},
	})
}

// full returns a person who may do everything in the Account.
func (s *site) full() *visitor {
	return s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
}

// pathOf is the path of the report.
func (s *site) pathOf() string { return "/admin/sends/" + id(s.ID) }

// wantWithout checks that a page has none of the parts.
func (v *visitor) wantWithout(path string, parts ...string) {
	v.Helper()
	_, _, text := v.get(path)
	for _, part := range parts {
		if strings.Contains(text, tight(part)) || strings.Contains(shown(text), part) {
			v.Errorf("GET %s has %q:\n%s", path, part, text)
		}
	}
}

func (s *site) peopleOfReport() {
	s.Open(s.Contacts[0], apptest.PersonAgent)
	s.Open(s.Contacts[1], apptest.ScannerAgent)
	s.Click(s.Contacts[0], s.Links[0], apptest.PersonAgent)
	_, err := s.App.Sending.UnsubscribeByLink(s.Context(), s.Mail(s.Contacts[0]), "")
	s.Must(err)
	_, err = s.App.Sending.Bounced(s.Context(), s.Mail(s.Contacts[2]), "smtp; 550 5.1.1 <no such user>")
	s.Must(err)
	v, path := s.full(), s.pathOf()
	v.want(path, http.StatusOK, "[1]("+path+"/people/opened)", "[1]("+path+"/people/machines)", "[1]("+path+"/people/left)", "[1]("+path+"/people/bounced)",
		"people/link?url=https%3a%2f%2fa.example%2f", "The mailbox does not exist",
		"bounced later | [1]("+path+"/people/bounced)", "[3]("+path+"/people/accepted)",
		"people/all-opened?device=desktop")
	v.want(path, http.StatusOK, "[2]("+path+"/people/delivered)")
	v.want(path+"/people/delivered", http.StatusOK, "a0@", "a1@", "1 to 2")
	v.wantWithout(path+"/people/delivered", "a2@")
	for kind, want := range map[string]string{"opened": "a0@", "machines": "a1@", "all-opened?device=desktop": "a0@", "clicked": "a0@", "left": "a0@", "bounced": "a2@",
		"link?url=" + url.QueryEscape("https://a.example/"): "a0@"} {
		_, _, text := v.get(path + "/people/" + kind)
		for _, a := range []string{"a0@", "a1@", "a2@"} {
			if strings.Contains(text, a) != (a == want) {
				s.Errorf("the people of %s have %s: %t\n%s", kind, a, a != want, cut(text))
			}
		}
	}
	v.want(path+"/people/recipients", http.StatusOK, "a0@", "a1@", "a2@", "1 to 3", "bounced: smtp; 550 5.1.1 <no such user>")
	v.want(path+"/people/complained", http.StatusOK, "There are no such people yet.")
	v.want(path+"/people/recipients?page=2", http.StatusOK, "There are no more rows.", "[Back](?)")
	v.want(path+"/people/unheard-of", http.StatusNotFound)
}

func (s *site) pagesOfPeople() {
	list := s.AddList("track_opens", true)
	s.AddMany(list, 205)
	s.ID = s.Add(apptest.Whole(list))
	s.SendAll(nil)
	v, path := s.full(), s.pathOf()+"/people/not-opened"
	count := func(query string) int {
		_, _, text := v.get(path + query)
		return strings.Count(text, "@example.com</a>")
	}
	if a, b, c, d := count(""), count("?page=2"), count("?page=3"), count("?page=4"); a != 100 || b != 100 || c != 5 || d != 0 {
		s.Errorf("the pages have %d, %d, %d and %d people", a, b, c, d)
	}
	v.want(path+"?page=2", http.StatusOK, "101 to 200", "[Next](?page=3)", "[Back](?)")
	v.wantWithout(path+"?page=3", "page=4")
	found := count("?q=99%40")
	if found == 0 || found > 3 {
		s.Errorf("the search finds %d people", found)
	}
	_, _, file := v.get(s.pathOf() + "/people.csv?kind=not-opened")
	if lines := strings.Count(file, "\n"); lines != 206 {
		s.Errorf("the file has %d lines, want 206", lines)
	}
}

func (s *site) accessToPeople() {
	paths := []string{s.pathOf() + "/people/recipients", s.pathOf() + "/people.csv?kind=opened"}
	read := s.signedIn(users.Membership{Level: enlist.Read})
	read.wantWithout(s.pathOf(), "/people/")
	read.want(s.pathOf()+"/figures.csv", http.StatusOK, "total,,recipients,3")
	other := s.signedIn(users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{s.AddList()}, MaySend: true})
	for _, path := range paths {
		read.want(path, http.StatusForbidden)
	}
	for _, w := range []*visitor{s.signedInElsewhere(), other} {
		for _, path := range append(paths, s.pathOf()+"/figures.csv", s.pathOf()+"/cancel", "/admin/sends/new?copy="+id(s.ID),
			"/admin/sends/new?again="+id(s.ID), "/admin/sends/check?again="+id(s.ID)+"&message="+id(s.Message)) {
			w.want(path, http.StatusNotFound)
			w.want(strings.Replace(path, id(s.ID), "99999", 1), http.StatusNotFound)
		}
		for _, command := range []string{"pause", "cancel", "winner"} {
			if status, _, _ := w.post(s.pathOf()+"/"+command, url.Values{"typed": {"cancel"}, "variant": {"1"}}); status != http.StatusNotFound {
				s.Errorf("another person does %s: %d", command, status)
			}
		}
	}
}

func (s *site) hostilePeople() {
	list := s.AddList("name", hostile, "track_opens", true)
	s.Subscribe(list, "Email", "=1+1@example.com")
	s.ID = s.AddWith(batches.BatchOptions{Name: hostile})
	s.ID = s.AddChecked(batches.BatchRequest{Message: s.Message, Populations: []batches.PopulationRequest{apptest.Whole(list)},
		Options: batches.BatchOptions{Name: hostile}})
	s.SendAll(func(*sending.BatchMail) *messages.Undelivered {
		return &messages.Undelivered{Permanent: true, Recipient: true, Code: 550, Detail: hostile}
	})
	v, path := s.full(), s.pathOf()
	v.want(path+"/people.csv?kind=bounced", http.StatusOK, ",'=1+1@example.com,")
	for _, p := range []string{"/admin/sends", "/admin/sends?q=" + url.QueryEscape(hostile), path, path + "/people/bounced",
		path + "/people/bounced?q=" + url.QueryEscape(hostile), path + "/people/link?url=" + url.QueryEscape(hostile), path + "/cancel",
		"/admin/sends/new?copy=" + id(s.ID), "/admin/sends/check?message=" + id(s.Message) + "&list=" + id(list) + "&name=" +
			url.QueryEscape(hostile)} {
		_, _, text := v.get(p)
		if strings.Contains(text, "<script>") || strings.Contains(text, "<img") || !strings.Contains(text, "&lt;script") {
			s.Errorf("GET %s has markup of others, or not the text:\n%s", p, text)
		}
	}
}

func (s *site) partsOfReport() {
	s.Subscribe(s.News, "Email", "ann@gmail.com")
	s.Created = s.Now.Unix()
	s.ID = s.Add(apptest.Whole(s.News))
	s.SendAll(func(m *sending.BatchMail) *messages.Undelivered {
		switch m.Address {
		case "ann@gmail.com":
			return &messages.Undelivered{Permanent: true, Recipient: true, Code: 552, Detail: "5.2.2 full"}
		case "a2@example.com":
			return &messages.Undelivered{Permanent: true, Code: 550, Detail: "5.7.515 Access denied"}
		}
		return nil
	})
	s.Pass(time.Hour)
	_, err := s.App.Sending.Complained(s.Context(), s.Mail(s.Contacts[0]), "spam")
	s.Must(err)
	v := s.full()
	v.want(s.pathOf(), http.StatusOK, "Gmail", "others", "The mailbox is full", "Delivery",
		"Compared with the one before")
	people := s.pathOf() + "/people/"
	v.want(s.pathOf(), http.StatusOK, "[2]("+people+"accepted?provider=other)", "[1]("+people+"bounced?provider=gmail)",
		"[1]("+people+"bounced?reason=full)", "Not proven that the email is from you", "others",
		"Set SPF, DKIM and DMARC for the sender's domain: [check the sending domains](/admin/sending/domains).",
		"[1]("+people+"failed?reason=authentication)")
	v.want(people+"failed?reason=authentication", http.StatusOK, "Not proven that the email is from you", "a2@example.com", "5.7.515")
	v.want(people+"bounced?reason=full", http.StatusOK, "The mailbox is full", "ann@gmail.com",
		`<input type="hidden" name="reason" value="full">`, "people.csv?kind=bounced&reason=full)")
	v.want(people+"bounced?reason=policy", http.StatusOK, "There are no such people yet.")
	v.want(people+"recipients?provider=gmail", http.StatusOK, "Mailbox provider: Gmail", "ann@gmail.com")
	v.wantWithout(people+"recipients?provider=gmail", "a0@")
	v.want(s.pathOf()+"/people.csv?kind=accepted&provider=other", http.StatusOK, "a0@example.com", "a1@example.com")
	v.want(s.pathOf()+"/figures.csv", http.StatusOK, "provider,gmail,refused,1", "provider,other,sent,2", "reason,full,bounced,1",
		"reason,authentication,failed,1",
		",complained,1\r\n", "link,https://a.example/,people,0")
}

func (s *site) barsOfReport() {
	v := s.full()
	v.wantWithout(s.pathOf(), "Clicks on the most popular links")
	var urls []string
	for i := range 50 {
		urls = append(urls, fmt.Sprintf("https://shop.example/%02d/%s?a=1&b=<2>", i, strings.Repeat("spring-", 10)))
	}
	links, err := s.App.Sending.LinkTargets(s.Context(), s.Message, s.Now.Unix(), urls)
	s.Must(err)
	for _, link := range links {
		s.Pass(time.Minute)
		s.Click(s.Contacts[0], link, apptest.PersonAgent)
	}
	s.Click(s.Contacts[1], links[30], apptest.PersonAgent)
	s.Click(s.Contacts[2], links[30], apptest.ScannerAgent)
	_, _, text := v.get(s.pathOf())
	_, bars, _ := strings.Cut(text, "Clicks on the most popular links")
	bars, _, _ = strings.Cut(bars, "</svg>")
	first := `<text y="13">shop.example/30/spring-spring-sprin…</text><rect class="s1" x="0.0%" y="19" width="66.7%" height="10">` +
		`<title>` + html.EscapeString(strings.TrimPrefix(urls[30], "https://")) + `, people: 2</title></rect><rect class="s2" x="66.7%" y="19" width="33.3%"`
	if !strings.Contains(bars, first) || strings.Count(bars, "<text") != 10 {
		s.Errorf("the bars are %s", bars)
	}
	if len(text) > 60_000 {
		s.Errorf("the page has %d bytes", len(text))
	}
	if !strings.Contains(text, `width="33.3%" height="10"><title>others, only delivered: 1</title>`) {
		s.Errorf("the page has no shares of the providers: %s", text)
	}
}

func (s *site) daysOfReport() {
	first := s.Now
	f := apptest.NewAutoresponder(s.SentBatch)
	for i, keys := range [][]enlist.DeliveryKey{f.Send(s.Contacts[0]), f.Send(s.Contacts[1])} {
		s.Pass(time.Minute + time.Duration(i)*20*24*time.Hour)
		s.Must(s.App.Sending.Opened(s.Context(), enlist.Link{Kind: enlist.LinkOpen, DeliveryKey: keys[0]}, apptest.PersonAgent))
	}
	v := s.full()
	row := func(day time.Time, opened string) string {
		return " " + day.Format("2 Jan") + " | " + opened + " |"
	}
	v.want(s.pathOf(), http.StatusOK, "the last 30 days", row(first, "1"), row(first.AddDate(0, 0, 1), "0"), row(s.Now, "1"))
	s.Pass(15 * 24 * time.Hour)
	v = s.full()
	v.want(s.pathOf(), http.StatusOK, row(s.Now, "0"), row(s.Now.AddDate(0, 0, -15), "1"))
	v.wantWithout(s.pathOf(), row(first, "1"))
}

func (s *site) variantsOfReport() {
	v := s.full()
	plan := url.Values{"message": {id(s.Message)}, "list": {id(s.News)}, "test": {"1"}, "variant": {"0", "0", "0", "0"},
		"subject": {"One", "Two <b>", "", ""}, "share": {"50"}, "winner": {"hand"}}
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusOK, "The test goes out first.")
	added := v.sendPlan(plan)
	path := "/admin/sends/" + id(added)
	v.want(path, http.StatusOK, "Variants", "Two <b>", "No email has been sent yet")
	s.Prepare(added)
	s.SendAll(nil)
	v.want(path, http.StatusOK, "Variants", "Two <b>", "Send it to the others")
	v.post(path+"/winner", url.Values{"variant": {"2"}})
	v.want(path, http.StatusOK, "winner", "Chosen by")
	_, _, text := v.get("/admin/sends/new?copy=" + strings.TrimPrefix(path, "/admin/sends/"))
	v.wantText(text, `: "One"`, `: "Two <b>"`, `: "50"`, `value="hand" selected`, `name="test" value="1" checked`)
	plan.Set("subject", "Only one")
	v.want("/admin/sends/check?"+plan.Encode(), http.StatusUnprocessableEntity, "expected 2 to 4 variants", `: "Only one"`)
}

func (s *site) listOfSends() {
	open := s.AddAt(s.Now.Unix()+3600, apptest.Whole(s.News))
	s.Prepare(open)
	named := s.AddWith(batches.BatchOptions{Name: "Harvest festival"})
	s.Prepare(named)
	v, here := s.full(), "/admin/sends?q=&status=running"
	v.want("/admin/sends?q=hARVEST", http.StatusOK, "Harvest festival", "1 to 1 of 1")
	v.wantWithout("/admin/sends?q=harvest", ">May<")
	v.want("/admin/sends?q=harvest&status=completed", http.StatusOK, "No campaign has this name and status.")
	v.want("/admin/sends?q=may&status=completed", http.StatusOK, "[May](", "1 to 1 of 1")
	v.want(here, http.StatusOK, "Harvest festival", "1 to 2 of 2", `name="back" value="/admin/sends?status=running"`)
	_, at, _ := v.post("/admin/sends/"+id(named)+"/pause", url.Values{"back": {"/admin/sends?status=running"}})
	if !strings.HasPrefix(at, "/admin/sends?status=running&done=") {
		s.Errorf("the pause ends at %s", at)
	}
	_, at, _ = v.post("/admin/sends/"+id(named)+"/unpause", url.Values{"back": {"//evil.example/"}})
	if !strings.HasPrefix(at, "/admin/sends/"+id(named)+"?") {
		s.Errorf("going on ends at %s", at)
	}
	v.want("/admin/sends/"+id(named)+"/cancel", http.StatusOK, "type cancel", "The other 3 emails will never be sent.")
	if status, _, _ := v.post("/admin/sends/"+id(named)+"/cancel", nil); status != http.StatusUnprocessableEntity {
		s.Errorf("a cancellation without the word is answered with %d", status)
	}
	s.WantStatus(named, batches.BatchInitialising)
	v.post("/admin/sends/"+id(named)+"/cancel", url.Values{"typed": {"cancel"}})
	s.WantStatus(named, batches.BatchCancelled)
	restricted := s.signedIn(users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{s.News}})
	restricted.want("/admin/sends?q=may", http.StatusOK, "[May](") // it was sent to this List alone
	other := s.AddList()
	s.AddChecked(batches.BatchRequest{Message: s.Message, Populations: []batches.PopulationRequest{{List: other}}})
	restricted.want("/admin/sends?q=may", http.StatusOK, "No campaign has") // now it does not see the Message, so its name finds nothing
	restricted.want("/admin/sends?q=harvest", http.StatusOK, "Harvest festival")
	v.want("/admin/sends?page=99", http.StatusOK, "There are no more rows")
}
