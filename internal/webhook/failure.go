package webhook

import (
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"syscall"
)

// refusal is why a connection is not made, or not to its end.
type refusal string

func (r refusal) Error() string { return string(r) }

// described says what became of a call, in words of our own: errors of the
// network name addresses and resolvers that are nobody's business.
func described(err error) error {
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
		return errors.New("the certificate is not good for the host")
	case alert, noTLS, errors.Is(err, http.ErrSchemeMismatch):
		return errors.New("TLS could not be agreed on")
	case errors.Is(err, syscall.ECONNREFUSED):
		return errors.New("the connection was refused")
	}
	return errors.New("the connection failed")
}
