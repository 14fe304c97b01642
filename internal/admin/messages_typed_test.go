package admin_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/users"
)

// This file tests what the editor shows while a user writes: the mail and the checks of what is not stored, and who sees a
// block.

// covers: decision 165, spec message.show_if, message.other_subjects
func TestWritingShowsWhatIsTyped(t *testing.T) {
	apptest.Run(t, apptest.Slow, newWriting, []apptest.Rule[*site]{
		{Name: "the page of a block's condition stores criteria, which stay in the form without script", Test: (*site).conditionOfBlock},
		{Name: "without script, saved blocks get free names, and one that cannot be added loses nothing typed", Test: (*site).savedWithoutScript},
		{Name: "without script, blocks of a column that goes keep its condition", Test: (*site).columnsWithoutScript},
		{Name: "the mail of what is typed is shown, and nothing is stored", Test: (*site).typedMail},
		{Name: "each mistake is listed with its block, and links are asked when the user wants it", Test: (*site).checksOfBlocks},
		{Name: "the other subjects of a Message begin a test on the page of a new send", Test: (*site).otherSubjects},
		{Name: "two versions differ in UTM parameters and subjects", Test: (*site).otherDifferences},
		{Name: "the picker of the preview finds Contacts by a part of the address", Test: (*site).findsContacts},
	})
}

func (s *site) conditionOfBlock() {
	v := s.writer()
	list := s.AddList("name", "Club")
	s.AddField(list, "name", "City", "type", "text")
	s.Subscribe(list, "Email", "a@x.io", "City", "Ulm")
	s.Subscribe(list, "Email", "b@x.io", "City", "Rome")
	at := v.begun("empty:blocks")
	v.post(at, blockForm())
	status, page, _ := v.post(at, blockForm("do", "condition:2.left.0"))
	if status != http.StatusOK || !strings.HasSuffix(page, at+"/show/2.left.0") {
		s.Fatalf("the button leads to %s, %d", page, status)
	}
	seen := enlist.VersionOf(messages.WholeMessageAttributes, v.message(at))
	form := url.Values{"list": {id(list)}, "was": {id(list)}, "seen": {seen}, "new.0": {"City"}, "add": {"0"}}
	v.send(at+"/show/0", form, http.StatusOK, "Show the block only to Contacts with", "City")
	form = url.Values{"list": {id(list)}, "was": {id(list)}, "seen": {seen}, "g": {"0"}, "key": {"City"}, "op": {"exactly"}, "value": {"Ulm"}}
	v.send(at+"/show/0", form, http.StatusOK, "1 of the 2 Contacts of this List sees the block.")
	form.Set("do", "save")
	v.send(at+"/show/0", form, http.StatusOK, "The condition was saved.", "Only if City is Ulm")
	const condition = `"show_if":[["City","exactly","Ulm"]]`
	if got := v.stored(at); !strings.Contains(got, `"one\ntwo",`+condition) {
		s.Errorf("the blocks are %s", got)
	}
	v.post(at, blockForm("0.show_if", `[["City","exactly","Ulm"]]`, "2.left.show_if", `[["City","not","Ulm"]]`))
	if got := v.stored(at); !strings.Contains(got, condition) || !strings.Contains(got, `"left_if":[["City","not","Ulm"]]`) {
		s.Errorf("after the form without script was sent, the blocks are %s", got)
	}
	v.want(at+"/show/0", http.StatusOK, "Ulm", "Show it to all")
	v.send(at+"/show/0", form, http.StatusOK, "was not saved") // another version was seen
	form.Set("seen", enlist.VersionOf(messages.WholeMessageAttributes, v.message(at)))
	form.Set("do", "none")
	v.send(at+"/show/0", form, http.StatusOK, "The condition was saved.")
	if got := v.stored(at); strings.Contains(got, "show_if") {
		s.Errorf("without a condition, the blocks are %s", got)
	}
	v.want(at+"/show/9", http.StatusNotFound)
	v.want(at+"/show/0.left", http.StatusNotFound)
	s.signedInElsewhere().want(at+"/show/0", http.StatusNotFound)
}

func (s *site) savedWithoutScript() {
	v := s.writer()
	at := v.begun("empty:blocks")
	for range 2 {
		v.post(at, blockForm("do", "keep:0"))
	}
	v.want("/admin/blocks", http.StatusOK, "Text: one two", "Text: one two (2)")
	v.post(at, blockForm("do", "keep:2"))
	all, err := s.App.Messages.SavedBlocks(s.Context(), s.Caller)
	s.Must(err)
	columns := ""
	for i := range all {
		if !strings.HasPrefix(all[i].Name, "Text") {
			columns = "saved:" + id(all[i].ID)
		}
	}
	before := v.stored(at)
	for _, c := range []struct{ prefix, saved, says string }{{"2.left.", columns, "does not fit into a column"}, {"", "saved:9999", "does not exist any more"}} {
		_, _, page := v.post(at, blockForm("do", "add:"+c.prefix, c.prefix+"new", c.saved, "0.text", "typed just now"))
		if !strings.Contains(page, c.says) || !strings.Contains(page, "typed just now") {
			s.Errorf("%s in %q is answered with\n%s", c.saved, c.prefix, page)
		}
	}
	if got := v.stored(at); got != before {
		s.Errorf("the blocks are %s, want %s", got, before)
	}
}

func (s *site) columnsWithoutScript() {
	v := s.writer()
	at := v.begun("empty:blocks")
	const ann, bob = `[["Email","contains","ann"]]`, `[["Email","contains","bob"]]`
	form := func(more ...string) url.Values {
		return blockForm(append([]string{"2.left.count", "0", "2.middle.count", "1", "2.middle.0.type", "text", "2.middle.0.text", "m", "2.middle.show_if", ann,
			"2.right.count", "1", "2.right.0.type", "text", "2.right.0.text", "r", "2.right.show_if", bob}, more...)...)
	}
	v.post(at, form("2.shares", "50,50"))
	if got, want := v.stored(at), `"right":[{"type":"text","text":"m","show_if":`+ann+`},{"type":"text","text":"r","show_if":`+bob+`}]}`; !strings.Contains(got, want) {
		s.Errorf("the blocks are %s, want %s in them", got, want)
	}
	v.post(at, form("2.shares", "50,50", "2.right.0.show_if", ann))
	if got := v.stored(at); !strings.Contains(got, `"shares":[33,33,33]`) || !strings.Contains(got, `"right_if":`+bob) {
		s.Errorf("with a condition of its own, the blocks are %s", got)
	}
}

func (s *site) typedMail() {
	v := s.writer()
	list := s.AddList("name", "Club")
	s.Subscribe(list, "Email", "ann@x.io")
	at := v.begun("empty:blocks")
	before := v.stored(at)
	const blocks = `[{"type":"text","text":"Dear {{Email|friend}}"},{"type":"text","text":"For Ann","show_if":[["Email","contains","ann"]]},` +
		`{"type":"text","text":"For Bob","show_if":[["Email","contains","bob"]]}]`
	form := blockForm("blocks", blocks, "list", id(list), "contact", "ann@x.io")
	_, _, mail := v.post(at+"/mail", form)
	for text, is := range map[string]bool{"Dear ann@x.io": true, "For Ann": true, "For Bob": false} {
		if strings.Contains(mail, text) != is {
			s.Errorf("the mail of Ann has %q: %t\n%s", text, !is, mail)
		}
	}
	form.Del("list")
	if _, _, mail = v.post(at+"/mail", form); !strings.Contains(mail, "Dear friend") || !strings.Contains(mail, "For Bob") {
		s.Errorf("without a Contact, the mail is\n%s", mail)
	}
	form.Set("shade", "text")
	if _, _, mail = v.post(at+"/mail", form); !strings.HasPrefix(mail, "<pre>") || !strings.Contains(mail, "Dear friend") {
		s.Errorf("the text part is\n%s", mail)
	}
	form.Set("subject", "")
	if status, _, mail := v.post(at+"/mail", form); status != http.StatusOK || !strings.Contains(mail, "needs a subject") {
		s.Errorf("without a subject, the mail is answered with %d:\n%s", status, mail)
	}
	if got := v.stored(at); got != before {
		s.Errorf("the blocks are %s, want %s", got, before)
	}
	if status, _, _ := s.signedInElsewhere().post(at+"/mail", form); status != http.StatusNotFound {
		s.Errorf("a user of another Account is answered with %d", status)
	}
	form.Set("list", "99999999")
	if status, _, _ := v.post(at+"/checks", form); status != http.StatusNotFound {
		s.Errorf("the checks of an unknown List are answered with %d", status)
	}
	if status, _, _ := s.signedIn(users.Membership{Role: enlist.Reader}).post(at+"/mail", form); status != http.StatusForbidden {
		s.Errorf("a reader is answered with %d", status)
	}
}

// deadLinks is a LinkChecker that knows of one link once it was asked.
type deadLinks struct{ asked bool }

func (d *deadLinks) Known(urls []string) map[string]string {
	why := make(map[string]string)
	for _, url := range urls {
		if d.asked && strings.Contains(url, "gone") {
			why[url] = "the server answers with status 404"
		}
	}
	return why
}

func (d *deadLinks) Look(_ context.Context, _ int64, urls []string) map[string]string {
	d.asked = true
	return d.Known(urls)
}

func (s *site) checksOfBlocks() {
	v := s.writer()
	list := s.AddList("name", "Club")
	s.App.Messages.SetLinkChecker(new(deadLinks))
	at := v.begun("empty:blocks")
	const blocks = `[{"type":"text","text":"Hello {{Nick}} [a](https://x.example/gone) [b](htps://x.example/)"},` +
		`{"type":"columns","left":[{"type":"image","url":"https://x.example/a.png"}],"right":[{"type":"text","text":"For fruit, or for salad."}]},` +
		`{"type":"line","show_if":[["Town","exactly","Ulm"]]}]`
	checks := func(links string) (found []string, size string) {
		status, _, text := v.post(at+"/checks", blockForm("blocks", blocks, "list", id(list), "links", links))
		var answer struct {
			Size     string
			Findings []struct{ Level, Text, Block string }
		}
		if err := json.Unmarshal([]byte(text), &answer); err != nil || status != http.StatusOK {
			s.Fatalf("%d: %s, %v", status, text, err)
		}
		for _, f := range answer.Findings {
			found = append(found, f.Level+" "+f.Block+": "+f.Text)
		}
		return found, answer.Size
	}
	wants := []string{`warning 0: the List "Club" has no Field "Nick"`, `warning 2: no Contact of the List "Club" sees block 3: no key "Town"`,
		`warning 0: the link "htps://x.example/"`, `warning 1.left.0: the image "https://x.example/a.png" has no alternative text`,
		`warning 1.right.0: texts of the starting template are left`, `note : there is no preview text`}
	for _, links := range []string{"", "1"} {
		found, size := checks(links)
		all := strings.Join(found, "\n")
		for _, want := range wants {
			if !strings.Contains(all, want) {
				s.Errorf("the checks with links=%q lack %s:\n%s", links, want, all)
			}
		}
		dead := `warning 0: the link "https://x.example/gone" leads to no page: the server answers with status 404`
		if strings.Contains(all, dead) != (links == "1") || !strings.Contains(size, "KB") {
			s.Errorf("the checks with links=%q are, with the size %q:\n%s", links, size, all)
		}
	}
	v.post(at, blockForm("blocks", blocks, "list", id(list)))
	v.want(at+"?list="+id(list), http.StatusOK, "leads to no page", "has no alternative text")
	status, page, text := v.post(at, blockForm("blocks", blocks, "do", "links"))
	if status != http.StatusOK || !strings.Contains(page, "links=1") || !strings.Contains(text, `href="#b1-left-0"`) {
		s.Errorf("the button that checks links leads to %s, %d", page, status)
	}
}

func (s *site) findsContacts() {
	list := s.AddList("name", "Club")
	s.Subscribe(list, "Email", "ann@x.io")
	s.Subscribe(list, "Email", "bob@x.io")
	v := s.writer()
	if _, _, text := v.get("/admin/messages/contacts?list=" + id(list) + "&q=nn"); strings.TrimSpace(text) != `["ann@x.io"]` {
		s.Errorf("found %s", text)
	}
	at := v.begun("letter")
	v.want(at+"?list="+id(list)+"&contact=bo", http.StatusOK, "bob@x.io")
	if status, _, _ := s.signedInElsewhere().get("/admin/messages/contacts?list=" + id(list)); status != http.StatusNotFound {
		s.Errorf("a user of another Account is answered with %d", status)
	}
}

func (s *site) otherSubjects() {
	v := s.writer()
	at := v.begun("empty:blocks")
	v.send(at, blockForm("other_subjects", "a\nb\nc\nd"), http.StatusUnprocessableEntity, "at most 3 other subjects")
	v.post(at, blockForm("other_subjects", " Second 🌻 \r\n\r\nThird"))
	if got := v.message(at).Subjects(); !slices.Equal(got, []string{"Second 🌻", "Third"}) {
		s.Errorf("the other subjects are %q", got)
	}
	v.want("/admin/sends/new?message="+strings.TrimPrefix(at, "/admin/messages/"), http.StatusOK, `: "Second 🌻"`, `: "Third"`)
	message := strings.TrimPrefix(at, "/admin/messages/")
	v.wantWithout("/admin/sends/new?ticks=1&subjects_of="+message+"&message="+message, "Second")

	plain := strings.TrimPrefix(v.begun("letter"), "/admin/messages/")
	list := s.AddList("name", "Readers")
	s.Subscribe(list, "Email", "ann@x.io")
	const ticked = "/admin/sends/check?ticks=1&share=20&list="
	v.want(ticked+id(list)+"&message="+message, http.StatusOK, "Second 🌻", "Third")
	v.want(ticked+id(list)+"&message="+message+"&test=1&variant=0&variant=0&subject=&subject=Mine", http.StatusOK, "Mine")
	v.wantWithout(ticked+id(list)+"&message="+message+"&test=1&variant=0&variant=0&subject=&subject=Mine", "Third")
	v.wantWithout(ticked+id(list)+"&message="+message+"&subjects_of="+message, "Third") // the user has taken the test back
	v.wantWithout(ticked+id(list)+"&message="+plain+"&subjects_of="+message+"&test=1&variant=0&variant=0&variant=0&variant=0&subject=&subject=Second+🌻&subject=Third&subject=", "Third")
}

func (s *site) otherDifferences() {
	v := s.writer()
	at := v.begun("empty:blocks")
	v.post(at, blockForm("utm", "on", "utm_campaign", "spring", "other_subjects", "Second"))
	s.Pass(time.Hour)
	v.post(at, blockForm("utm", "on", "utm_campaign", "autumn", "other_subjects", ""))
	_, _, page := v.get(at + "/versions")
	_, first, _ := strings.Cut(shown(page), "12:01](")
	first, _, _ = strings.Cut(first, ")")
	v.wantShown(first, "utm_campaign: autumn spring", "# Test other subjects Second")
}
