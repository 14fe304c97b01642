package admin_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"image"
	"image/png"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// covers: spec auth.restricted, decision 171
func TestImagesHaveAWriter(t *testing.T) {
	apptest.Run(t, apptest.Slow, newWriting, []apptest.Rule[*site]{
		{Name: "each role, of all Lists or of some, sees, uses, replaces and deletes the images that the rule says", Test: (*site).imagesOfRoles},
		{Name: "an image goes with its Message: a user sees it as soon as the Message, and no longer", Test: (*site).imagesOfMessages},
		{Name: "a key of some Lists sees no image", Test: (*site).imagesOfKeys},
	})
}

// wideImage returns an image that is so wide that mails show a smaller one, but has few pixels.
func wideImage(t interface{ Must(error) }) []byte {
	var b bytes.Buffer
	t.Must(png.Encode(&b, image.NewGray(image.Rect(0, 0, 1900, 4))))
	return b.Bytes()
}

// storedImage stores an image as the operator does: it has no writer, like an image from before writers were stored.
func (s *site) storedImage(name string) enlist.FileID {
	s.Helper()
	f, err := s.App.Files.UploadImage(s.Context(), s.Caller, name, bytes.NewReader(wideImage(s)))
	s.Must(err)
	return f.ID
}

// messageWith adds a Message whose only block shows an image.
func (s *site) messageWith(name string, file enlist.FileID, isTemplate bool) enlist.MessageID {
	s.Helper()
	m, err := s.App.Messages.AddMessage(s.Context(), s.Caller, apptest.Details("name", name, "subject", name, "email_type", "blocks",
		"is_template", isTemplate, "blocks", fmt.Sprintf(`[{"type":"image","file":%d,"alt":"x"}]`, file)))
	s.Must(err)
	return m
}

// sendTo sends a Message to Lists.
func (s *site) sendTo(m enlist.MessageID, lists ...enlist.ListID) {
	s.Helper()
	plan := url.Values{"message": {id(m)}}
	for _, list := range lists {
		plan.Add("list", id(list))
	}
	s.full().sendPlan(plan)
}

// library returns the names of the images on the page of images, in order.
func (v *visitor) library() (names []string) {
	v.Helper()
	status, _, text := v.get("/admin/images")
	if status != http.StatusOK {
		v.Fatalf("the library is answered with %d", status)
	}
	for _, found := range regexp.MustCompile(`<img class="thumb" src="[^"]*" alt="([^"]*)"`).FindAllStringSubmatch(text, -1) {
		names = append(names, html.UnescapeString(found[1]))
	}
	slices.Sort(names)
	return names
}

// gallery returns the names of the images that the editor of a new Message offers, and the path of the Message.
func (v *visitor) gallery() (names []string, at string) {
	v.Helper()
	_, at, _ = v.post("/admin/messages", url.Values{"start": {"empty:blocks"}})
	_, _, text := v.get(at)
	data := regexp.MustCompile(`data-canvas="([^"]*)"`).FindStringSubmatch(text)
	if data == nil {
		v.Fatalf("the page %s has no canvas:\n%s", at, cut(text))
	}
	var canvas struct {
		Images []struct{ Name string } `json:"images"`
		Upload bool                    `json:"may_upload"`
	}
	v.Must(json.Unmarshal([]byte(html.UnescapeString(data[1])), &canvas))
	if !canvas.Upload {
		v.Errorf("the editor takes no image")
	}
	for _, i := range canvas.Images {
		names = append(names, i.Name)
	}
	slices.Sort(names)
	return names, at
}

// imagesOfRoles walks all roles, with all Lists and with one.
func (s *site) imagesOfRoles() {
	own := s.AddList("name", "Of the user")
	s.Subscribe(own, "Email", "own@example.com")
	ids := map[string]enlist.FileID{}
	for _, name := range []string{"draft.png", "other.png", "own.png", "template.png", "logo.png"} {
		ids[name] = s.storedImage(name)
	}
	s.messageWith("Draft", ids["draft.png"], false)
	s.sendTo(s.messageWith("To others", ids["other.png"], false), s.News)
	s.sendTo(s.messageWith("To the own List", ids["own.png"], false), own)
	s.messageWith("Template", ids["template.png"], true)
	s.Must(s.App.Messages.SetTheme(s.Context(), s.Caller, apptest.Details("logo_file_id", int(ids["logo.png"]))))
	colleague := s.as("colleague", users.Membership{Role: enlist.Manager, Lists: []enlist.ListID{own}})
	colleague.upload("colleague.png", wideImage(s))
	ids["colleague.png"] = s.imageNamed("colleague.png")
	everything, some := []string{"colleague.png", "draft.png", "logo.png", "other.png", "own.png", "template.png"}, []string{"logo.png", "own.png", "template.png"}
	for role, lists := range map[enlist.Role][]enlist.ListID{enlist.Reader: {own}, enlist.Writer: {own}, enlist.Sender: {own}, enlist.Manager: {own},
		enlist.ManagerWithoutSend: {own}, enlist.ContactsOnly: {own}, enlist.ContactsAndSend: {own}, enlist.Owner: nil, enlist.OwnerWithoutSend: nil} {
		name := string(role)
		if lists != nil {
			all := s.as(name+"-all", users.Membership{Role: role})
			s.Case(name+" of all Lists", func() { s.walkImages(all, role, true, ids, everything) })
		}
		v := s.as(name, users.Membership{Role: role, Lists: lists})
		seen := some
		if lists == nil {
			seen = everything
		}
		s.Case(name, func() { s.walkImages(v, role, lists == nil, ids, seen) })
	}
}

// imageNamed returns the image with a name.
func (s *site) imageNamed(name string) enlist.FileID {
	s.Helper()
	all, err := s.App.Files.SearchFiles(s.Context(), s.Caller, enlist.Query{})
	s.Must(err)
	for i := range all {
		if all[i].Name == name {
			return all[i].ID
		}
	}
	s.Fatalf("there is no image %s", name)
	return 0
}

// walkImages tries what a user can do with each of some images, and with an own one. wants are the images that the user sees.
func (s *site) walkImages(v *visitor, role enlist.Role, ofAll bool, ids map[string]enlist.FileID, wants []string) {
	mayWrite, mine := role.May(enlist.Write), fmt.Sprintf("mine-%s-%t.png", role, ofAll)
	status, _ := v.upload(mine, wideImage(s))
	if (status == http.StatusOK) != mayWrite {
		s.Errorf("an upload is answered with %d", status)
	}
	all := map[string]enlist.FileID{}
	for name, file := range ids {
		all[name] = file
	}
	if mayWrite {
		all[mine], wants = s.imageNamed(mine), append(slices.Clone(wants), mine)
		slices.Sort(wants)
	}
	if got := v.library(); !slices.Equal(got, wants) {
		s.Errorf("the library has %v, want %v", got, wants)
	}
	at := ""
	if mayWrite {
		var got []string
		if got, at = v.gallery(); !slices.Equal(got, wants) {
			s.Errorf("the editor offers %v, want %v", got, wants)
		}
	}
	for name, file := range all {
		sees, changes, path := slices.Contains(wants, name), mayWrite && (ofAll || name == mine), "/admin/images/"+id(file)
		answers := func(about string, got, want int) {
			s.Helper()
			if got != want {
				s.Errorf("%s of %s is answered with %d, want %d", about, name, got, want)
			}
		}
		status := func(ok bool) int {
			if ok {
				return http.StatusOK
			}
			return http.StatusNotFound
		}
		got, _, _ := v.get(path)
		answers("the image", got, status(sees))
		got, _, _ = v.get(path + "?w=240")
		answers("the small image", got, status(sees))
		if at != "" {
			got, _, _ = v.post(at, blockForm("0.type", "image", "0.file", id(file), "0.alt", "x"))
			want := http.StatusOK
			if !sees {
				want = http.StatusUnprocessableEntity
			}
			answers("the choice for a Message", got, want)
			v.post(at, blockForm())
		}
		for _, action := range []string{"/original", "/delete"} {
			got, _, _ = v.get(path + action)
			want := status(changes)
			if !mayWrite {
				want = http.StatusForbidden
			}
			answers("the page "+action, got, want)
			if name == mine || !changes { // the others are needed for the next user
				got, _, _ = v.post(path+action, nil)
				answers("the button "+action, got, want)
			}
		}
	}
}

func (s *site) imagesOfMessages() {
	own := s.AddList("name", "Of the user")
	s.Subscribe(own, "Email", "own@example.com")
	file := s.storedImage("moved.png")
	m := s.messageWith("Moved", file, false)
	v := s.as("one", users.Membership{Role: enlist.Writer, Lists: []enlist.ListID{own}})
	path := "/admin/images/" + id(file)
	v.want(path, http.StatusNotFound)
	s.sendTo(m, own)
	if status, _, _ := v.get(path); status != http.StatusOK {
		s.Errorf("the image of a Message that the user sees is answered with %d", status)
	}
	s.sendTo(m, s.News)
	v.want(path, http.StatusNotFound)
	if got := v.library(); len(got) > 0 {
		s.Errorf("the library has %v", got)
	}
}

func (s *site) imagesOfKeys() {
	s.storedImage("secret.png")
	key := s.Restricted(s.News)
	_, err := s.App.Files.SearchFiles(s.Context(), key, enlist.Query{})
	_, uploaded := s.App.Files.UploadImage(s.Context(), key, "x.png", strings.NewReader("x"))
	for _, err := range []error{err, uploaded} {
		if enlist.KindOf(err) != enlist.Denied {
			s.Errorf("a key of one List gets %v", err)
		}
	}
}
