package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/signal"
	"syscall"
	"time"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/httpserver"

	"github.com/prometheus/client_golang/prometheus"
)

// This file prepares how clients reach the server: TLS, trusted proxies, and the redirect from HTTP to HTTPS. It warns of
// a certificate that ends soon: its renewal has failed, and browsers will refuse the service.

// certificateCheck is how often the service looks whether the files of the TLS certificate have changed.
const certificateCheck = 10 * time.Second

// listeners has the settings of the listeners. Its TLS configuration is nil if the service does not use TLS.
type listeners struct {
	options     httpserver.Options
	tls         *tls.Config
	certificate *httpserver.Certificate // nil without certificate files
	acme        *httpserver.ACME        // nil without --acme
	redirect    *http.Server            // nil without --redirect-listen
	listener    net.Listener            // of redirect
}

// newListeners reads the certificate, or prepares to get one, and listens on --redirect-listen. addr is the address of
// the API.
func newListeners(c config.Serve, addr net.Addr, log *slog.Logger) (*listeners, error) {
	proxies, err := httpserver.ParseProxies(c.TrustedProxy)
	if err != nil {
		return nil, err
	}
	l := &listeners{options: httpserver.Options{Proxies: proxies, HSTS: c.HSTS, Limits: limitsOf(c)}}
	if c.TLSCert != "" {
		l.certificate, err = httpserver.LoadCertificate(c.TLSCert, c.TLSKey, log)
		if err != nil {
			return nil, err
		}
		l.tls = l.certificate.Config()
	}
	if len(c.ACME) > 0 {
		l.acme = httpserver.NewACME(httpserver.ACMEOptions{Hosts: c.ACME, Directory: c.ACMEDirectory, Dir: c.ACMEFolder()})
		l.tls = l.acme.Config()
	}
	if c.RedirectListen == "" {
		return l, nil
	}
	l.listener, err = net.Listen("tcp", c.RedirectListen)
	if err != nil {
		return nil, next(err, "choose another address with --redirect-listen")
	}
	_, port, err := net.SplitHostPort(addr.String())
	redirect := httpserver.Redirect(port)
	if l.acme != nil {
		redirect = l.acme.HTTPHandler(redirect)
	}
	l.redirect = &http.Server{Handler: redirect, ReadHeaderTimeout: headerTime, ReadTimeout: headerTime,
		WriteTimeout: headerTime, IdleTimeout: headerTime, MaxHeaderBytes: 16 << 10,
		ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug)}
	return l, err
}

// limitsOf returns for how long a client may keep a request waiting.
func limitsOf(c config.Serve) httpserver.Limits {
	return httpserver.Limits{Read: c.ClientTime, Write: c.ClientTime, Rest: c.ClientTime}
}

// reportUntrusted returns the function that httpserver.Handler calls at the first request from a proxy that is not
// trusted. Besides the log, enlist doctor names its address. A stranger on the internet can send the header too, so the
// database has only private addresses, which are those of proxies. It forgets those before this start, because the
// flags may have changed.
func reportUntrusted(ctx context.Context, service *app.App,
	log *slog.Logger) (func(context.Context, netip.Addr), error) {
	if err := startsAnyway(service.ForgetUntrustedProxies(ctx), log); err != nil {
		return nil, fmt.Errorf("prepare the database: %w", err)
	}
	return func(ctx context.Context, peer netip.Addr) {
		log.Warn("a request has X-Forwarded-For, but its address is no trusted proxy: if it is your proxy, start the service "+
			"with --trusted-proxy, or proofs of consent have the address of the proxy", "address", peer.String())
		if !peer.IsPrivate() && !peer.IsLoopback() && !peer.IsLinkLocalUnicast() {
			return
		}
		if err := service.RecordUntrustedProxy(context.WithoutCancel(ctx), peer.String()); err != nil {
			log.Error("the address of the proxy was not stored", "error", err)
		}
	}, nil
}

// limit counts the connections to --redirect-listen among those of the service.
func (l *listeners) limit(c *httpserver.Connections) {
	if l.redirect != nil {
		l.listener, l.redirect.ConnState, l.redirect.ConnContext = c.Limit(l.listener), c.State, c.Context
	}
}

// serve answers the requests to --redirect-listen until close is called.
func (l *listeners) serve(log *slog.Logger) {
	if l.redirect == nil {
		return
	}
	if err := l.redirect.Serve(l.listener); !errors.Is(err, http.ErrServerClosed) {
		log.Error("the redirect to HTTPS failed", "error", err)
	}
}

// watch keeps the certificate up to date until ctx ends. On SIGHUP it reads the files at once.
func (l *listeners) watch(ctx context.Context) {
	if l.certificate == nil {
		return
	}
	hangup := make(chan os.Signal, 1)
	signal.Notify(hangup, syscall.SIGHUP)
	defer signal.Stop(hangup)
	l.certificate.Watch(ctx, certificateCheck, hangup)
}

// close ends the redirect. It may be called several times, and before serve.
func (l *listeners) close() {
	if l.redirect != nil {
		l.redirect.Close()
		l.listener.Close()
	}
	if l.acme != nil {
		l.acme.Close()
	}
}

// validity returns the time of the certificate that the service uses; zero: it has none, or needed none yet.
func (l *listeners) validity() (httpserver.Validity, error) {
	switch {
	case l.certificate != nil:
		return l.certificate.Validity(), nil
	case l.acme != nil:
		return l.acme.Validity()
	}
	return httpserver.Validity{}, nil
}

// certificateTrouble says what is wrong with a certificate that was read; "": nothing.
func certificateTrouble(v httpserver.Validity, err error) string {
	if err != nil {
		return "the TLS certificate cannot be read: " + err.Error()
	}
	return v.Trouble(time.Now())
}

// warnOfCertificate logs once a day what is wrong with the certificate, until ctx ends.
func (l *listeners) warnOfCertificate(ctx context.Context, log *slog.Logger) {
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for {
		if text := certificateTrouble(l.validity()); text != "" {
			log.Error(text)
		}
		select {
		case <-ctx.Done():
			return
		case <-day.C:
		}
	}
}

// certificateMetric returns the metric of the end of the certificate.
func (l *listeners) certificateMetric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "enlist_tls_certificate_end_seconds",
		Help: "Unix time until which the certificate of --tls-cert or --acme is valid; 0: there is none."},
		func() float64 {
			if v, err := l.validity(); err == nil && v != (httpserver.Validity{}) {
				return float64(v.To.Unix())
			}
			return 0
		})
}

// checkCertificate looks at the certificate of the flags with which the service starts.
func checkCertificate(c config.TLS, db config.Database) (problems, notes []string) {
	s := config.Serve{Database: db, TLSCert: c.TLSCert, ACME: c.ACME, ACMEDir: c.ACMEDir}
	var v httpserver.Validity
	var err error
	switch {
	case c.TLSCert != "":
		v, err = httpserver.ReadValidity(c.TLSCert)
	case len(c.ACME) > 0:
		v, err = httpserver.ACMEValidity(s.ACMEFolder(), c.ACME)
		if err == nil && v == (httpserver.Validity{}) {
			notes = []string{"the folder " + s.ACMEFolder() + " has no TLS certificate yet: the service gets one when the first " +
				"client connects"}
		}
	}
	if text := certificateTrouble(v, err); text != "" {
		problems = []string{text}
	}
	return problems, notes
}
