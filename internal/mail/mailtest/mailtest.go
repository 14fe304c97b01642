// Package mailtest has a mail server for tests. The server stores the messages that it
// accepts. A test can write a script for the server. At each stage, the script can tell the
// server to refuse, to wait or to close the connection. A test can stop the server and start
// it again on the same port.
//
//	server := mailtest.Start(t, mailtest.Options{})
//	server.Script(mailtest.Once(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
//	… the test sends messages to server.URL() …
//	messages, err := server.Wait(t.Context(), 2)
package mailtest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// Options are the options of a Server. With the zero value, a Server accepts all mail and
// has neither TLS nor a login.
type Options struct {
	StartTLS bool   // offer STARTTLS
	TLS      bool   // use TLS from the first byte
	User     string // user name for the login; "" if no login is required
	Password string
	UTF8     bool // offer SMTPUTF8
	LMTP     bool // LMTP in place of SMTP, for a mail server that delivers to this server
}

// Message is a message that the server accepted.
type Message struct {
	From string
	To   []string
	Data []byte // header and body; lines end with CR LF
}

// Server is a running mail server.
type Server struct {
	options Options
	tls     *tls.Config // nil if the server has no TLS
	roots   *x509.CertPool
	addr    string

	mu       sync.Mutex
	running  *run // nil if the server is stopped
	script   func(Step) Action
	seen     map[Stage]int
	messages []Message
	read     func(to []string, data []byte) // nil: none
	arrived  chan struct{}                  // closed and replaced when a message is accepted
}

// run has the state of the server from Resume to Stop.
type run struct {
	smtp     *smtp.Server
	listener net.Listener
	done     chan struct{} // closed by Stop
	wg       sync.WaitGroup
	accepted []net.Conn // only the goroutine of Serve writes it; wg waits for this goroutine
}

// Start starts a server on a free port of this machine. The server stops at the end of the
// test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s, err := New(o)
	if err != nil {
		t.Fatalf("start a mail server: %v", err)
	}
	t.Cleanup(s.Stop)
	return s
}

// New is Start for a program that is not a test. The caller stops the server.
func New(o Options) (*Server, error) {
	s := &Server{options: o, addr: "127.0.0.1:0", seen: make(map[Stage]int), arrived: make(chan struct{})}
	if o.StartTLS || o.TLS {
		certified := httptest.NewTLSServer(nil) // has a certificate for this machine
		s.tls, s.roots = &tls.Config{Certificates: certified.TLS.Certificates}, x509.NewCertPool()
		s.roots.AddCert(certified.Certificate())
		certified.Close()
	}
	return s, s.Resume()
}

// URL returns the URL of the server. It contains the user name and password, if there are any.
func (s *Server) URL() string {
	u := url.URL{Scheme: "smtp", Host: s.addr}
	if s.options.TLS {
		u.Scheme = "smtps"
	}
	if s.options.User != "" {
		u.User = url.UserPassword(s.options.User, s.options.Password)
	}
	return u.String()
}

// Roots returns the certificates that a client must trust.
func (s *Server) Roots() *x509.CertPool { return s.roots }

// Stop closes all connections and the listener. Resume opens the listener again.
func (s *Server) Stop() {
	s.mu.Lock()
	r := s.running
	s.running = nil
	s.mu.Unlock()
	if r == nil {
		return
	}
	close(r.done)
	// Server.Close of go-smtp closes only what Serve has already registered. Shortly after
	// Resume it may miss the listener, and Accept of this listener would then wait for ever.
	// It may also miss a new connection. So Stop itself closes the listener and the
	// connections.
	r.listener.Close()
	r.wg.Wait()
	for _, c := range r.accepted {
		c.Close()
	}
	r.smtp.Close()
}

// Resume listens again on the same port. After Stop, another program may have opened a
// connection from this port. Resume then waits up to a minute until the port is free.
func (s *Server) Resume() error {
	l, err := net.Listen("tcp", s.addr)
	for tries := 0; errors.Is(err, syscall.EADDRINUSE) && tries < 600; tries++ {
		<-time.After(100 * time.Millisecond)
		l, err = net.Listen("tcp", s.addr)
	}
	if err != nil {
		return err
	}
	s.addr = l.Addr().String()
	r := &run{listener: l, done: make(chan struct{})}
	r.smtp = smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return s.newSession(c, r)
	}))
	r.smtp.Domain = "mailtest"
	r.smtp.LMTP = s.options.LMTP
	r.smtp.EnableSMTPUTF8 = s.options.UTF8
	r.smtp.AllowInsecureAuth = true
	r.smtp.ErrorLog = log.New(io.Discard, "", 0) // tests break connections on purpose
	r.smtp.TLSConfig = s.tls
	s.mu.Lock()
	s.running = r
	s.mu.Unlock()
	r.wg.Go(func() { r.smtp.Serve(&greeter{Listener: l, server: s, run: r}) })
	return nil
}

// Messages returns the messages that the server has accepted so far.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// waitLimit is the time limit of Wait. If a message never arrives, the test fails and does
// not wait for ever.
const waitLimit = 2 * time.Minute

// Wait waits until the server has accepted n messages since Start. It returns all accepted
// messages.
func (s *Server) Wait(ctx context.Context, n int) ([]Message, error) {
	ctx, cancel := context.WithTimeout(ctx, waitLimit)
	defer cancel()
	for {
		s.mu.Lock()
		got, more := len(s.messages), s.arrived
		s.mu.Unlock()
		if got >= n {
			return s.Messages(), nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return s.Messages(), fmt.Errorf("%d of %d messages arrived: %w", got, n, ctx.Err())
		}
	}
}

// Read makes the server call read with the recipients and the content of each message that it accepts from now on,
// before it answers. Goroutines call it.
func (s *Server) Read(read func(to []string, data []byte)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read = read
}

// accept stores a message and notifies the callers of Wait.
func (s *Server) accept(m Message) {
	s.mu.Lock()
	read := s.read
	s.mu.Unlock()
	if read != nil {
		read(m.To, m.Data)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	close(s.arrived)
	s.arrived = make(chan struct{})
}
