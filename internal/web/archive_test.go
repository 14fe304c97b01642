package web

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"enlist/internal/enlist"
)

// This file tests the archive of a List.

// covers: decision 133
func TestOnlyPublicListsHaveAnArchive(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	path := "/a/" + itoa(int64(h.list))
	h.shows(h.do("GET", path, ""), http.StatusNotFound, "does not exist")
	h.editList("is_public", "1", "description", "All <news>")
	h.shows(h.do("GET", path, ""), http.StatusOK, "Emails from <bdi>News &amp; &lt;Views&gt;</bdi>", "All &lt;news&gt;", "Nothing has been sent yet")
	h.shows(h.do("GET", path+"/1", ""), http.StatusNotFound)
	h.shows(h.do("GET", h.path(enlist.LinkMail, h.subscribe("Email", "mira@example.com")), ""), http.StatusGone, "no longer works")
}

// A reader of a mail as a page asks for the own link, and the answer does not show who has one.
//
// covers: decision 133, spec merge.web_version
func TestAReaderOfAPassedOnMailAsksForTheOwnLink(t *testing.T) {
	t.Parallel()
	h := newHarness(t)
	mail := h.path(enlist.LinkMail, h.subscribe("Email", "mira@example.com")) + "?link"
	archive := enlist.ArchivePath(h.list, 1) + "?link"
	h.shows(h.do("GET", archive, ""), http.StatusNotFound, "does not exist")
	h.shows(h.do("POST", archive, "address=mira%40example.com"), http.StatusNotFound, "does not exist")
	h.editList("is_public", "1")
	for i, path := range []string{mail, archive} {
		h.pass(10 * time.Minute) // a mailbox gets one link in this time
		asked := h.do("GET", path, "")
		h.shows(asked, http.StatusOK, "Your settings", `name="address"`)
		if strings.Contains(asked.body, "mira") {
			t.Errorf("%s shows the Contact:\n%s", path, asked.body)
		}
		for _, address := range []string{"mira%40example.com", "noor%40example.com"} {
			h.shows(h.do("POST", path, "address="+address), http.StatusOK, "on its way")
		}
		if n := h.jobs("send_link"); n != int64(i+1) {
			t.Errorf("%d mails with a link are sent, want %d", n, i+1)
		}
	}
	h.shows(h.do("POST", strings.TrimSuffix(archive, "?link"), ""), http.StatusMethodNotAllowed)
	if h.contact(1).IsUnsubscribed {
		t.Error("the Contact is unsubscribed")
	}
	h.hideList()
	h.shows(h.do("GET", mail, ""), http.StatusGone)
}
