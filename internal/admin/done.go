package admin

import (
	"crypto/hmac"
	"net/http"
	"net/url"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/users"
)

// This file has the sentence about the last request, such as "Saved.", which travels in the URL of the next page. It is
// signed for the session, so that no link of a stranger makes a page say something else.

// withDone returns the URL to which a View leads.
func (h *Handler) withDone(view *ui.View, v *users.Visit) string {
	if view.Done == "" {
		return view.To
	}
	path, fragment, hasFragment := strings.Cut(view.To, "#")
	mark := "?"
	if strings.Contains(path, "?") {
		mark = "&"
	}
	path += mark + ui.DoneParameter + "=" + url.QueryEscape(h.app.Users.Sign(v, view.Done)+" "+view.Done)
	if hasFragment {
		path += "#" + fragment
	}
	return path
}

// doneOf returns the sentence in the URL of a request, or "" if it was not signed for the session.
func (h *Handler) doneOf(r *http.Request, v *users.Visit) string {
	sign, text, _ := strings.Cut(r.URL.Query().Get(ui.DoneParameter), " ")
	if v == nil || !hmac.Equal([]byte(sign), []byte(h.app.Users.Sign(v, text))) {
		return ""
	}
	return text
}
