package admin_test

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"

	"enlist/internal/admin"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// aborted opens pages whose browser has closed the connection. That interrupts the statement that runs, which is no
// error of the server.
func (s *site) aborted() {
	v := s.signedIn(users.Membership{Level: enlist.Full})
	u, err := url.Parse(s.server.URL + "/admin/")
	s.Must(err)
	var log bytes.Buffer
	handler := admin.New(s.App, admin.Options{Delay: func(*http.Request) {}, Log: slog.New(slog.NewTextHandler(&log, nil))})
	ctx, cancel := context.WithCancel(s.Context())
	cancel()
	for _, path := range []string{"/admin/", "/admin/contacts?list=1", "/admin/sends", "/admin/messages"} {
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, u.Scheme+"://"+u.Host+path, nil)
		for _, c := range v.client.Jar.Cookies(u) {
			r.AddCookie(c)
		}
		handler.ServeHTTP(httptest.NewRecorder(), r)
	}
	if log.Len() > 0 {
		s.Errorf("the log has %s", log.String())
	}
}
