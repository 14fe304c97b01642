package main

import (
	"context"
	"log/slog"
	"time"

	"enlist/internal/config"
	"enlist/internal/door"

	"github.com/prometheus/client_golang/prometheus"
)

// This file warns of a TLS certificate that ends soon: its renewal has failed, and browsers will refuse the service.

// validity returns the time of the certificate that the service uses; zero: it has none, or needed none yet.
func (e *entrance) validity() (door.Validity, error) {
	switch {
	case e.certificate != nil:
		return e.certificate.Validity(), nil
	case e.acme != nil:
		return e.acme.Validity()
	}
	return door.Validity{}, nil
}

// certificateTrouble says what is wrong with a certificate that was read; "": nothing.
func certificateTrouble(v door.Validity, err error) string {
	if err != nil {
		return "the TLS certificate cannot be read: " + err.Error()
	}
	return v.Trouble(time.Now())
}

// warnOfCertificate logs once a day what is wrong with the certificate, until ctx ends.
func (e *entrance) warnOfCertificate(ctx context.Context, log *slog.Logger) {
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for {
		if text := certificateTrouble(e.validity()); text != "" {
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
func (e *entrance) certificateMetric() prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "enlist_tls_certificate_end_seconds",
		Help: "Unix time until which the certificate of --tls-cert or --acme is valid; 0: there is none."},
		func() float64 {
			if v, err := e.validity(); err == nil && v != (door.Validity{}) {
				return float64(v.To.Unix())
			}
			return 0
		})
}

// checkCertificate looks at the certificate of the flags with which the service starts.
func checkCertificate(c config.TLS, db config.Database) (problems, notes []string) {
	s := config.Serve{Database: db, TLSCert: c.TLSCert, ACME: c.ACME, ACMEDir: c.ACMEDir}
	var v door.Validity
	var err error
	switch {
	case c.TLSCert != "":
		v, err = door.ReadValidity(c.TLSCert)
	case len(c.ACME) > 0:
		v, err = door.ACMEValidity(s.ACMEFolder(), c.ACME)
		if err == nil && v == (door.Validity{}) {
			notes = []string{"the folder " + s.ACMEFolder() + " has no TLS certificate yet: the service gets one when the first " +
				"client connects"}
		}
	}
	if text := certificateTrouble(v, err); text != "" {
		problems = []string{text}
	}
	return problems, notes
}
