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

// This file checks the signature of a link and calls the action for it.

// Service is the part of audience.Service that the pages need. A List or a Contact that was
// removed is not an error, except for LinkURL.
type Service interface {
	// ViewLink returns the state of a link's Contact.
	ViewLink(ctx context.Context, d audience.DeliveryKey) (*audience.LinkView, error)
	// UnsubscribeByLink unsubscribes the Contact.
	UnsubscribeByLink(ctx context.Context, d audience.DeliveryKey) (*audience.LinkView, error)
	// ConfirmByLink confirms the subscription if it can be confirmed.
	ConfirmByLink(ctx context.Context, d audience.DeliveryKey) (*audience.LinkView, error)
	// ViewContactPage returns the Contact that a notification is about.
	ViewContactPage(ctx context.Context, d audience.DeliveryKey) (*audience.ContactPage, error)
	// LinkURL returns where a tracked link leads. Its error is of kind NoLink if nowhere.
	LinkURL(ctx context.Context, l audience.Link) (string, error)
	// Opened and Clicked record that a mail was opened or a link was followed.
	Opened(ctx context.Context, d audience.DeliveryKey) error
	Clicked(ctx context.Context, d audience.DeliveryKey) error
}

const (
	maxBody   = 4 << 10          // bytes of a form; its content is not used
	ioTimeout = 30 * time.Second // for a client to send a form, and to receive a page
)

// Handler answers requests for the links in mails.
type Handler struct {
	service Service
	key     audience.LinkKey
	pages   map[string]*template.Template
	policy  string // the Content-Security-Policy
	log     *slog.Logger
}

// New returns a Handler for links that are signed with key.
func New(service Service, key audience.LinkKey, log *slog.Logger) *Handler {
	return &Handler{service: service, key: key, pages: readPages(), policy: contentPolicy(), log: log}
}

// IsLinkPath reports whether a path begins like the path of a link, such as "/u/". The server
// passes such requests to a Handler.
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

// action answers one method for one kind of link.
type action func(h *Handler, w http.ResponseWriter, r *http.Request, l audience.Link)

// actions returns what a kind of link does: show for GET and HEAD, press for POST, nil if there
// is no button. Mail filters fetch every link in a mail, so show must not change a
// subscription. decisions.md: 48
func actions(kind audience.LinkKind) (show, press action) {
	switch kind {
	case audience.LinkUnsubscribe:
		return (*Handler).showUnsubscribe, (*Handler).unsubscribe
	case audience.LinkConfirm:
		return (*Handler).showConfirm, (*Handler).confirm
	case audience.LinkOpen:
		return (*Handler).open, nil
	case audience.LinkClick:
		return (*Handler).click, nil
	}
	return (*Handler).contact, nil
}

// ServeHTTP answers a request for a link. A path without a valid signature gets the same answer
// in all cases, before the database is read. The signature is checked on the decoded path,
// since a proxy may escape characters differently.
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
		if h.discardBody(w, r) {
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

// protect sets the security headers of every answer. Pages must not be cached, framed or
// indexed, must not load or run anything, and must not send their URL to other sites.
func (h *Handler) protect(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Robots-Tag", "noindex, nofollow")
}

// discardBody reads the posted form and drops it: the link says everything, and an unread body
// would close the connection. It returns false if it has already sent an answer.
func (h *Handler) discardBody(w http.ResponseWriter, r *http.Request) bool {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(ioTimeout)) // no deadline if not supported
	_, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxBody))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		w.Header().Set("Connection", "close")
		http.Error(w, "the form is too large: open the link and use its button", http.StatusRequestEntityTooLarge)
		return false
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client has disconnected, or is too slow
	}
	return true
}

// failed answers after an unexpected error. Only the log gets the cause.
func (h *Handler) failed(w http.ResponseWriter, r *http.Request, l audience.Link, err error) {
	status := http.StatusInternalServerError
	if audience.KindOf(err) == audience.Busy {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "10")
	}
	h.logError(r, l, err)
	h.render(w, status, "failed", page{Title: "This did not work"})
}

// logError logs an error with the IDs of the link. It does not log the path, so that a reader of
// the log cannot use the link. Without an error it does nothing.
func (h *Handler) logError(r *http.Request, l audience.Link, err error) {
	if err != nil && r.Context().Err() == nil {
		h.log.Error("page", "kind", string(l.Kind), "list", int64(l.List), "contact", int64(l.Contact), "error", err)
	}
}

// send writes an answer and flushes it. A client that does not read it within ioTimeout is
// disconnected.
func send(w http.ResponseWriter, status int, body string) {
	control := http.NewResponseController(w)
	control.SetWriteDeadline(time.Now().Add(ioTimeout)) // no deadline if not supported
	w.WriteHeader(status)
	io.Copy(w, strings.NewReader(body)) // an error means that the client has disconnected
	control.Flush()
	control.SetWriteDeadline(time.Time{})
}
