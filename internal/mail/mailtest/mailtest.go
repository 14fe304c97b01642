// Package mailtest is a mail server for tests. It keeps what it is given and
// does what its script says: refuse, wait, break off at any stage, or go away
// and come back.
//
//	server := mailtest.Start(t, mailtest.Options{})
//	server.Script(mailtest.Once(mailtest.Rcpt, mailtest.Reply(550, "5.1.1 nobody here")))
//	… something sends to server.URL() …
//	messages := server.Wait(t.Context(), 2)
package mailtest

import (
	"context"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// Options of a Server. The zero value takes mail from anybody, unencrypted.
type Options struct {
	StartTLS bool   // offer STARTTLS
	TLS      bool   // speak TLS from the first byte
	User     string // who has to log in; "": nobody
	Password string
	UTF8     bool // offer SMTPUTF8
	LMTP     bool // speak LMTP, for a mail server that delivers to this one
}

// Message is one that was accepted.
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
	running  *run // nil: away
	script   func(Step) Action
	seen     map[Stage]int
	messages []Message
	arrived  chan struct{} // closed when a message has come; a new one each time
}

// run is the time between a Resume and a Stop.
type run struct {
	smtp     *smtp.Server
	listener net.Listener
	done     chan struct{} // closed when it stops
	wg       sync.WaitGroup
	accepted []net.Conn // written by Serve's goroutine, for which wg waits
}

// Start starts a server on a free port of this machine. It ends with the test.
func Start(t testing.TB, o Options) *Server {
	t.Helper()
	s := &Server{options: o, addr: "127.0.0.1:0", seen: make(map[Stage]int), arrived: make(chan struct{})}
	if o.StartTLS || o.TLS {
		var err error
		if s.keys, err = newKeys(); err != nil {
			t.Fatalf("make a certificate: %v", err)
		}
	}
	if err := s.Resume(); err != nil {
		t.Fatalf("start a mail server: %v", err)
	}
	t.Cleanup(s.Stop)
	return s
}

// URL is where it is, with who may log in.
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

// Roots are what a client has to trust.
func (s *Server) Roots() *x509.CertPool { return s.keys.roots }

// RootsPEM is the same as a file, for a process of its own: SSL_CERT_FILE names it.
func (s *Server) RootsPEM() []byte { return s.keys.pem }

// Stop ends all connections and listens no more, until Resume.
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

// Resume listens again, where it did before.
func (s *Server) Resume() error {
	l, err := net.Listen("tcp", s.addr)
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
	r.smtp.ErrorLog = log.New(io.Discard, "", 0) // connections that break are what it is for
	if s.keys != nil {
		r.smtp.TLSConfig = s.keys.config
	}
	s.mu.Lock()
	s.running = r
	s.mu.Unlock()
	r.wg.Go(func() { r.smtp.Serve(&greeter{Listener: l, server: s, run: r}) })
	return nil
}

// Messages returns what was accepted until now.
func (s *Server) Messages() []Message {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.messages)
}

// Wait waits until n messages were accepted in all, and returns all there are.
func (s *Server) Wait(ctx context.Context, n int) ([]Message, error) {
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
			return s.Messages(), fmt.Errorf("%d of %d messages came: %w", got, n, ctx.Err())
		}
	}
}

func (s *Server) accept(m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages = append(s.messages, m)
	close(s.arrived)
	s.arrived = make(chan struct{})
}
