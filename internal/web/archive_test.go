package web

import (
	"net/http"
	"testing"

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
	h.shows(h.do("GET", path, ""), http.StatusOK, "Mails of <bdi>News &amp; &lt;Views&gt;</bdi>", "All &lt;news&gt;", "Nothing was sent yet")
	h.shows(h.do("GET", path+"/1", ""), http.StatusNotFound)
	h.shows(h.do("GET", h.path(enlist.LinkMail, h.subscribe("Email", "mira@example.com")), ""), http.StatusGone, "leads nowhere")
}
