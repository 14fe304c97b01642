package main

import (
	"context"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"enlist/internal/admin"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/httpserver"
	"enlist/internal/mail"
	"enlist/internal/users"
	"enlist/internal/web"
)

// This file serves the pages of the administration on --admin-listen: an address of their own, which a proxy can give a
// host name of their own and open to few networks.

// pagesListener is the listener of --admin-listen. A nil pagesListener means that the listener of the API serves the
// pages too.
type pagesListener struct {
	net.Listener
	api net.Addr // that serves the links of mails, Forms and archives
}

// newPagesListener listens on the address of --admin-listen. It returns nil if there is none. api is the address of the
// API.
func newPagesListener(c config.Serve, api net.Addr, log *slog.Logger) (*pagesListener, error) {
	if c.AdminListen == "" {
		return nil, nil
	}
	listener, err := net.Listen("tcp", c.AdminListen)
	if err != nil {
		return nil, next(err, "choose another address with --admin-listen")
	}
	url, err := localURL(listener.Addr().String(), c.HasTLS())
	log.Info("pages of the administration", "url", url+admin.Prefix)
	return &pagesListener{listener, api}, err
}

// url returns the beginning of the URLs of the pages. api is the address of the API.
func (p *pagesListener) url(c config.Serve, api net.Addr) string {
	switch {
	case c.AdminURL != "":
		return strings.TrimSuffix(c.AdminURL, "/")
	case p == nil:
		return publicURL(c, api)
	}
	return base(c, p.Addr())
}

// linksURL returns the URL that links to public pages begin with. It is "" if the listener of the API serves all pages
// and no --public-url is given: then the address at which a browser sees a page is right.
func (p *pagesListener) linksURL(c config.Serve) string {
	if p == nil {
		return strings.TrimSuffix(c.PublicURL, "/")
	}
	return publicURL(c, p.api)
}

// close may be called several times.
func (p *pagesListener) close() {
	if p != nil {
		p.Close()
	}
}

// newPagesServer returns the HTTP server of --admin-listen. It differs from the one of the API only in its handler.
func newPagesServer(api *http.Server, pages http.Handler) *http.Server {
	return &http.Server{Handler: pages, TLSConfig: api.TLSConfig, ReadHeaderTimeout: api.ReadHeaderTimeout,
		IdleTimeout: api.IdleTimeout, MaxHeaderBytes: api.MaxHeaderBytes, ConnState: api.ConnState,
		ConnContext: api.ConnContext, BaseContext: api.BaseContext, ErrorLog: api.ErrorLog, HTTP2: api.HTTP2}
}

// pageRoutes returns the handlers of the address of the pages: also of the previews of Forms in their frames, of files,
// because a preview has the logo of the Account, and of health checks. The path / leads to the pages.
func (s *server) pageRoutes() *httpserver.Mux {
	mux := httpserver.NewMux()
	mux.Handle("/{$}", http.RedirectHandler(admin.Prefix, http.StatusSeeOther))
	mux.HandleFunc("/healthz", s.health)
	mux.HandleFunc("/readyz", s.health)
	mux.HandleFunc(admin.Prefix, s.serveAdmin)
	mux.Handle("/"+string(enlist.LinkFile)+"/", s.paths)
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !web.IsPreview(r) {
			http.NotFound(w, r)
			return
		}
		s.paths.ServeHTTP(w, r)
	})
	return mux
}

func (s *server) serveAdmin(w http.ResponseWriter, r *http.Request) { s.admin().ServeHTTP(w, r) }

// root leads a browser from the path / to the pages. Programs do not accept HTML.
func (s *server) root(w http.ResponseWriter, r *http.Request) {
	if !strings.Contains(r.Header.Get("Accept"), "text/html") {
		s.calls.ServeHTTP(w, r)
		return
	}
	http.Redirect(w, r, admin.Prefix, http.StatusSeeOther)
}

// linkTime is the longest time in which the mail server must accept the mail with a link: a person waits for the page.
const linkTime = 15 * time.Second

// userMails are the kinds of mails to users.
var userMails = map[users.MailKind]*mail.UserMail{users.MailLink: &mail.MailLink, users.MailInvitation: &mail.MailInvitation,
	users.MailPassword: &mail.MailPassword, users.MailAddress: &mail.MailAddress, users.MailAsked: &mail.MailAsked,
	users.MailMoved: &mail.MailMoved, users.MailNewPassword: &mail.MailNewPassword, users.MailPasskey: &mail.MailPasskey,
	users.MailApproval: &mail.MailApproval, users.MailAdded: &mail.MailAdded, users.MailRights: &mail.MailRights,
	users.MailRemoved: &mail.MailRemoved}

// usersSettings returns the settings of package users, whose pages are at url. Without --smtp, no mail reaches a user.
func usersSettings(c config.Serve, url string, key enlist.LinkKey, mailer *mail.Mailer) users.Settings {
	s := users.Settings{PublicURL: url, Key: key}
	if c.SMTP != "" {
		s.Mail = func(ctx context.Context, l *users.LinkMail) error {
			ctx, done := context.WithTimeout(ctx, linkTime)
			defer done()
			return mailer.SendSignInLink(ctx, &mail.SignInLink{Kind: userMails[l.Kind], To: l.To, Name: l.Name, By: l.By,
				Account: l.Account, About: l.About, URL: l.URL, Language: l.Language})
		}
	}
	return s
}
