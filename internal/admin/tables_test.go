package admin_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/apptest"
	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/users"
)

// This file tests the order of tables, and the search in those that can be long.

// fillTables adds two records to each table: alpha, and Beta, which is later and greater.
func (s *operations) fillTables() (send enlist.BatchID) {
	unsubscribed := []string{"subscribed", "unsubscribed"}
	for n, name := range []string{"alpha", "Beta"} {
		s.Pass(24 * time.Hour)
		list := s.AddList("name", name, "track_opens", true)
		for i := range 2 + n {
			s.Subscribe(list, "Email", fmt.Sprintf("%s%d@example.com", []string{"beta", "alpha"}[i%2], i))
		}
		var err error
		s.Message, err = s.App.Messages.AddMessage(s.Context(), s.Caller, apptest.Details("name", name, "subject", name,
			"text_content", strings.Repeat("Hello ", 1+300*n)))
		s.Must(err)
		s.SetSegment(list, name, apptest.Criterion("Email", "contains", "@"))
		s.ImportFile(list, "Email\n"+strings.Repeat("no address\n", 1+n)+[]string{"i@example.com\n", "i@example.com\nj@example.com\n"}[n],
			func(o *imports.ImportOptions) { o.FileName = name + ".csv" })
		_, err = s.App.Forms.SetForm(s.Context(), s.Caller, list, 0, apptest.Details("name", name))
		s.Must(err)
		_, err = s.App.Files.UploadImage(s.Context(), s.Caller, name+".png", bytes.NewReader(pngOf(s, 3+200*n)))
		s.Must(err)
		_, _, err = s.App.Accounts.AddAccountKey(s.Context(), s.Caller, accounts.KeyDetails{Name: name, Level: enlist.Read})
		s.Must(err)
		s.as(name, users.Membership{Level: enlist.Read})
		s.AddWebhook("contact", unsubscribed[n], "url", "https://"+name+".example.com/", "list_id", int(list))
		_, err = s.App.Contacts.Unsubscribe(s.Context(), s.Caller, contacts.UnsubscribeRequest{Address: name + "@left.example.com"})
		s.Must(err)
		send = s.AddChecked(batches.BatchRequest{Message: s.Message, Populations: []batches.PopulationRequest{apptest.Whole(list)}})
		s.SendAll(nil)
	}
	return send
}

// wantOrder checks that a table that is sorted by a key has the first text before the second one, and that the link in
// its head leads to the other order.
func (v *visitor) wantOrder(path, key, first, second string) {
	v.Helper()
	path += map[bool]string{true: "&", false: "?"}[strings.Contains(path, "?")] + "sort=" + key
	for _, order := range []string{"", "&order=down"} {
		status, _, text := v.get(path + order)
		_, table, sorted := strings.Cut(text, `aria-sort="`+map[string]string{"": "ascending", "&order=down": "descending"}[order])
		a, b := strings.Index(table, first), strings.Index(table, second)
		if status != http.StatusOK || !sorted || a < 0 || b < 0 || a > b {
			v.Errorf("%s%s (%d, sorted: %t) has %q at %d, and %q at %d", path, order, status, sorted, first, a, second, b)
		}
		if link, _, _ := strings.Cut(table, "</a>"); strings.Contains(link, "order=down") != (order == "") {
			v.Errorf("the head in %s%s leads to %s", path, order, link)
		}
		first, second = second, first
	}
}

func (s *operations) tables() {
	send := s.fillTables()
	v, report := s.full(), "/admin/sends/"+id(s.ID)+"/people/"
	s.Open(s.Contacts[1], apptest.PersonAgent)
	s.Pass(time.Hour)
	s.Open(s.Contacts[0], apptest.PersonAgent)
	for path, keys := range map[string]string{
		"/admin/lists": "name contacts change since", "/admin/messages": "name subject size changed used",
		"/admin/sends": "name list when mails", "/admin/sends?status=completed": "when", "/admin/imports": "file time rows new refused",
		"/admin/segments": "name list contacts changed", "/admin/forms": "name", "/admin/images": "name size added", "/admin/keys": "name",
		"/admin/users": "name email seen", "/admin/webhooks": "event list url", "/admin/unsubscribers": "time",
	} {
		for key := range strings.FieldsSeq(keys) {
			v.wantOrder(path, key, ">alpha", ">Beta")
		}
	}
	v.wantOrder("/admin/audit?object=Webhook", "time", "https://alpha", "https://Beta")
	v.wantOrder("/admin/contacts?list="+id(s.News), "Email", ">a0@", ">a1@")
	v.wantOrder("/admin/sends/"+id(send)+"/people/recipients", "contact_email", ">alpha", ">beta")
	v.wantOrder(report+"opened", "time", ">a1@", ">a0@")
	v.want("/admin/sends?sort=name&order=down&q=alpha", http.StatusOK, "q=alpha&sort=list)", `name="sort" value="name"`, `name="order" value="down"`)
	v.want("/admin/audit?page=1", http.StatusOK, "[Next](?page=2)")
	v.want("/admin/audit?sort=time&page=2", http.StatusOK, "[Back](?sort=time)")
	for _, path := range []string{"/admin/lists?", "/admin/messages?", "/admin/sends?", "/admin/forms?", report + "opened?"} {
		_, _, plain := v.get(path)
		if _, _, text := v.get(path + "sort=%3Cnothing&order=down"); text != plain {
			s.Errorf("%s has another page with an unknown key:\n%s", path, cut(text))
		}
	}
}

func (s *operations) finds() {
	v := s.full()
	for i := range 21 {
		name := fmt.Sprintf("Row %02d", i)
		s.SetSegment(s.News, name, apptest.Criterion("Email", "contains", "@"))
		s.ImportFile(s.News, "Email\n", func(o *imports.ImportOptions) { o.FileName = name })
	}
	for path, beta := range map[string]string{"/admin/segments": "[Beta](", "/admin/imports": "Beta.csv", "/admin/forms": "[Beta](",
		"/admin/images": "Beta.png", "/admin/keys": "[Beta](", "/admin/users": "[Beta](", "/admin/webhooks": "https://Beta",
		"/admin/messages": "[Beta](", "/admin/lists": "[Beta]("} {
		v.want(path, http.StatusOK, beta)
		v.want(path+"?find=ALPH&sort=name", http.StatusOK, strings.Replace(beta, "Beta", "alpha", 1), `: "ALPH"`, `name="sort" value="name"`)
		v.wantWithout(path+"?find=ALPH", beta)
		v.want(path+"?find=%3Cnone&sort=name", http.StatusOK, "No name contains “<none”.", "[Show all](?sort=name)")
	}
	v.want("/admin/imports?find=row&page=2", http.StatusOK, "1 to 21 of 21")
}
