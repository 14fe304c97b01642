package post

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"

	"enlist/internal/publicnet"
)

// This file writes the errors of Post, which the operator and callers of the API see.

// describe replaces a network error by an error that the API can show to its callers. The
// original error can contain IP addresses and DNS servers of the operator's network.
func describe(err error) error {
	if errors.Is(err, publicnet.ErrNotPublic) {
		return publicnet.ErrNotPublic
	}
	if e, ok := errors.AsType[net.Error](err); ok && e.Timeout() {
		return errors.New("no answer within 10 seconds")
	}
	if _, ok := errors.AsType[*net.DNSError](err); ok {
		return errors.New("the host was not found")
	}
	_, badCertificate := errors.AsType[*tls.CertificateVerificationError](err)
	_, alert := errors.AsType[tls.AlertError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case badCertificate:
		return errors.New("the certificate is not valid for the host")
	case alert, noTLS, errors.Is(err, http.ErrSchemeMismatch):
		return errors.New("the TLS handshake failed")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the connection was refused")
	}
	return errors.New("the connection failed")
}
