package webhook

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"
)

// This file describes the failure of a POST to the operator and to callers of the API.

// refusal is an error by which this package itself ends a POST.
type refusal string

func (r refusal) Error() string { return string(r) }

// describe replaces an error of the network by a text that callers of the API may see. The
// original names addresses and resolvers of the operator's network.
func describe(err error) error {
	if r, ok := errors.AsType[refusal](err); ok {
		return r
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
