package main

import (
	"context"
	"log/slog"
	"time"

	"enlist/internal/config"
	"enlist/internal/httpserver"

	"github.com/prometheus/client_golang/prometheus"
)

// This file warns of a TLS certificate that ends soon: its renewal has failed, and browsers will refuse the service.

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
