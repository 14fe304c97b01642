package mail

import (
	"context"
	"net"
	"net/textproto"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// This file sends one message over one connection: the SMTP commands MAIL,
// RCPT and DATA. smtp.go keeps the connections, smtp_server.go opens them.

// graceTime is how much longer an exchange may take after its time limit. A
// message that was sent off and is not answered yet would be sent twice.
const graceTime = 3 * time.Second

// conn is a connection to the mail server. One goroutine at a time uses it.
type conn struct {
	net       net.Conn
	client    *smtp.Client // nil: broken, nothing more can be sent
	idleSince time.Time
}

// errNeedsUTF8 is the reply that a server without SMTPUTF8 would give.
// RFC 6531, 3.2
var errNeedsUTF8 = &textproto.Error{
	Code: 553,
	Msg:  "5.6.7 the address has characters that the mail server does not take: it has no SMTPUTF8",
}

// deliver sends one message. After a reply that refuses the message, the
// connection is ready for the next one, unless failure.broken reports true.
func (c *conn) deliver(ctx context.Context, e *envelope) *failure {
	stop := context.AfterFunc(ctx, func() { c.net.SetDeadline(time.Now().Add(graceTime)) })
	defer stop()
	failed := c.transmit(ctx, e)
	if failed != nil && !failed.broken() {
		c.extendDeadline(ctx)
		if err := c.client.Reset(); err != nil {
			c.client = nil // the connection is lost, but the reply to the message counts
		}
	}
	return failed
}

// transmit runs the commands for one message.
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

// extendDeadline gives the server the time limit of one reply.
func (c *conn) extendDeadline(ctx context.Context) {
	c.net.SetDeadline(time.Now().Add(commandTime))
	if ctx.Err() != nil { // the line above may have undone the deadline that deliver has set
		c.net.SetDeadline(time.Now().Add(graceTime))
	}
}

// close sends QUIT and closes the connection. It waits a second at most.
func (c *conn) close() {
	if c.client != nil {
		c.net.SetDeadline(time.Now().Add(time.Second))
		c.client.Quit()
	}
	c.net.Close()
}
