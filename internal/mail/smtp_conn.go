package mail

import (
	"context"
	"net"
	"net/textproto"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// This file sends one message over one connection, with the SMTP commands MAIL, RCPT and
// DATA. smtp_server.go opens the connections, and smtp.go keeps them.

// graceTime is the time for which deliver still waits for a reply after its context has
// ended. Without graceTime, a message whose reply is late would more often be sent twice.
const graceTime = 3 * time.Second

// conn is a connection to the mail server. One goroutine at a time uses it.
type conn struct {
	net       net.Conn
	client    *smtp.Client // nil if the connection is broken
	idleSince time.Time
}

// errNeedsUTF8 is the error for a message that needs SMTPUTF8, if the server does not
// offer it. It has the form of the reply that the server would send. RFC 6531, 3.2
var errNeedsUTF8 = &textproto.Error{
	Code: 553,
	Msg:  "5.6.7 the address has characters that the mail server does not take: it has no SMTPUTF8",
}

// deliver sends one message. If the mail server refuses the message, the connection can be
// used for the next message, unless failure.broken returns true.
func (c *conn) deliver(ctx context.Context, e *envelope) *failure {
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Now().Add(graceTime)) })
	defer stop()
	failed := c.transmit(ctx, e)
	if failed != nil && !failed.broken() {
		c.extendDeadline(ctx)
		if err := c.client.Reset(); err != nil {
			c.client = nil // the connection is broken, but the result is still the reply to the message
		}
	}
	return failed
}

// transmit runs the SMTP commands for one message.
func (c *conn) transmit(ctx context.Context, e *envelope) *failure {
	utf8, _ := c.client.Extension("SMTPUTF8")
	if e.needsUTF8 && !utf8 {
		return &failure{stageRcpt, errNeedsUTF8}
	}
	c.client.SkipSMTPUTF8(!e.needsUTF8 && !e.likesUTF8)
	c.extendDeadline(ctx)
	if err := c.client.Mail(e.from); err != nil {
		return &failure{stageMail, err}
	}
	for _, to := range e.to {
		c.extendDeadline(ctx)
		if err := c.client.Rcpt(to); err != nil {
			return &failure{stageRcpt, err}
		}
	}
	c.extendDeadline(ctx)
	w, err := c.client.Data()
	if err != nil {
		return &failure{stageData, err}
	}
	c.extendDeadline(ctx)
	if _, err := w.Write(e.data); err != nil {
		return &failure{stageText, err}
	}
	c.extendDeadline(ctx)
	if err := w.Close(); err != nil {
		return &failure{stageText, err}
	}
	return nil
}

// extendDeadline sets the deadline of the connection to the time limit of one reply.
func (c *conn) extendDeadline(ctx context.Context) {
	c.net.SetDeadline(time.Now().Add(commandTime))
	if ctx.Err() != nil { // the line above may have replaced the deadline that deliver set
		c.net.SetDeadline(time.Now().Add(graceTime))
	}
}

// close sends QUIT and closes the connection. It waits at most one second for the reply.
func (c *conn) close() {
	if c.client != nil {
		c.net.SetDeadline(time.Now().Add(time.Second))
		c.client.Quit()
	}
	c.net.Close()
}
