package mail

import (
	"context"
	"net"
	"net/textproto"
	"time"

	"github.com/wneessen/go-mail/smtp"
)

// graceTime is how long a talk may go on whose time is over: what was sent off
// and not yet answered would else be sent twice.
const graceTime = 3 * time.Second

// line is a connection to the mail server, used by one at a time.
type line struct {
	conn   net.Conn
	client *smtp.Client
	idle   time.Time // since when
}

// errNeedsUTF8 is the reply of a server that could be asked. RFC 6531, 3.2
var errNeedsUTF8 = &textproto.Error{Code: 553, Msg: "5.6.7 the address has characters that the mail server does not take: it has no SMTPUTF8"}

// deliver gives the server a parcel. After an error of the server's the line is
// ready for the next one, unless the failure says that it is broken.
func (l *line) deliver(ctx context.Context, p *parcel) *failure {
	stop := context.AfterFunc(ctx, func() { l.conn.SetDeadline(time.Now().Add(graceTime)) })
	defer stop()
	failed := l.talk(ctx, p)
	if failed != nil && !failed.broken() {
		l.patience(ctx)
		if err := l.client.Reset(); err != nil {
			l.client = nil // nothing more can be sent, but what was answered stands
		}
	}
	return failed
}

func (l *line) talk(ctx context.Context, p *parcel) *failure {
	utf8, _ := l.client.Extension("SMTPUTF8")
	if p.needsUTF8 && !utf8 {
		return &failure{stageRcpt, errNeedsUTF8}
	}
	l.client.SkipSMTPUTF8(!p.needsUTF8 && !p.likesUTF8)
	l.patience(ctx)
	if err := l.client.Mail(p.from); err != nil {
		return &failure{stageMail, err}
	}
	for _, to := range p.to {
		l.patience(ctx)
		if err := l.client.Rcpt(to); err != nil {
			return &failure{stageRcpt, err}
		}
	}
	l.patience(ctx)
	w, err := l.client.Data()
	if err != nil {
		return &failure{stageData, err}
	}
	l.patience(ctx)
	if _, err := w.Write(p.data); err != nil {
		return &failure{stageText, err}
	}
	l.patience(ctx)
	if err := w.Close(); err != nil {
		return &failure{stageText, err}
	}
	return nil
}

// patience gives the server its time for the next answer.
func (l *line) patience(ctx context.Context) {
	l.conn.SetDeadline(time.Now().Add(commandTime))
	if ctx.Err() != nil { // perhaps it was set to less a moment ago
		l.conn.SetDeadline(time.Now().Add(graceTime))
	}
}

// hangUp says good-bye, without waiting long for an answer.
func (l *line) hangUp() {
	if l.client != nil {
		l.conn.SetDeadline(time.Now().Add(time.Second))
		l.client.Quit()
	}
	l.conn.Close()
}
