package mailtest

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// This file calls the script from go-smtp. greeter handles the greeting, and session handles
// the other stages.

// greeter is a listener that calls the script with the stage Greeting for each connection.
type greeter struct {
	net.Listener
	server *Server
	run    *run
}

// Accept implements net.Listener. It returns only connections that the script does not
// refuse.
func (g *greeter) Accept() (net.Conn, error) {
	for {
		c, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g.run.accepted = append(g.run.accepted, c)
		if g.server.options.TLS {
			c = tls.Server(c, g.server.tls)
		}
		a := g.server.at(g.run, Greeting, Message{})
		if a.Code == 0 && !a.Drop {
			return c, nil
		}
		if a.Code != 0 {
			fmt.Fprintf(c, "%d %s\r\n", a.Code, a.Text)
		}
		c.Close()
	}
}

// session is the connection of one client.
type session struct {
	server   *Server
	run      *run
	conn     *smtp.Conn
	loggedIn bool    // also true if no login is required
	now      Message // the message that is being received
}

func (s *Server) newSession(c *smtp.Conn, r *run) (smtp.Session, error) {
	n := &session{server: s, run: r, conn: c, loggedIn: s.options.User == ""}
	return n, n.at(Hello)
}

// at calls the script. If it returns an error, the client gets this error as the reply.
func (n *session) at(stage Stage) error {
	a := n.server.at(n.run, stage, n.now)
	switch {
	case a.Drop:
		n.conn.Conn().Close()
		return smtp.ErrServerClosed // the client does not get this error, because the connection is closed
	case a.Code != 0:
		return &smtp.SMTPError{Code: a.Code, EnhancedCode: smtp.NoEnhancedCode, Message: a.Text}
	}
	return nil
}

func (n *session) AuthMechanisms() []string {
	if n.server.options.User == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (n *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		if user != n.server.options.User || password != n.server.options.Password {
			return smtp.ErrAuthFailed
		}
		n.loggedIn = true
		return nil
	}), nil
}

func (n *session) Mail(from string, _ *smtp.MailOptions) error {
	if !n.loggedIn {
		return smtp.ErrAuthRequired
	}
	n.now = Message{From: from}
	return n.at(Mail)
}

func (n *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	n.now.To = append(n.now.To, to)
	return n.at(Rcpt)
}

func (n *session) Data(r io.Reader) error {
	if err := n.at(Text); err != nil {
		return err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	n.now.Data = data
	// After Drop, the message is stored although the client gets no reply. The client sends
	// the message again, and tests check that it has the same Message-ID.
	err = n.at(End)
	if err == nil || err == smtp.ErrServerClosed {
		n.server.accept(n.now)
	}
	return err
}

// Reset implements smtp.Session. RSET discards the message.
func (n *session) Reset() { n.now = Message{} }

func (n *session) Logout() error { return nil }
