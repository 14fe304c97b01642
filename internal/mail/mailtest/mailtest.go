// Package mailtest is a mail server for tests. It stores the messages that it
// accepts. A script tells it to refuse, to wait or to drop the connection at any
// stage. It can be stopped and started again on the same port.
//
//	server := mailtest.Start(t, mailtest.Options{})
//	server.Script(mailtest.Once(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 no such user")))
//	… something sends to server.URL() …
//	messages, err := server.Wait(t.Context(), 2)
package mailtest

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/emersion/go-smtp"
)

// Options of a Server. The zero value accepts all mail, without TLS and login.
type Options struct {
	StartTLS bool   // offer STARTTLS
	TLS      bool   // TLS from the first byte
	User     string // user name for the login; "": no login
	Password string
	UTF8     bool // offer SMTPUTF8
	LMTP     bool // LMTP instead of SMTP, for a mail server that delivers to this one
}

// Message is a message that was accepted.
type Message struct {
	From string
	To   []string
	Data []byte // header and body, lines ended by CR LF
}

// Server is a running mail server.
type Server struct {
	options Options
	keys    *keys // nil: no TLS
	addr    string

	mu       sync.Mutex
	running  *run // nil: stopped
	script   func(Step) Action
	seen     map[Stage]int
	messages []Message
	arrived  chan struct{} // closed and replaced when a message is accepted
}

// run is what exists between a Resume and a Stop.
type run struct {
	smtp     *smtp.Server
	listener net.Listener
	done     chan struct{} // closed when it stops
	wg       sync.WaitGroup
	accepted []net.Conn // written by Serve's goroutine, for which wg waits
}

// Start starts a server on a free port of this machine. It stops with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{options: o, addr: "127.0.0.1:0", seen: make(map[Stage]int), arrived: make(chan struct{})}
	if o.StartTLS || o.TLS {
		var err error
		s.keys, err = newKeys()
		if err != nil {
			t.Fatalf("make a certificate: %v", err)
		}
	}
	if err := s.Resume(); err != nil {
		t.Fatalf("start a mail server: %v", err)
	}
	t.Cleanup(s.Stop)
	return s
}

// URL returns the URL of the server, with user name and password.
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

// Roots returns the certificates that a client has to trust.
func (s *Server) Roots() *x509.CertPool { return s.keys.roots }

// RootsPEM returns the same in PEM format, for another process: write it into a
// file and name the file in SSL_CERT_FILE.
func (s *Server) RootsPEM() []byte { return s.keys.pem }

// Stop closes all connections and stops listening, until Resume.
func (s *Server) Stop() {
	s.mu.Lock()
	r := s.running
	s.running = nil
	s.mu.Unlock()
	if r == nil {
		return
	}
	close(r.done)
	// Server.Close of go-smtp misses what Serve has not registered yet: the listener
	// right after Resume, whose Accept would then wait for ever, and a connection that
	// was accepted a moment ago.
	r.listener.Close()
	r.wg.Wait()
	for _, c := range r.accepted {
		c.Close()
	}
	r.smtp.Close()
}

// Resume listens again on the same port. It waits while the port belongs to a connection
// that another program has opened since Stop.
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
	r.smtp.ErrorLog = log.New(io.Discard, "", 0) // broken connections are expected
	if s.keys != nil {
		r.smtp.TLSConfig = s.keys.config
	}
	s.mu.Lock()
	s.running = r
	s.mu.Unlock()
	r.wg.Go(func() { r.smtp.Serve(&greeter{Listener: l, server: s, run: r}) })
	return nil
}

// Messages returns the messages that were accepted until now.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// waitLimit limits Wait, so that a message that never arrives fails the test and
// does not block it.
const waitLimit = 2 * time.Minute

// Wait waits until n messages were accepted since Start, and returns all of them.
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

// accept stores a message and wakes the callers of Wait.
func (s *Server) accept(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	close(s.arrived)
	s.arrived = make(chan struct{})
}
