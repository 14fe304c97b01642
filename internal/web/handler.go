package web

import (
	"bytes"
	"context"
	"errors"
	"hash/maphash"
	"html/template"
	"io"
	"log/slog"
	"net/http"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/forms"
	"enlist/internal/language"
	"enlist/internal/limiter"
	"enlist/internal/samples"
	"enlist/internal/sending"
	"enlist/internal/social"
)

// This file checks the signature of a link and calls the action for it.

// Links does what the links in mails are for; sending.Service does it. Its methods return no error if the List or the
// Contact was removed, except LinkURL.
type Links interface {
	// ViewLink returns the state of a link's Contact.
	ViewLink(ctx context.Context, d enlist.DeliveryKey) (*sending.LinkView, error)
	// UnsubscribeByLink unsubscribes the Contact. ip is the visitor's address, or "".
	UnsubscribeByLink(ctx context.Context, d enlist.DeliveryKey, ip string) (*sending.LinkView, error)
	// ConfirmByLink confirms the subscription, unless LinkView.Confirmation says why not, and stores a
	// decision about the recording of opens and clicks if there is one. ip is as above.
	ConfirmByLink(ctx context.Context, d enlist.DeliveryKey, ip string,
		tracking *contacts.TrackingDecision) (*sending.LinkView, error)
	// ExplainDeparture stores why the Contact has unsubscribed.
	ExplainDeparture(ctx context.Context, d enlist.DeliveryKey, reason contacts.DepartureReason,
		words string) (*sending.LinkView, error)
	// DecideTracking stores what the Contact decides about the recording of opens and clicks.
	DecideTracking(ctx context.Context, d enlist.DeliveryKey, r contacts.TrackingDecision) (*sending.LinkView, error)
	// ViewPreferences returns the settings of the Contact, ChangePreferences stores what the visitor sends, and
	// SendNewLink mails a new link.
	ViewPreferences(ctx context.Context, d enlist.DeliveryKey) (*sending.PreferencePage, error)
	ChangePreferences(ctx context.Context, d enlist.DeliveryKey,
		r *sending.PreferenceChange) (*sending.PreferencePage, error)
	SendNewLink(ctx context.Context, d enlist.DeliveryKey) error
	// SendLink mails the link to the settings to an address of a List.
	SendLink(ctx context.Context, list enlist.ListID, address string) error
	// ViewMail returns a mail as a page, and Archive, ArchivedMail and PublicList are about a public List; nil: there is
	// none.
	ViewMail(ctx context.Context, d enlist.DeliveryKey) (*sending.WebPage, error)
	Archive(ctx context.Context, list enlist.ListID) (*sending.Archive, error)
	ArchivedMail(ctx context.Context, list enlist.ListID, batch enlist.BatchID) (*sending.WebPage, error)
	PublicList(ctx context.Context, list enlist.ListID) (*enlist.Schema, error)
	// ViewContactPage returns the Contact that a notification is about.
	ViewContactPage(ctx context.Context, d enlist.DeliveryKey) (*sending.ContactPage, error)
	// LinkURL returns the URL to which a tracked link leads, which key has signed. If there is no such URL, it
	// returns an error of the Kind NoLink.
	LinkURL(ctx context.Context, key *enlist.LinkKey, l enlist.Link) (string, error)
	// Opened records that the recipient opened a mail, and Clicked that the recipient followed
	// a link. userAgent is the header of the request.
	Opened(ctx context.Context, l enlist.Link, userAgent string) error
	Clicked(ctx context.Context, l enlist.Link, userAgent string) error
}

// Forms has what visitors do with Forms; forms.Service does it.
type Forms interface {
	// Show returns a Form, or forms.ErrNone.
	Show(ctx context.Context, id enlist.FormID) (*forms.Public, error)
	// CountView counts that a visitor sees a Form.
	CountView(ctx context.Context, p *forms.Public) error
	// Send subscribes a visitor, or returns what is wrong with the inputs.
	Send(ctx context.Context, id enlist.FormID, e *forms.Entry) (map[enlist.FieldID]forms.Fault, error)
}

// Files has the files of Messages; files.Service has them.
type Files interface {
	// FileOfLink returns a file, or an error of the Kind InvalidParameters if it was deleted.
	FileOfLink(ctx context.Context, id enlist.FileID) (*files.StoredFile, error)
	// Picture returns an image with the content that a mail shows of it.
	Picture(ctx context.Context, f *files.StoredFile, as enlist.Picture) (*files.StoredFile, error)
	// Piece returns a piece of the content of a file.
	Piece(ctx context.Context, id enlist.ContentID, number int64) ([]byte, error)
}

const (
	maxBody  = 64 << 10         // greatest length of a form in bytes
	formTime = 30 * time.Second // for a client to send a form
)

// Handler answers requests for the links in mails.
type Handler struct {
	links   Links
	forms   Forms
	files   Files
	themes  Themes
	key     enlist.LinkKey
	pages   map[string]*template.Template
	texts   *language.Texts
	policy  string           // the header Content-Security-Policy
	bodies  *limiter.Limiter // bytes of forms; nil: no limit
	reading *limiter.Limiter // files that are being sent
	limits  limits
	now     func() time.Time // for the stamps of forms
	answer  time.Duration    // least time of an answer that must not show whether an address is known
	log     *slog.Logger

	mailsLeave func(context.Context, *enlist.List) bool
}

// New returns a Handler for links that are signed with key.
func New(links Links, forms Forms, files Files, themes Themes, key enlist.LinkKey, log *slog.Logger) *Handler {
	return &Handler{links: links, forms: forms, files: files, themes: themes, key: key, pages: readPages(),
		texts: language.New(), policy: contentPolicy(), now: time.Now, answer: answerTime,
		reading: limiter.NewShared(maxDownloads, ofDownloader, downloadWait), log: log,
		limits: limits{seed: maphash.MakeSeed()}, mailsLeave: func(context.Context, *enlist.List) bool { return true }}
}

// noAccount is the owner of the memory of public forms.
const noAccount = -1

// SetMemory sets a limit for the bytes of forms that are in memory. Call it before the first request.
func (h *Handler) SetMemory(bodies *limiter.Limiter) { h.bodies = bodies }

// SetMails sets what says whether the mails of a List leave now. Without a call they do. Call it before the first request.
func (h *Handler) SetMails(leave func(context.Context, *enlist.List) bool) { h.mailsLeave = leave }

const formPrefix = "/s/"

// action handles requests with one HTTP method for one kind of link.
type action func(h *Handler, w http.ResponseWriter, r *http.Request, l enlist.Link)

// actions are what a kind of link does: show for GET and HEAD, and press for POST, nil if the page has no button.
type actions struct{ show, press action }

// mux is where Routes adds paths: a httpserver.Mux.
type mux interface {
	Handle(pattern string, h http.Handler)
}

// Routes adds the paths of all pages to a mux. Mail filters request every link in a mail, so a GET must not change a
// subscription. decisions.md: 48
func (h *Handler) Routes(to mux) {
	route := func(pattern string, serve http.HandlerFunc) {
		to.Handle(pattern, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			h.protect(w.Header())
			serve(w, r)
		}))
	}
	for kind, do := range map[enlist.LinkKind]actions{
		enlist.LinkUnsubscribe: {(*Handler).showUnsubscribe, (*Handler).unsubscribe},
		enlist.LinkConfirm:     {(*Handler).showConfirm, (*Handler).confirm},
		enlist.LinkOpen:        {(*Handler).open, nil},
		enlist.LinkClick:       {(*Handler).click, nil},
		enlist.LinkPreferences: {(*Handler).showPreferences, (*Handler).savePreferences},
		enlist.LinkTracking:    {(*Handler).showTracking, (*Handler).decideTracking},
		enlist.LinkMail:        {(*Handler).mail, (*Handler).mailOwnLink},
		enlist.LinkContact:     {(*Handler).contact, nil},
	} {
		route("/"+string(kind)+"/", func(w http.ResponseWriter, r *http.Request) { h.link(w, r, do) })
	}
	route("/"+string(enlist.LinkFile)+"/", h.file)
	route(social.PathStart+"{icon}", h.icon)
	route(samples.PathStart+"{picture}", h.icon)
	route("/s/{form}", h.form) // also FORM.json
	route("/s/{form}/link", h.formLink)
	route("/s/", h.unknown)
	route("/a/{list}", h.archive)
	route("/a/{list}/{mail}", h.archive)
	route("/a/", h.archive)
}

// unknown answers a path that does not exist.
func (h *Handler) unknown(w http.ResponseWriter, r *http.Request) {
	h.render(w, r, http.StatusNotFound, "unknown", page{})
}

// link handles a request for a link. Every path without a valid signature gets the same response, and the server does
// not read the database for it. The signature is computed from the decoded path, because a proxy may escape other
// characters of the path.
func (h *Handler) link(w http.ResponseWriter, r *http.Request, do actions) {
	link, ok := h.key.Read(r.URL.Path)
	if !ok {
		h.unknown(w, r)
		return
	}
	if link.Kind == enlist.LinkMail && !asksForLink(r) {
		do.press = nil
	}
	switch {
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		do.show(h, w, r, link)
	case r.Method == http.MethodPost && do.press != nil:
		if h.readForm(w, r, maxBody) {
			do.press(h, w, r, link)
		}
	default:
		allow := "GET, HEAD"
		if do.press != nil {
			allow += ", POST"
		}
		w.Header().Set("Allow", allow)
		http.Error(w, "this link is opened with GET", http.StatusMethodNotAllowed)
	}
}

// protect sets the security headers of every response. A page must not be cached, framed or indexed
// by search engines. It must not load other resources or run a script. The browser must not send
// the URL of a page to other sites.
func (h *Handler) protect(header http.Header) {
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Security-Policy", h.policy)
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("X-Robots-Tag", "noindex, nofollow")
}

// readForm reads the posted form. It returns false if the form is too large. It has then already sent the response. A
// body that is no form has no values.
func (h *Handler) readForm(w http.ResponseWriter, r *http.Request, most int64) bool {
	body, ok := h.readBody(w, r, most)
	if ok {
		r.Body = io.NopCloser(bytes.NewReader(body))
		_ = r.ParseMultipartForm(most) // also reads application/x-www-form-urlencoded
		decodeForm(r)
	}
	return ok
}

// readBody is readForm for any body.
func (h *Handler) readBody(w http.ResponseWriter, r *http.Request, most int64) ([]byte, bool) {
	http.NewResponseController(w).SetReadDeadline(time.Now().Add(formTime)) // an error means that deadlines are not supported
	body, release, err := h.bodies.ReadBody(w, r, noAccount, most)
	context.AfterFunc(r.Context(), release) // after the answer
	if errors.Is(err, limiter.ErrBusy) {
		w.Header().Set("Retry-After", "10")
		http.Error(w, "too many large forms are sent at this moment: try again", http.StatusServiceUnavailable)
		return nil, false
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		w.Header().Set("Connection", "close")
		http.Error(w, "the form is too large: open the link and use its button", http.StatusRequestEntityTooLarge)
		return nil, false
	}
	if err != nil {
		panic(http.ErrAbortHandler) // the client has disconnected, or is too slow
	}
	return body, true
}

// failed replies with the page for an unexpected error. The cause is only written to the log.
func (h *Handler) failed(w http.ResponseWriter, r *http.Request, l enlist.Link, err error) {
	status := http.StatusInternalServerError
	if enlist.KindOf(err) == enlist.Busy {
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "10")
	}
	h.logError(r, l, err)
	h.render(w, r, status, "failed", page{})
}

// logError logs an error with the IDs of the link. It does not log the path, so that a reader of
// the log cannot use the link. It logs nothing if err is nil or if the client has disconnected.
func (h *Handler) logError(r *http.Request, l enlist.Link, err error) {
	if err != nil && r.Context().Err() == nil {
		h.log.Error("page", "kind", string(l.Kind), "list", int64(l.List), "contact", int64(l.Contact), "error", err)
	}
}

func send(w http.ResponseWriter, status int, body string) {
	w.WriteHeader(status)
	io.WriteString(w, body) // an error means that the client has disconnected
}
