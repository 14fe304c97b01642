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

const (
	dialTime    = 10 * time.Second // to be connected
	commandTime = 30 * time.Second // for each answer
)

// mailServer is a mail server, and how it is to be spoken with.
type mailServer struct {
	host           string
	port           int
	tls            bool // from the first byte
	near           bool // on this machine, where nobody listens in
	user, password string
	roots          *x509.CertPool // nil: the machine's
}

// errServerURL does not repeat what was given: it may hold a password.
var errServerURL = errors.New("the mail server's URL is not smtp://HOST:PORT or smtps://USER:PASSWORD@HOST:PORT; " +
	"in a user's name or password, write @ as %40, : as %3A, / as %2F and % as %25")

// parseServer reads the URL of a mail server. Without a port it is 25, with
// somebody to log in 587, and 465 for smtps.
func parseServer(text string) (mailServer, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.Path != "" && u.Path != "/" || u.RawQuery != "" || u.Fragment != "" {
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
		if s.port, err = strconv.Atoi(u.Port()); err != nil || s.port < 1 || s.port > 65535 {
			return mailServer{}, errServerURL
		}
	}
	if s.host == "" {
		return mailServer{}, errServerURL
	}
	ip := net.ParseIP(s.host)
	s.near = s.host == "localhost" || ip != nil && ip.IsLoopback()
	return s, nil
}

// dial connects, with TLS where the server offers it, and logs in. A password
// goes through TLS only, or to this machine. decisions.md: 50
func (s *mailServer) dial(ctx context.Context) (*line, error) {
	l, stop := new(line), func() bool { return true }
	options := append(s.options(), gomail.WithDialContextFunc(func(dialing context.Context, network, address string) (net.Conn, error) {
		conn, err := s.connect(dialing, network, address)
		if err != nil {
			return nil, err
		}
		l.conn = conn
		stop = context.AfterFunc(ctx, func() { conn.Close() })
		return conn, nil
	}))
	client, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return nil, err
	}
	l.client, err = client.DialToSMTPClientWithContext(ctx)
	stop()
	if err == nil {
		return l, nil
	}
	if l.conn != nil {
		l.conn.Close() // which the library leaves open when the talk on it fails
	}
	if s.secret() {
		err = fmt.Errorf("with encryption, which the password needs: %w", err)
	}
	return nil, err
}

// secret reports whether encryption has to be asked for, and must be given.
func (s *mailServer) secret() bool { return s.user != "" && !s.near && !s.tls }

func (s *mailServer) options() []gomail.Option {
	policy := gomail.TLSOpportunistic
	options := []gomail.Option{gomail.WithPort(s.port), gomail.WithTimeout(commandTime), gomail.WithTLSConfig(s.tlsConfig())}
	if s.user != "" {
		plain, login := gomail.SMTPAuthPlain, gomail.SMTPAuthLogin
		if s.near {
			plain, login = gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc
		}
		if s.secret() {
			policy = gomail.TLSMandatory
		}
		options = append(options, gomail.WithUsername(s.user), gomail.WithPassword(s.password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, plain, login, gomail.SMTPAuthCramMD5))
	}
	return append(options, gomail.WithTLSPolicy(policy))
}

func (s *mailServer) connect(ctx context.Context, network, address string) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	conn = &bounded{Conn: conn}
	if !s.tls {
		return conn, nil
	}
	secured := tls.Client(conn, s.tlsConfig())
	if err := secured.HandshakeContext(ctx); err != nil {
		conn.Close()
		return nil, err
	}
	return secured, nil
}

// maxReply is how much a server may say at a time, in bytes: a reply, or its
// part of agreeing on TLS.
const maxReply = 64 << 10

var errEndlessReply = errors.New("the mail server's reply does not end")

// bounded is a connection on which nobody talks without being asked: the library
// reads a reply to its end, however long it is.
type bounded struct {
	net.Conn
	said int // since something was sent; one reads or writes at a time
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.said >= maxReply {
		return 0, errEndlessReply
	}
	n, err := b.Conn.Read(p[:min(len(p), maxReply-b.said)])
	b.said += n
	return n, err
}

func (b *bounded) Write(p []byte) (int, error) {
	b.said = 0
	return b.Conn.Write(p)
}

// tlsConfig has the certificate checked. On this machine it is not, with smtp:
// mail servers come with certificates that nobody signed, and without any
// encryption there would be none to check.
func (s *mailServer) tlsConfig() *tls.Config {
	return &tls.Config{ServerName: s.host, RootCAs: s.roots, MinVersion: tls.VersionTLS12, InsecureSkipVerify: s.near && !s.tls}
}
