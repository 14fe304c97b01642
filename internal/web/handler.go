package web

import (
	"context"
	"errors"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"enlist/internal/audience"
)

// Service is what the pages show and do.
type Service interface {
	ViewLink(ctx context.Context, d audience.DeliveryKey) (*audience.LinkView, error)
	UnsubscribeByLink(ctx context.Context, d audience.DeliveryKey) (*audience.LinkView, error)
	ConfirmByLink(ctx context.Context, d audience.DeliveryKey) (*audience.LinkView, error)
	ViewContactPage(ctx context.Context, d audience.DeliveryKey) (*audience.ContactPage, error)
	LinkURL(ctx context.Context, l audience.Link) (string, error)
	Opened(ctx context.Context, d audience.DeliveryKey) error
	Clicked(ctx context.Context, d audience.DeliveryKey) error
}

const (
	maxBody = 4 << 10          // of a pressed button; nothing in it is looked at
	ioTime  = 30 * time.Second // for a client to send that, and to take a page
)

// Handler answers the links of mails.
type Handler struct {
	service Service
	key     audience.LinkKey
	pages   map[string]*template.Template
	policy  string
	log     *slog.Logger
}

// New makes the Handler of a Service, whose links are signed with key.
func New(service Service, key audience.LinkKey, log *slog.Logger) *Handler {
	return &Handler{service: service, key: key, pages: readPages(), policy: contentPolicy(), log: log}
}

// IsLinkPath reports whether a path is one of those that links in mails have.
func IsLinkPath(path string) bool {
	if len(path) < 3 || path[0] != '/' || path[2] != '/' {
		return false
	}
	switch audience.LinkKind(path[1:2]) {
	case audience.LinkUnsubscribe, audience.LinkConfirm, audience.LinkOpen, audience.LinkClick, audience.LinkContact:
		return true
	}
	return false
}

// action answers one method of one kind of link.
type action func(h *Handler, w http.ResponseWriter, r *http.Request, l audience.Link)

// actions are what can be done with a kind of link. Programs that look at mail
// fetch every link in it, so that what show does must change nothing that
// matters. decisions.md: 48
func actions(kind audience.LinkKind) (show, press action) {
	switch kind {
	case audience.LinkUnsubscribe:
		return (*Handler).askToUnsubscribe, (*Handler).unsubscribe
	case audience.LinkConfirm:
		return (*Handler).askToConfirm, (*Handler).confirm
	case audience.LinkOpen:
		return (*Handler).open, nil
	case audience.LinkClick:
		return (*Handler).click, nil
	}
	return (*Handler).contact, nil
}

// ServeHTTP answers a link. One that nobody signed gets the same answer whatever
// is wrong with it, before anything is looked up. The path is compared as it is
// decoded: a proxy may spell it otherwise, and only the text that was signed is
// the text that was signed.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.protect(w.Header())
	link, ok := h.key.Read(r.URL.Path)
	if !ok {
		h.render(w, http.StatusNotFound, "unknown", page{Title: "This page does not exist"})
		return
	}
	show, press := actions(link.Kind)
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		show(h, w, r, link)
	case r.Method == http.MethodPost && press != nil:
		if h.takeBody(w, r) {
			press(h, w, r, link)
		}
	default:
		allow := "GET, HEAD"
		if press != nil {
			allow += ", POST"
		}
		w.Header().Set("Allow", allow)
		http.Error(w, "this link is opened with GET", http.StatusMethodNotAllowed)
	}
}

// protect sets what every answer has: pages that may be kept nowhere, framed by
// nobody and found by no search, that run and load nothing, and tell no other
// site the link by which they were reached.
func (h *Handler) protect(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Robots-Tag", "noindex, nofollow")
}

// takeBody reads what was posted, so that the connection can be used again, and
// drops it: the link says all. False when it was answered already.
func (h *Handler) takeBody(w http.ResponseWriter, r *http.Request) bool {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(ioTime)) // not supported: none is set
	_, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		w.Header().Set("Connection", "close")
		http.Error(w, "a pressed button sends less than this", http.StatusRequestEntityTooLarge)
		return false
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client went away, or takes too long
	}
	return true
}

// failed answers what could not be done for a reason that nobody foresaw.
func (h *Handler) failed(w http.ResponseWriter, r *http.Request, l audience.Link, err error) {
	status := http.StatusInternalServerError
	if audience.KindOf(err) == audience.Busy {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "10")
	}
	h.note(r, l, err)
	h.render(w, status, "failed", page{Title: "This did not work"})
}

// note logs an error, by IDs: whoever reads the log must not be able to use the link.
func (h *Handler) note(r *http.Request, l audience.Link, err error) {
	if err != nil && r.Context().Err() == nil {
		h.log.Error("page", "kind", string(l.Kind), "list", int64(l.List), "contact", int64(l.Contact), "error", err)
	}
}

// send writes an answer through to a client, who has a time to take it.
func send(w http.ResponseWriter, status int, body string) {
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(ioTime)) // not supported: none is set
	w.WriteHeader(status)
	io.Copy(w, strings.NewReader(body)) // a client that is gone needs no answer
	control.Flush()
	control.SetWriteDeadline(time.Time{})
}
