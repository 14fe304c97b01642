package admin_test

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/png"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/mail"
	"enlist/internal/messages"
	"enlist/internal/starters"
	"enlist/internal/users"
)

// This file tests the pages on which a person writes a Message, uploads images and chooses the look of mails.

// covers: decision 134, decision 159
func TestWriting(t *testing.T) {
	apptest.Run(t, apptest.Slow, newWriting, []apptest.Rule[*site]{
		{Name: "blocks are added, moved, changed and removed without script", Test: (*site).blocks},
		{Name: "the blocks of the script are stored, and its page has all that it needs", Test: (*site).canvas},
		{Name: "a merge field with its fallback is put at the end of a text", Test: (*site).fields},
		{Name: "what was typed stays when the blocks or the sender are refused", Test: (*site).refusedBlocks},
		{Name: "each start makes a Message with example texts that are known, and a text becomes blocks", Test: (*site).starts},
		{Name: "the name of a Message is its subject until a person names it", Test: (*site).namesOfMessages},
		{Name: "the links of a Message get UTM parameters, which the preview shows", Test: (*site).parameters},
		{Name: "the list finds, sorts and copies Messages, and shows their opens", Test: (*site).messageList},
		{Name: "the preview of a List is for people who may use the List, in the light and in the dark", Test: (*site).previews},
		{Name: "a person who may not change a Message sees its mail without inputs, and below standard without a Contact", Test: (*site).readers},
		{Name: "what was typed is saved before the mail is shown another way or tested", Test: (*site).savedFirst},
		{Name: "an image is uploaded, shown and deleted, and what is none is refused", Test: (*site).images},
		{Name: "the last page of a new send shows the sender, the subject, the first words and the mail before the button", Test: (*site).mailIsShown},
		{Name: "the last page of a new send shows the text of a Message that is for inboxes", Test: (*site).preheaderIsShown},
		{Name: "versions are listed, compared in words and pictures, and restored", Test: (*site).versions},
		{Name: "a page saves by itself, and a text that is not in the Message is marked", Test: (*site).savesByItself},
		{Name: "after a newer text was found, only the button that saves replaces it", Test: (*site).replacesByOrder},
		{Name: "HTML becomes a block of HTML, whatever kinds its page has saved meanwhile", Test: (*site).savesKinds},
		{Name: "a page saves the UTM parameters by itself", Test: (*site).savesParameters},
		{Name: "the look is shown before it is saved, and wrong values stay beside their reason", Test: (*site).look},
	})
}

func (s *site) parameters() {
	v := s.writer()
	at := v.begun("empty:" + messages.EmailMarkdown)
	form := url.Values{"subject": {"May"}, "name": {"May"}, "email_type": {messages.EmailMarkdown}, "content": {"[Go](https://shop.example/)"},
		"from_name": {""}, "from_address": {""}, "reply_to": {""}, "postal_address": {""}, "utm": {"on"}, "utm_campaign": {"spring"}, "utm_domains": {"shop"}}
	v.send(at, form, http.StatusUnprocessableEntity, "!expected domains such as example.com", `: "shop"`, `Campaign: "spring"`)
	form.Set("utm_domains", "shop.example")
	v.send(at, form, http.StatusOK, `Campaign: "spring"`, `: "shop.example"`, "the links to shop.example get utm_source=")
	_, _, mail := v.get(at + "/mail")
	if !strings.Contains(mail, "utm_medium=email&amp;utm_campaign=spring") {
		s.Errorf("the mail has no parameters:\n%s", mail)
	}
}

// newWriting returns a site that composes mails.
func newWriting(t *testing.T, store db.Engine) *site {
	s := newSite(t, store)
	s.composes()
	return s
}

// composes makes mails as the program does.
func (s *site) composes() {
	composer, err := mail.NewComposer(mail.Options{From: "lists@example.org", PublicURL: "https://lists.example.org", Files: s.App.Files})
	s.Must(err)
	s.App.Messages.SetComposer(composer)
}

func (s *site) writer() *visitor {
	return s.signedIn(users.Membership{Level: enlist.Full, MaySend: true})
}

// begun adds a Message with a start, and returns the path of its editor.
func (v *visitor) begun(start string) string {
	v.Helper()
	status, at, text := v.post("/admin/messages", url.Values{"start": {start}})
	if status != http.StatusOK {
		v.Fatalf("the start %s is answered with %d:\n%s", start, status, text)
	}
	return at
}

// message returns the Message at a path.
func (v *visitor) message(path string) *messages.Message {
	v.Helper()
	var n int64
	_, err := fmt.Sscanf(path, "/admin/messages/%d", &n)
	v.Must(err)
	m, err := v.App.Messages.Message(v.Context(), v.Caller, enlist.MessageID(n))
	v.Must(err)
	return m
}

// stored returns the blocks of the Message at a path.
func (v *visitor) stored(path string) string {
	v.Helper()
	return v.message(path).Blocks
}

// blockForm is a form with two texts and columns.
func blockForm(more ...string) url.Values {
	form := url.Values{"name": {"May"}, "subject": {"May"}, "email_type": {"blocks"}, "count": {"3"}, "0.type": {"text"}, "0.text": {"one\r\ntwo"},
		"1.type": {"heading"}, "1.text": {"A <b>"}, "1.level": {"2"}, "2.type": {"columns"}, "2.left.count": {"1"}, "2.left.0.type": {"line"},
		"2.right.count": {"0"}}
	for i := 0; i < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

func (s *site) blocks() {
	v := s.writer()
	at := v.begun("empty:blocks")
	const text, heading, columns = `{"type":"text","text":"one\ntwo"}`, `{"type":"heading","text":"A <b>","level":2}`, `{"type":"columns","left":[{"type":"line"}]}`
	for _, c := range []struct{ do, new, want, to string }{
		{"", "", text + "," + heading + "," + columns, ""},
		{"up:1", "", heading + "," + text + "," + columns, "#b0"},
		{"up:0", "", text + "," + heading + "," + columns, "#b0"},
		{"down:1", "", text + "," + columns + "," + heading, "#b2"},
		{"remove:0", "", heading + "," + columns, "#b0"},
		{"remove:2.left.0", "", text + "," + heading + `,{"type":"columns"}`, "#b2-left-0"},
		{"add:", "image", text + "," + heading + "," + columns + `,{"type":"image"}`, "#b3"},
		{"add:2.right.", "button", text + "," + heading + `,{"type":"columns","left":[{"type":"line"}],"right":[{"type":"button"}]}`, "#b2-right-0"},
		{"remove:9.left.0", "", text + "," + heading + "," + columns, ""}, {"up:x", "", text + "," + heading + "," + columns, ""},
	} {
		prefix := strings.TrimPrefix(c.do, "add:")
		form := blockForm("do", c.do)
		if c.new != "" {
			form.Set(prefix+"new", c.new)
		}
		v.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		r, err := v.client.PostForm(v.server.URL+at, form)
		v.Must(err)
		r.Body.Close()
		want := http.StatusSeeOther
		if strings.HasPrefix(c.do, "remove:") { // the page offers to put it back
			want, c.to = http.StatusOK, ""
		}
		if to := r.Header.Get("Location"); r.StatusCode != want || c.to != "" && !strings.HasSuffix(to, c.to) {
			s.Errorf("%q is answered with %d to %s, want %s", c.do, r.StatusCode, to, c.to)
		}
		if got := v.stored(at); got != "["+c.want+"]" {
			s.Errorf("%q leaves %s, want %s", c.do, got, c.want)
		}
	}
	v.client.CheckRedirect = nil
	before := "[" + text + "," + heading + "]"
	if _, _, page := v.post(at, blockForm("do", "remove:2", "count", "3")); !strings.Contains(page, "Undo") {
		s.Errorf("a removed block cannot be put back: %s", page)
	}
	if got := v.stored(at); got != before {
		s.Errorf("the blocks are %s, want %s", got, before)
	}
	v.post(at, blockForm("do", "undo", "undo", "["+text+","+heading+","+columns+"]"))
	if got := v.stored(at); got != "["+text+","+heading+","+columns+"]" {
		s.Errorf("the block that was put back leaves %s", got)
	}
	v.want(at, http.StatusOK, `: "A <b>"`, `name="2.left.count" value="1"`, `value="up:2.left.0"`, "<Move Line up>")
}

func (s *site) canvas() {
	v := s.writer()
	at := v.begun("letter")
	_, _, page := v.get(at)
	for _, part := range []string{`id="canvas" data-canvas="{&#34;blocks&#34;:[{&#34;type&#34;:&#34;preheader&#34;`, `&#34;contents&#34;:[&#34;\u003cp\u003eHello {{First Name|friend}}`,
		`&#34;bold&#34;:&#34;Bold&#34;`, `href="` + at + `/theme.css"`} {
		if !strings.Contains(page, part) {
			s.Errorf("the page lacks %s", part)
		}
	}
	const blocks = `[{"type":"text","text":"typed"}]`
	v.post(at, blockForm("blocks", blocks))
	if got := v.stored(at); got != blocks {
		s.Errorf("the blocks are %s, want those of the script", got)
	}
	if status, _, _ := v.post(at, blockForm("blocks", `[{"type":"text","extra":1}]`)); status != http.StatusNotFound || v.stored(at) != blocks {
		s.Errorf("blocks that no script sends are answered with %d and leave %s", status, v.stored(at))
	}
	refused := `[{"type":"button","text":"Typed","link":"javascript:alert(1)"}]`
	if status, _, page := v.post(at, blockForm("blocks", refused)); status != http.StatusUnprocessableEntity || !strings.Contains(page, `&#34;wrong&#34;:[&#34;begins with javascript:`) {
		s.Errorf("a wrong link is answered with %d:\n%s", status, page)
	}
	status, _, sheet := v.get(at + "/theme.css")
	if status != http.StatusOK || !strings.HasPrefix(sheet, ".canvas {") {
		s.Errorf("the rules of the theme are answered with %d: %s", status, sheet)
	}
	s.signedInElsewhere().want(at+"/theme.css", http.StatusNotFound)
	s.signedIn(users.Membership{Level: enlist.Standard}).wantWithout(at, "data-canvas")
	v.want(v.begun("empty:markdown"), http.StatusOK, "Format")
}

func (s *site) fields() {
	v := s.writer()
	at := v.begun("empty:blocks")
	v.post(at, blockForm("do", "field", "field", "First Name", "fallback", " fri}end ", "where", "0"))
	if got := v.stored(at); !strings.Contains(got, `two {{First Name|friend}}"`) {
		s.Errorf("the blocks are %s", got)
	}
	v.post(at, blockForm("do", "field", "field", "Email", "where", "subject"))
	v.want(at, http.StatusOK, `: "May {{Email}}"`)
}

func (s *site) refusedBlocks() {
	v := s.writer()
	at := v.begun("letter")
	for _, form := range []url.Values{blockForm("1.level", "7"), blockForm("from_address", "nobody"), blockForm("0.type", "image", "0.file", "99")} {
		if status, _, text := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "A &lt;b&gt;") ||
			!strings.Contains(text, `class="wrong"`) {
			s.Errorf("the form %v is answered with %d and %s", form, status, text)
		}
	}
	form := blockForm("0.type", "button", "0.link", "javascript:alert(1)")
	beside := `value="javascript:alert(1)" placeholder="https://" aria-invalid="true"><span class="wrong">the link begins with javascript:`
	if status, _, text := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(text, beside) {
		s.Errorf("a link with a script is answered with %d and %s", status, text)
	}
}

func (s *site) starts() {
	v := s.writer()
	v.want("/admin/messages", http.StatusOK, "[New Message](/admin/messages/new)")
	_, _, gallery := v.get("/admin/messages/new")
	if len(gallery) > 40<<10 {
		s.Errorf("the gallery has %d bytes", len(gallery))
	}
	for _, starter := range starters.All() {
		at := v.begun(starter.Name)
		m := v.message(at)
		status, _, mail := v.get("/admin/starters/mail?name=" + starter.Name)
		if status != http.StatusOK || !strings.Contains(gallery, `src="/admin/starters/mail?name=`+starter.Name+`"`) || !strings.Contains(mail, "<table") || m.Name != m.Subject {
			s.Errorf("%s is answered with %d and %s, as %q", starter.Name, status, mail, m.Subject)
		}
		v.want(at, http.StatusOK, "texts of the starting template are left")
	}
	at := v.begun("empty:markdown")
	v.post(at, url.Values{"name": {"x"}, "subject": {"x"}, "email_type": {"blocks"}, "content": {"*some* text"}})
	if got := v.stored(at); got != `[{"type":"text","text":"*some* text"}]` {
		s.Errorf("a text becomes the blocks %s", got)
	}
	for _, start := range []string{"../club", "empty:pdf", "none", ""} {
		if status, _, _ := v.post("/admin/messages", url.Values{"start": {start}}); status != http.StatusNotFound {
			s.Errorf("the start %q is answered with %d", start, status)
		}
	}
}

func (s *site) namesOfMessages() {
	v := s.writer()
	at := v.begun("club")
	const first, long = "June: summer on the river path", 300
	for _, of := range [][3]string{{first, "Spring", "# Spring "}, {"Spring", "", "# Spring "}, {"Spring", strings.Repeat("x", long), "# Spring "},
		{"Spring", "Summer", "# Spring "}, {"For April", "Summer", "# For April "}, {"For April", "April", "# For April "}} {
		v.post(at, url.Values{"name": {of[0]}, "subject": {of[1]}, "email_type": {"blocks"}, "count": {"0"}})
		v.want(at, http.StatusOK, of[2])
	}
}

func (s *site) messageList() {
	s.Open(s.Contacts[0], apptest.PersonAgent)
	v := s.writer()
	at := v.begun("letter")
	v.want("/admin/messages?find=short", http.StatusOK, "A short question", "1 to 1 of 1", "never")
	v.want("/admin/messages?find=%3Cnothing", http.StatusOK, "No name contains", `: "<nothing"`)
	v.want("/admin/messages?sort=used&order=down&page=9", http.StatusOK, "33.3%", "Last used ↓")
	_, copied, _ := v.post("/admin/messages", url.Values{"copy": {strings.TrimPrefix(at, "/admin/messages/")}})
	v.want(copied, http.StatusOK, "Copy of A short question", "It takes one minute")
	if status, _, _ := s.signedInElsewhere().post("/admin/messages", url.Values{"copy": {id(s.Message)}}); status != http.StatusNotFound {
		s.Errorf("a person of another Account copies the Message: %d", status)
	}
}

func (s *site) previews() {
	v := s.writer()
	at := "/admin/messages/" + id(s.Message)
	v.want(at+"?contact=a1@example.com&width=360&shade=dark", http.StatusOK, "of 102 KB", "360 pixels, dark mode", `class="mail six phone"`, "shade=dark")
	v.want(at+"?contact=nobody@example.com", http.StatusOK, "No Contact of the List has this address.", `: "nobody@example.com"`)
	post := s.AddList("name", "Post")
	_, err := s.App.Lists.EditField(s.Context(), s.Caller, post, s.EmailField(post), apptest.Details("name", "E-mail"))
	s.Must(err)
	s.Subscribe(post, "E-mail", "ann@example.com")
	v.want(at+"?list="+id(post), http.StatusOK, `: "ann@example.com"`)
	v.want(at+"?contact=ann@example.com&list="+id(post), http.StatusOK, "of 102 KB", `: "ann@example.com"`)
	empty := v.begun("letter") + "?list=" + id(s.AddList("name", "Empty"))
	v.want(empty, http.StatusOK, "the email without a Contact", "of 102 KB")
	v.want(strings.Replace(empty, "?", "/mail?", 1), http.StatusOK, "Hello friend")
	for _, w := range []*visitor{s.signedInElsewhere(), s.signedIn(users.Membership{Level: enlist.Standard, Lists: []enlist.ListID{s.AddList("name", "One")}})} {
		w.want(at, http.StatusNotFound)
		w.want(at+"/mail?list="+id(s.News)+"&contact="+id(s.Contacts[0]), http.StatusNotFound)
		w.want(at+"/mail", http.StatusNotFound)
	}
}

func (s *site) readers() {
	at := s.writer().begun("letter")
	contact := "list=" + id(s.News) + "&contact=" + id(s.Contacts[0])
	_, err := s.App.Messages.EditMessage(s.Context(), s.Caller, s.Message, apptest.Details("html_content", "for {{Email|no Contact}}"))
	s.Must(err)
	for _, level := range []enlist.Level{enlist.Read, enlist.Standard} {
		v := s.signedIn(users.Membership{Level: level})
		v.want(at, http.StatusOK, "A short question", "(frame ", "can change them")
		v.wantWithout(at, "<textarea", `name="subject"`, `value="add:`, "Save")
		mail := map[enlist.Level]string{enlist.Read: "for no Contact", enlist.Standard: "@example.com"}[level]
		v.want("/admin/messages/"+id(s.Message)+"/mail?"+contact, http.StatusOK, mail)
	}
	s.signedIn(users.Membership{Level: enlist.Read}).wantWithout("/admin/messages/"+id(s.Message)+"?list="+id(s.News), `name="contact"`, "a1@example.com")
}

func (s *site) savedFirst() {
	v := s.writer()
	at := v.begun("empty:blocks")
	form := blockForm("do", "show:360:dark", "list", id(s.News), "contact", "a1@example.com", "to", "me@example.com")
	if _, to, text := v.post(at, form); !strings.Contains(to, "shade=dark") || !strings.Contains(text, `class="mail six phone"`) ||
		!strings.Contains(text, `name="to" value="me@example.com" form="edit"`) {
		s.Errorf("the mail is shown at %s:\n%s", to, text)
	}
	want := v.stored(at)
	if !strings.Contains(want, "one") {
		s.Errorf("the Message that is shown has the blocks %s", want)
	}
	form.Set("do", "test")
	form.Set("0.text", "tested")
	for _, c := range []struct{ key, value, says string }{{"contact", "none@example.com", "No Contact of the List has this address"}, {"to", "nonsense", "nonsense"}} {
		old := form.Get(c.key)
		form.Set(c.key, c.value)
		if status, _, text := v.post(at, form); status != http.StatusUnprocessableEntity || !strings.Contains(text, "but no test email was sent") ||
			!strings.Contains(text, c.says) {
			s.Errorf("a test with the %s %s is answered with %d:\n%s", c.key, c.value, status, text)
		}
		form.Set(c.key, old)
	}
	if _, to, text := v.post(at, form); !strings.Contains(text, "was sent to me@example.com") || v.stored(at) == want {
		s.Errorf("the test is answered at %s, with the blocks %s:\n%s", to, v.stored(at), text)
	}
	w := s.signedIn(users.Membership{Level: enlist.Standard, MaySend: true})
	w.want(at+"?do=show:360:light", http.StatusOK, `class="mail six phone"`)
	w.wantWithout(at, `form="edit"`)
	if _, _, text := w.post(at+"/test", url.Values{"to": {"me@example.com"}, "list": {id(s.News)}}); !strings.Contains(text, "test email was sent") {
		s.Errorf("a person who may not change the Message tests it:\n%s", text)
	}
	blind := s.as("blind", users.Membership{Role: enlist.Sender})
	for _, contact := range []string{"none@example.com", "a1@example.com"} { // both are answered alike
		blind.send(at+"/test", url.Values{"to": {"me@example.com"}, "list": {id(s.News)}, "contact": {contact}}, http.StatusOK, "test email was sent")
	}
}

// upload sends an image as a browser does.
func (v *visitor) upload(name string, content []byte) (status int, text string) {
	v.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreateFormFile("file", name)
	v.Must(err)
	_, err = part.Write(content)
	v.Must(err)
	v.Must(w.Close())
	r, err := v.client.Post(v.server.URL+"/admin/images", w.FormDataContentType(), &b)
	v.Must(err)
	status, _, text = v.read(r)
	return status, text
}

func pngImage(t interface{ Must(error) }) []byte {
	var b bytes.Buffer
	t.Must(png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))))
	return b.Bytes()
}

// pngOf returns an image of a width.
func pngOf(t interface{ Must(error) }, width int) []byte {
	var b bytes.Buffer
	t.Must(png.Encode(&b, image.NewGray(image.Rect(0, 0, width, width))))
	return b.Bytes()
}

// hugeImage returns an image whose header says that it has 400 million pixels.
func hugeImage(picture []byte) []byte {
	huge := bytes.Clone(picture)
	binary.BigEndian.PutUint32(huge[16:], 20_000)
	binary.BigEndian.PutUint32(huge[20:], 20_000)
	binary.BigEndian.PutUint32(huge[29:], crc32.ChecksumIEEE(huge[12:29]))
	return huge
}

// sentByScript uploads an image as the script of the editor does.
func (v *visitor) sentByScript(name string, content []byte) (status int, text string) {
	v.Helper()
	transport := v.client.Transport
	defer func() { v.client.Transport = transport }()
	v.client.Transport = asScript{cmp.Or(transport, http.DefaultTransport)}
	return v.upload(name, content)
}

// asScript adds the header of the script.
type asScript struct{ http.RoundTripper }

func (a asScript) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Accept", "application/json")
	return a.RoundTripper.RoundTrip(r)
}

func (s *site) images() {
	v, picture := s.writer(), pngImage(s)
	v.want("/admin/images", http.StatusOK, "There are no images yet.")
	if status, text := v.upload(`C:\a <b>.png`, picture); status != http.StatusOK || !strings.Contains(text, "3 × 2 pixels") || !strings.Contains(text, "a &lt;b&gt;.png") {
		s.Errorf("an image is answered with %d and %s", status, text)
	}
	for name, content := range map[string][]byte{"x.svg": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "x.png": []byte("<script>"), "y.png": picture[:12],
		"x.pdf": []byte("%PDF-1.7"), "": picture, "huge.png": hugeImage(picture), "big.png": append(bytes.Clone(picture), make([]byte, 11<<20)...)} {
		if status, text := v.upload(name, content); status != http.StatusUnprocessableEntity || !strings.Contains(text, `class="wrong"`) {
			s.Errorf("the file %q is answered with %d", name, status)
		}
	}
	all, err := s.App.Files.SearchFiles(s.Context(), s.Caller, enlist.Query{})
	s.Must(err)
	if len(all) != 1 {
		s.Fatalf("%d files are stored, want 1", len(all))
	}
	at := "/admin/images/" + id(all[0].ID)
	if status, _, text := v.get(at); status != http.StatusOK || text != string(picture) {
		s.Errorf("the image is answered with %d and %d bytes", status, len(text))
	}
	if status, text := v.sentByScript("script.png", picture); status != http.StatusOK || !strings.Contains(text, `"name":"script.png","width":3`) {
		s.Errorf("an image of the script is answered with %d and %s", status, text)
	}
	if status, text := v.sentByScript("huge.png", hugeImage(picture)); status != http.StatusUnprocessableEntity || !strings.Contains(text, `{"problem":"\"huge.png\" has more than 80 million pixels`) {
		s.Errorf("a huge image of the script is answered with %d and %s", status, text)
	}
	other := s.signedInElsewhere()
	other.want("/admin/images", http.StatusOK, "There are no images yet.")
	for _, path := range []string{at, at + "/delete"} {
		other.want(path, http.StatusNotFound)
	}
	if status, _, _ := other.post(at+"/delete", nil); status != http.StatusNotFound {
		s.Errorf("a person of another Account deletes the image: %d", status)
	}
	reader := s.signedIn(users.Membership{Level: enlist.Standard})
	if status, _ := reader.upload("z.png", picture); status != http.StatusForbidden {
		s.Errorf("a person with the level standard uploads: %d", status)
	}
	message := v.begun("empty:blocks")
	v.post(message, blockForm("0.type", "image", "0.file", id(all[0].ID), "0.was", "0", "0.width", "900"))
	if got := v.stored(message); !strings.Contains(got, `"width":3}`) && !strings.Contains(got, `"width":3,`) {
		s.Errorf("another image keeps the width of the one before: %s", got)
	}
	if status, _, text := v.post(at+"/delete", nil); status != http.StatusUnprocessableEntity || !strings.Contains(text, "shows the file") {
		s.Errorf("an image of a Message is deleted: %d %s", status, text)
	}
	v.post(message, blockForm())
	v.post(at+"/delete", nil)
	v.want(at, http.StatusNotFound)
}

// themeForm returns the form of the default theme with other values: names and values in turn.
func themeForm(pairs ...string) url.Values {
	form, t := url.Values{}, messages.DefaultTheme()
	for i := range messages.ThemeAttributes {
		a := &messages.ThemeAttributes[i]
		form.Set(a.Name, a.Get(&t).Text)
		if value := a.Get(&t); value.Kind == enlist.KeyInt {
			form.Set(a.Name, id(value.Int))
		}
	}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

func (s *site) look() {
	v := s.writer()
	form := themeForm("accent_colour", "#0a5fbf", "imprint", "Club <b>\r\nStreet", "width", "640", "font", "georgia", "do", "show")
	if status, _, text := v.post("/admin/look", form); status != http.StatusOK || !strings.Contains(text, `value="#0a5fbf"`) ||
		!strings.Contains(text, "accent_colour=%230a5fbf") {
		s.Errorf("the look is shown with %d and %s", status, text)
	}
	theme := func() messages.Theme {
		t, err := s.App.Messages.Theme(s.Context(), s.Caller)
		s.Must(err)
		return *t
	}
	if got := theme(); got != messages.DefaultTheme() {
		s.Errorf("a preview stores the look %+v", got)
	}
	form.Del("do")
	v.post("/admin/look", form)
	want := messages.DefaultTheme()
	want.Accent, want.Imprint, want.Width, want.Font = "#0a5fbf", "Club <b>\nStreet", 640, "georgia"
	if got := theme(); got != want {
		s.Errorf("the look is %+v, want %+v", got, want)
	}
	for key, value := range map[string]string{"width": "9", "logo_width": "1", "accent_colour": "<red>", "imprint": strings.Repeat("x", 2001), "logo_file_id": "77"} {
		if status, _, text := v.post("/admin/look", themeForm(key, value)); status != http.StatusUnprocessableEntity || !strings.Contains(text, `class="wrong"`) {
			s.Errorf("%s %.20s is answered with %d and %s", key, value, status, text)
		}
	}
	_, _, mail := v.get("/admin/look/mail?width=500&accent_colour=%23000080&shade=dark")
	for _, part := range []string{"max-width: 500px", "#000080", "(min-width: 0)", "Club &lt;b&gt;<br>"} {
		if !strings.Contains(mail, part) {
			v.Errorf("the example of a mail has no %q:\n%s", part, mail)
		}
	}
	v.want("/admin/look/mail?width=5", http.StatusUnprocessableEntity)
	reader := s.signedIn(users.Membership{Level: enlist.Read})
	reader.want("/admin/look", http.StatusOK, "Your role does not allow changes.")
	if status, _, _ := reader.post("/admin/look", form); status != http.StatusForbidden {
		s.Errorf("a person with the level read changes the look: %d", status)
	}
	s.signedInElsewhere().want("/admin/look", http.StatusOK, `value="600"`)
	s.signedIn(users.Membership{Level: enlist.Full, Lists: []enlist.ListID{s.News}}).want("/admin/look", http.StatusNotFound)
}
