package mail

import (
	"bytes"
	"context"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// This file sends one message over one connection, with the SMTP commands MAIL, RCPT and
// DATA. smtp_server.go opens the connections, and smtp.go keeps them. go-mail connects, starts
// TLS and logs in. It cannot send several commands together, so this file has commands of its own.

// graceTime is the time for which deliver still waits for a reply after its context has
// ended. Without graceTime, a message whose reply is late would more often be sent twice.
const graceTime = 3 * time.Second

// conn is a connection to the mail server. One goroutine at a time uses it.
type conn struct {
	net       net.Conn
	client    *smtp.Client // nil if the connection is broken
	idleSince time.Time
	buffer    []byte // reused for the commands and the text of each message
	reply     string // to the last message that the server accepted

	pipelining bool // the server offers PIPELINING
	utf8       bool // the server offers SMTPUTF8
}

// keptBuffer is the capacity up to which a connection keeps its buffer, in bytes.
const keptBuffer = 64 << 10

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

type command struct {
	stage stage
	text  string
	code  int // expected reply code, or its first two digits
}

// transmit runs the SMTP commands for one message.
func (c *conn) transmit(ctx context.Context, e *envelope) *failure {
	if e.needsUTF8 && !c.utf8 {
		return &failure{stageRcpt, errNeedsUTF8}
	}
	options := ""
	if c.utf8 && (e.needsUTF8 || e.likesUTF8) {
		options = " BODY=8BITMIME SMTPUTF8" // a server with SMTPUTF8 has 8BITMIME. RFC 6531, 3.1
	}
	commands := []command{
		{stageMail, "MAIL FROM:" + e.from + options, 250},
		{stageRcpt, "RCPT TO:" + e.to, 25},
		{stageData, "DATA", 354},
	}
	together := 1
	if c.pipelining {
		together = len(commands)
	}
	for group := range slices.Chunk(commands, together) {
		if failed := c.run(ctx, group); failed != nil {
			return failed
		}
	}
	return c.sendText(ctx, e.data)
}

// run sends commands in one write and reads the reply to each of them. It returns the first
// failure. The server may accept DATA although it refused the recipient. Then run sends an
// empty text, which the server refuses. RFC 2920, 3.1
func (c *conn) run(ctx context.Context, commands []command) (failed *failure) {
	c.extendDeadline(ctx)
	c.buffer = c.buffer[:0]
	for _, cmd := range commands {
		c.buffer = append(append(c.buffer, cmd.text...), "\r\n"...)
	}
	if err := c.write(); err != nil {
		return &failure{commands[0].stage, err}
	}
	for _, cmd := range commands {
		c.extendDeadline(ctx)
		_, _, err := c.client.Text.ReadResponse(cmd.code)
		switch {
		case err != nil && failed == nil:
			failed = &failure{cmd.stage, err}
			if failed.broken() {
				return failed
			}
		case err == nil && failed != nil && cmd.stage == stageData:
			c.sendText(ctx, nil) // the result is the first failure
		}
	}
	return failed
}

// sendText sends the text of a message after DATA, and reads the reply. It does not copy a large slice
// without a line that begins with a dot, because messages share the slices of files.
func (c *conn) sendText(ctx context.Context, data [][]byte) *failure {
	c.extendDeadline(ctx)
	c.buffer = c.buffer[:0]
	for _, part := range data {
		if len(part) <= keptBuffer || part[0] == '.' || bytes.Contains(part, []byte("\n.")) {
			c.buffer = appendStuffed(c.buffer, part) // each slice begins with a new line
			continue
		}
		c.client.Text.W.Write(c.buffer) // write returns the error
		c.client.Text.W.Write(part)
		c.buffer = c.buffer[:0]
	}
	c.buffer = append(c.buffer, ".\r\n"...)
	err := c.write()
	if cap(c.buffer) > keptBuffer {
		c.buffer = nil
	}
	if err != nil {
		return &failure{stageText, err}
	}
	c.extendDeadline(ctx)
	code, text, err := c.client.Text.ReadResponse(250)
	if err != nil {
		return &failure{stageText, err}
	}
	c.reply = strconv.Itoa(code) + " " + text
	return nil
}

func (c *conn) write() error {
	w := c.client.Text.W
	w.Write(c.buffer) // Flush returns the error
	return w.Flush()
}

// appendStuffed appends the text of a message, and a dot to each line that begins with a dot.
// RFC 5321, 4.5.2
func appendStuffed(b, text []byte) []byte {
	if bytes.HasPrefix(text, []byte(".")) {
		b = append(b, '.')
	}
	for {
		i := bytes.Index(text, []byte("\n."))
		if i < 0 {
			return append(b, text...)
		}
		b = append(append(b, text[:i+2]...), '.')
		text = text[i+2:]
	}
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
