package web

import (
	"html/template"
	"net/http"
	"strconv"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/sending"
)

// This file shows mails as pages.

// mailPolicy is the Content-Security-Policy of a mail. It is content of an Account, which must not run a script or send
// a form on this site. Mails have their own style, and images of any site.
const mailPolicy = "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; " +
	"style-src 'unsafe-inline'; img-src 'self' data: https: http:; frame-ancestors 'none'; base-uri 'none'"

// mail shows a mail to people who have its link, or the page that asks for the own link.
func (h *Handler) mail(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	if asksForLink(r) {
		h.ofList(w, r, l, h.askLink)
		return
	}
	m, err := h.links.ViewMail(r.Context(), l.DeliveryKey)
	if err != nil {
		h.failed(w, r, l, err)
		return
	}
	h.webPage(w, r, m)
}

// mailOwnLink mails a reader of a mail the own link.
func (h *Handler) mailOwnLink(w http.ResponseWriter, r *http.Request, l enlist.Link) {
	h.ofList(w, r, l, h.sendLink)
}

// listPage writes a page about a List in a language.
type listPage func(w http.ResponseWriter, r *http.Request, list *enlist.Schema, wanted string)

// ofList calls show with the List of a link.
func (h *Handler) ofList(w http.ResponseWriter, r *http.Request, l enlist.Link, show listPage) {
	v, err := h.links.ViewLink(r.Context(), l.DeliveryKey)
	switch {
	case err != nil:
		h.failed(w, r, l, err)
	case v.Schema == nil:
		h.render(w, r, http.StatusGone, "nowhere", page{})
	default:
		show(w, r, v.Schema, "")
	}
}

// ofPublicList calls askLink or sendLink for a public List.
func (h *Handler) ofPublicList(w http.ResponseWriter, r *http.Request, about enlist.Link) {
	list, err := h.links.PublicList(r.Context(), about.List)
	switch {
	case err != nil:
		h.failed(w, r, about, err)
	case list == nil:
		h.unknown(w, r)
	case r.Method != http.MethodPost:
		h.askLink(w, r, list, "")
	case h.readForm(w, r, maxBody):
		h.sendLink(w, r, list, "")
	}
}

// webPage writes a mail; nil means that it is gone.
func (h *Handler) webPage(w http.ResponseWriter, r *http.Request, m *sending.WebPage) {
	if m == nil {
		h.render(w, r, http.StatusGone, "nowhere", page{})
		return
	}
	content := m.HTML
	if content == "" {
		content = `<!doctype html><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>` +
			template.HTMLEscapeString(m.Subject) + `</title><pre style="white-space: pre-wrap">` +
			template.HTMLEscapeString(m.Text) + "</pre>"
	}
	w.Header().Set("Content-Security-Policy", mailPolicy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	send(w, http.StatusOK, content)
}

// archivePage is the data of the page with the mails of a public List.
type archivePage struct {
	Description string
	Mails       []archiveRow
}

// archiveRow is a mail in the list.
type archiveRow struct {
	Path, Subject string // Path is relative
	Time          time.Time
}

// archive shows the mails of a public List at /a/LIST, and one of them at /a/LIST/BATCH.
func (h *Handler) archive(w http.ResponseWriter, r *http.Request) {
	asks := asksForLink(r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead && (!asks || r.Method != http.MethodPost) {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "this page is opened with GET", http.StatusMethodNotAllowed)
		return
	}
	first, second := r.PathValue("list"), r.PathValue("mail")
	list, batch, isMail := number(first), number(second), second != ""
	if list == 0 || isMail && batch == 0 {
		h.unknown(w, r)
		return
	}
	about := enlist.Link{DeliveryKey: enlist.DeliveryKey{List: enlist.ListID(list)}}
	if asks {
		h.ofPublicList(w, r, about)
		return
	}
	if isMail {
		m, err := h.links.ArchivedMail(r.Context(), enlist.ListID(list), enlist.BatchID(batch))
		switch {
		case err != nil:
			h.failed(w, r, about, err)
		case m == nil:
			h.unknown(w, r)
		default:
			h.webPage(w, r, m)
		}
		return
	}
	a, err := h.links.Archive(r.Context(), enlist.ListID(list))
	switch {
	case err != nil:
		h.failed(w, r, about, err)
		return
	case a == nil:
		h.unknown(w, r)
		return
	}
	p := page{Schema: a.Schema, Archive: &archivePage{Description: a.Schema.List.Description}}
	for _, m := range a.Mails {
		path := first + "/" + strconv.FormatInt(int64(m.Batch), 10)
		p.Archive.Mails = append(p.Archive.Mails, archiveRow{path, m.Subject,
			messages.LocalTime(a.Schema, m.Time)})
	}
	h.render(w, r, http.StatusOK, "archive", p)
}

// number reads an ID in a path. It returns 0 for any other text.
func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n <= 0 || strconv.FormatInt(n, 10) != text {
		return 0
	}
	return n
}
