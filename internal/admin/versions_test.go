package admin_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/users"
)

// wantShown checks that a page shows a text, as shown writes it.
func (v *visitor) wantShown(path string, parts ...string) {
	v.Helper()
	_, _, page := v.get(path)
	for _, part := range parts {
		if text := shown(page); !strings.Contains(text, part) {
			v.Errorf("%s does not show %q:\n%s", path, part, text)
		}
	}
}

// editor returns the form of the editor of a Message, and the path that it is sent to.
func (v *visitor) editor(message enlist.MessageID) (form url.Values, path string) {
	v.Helper()
	path = "/admin/messages/" + id(message)
	_, _, page := v.get(path)
	form = url.Values{"email_type": {"markdown"}}
	for _, found := range hiddenInput.FindAllStringSubmatch(page, -1) {
		form.Set(found[1], found[2])
	}
	return form, path
}

// markdown adds a Message.
func (s *site) markdown(text string) enlist.MessageID {
	m, err := s.App.Messages.AddMessage(s.Context(), s.Caller, apptest.Details("name", "June", "subject", "June", "email_type", "markdown", "text_content", text))
	s.Must(err)
	return m
}

func (s *site) versions() {
	v := s.writer()
	file, err := s.App.Files.UploadImage(s.Context(), s.Caller, "rose.png", strings.NewReader(string(pngImage(s))))
	s.Must(err)
	blocks := func(text, rest string) url.Values {
		form := url.Values{"count": {"2"}, "email_type": {"blocks"}, "subject": {"June"}, "name": {"June"}, "0.type": {"text"}, "0.text": {text}, "1.type": {rest}}
		if rest == "image" {
			form["1.file"], form["1.alt"] = []string{id(file.ID)}, []string{"A rose"}
		}
		return form
	}
	_, at, _ := v.post("/admin/messages", url.Values{"start": {"empty:blocks"}})
	at, _, _ = strings.Cut(at, "?")
	v.send(at, blocks("The garden opens in June", "image"), http.StatusOK)
	s.Pass(time.Hour)
	v.send(at, blocks("The garden closes in August", "line"), http.StatusOK)
	v.wantShown(at+"/versions", "Mon 15 Jun, 13:01](", ") | A <b>person</b> | current", "Mon 15 Jun, 12:01](")
	_, _, page := v.get(at + "/versions")
	first := strings.Split(shown(page), "Mon 15 Jun, 12:01](")[1]
	first, _, _ = strings.Cut(first, ")")
	v.wantShown(first, "The garden closes opens in August June", "# Images that only this version has (image) A rose", "(frame "+first+"/mail)")
	v.want(first, http.StatusOK, "<del>closes </del><ins>opens </ins>in <del>August", `src="/admin/images/`+id(file.ID))
	v.want(first+"/mail", http.StatusOK, "The garden opens in June")
	s.as("reader", users.Membership{Level: enlist.Read}).wantWithout(first, "Restore this version")
	_, to, page := v.post(first, nil)
	if !strings.HasPrefix(to, at) || !strings.Contains(shown(page), `The garden opens in June`) {
		s.Errorf("the version is not restored at %s:\n%s", to, shown(page))
	}
	v.want(first, http.StatusOK, "None: it is the text of the Message.")
	v.post(first, url.Values{"do": {"delete"}})
	v.want(first, http.StatusNotFound)
	for i := range 2 { // much text that has nothing in common
		v.send(at, blocks(strings.Repeat(fmt.Sprintf("%c%d \n", 'a'+i, i), 5000), "line"), http.StatusOK)
	}
	_, _, page = v.get(at + "/versions")
	first, _, _ = strings.Cut(strings.Split(shown(page), "Mon 15 Jun, 13:01](")[2], ")")
	v.want(first, http.StatusOK, "Differences from")
}

// autosaved is the answer to a page that saves by itself.
type autosaved struct {
	Seen, Name, Text string
	Draft            bool
}

// saves sends a form as the script of its page does.
func (v *visitor) saves(path string, form url.Values) (answer autosaved) {
	v.Helper()
	_, _, text := v.post(path+"/autosave", form)
	v.Must(json.Unmarshal([]byte(text), &answer))
	return answer
}

func (s *site) savesByItself() {
	v := s.writer()
	message := s.markdown("Hello")
	form, path := v.editor(message)
	form.Set("subject", "July")
	form.Set("name", "June")
	form.Set("number", "1")
	form.Set("content", "Hello again")
	if answer := v.saves(path, form); answer.Text != "Saved 12:01" || answer.Name != "July" || answer.Draft {
		s.Errorf("the answer is %+v", answer)
	}
	v.wantShown(path, `Subject: "July"`, `"Hello again"`)
	v.wantWithout(path, "There is a text that is not in the Message")
	form.Set("page", "another tab")
	form.Set("content", "Hello <b>you</b>")
	if answer := v.saves(path, form); !answer.Draft || !strings.Contains(answer.Text, "Saved as a draft 12:01: the Message was changed in the meantime") {
		s.Errorf("the answer to another tab is %+v", answer)
	}
	v.wantShown(path, `"Hello again"`, "There is a text that is not in the Message: [Mon 15 Jun, 12:01, A <b>person</b>]("+path+"/versions/")
	v.wantShown("/admin/messages", "[July]("+path+") Draft")
	v.wantShown("/admin/sends/check?message="+id(message)+"&list="+id(s.News), "# The email There is a text that is not in the Message: [")
	_, _, page := v.get(path + "/versions")
	draft, _, _ := strings.Cut(strings.Split(shown(page), "Mon 15 Jun, 12:01](")[1], ")")
	v.wantShown(draft, "This is a draft. It is not in the Message.", "Hello again <b>you</b>")
	v.post(draft, nil)
	v.wantShown(path, `"Hello <b>you</b>"`)
	v.wantWithout(path, "There is a text that is not in the Message")
	reader := s.as("reader", users.Membership{Level: enlist.Standard})
	if status, _, _ := reader.post(path+"/autosave", form); status != http.StatusForbidden {
		s.Errorf("a save by a reader is answered with %d", status)
	}
}

func (s *site) savesParameters() {
	v := s.writer()
	form, path := v.editor(s.markdown("Hello"))
	for key, value := range map[string]string{"subject": "June", "name": "June", "content": "Hello", "number": "1", "utm": "on", "utm_campaign": "spring"} {
		form.Set(key, value)
	}
	if answer := v.saves(path, form); answer.Draft || !strings.HasPrefix(answer.Text, "Saved ") {
		s.Errorf("the answer is %+v", answer)
	}
	v.wantShown(path, `Campaign: "spring"`)
	form.Set("page", "another tab")
	form.Set("utm_campaign", "summer")
	v.send(path, form, http.StatusUnprocessableEntity, "save again", `Campaign: "summer"`)
	v.wantShown(path, `Campaign: "spring"`)
	v.post(v.lastDraft(path), nil)
	v.wantShown(path, `Campaign: "summer"`)
}

// lastDraft returns the path of the last draft of a Message.
func (v *visitor) lastDraft(path string) string {
	v.Helper()
	_, _, page := v.get(path)
	_, draft, ok := strings.Cut(shown(page), "There is a text that is not in the Message: [")
	_, draft, _ = strings.Cut(draft, "](")
	draft, _, _ = strings.Cut(draft, ")")
	if !ok {
		v.Fatalf("%s has no draft:\n%s", path, shown(page))
	}
	return draft
}

func (s *site) savesKinds() {
	v := s.writer()
	m, err := s.App.Messages.AddMessage(s.Context(), s.Caller, apptest.Details("name", "June", "subject", "June", "email_type", "html", "html_content", "<p>Hello</p>"))
	s.Must(err)
	form, path := v.editor(m)
	for key, value := range map[string]string{"subject": "June", "name": "June", "content": "<p>Hello</p>"} {
		form.Set(key, value)
	}
	for i, kind := range []string{messages.EmailMarkdown, messages.EmailBlocks, messages.EmailBlocks} {
		form.Set("email_type", kind)
		form.Set("number", fmt.Sprint(i+1))
		form.Set("seen", v.saves(path, form).Seen)
	}
	const want = `[{"type":"html","html":"<p>Hello</p>"}]`
	if got := v.stored(path); got != want {
		s.Errorf("the page has saved the blocks %s, want %s", got, want)
	}
	form.Set("email_type", messages.EmailMarkdown)
	form.Set("number", "4")
	v.saves(path, form)
	form.Set("email_type", messages.EmailBlocks)
	v.post(path, form)
	if got := v.stored(path); got != want {
		s.Errorf("the button has saved the blocks %s, want %s", got, want)
	}
}

var replaces = regexp.MustCompile(`<button class="main" name="replaces" value="([^"]+)">`)

func (s *site) replacesByOrder() {
	v := s.writer()
	message := s.markdown("Hello")
	form, path := v.editor(message)
	stored := func(text string) {
		_, err := s.App.Messages.EditMessage(s.Context(), s.Caller, message, apptest.Details("text_content", text))
		s.Must(err)
	}
	send := func(want int) string {
		s.Helper()
		status, _, page := v.post(path, form)
		if status != want {
			s.Fatalf("the form is answered with %d, want %d:\n%s", status, want, shown(page))
		}
		for _, found := range hiddenInput.FindAllStringSubmatch(page, -1) {
			form.Set(found[1], found[2])
		}
		return page
	}
	keeps := func(text, want string) {
		s.Helper()
		form.Set("content", text)
		form.Set("number", fmt.Sprint(ui.Int(form.Get("number"))+1))
		answer := v.saves(path, form)
		form.Set("seen", answer.Seen)
		if got := v.message(path).Text; !answer.Draft || got != want {
			s.Errorf("the answer is %+v, and the Message has %q, want %q", answer, got, want)
		}
	}
	for key, value := range map[string]string{"subject": "June", "name": "June", "content": "of Ann"} {
		form.Set(key, value)
	}
	stored("of Bob")
	send(http.StatusUnprocessableEntity)
	keeps("of Ann again", "of Bob")
	form.Set("do", "show") // it saves too, but is no such button
	page := send(http.StatusUnprocessableEntity)
	form.Del("do")
	keeps("of Ann once more", "of Bob")
	form.Set("replaces", replaces.FindStringSubmatch(page)[1])
	stored("of Bob again")
	page = send(http.StatusUnprocessableEntity)
	form.Set("replaces", replaces.FindStringSubmatch(page)[1])
	form.Set("from_address", "wrong")
	send(http.StatusUnprocessableEntity)
	form.Del("replaces")
	form.Set("from_address", "")
	send(http.StatusOK)
	if got := v.message(path).Text; got != "of Ann once more" {
		s.Errorf("the Message has %q after the button that saves", got)
	}
	form, _ = v.editor(message)
	for key, value := range map[string]string{"subject": "June", "name": "June", "content": "of Ann, with a mistake", "from_address": "wrong"} {
		form.Set(key, value)
	}
	stored("of Bob at last")
	send(http.StatusUnprocessableEntity)
	form.Set("from_address", "")
	keeps("of Ann, without it", "of Bob at last")
}
