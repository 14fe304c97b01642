package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// This file reads the URL of a mail server, connects to the server, starts TLS and
// logs in. smtp.go keeps the connections that dial returns.

const (
	dialTime    = 10 * time.Second // to connect, including the TLS handshake of smtps
	commandTime = 30 * time.Second // for each reply
)

// mailServer has the address of a mail server and the settings of a connection.
type mailServer struct {
	host           string
	port           int
	tls            bool // the connection uses TLS from the first byte
	loopback       bool // the server runs on this machine, so mails do not pass a network
	user, password string
	roots          *x509.CertPool // trusted certificates; nil: those of the operating system
}

// errServerURL does not repeat the URL, because the URL may contain a password.
var errServerURL = errors.New("the mail server's URL is not smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT; " +
	"in a user's name or password, write @ as %40, : as %3A, / as %2F and % as %25")

// parseServer reads the URL of a mail server. The default port is 465 for smtps, 587 for
// smtp with a user name, and 25 for smtp without a user name.
func parseServer(text string) (mailServer, error) {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
		return mailServer{}, errServerURL
	}
	s := mailServer{host: u.Hostname(), port: 25}
	if u.User != nil {
		var hasPassword bool
		s.user = u.User.Username()
		s.password, hasPassword = u.User.Password()
		if s.user == "" || !hasPassword {
			return mailServer{}, errServerURL
		}
		s.port = 587
	}
	switch u.Scheme {
	case "smtp":
	case "smtps":
		s.tls, s.port = true, 465
	default:
		return mailServer{}, errServerURL
	}
	if u.Port() != "" {
		s.port, err = strconv.Atoi(u.Port())
		if err != nil || s.port < 1 || s.port > 65535 {
			return mailServer{}, errServerURL
		}
	}
	ip := net.ParseIP(s.host)
	s.loopback = s.host == "localhost" || ip != nil && ip.IsLoopback()
	return s, nil
}

// CheckServer returns an error if a text is not the URL of a mail server. The error does not contain the URL.
func CheckServer(text string) error {
	_, err := parseServer(text)
	return err
}

// dial connects, starts TLS if the server offers it, and logs in if there is a user name.
// It sends a password without TLS only to a server on this machine. decisions.md: 50
func (s *mailServer) dial(ctx context.Context) (*conn, error) {
	c, stop := new(conn), func() bool { return true }
	connect := func(dialing context.Context, network, address string) (net.Conn, error) {
		raw, err := s.connect(dialing, network, address)
		if err != nil {
			return nil, err
		}
		c.net = raw
		stop = context.AfterFunc(ctx, func() { raw.Close() })
		return raw, nil
	}
	client, err := gomail.NewClient(s.host, append(s.options(), gomail.WithDialContextFunc(connect))...)
	if err != nil {
		return nil, err
	}
	c.client, err = client.DialToSMTPClientWithContext(ctx)
	stop()
	if err == nil {
		c.pipelining, _ = c.client.Extension("PIPELINING")
		c.utf8, _ = c.client.Extension("SMTPUTF8")
		return c, nil
	}
	if c.net != nil {
		c.net.Close() // go-mail leaves the connection open if the greeting or the login fails
	}
	if s.requiresTLS() {
		err = fmt.Errorf("the password is sent with TLS only: %w", err)
	}
	return nil, err
}

// requiresTLS reports whether dial must fail if the server does not offer TLS. This is
// true if a password would otherwise be sent over a network in plain text.
func (s *mailServer) requiresTLS() bool { return s.user != "" && !s.loopback && !s.tls }

// options returns the options of the go-mail client. The client uses the first login
// method of the list that the server also supports.
func (s *mailServer) options() []gomail.Option {
	policy := gomail.TLSOpportunistic
	options := []gomail.Option{
		gomail.WithPort(s.port), gomail.WithTimeout(commandTime), gomail.WithTLSConfig(s.tlsConfig()),
	}
	if s.user != "" {
		plain, login := gomail.SMTPAuthPlain, gomail.SMTPAuthLogin
		if s.loopback {
			plain, login = gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc
		}
		if s.requiresTLS() {
			policy = gomail.TLSMandatory
		}
		options = append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1,
				plain, login, gomail.SMTPAuthCramMD5))
	}
	return append(options, gomail.WithTLSPolicy(policy))
}

// connect opens the TCP connection. For smtps it also starts TLS.
func (s *mailServer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	var dialer net.Dialer
	raw, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	raw = &boundedConn{Conn: raw}
	if !s.tls {
		return raw, nil
	}
	secured := tls.Client(raw, s.tlsConfig())
	if err := secured.HandshakeContext(ctx); err != nil {
		raw.Close()
		return nil, err
	}
	return secured, nil
}

// maxReply is the largest number of bytes that a server may send before the client writes
// again. These bytes are a reply, or a part of a TLS handshake.
const maxReply = 64 << 10

// errEndlessReply is the error after a server has sent maxReply bytes in one reply.
var errEndlessReply = errors.New("the mail server's reply does not end")

// boundedConn is a connection that fails if the server sends more than maxReply bytes in
// one reply. go-mail itself does not limit a reply.
type boundedConn struct {
	net.Conn
	received int // bytes since the last Write; it needs no lock, because only one goroutine reads or writes
}

func (b *boundedConn) Read(p []byte) (int, error) {
	if b.received >= maxReply {
		return 0, errEndlessReply
	}
	n, err := b.Conn.Read(p[:min(len(p), maxReply-b.received)])
	b.received += n
	return n, err
}

// Write implements net.Conn. After a Write, the next reply can again have up to maxReply
// bytes.
func (b *boundedConn) Write(p []byte) (int, error) {
	b.received = 0
	return b.Conn.Write(p)
}

// tlsConfig returns a configuration that requires a valid certificate, except for smtp to
// this machine. Mail servers are often installed with a self-signed certificate. If the
// client refused such a certificate, the operator could only choose a connection without
// TLS.
func (s *mailServer) tlsConfig() *tls.Config {
	return &tls.Config{
		ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12,
		InsecureSkipVerify: s.loopback && !s.tls,
	}
}
