package admin_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/users"
)

// This file tests templates that users save from a Message.

// covers: decision 164, spec message.template
func TestOwnTemplates(t *testing.T) {
	apptest.Run(t, apptest.Own, newWriting, []apptest.Rule[*site]{
		{Name: "a Message is saved as a template, with what was typed, and is the begin of others", Test: (*site).ownTemplate},
		{Name: "all users of the Account use a template, and its author and users of all Lists change it", Test: (*site).sharedTemplate},
		{Name: "a part of an image is chosen, and an image without words is a decision", Test: (*site).croppedImage},
	})
}

// savedTemplate saves a Message as a template, and returns its ID.
func (v *visitor) savedTemplate(at, name string) string {
	v.Helper()
	form := url.Values{"name": {name}, "subject": {name}, "email_type": {"blocks"}, "blocks": {`[{"type":"text","text":"Kept words"}]`}, "do": {"template"}}
	if status, to, text := v.post(at, form); status != http.StatusOK || !strings.HasPrefix(to, "/admin/messages/new") {
		v.Fatalf("a template is answered with %d at %s:\n%s", status, to, cut(text))
	}
	all, err := v.App.Messages.SearchMessages(v.Context(), v.Caller, enlist.Query{SortBy: "id", Descending: true, Limit: 1})
	v.Must(err)
	if !all[0].IsTemplate || all[0].Name != name {
		v.Fatalf("the template is %+v", all[0])
	}
	return id(all[0].ID)
}

func (s *site) ownTemplate() {
	v := s.writer()
	at := v.begun("empty:blocks")
	saved := v.savedTemplate(at, "Monthly")
	v.want(at, http.StatusOK, "Kept words")
	v.want("/admin/messages/new", http.StatusOK, "# Monthly", "<Use Monthly>", "[Rename](/admin/messages/"+saved+"/rename)", "# Club news")
	_, _, list := v.get("/admin/messages")
	if strings.Contains(list, `href="/admin/messages/`+saved+`"`) {
		s.Error("the list of Messages has a template")
	}
	_, _, plan := v.get("/admin/sends/new")
	if strings.Contains(plan, `value="`+saved+`"`) {
		s.Error("a campaign can have a template")
	}
	_, begun, _ := v.post("/admin/messages", url.Values{"template": {saved}})
	if m := v.message(begun); m.IsTemplate || m.Name != "Monthly" || !strings.Contains(m.Blocks, "Kept words") {
		s.Errorf("the new Message is %+v", *m)
	}
	v.post("/admin/messages/"+saved+"/rename", url.Values{"name": {"Each month"}})
	v.want("/admin/messages/new", http.StatusOK, "# Each month")
	if status, _, text := v.post("/admin/messages/"+saved+"/rename", url.Values{"name": {""}}); status != http.StatusUnprocessableEntity {
		s.Errorf("an empty name is answered with %d:\n%s", status, cut(text))
	}
	if _, to, _ := v.post("/admin/messages/"+saved+"/delete", nil); !strings.HasPrefix(to, "/admin/messages/new?done") {
		s.Errorf("after the deletion the page is %s", to)
	}
	v.wantWithout("/admin/messages/new", "Each month")
}

func (s *site) sharedTemplate() {
	own := s.AddList("name", "Of the person")
	v, colleague, reader := s.writer(), s.limited("two", own), s.signedIn(users.Membership{Level: enlist.Read})
	file, err := s.App.Files.UploadImage(s.Context(), s.Caller, "logo.png", bytes.NewReader(pngImage(s)))
	s.Must(err)
	at := v.begun("empty:blocks")
	saved := v.savedTemplate(at, "Shared")
	_, err = s.App.Messages.EditMessage(s.Context(), s.Caller, v.message("/admin/messages/"+saved).ID, apptest.Details("blocks",
		messages.EncodeBlocks([]messages.Block{{Type: messages.BlockImage, File: file.ID, Alt: "Logo"}})))
	s.Must(err)
	colleague.want("/admin/messages/new", http.StatusOK, "# Shared", "<Use Shared>")
	colleague.wantWithout("/admin/messages/new", "/admin/messages/"+saved+"/rename")
	colleague.want("/admin/messages/"+saved+"/rename", http.StatusNotFound)
	_, begun, text := colleague.post("/admin/messages", url.Values{"template": {saved}})
	if !strings.HasPrefix(begun, "/admin/messages/") {
		s.Fatalf("a user of one List begins with a template: %s\n%s", begun, cut(text))
	}
	colleague.want(begun+"/mail", http.StatusOK, "Logo")
	for _, to := range []string{"/admin/messages/" + saved + "/rename", "/admin/messages/" + saved + "/delete", "/admin/messages/" + saved} {
		if status, _, _ := colleague.post(to, url.Values{"name": {"Taken"}, "subject": {"Taken"}, "email_type": {"html"}}); status == http.StatusOK {
			s.Errorf("a user of one List changes a template of others at %s", to)
		}
	}
	reader.want("/admin/messages/new", http.StatusForbidden)
	reader.wantWithout("/admin/messages", "New Message")
	other := s.signedInElsewhere()
	other.wantWithout("/admin/messages/new", "Shared")
	if status, _, _ := other.post("/admin/messages", url.Values{"template": {saved}}); status != http.StatusNotFound {
		s.Errorf("a template of another Account is answered with %d", status)
	}
}

func (s *site) croppedImage() {
	v := s.writer()
	file, err := s.App.Files.UploadImage(s.Context(), s.Caller, "a.png", bytes.NewReader(pngImage(s)))
	s.Must(err)
	at := v.begun("empty:blocks")
	block := func(more ...string) url.Values {
		form := url.Values{"name": {"x"}, "subject": {"x"}, "email_type": {"blocks"}, "count": {"1"}, "0.type": {"image"}, "0.file": {id(file.ID)}, "0.was": {id(file.ID)}}
		for i := 0; i < len(more); i += 2 {
			form.Set(more[i], more[i+1])
		}
		return form
	}
	for _, c := range []struct {
		form url.Values
		want string
	}{
		{block("0.crop", "16:9"), `"crop":"16:9"`}, {block("0.crop", "", "0.part", "0, 12.5, 100, 75"), `"crop":"0,12.5,100,75"`},
		{block("0.crop", "1:1", "0.part", "0, 12.5, 100, 75"), `"crop":"1:1"`}, {block("0.decor", "yes"), `"decoration":true`},
	} {
		if status, _, text := v.post(at, c.form); status != http.StatusOK || !strings.Contains(v.stored(at), c.want) {
			s.Errorf("%v is answered with %d and stored as %s:\n%s", c.form, status, v.stored(at), cut(text))
		}
	}
	v.wantWithout(at, "has no alternative text")
	v.post(at, block("0.decor", "yes", "0.alt", "A square"))
	if strings.Contains(v.stored(at), "decoration") {
		s.Errorf("an image with words is a decoration: %s", v.stored(at))
	}
	if status, _, text := v.post(at, block("0.part", "50, 50, 80, 80")); status != http.StatusUnprocessableEntity || !strings.Contains(text, "such as 0,12.5,100,75") {
		s.Errorf("a part outside of the image is answered with %d:\n%s", status, cut(text))
	}
	v.want(at, http.StatusOK, "With images:")
	path := "/admin/images/" + id(file.ID)
	if status, _, _ := v.get(path + "?w=1&crop=1:1"); status != http.StatusOK {
		s.Errorf("a part of an image is answered with %d", status)
	}
	if status, _, _ := v.get(path + "?w=1&crop=x"); status != http.StatusNotFound {
		s.Errorf("a part that is none is answered with %d", status)
	}
	s.signedInElsewhere().want(path+"?w=1", http.StatusNotFound)
}
