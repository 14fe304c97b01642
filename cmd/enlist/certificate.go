package main

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// This file warns of a TLS certificate that ends soon: its renewal has failed, and browsers will refuse the service.

const certificateSoon = 14 * 24 * time.Hour // before the end of a certificate

// certificateText says what is wrong with a certificate that is valid until end; "": nothing. A zero end is not known.
func certificateText(end, now time.Time) string {
	switch {
	case end.IsZero() || end.Sub(now) > certificateSoon:
		return ""
	case !now.Before(end):
		return "the TLS certificate has expired at " + end.UTC().Format(time.DateTime) + " UTC: clients refuse the service"
	}
	return fmt.Sprintf("the TLS certificate expires in %d days, at %s UTC: it should have been renewed",
		int(end.Sub(now).Hours()/24), end.UTC().Format(time.DateTime))
}

// certificateEnd returns when the certificate of the service ends; zero: it has none, or none was needed yet.
func (e *entrance) certificateEnd() time.Time {
	if e.certificate == nil {
		return time.Time{}
	}
	return e.certificate.End()
}

// warnOfCertificate logs once a day what is wrong with the certificate, until ctx ends.
func (e *entrance) warnOfCertificate(ctx context.Context, log *slog.Logger) {
	day := time.NewTicker(24 * time.Hour)
	defer day.Stop()
	for {
		if text := certificateText(e.certificateEnd(), time.Now()); text != "" {
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
		Help: "Unix time until which the certificate of --tls-cert is valid; 0: there is none."},
		func() float64 {
			if end := e.certificateEnd(); !end.IsZero() {
				return float64(end.Unix())
			}
			return 0
		})
}
