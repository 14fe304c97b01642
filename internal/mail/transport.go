package mail

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/durable"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file chooses where messages are sent: to a mail server (smtp.go), or into a folder, for operators who try the
// service out and for tests. For both, transport_encode.go writes the envelope.

// sender sends a composed message. about is the key of the message's delivery, or nil for
// a notification. The address for bounces contains the tag of this delivery.
type sender interface {
	send(ctx context.Context, m *composed, about *enlist.DeliveryKey) error
	close() error
}

// Domains has the keys of the sending domains of Accounts, and the domains from which each Account may send.
type Domains interface {
	// SigningKey returns the key that signs the mails of an Account from a domain, or nil if the Account has no such
	// sending domain. The error is accounts.ErrForeignDomain if another Account has the domain.
	SigningKey(ctx context.Context, account enlist.AccountID, domain string) (*enlist.SigningKey, error)
	// RefusedDomain returns why an Account may not send from a domain, or "" if it may.
	RefusedDomain(ctx context.Context, account enlist.AccountID, domain string) (why string, err error)
}

// Transport has the settings for sending composed messages.
type Transport struct {
	SMTP        string                  // smtp[s]://user:password@host:port; "" if messages are written into Dir
	Dir         string                  // folder for .eml files
	Connections int                     // largest number of connections to the mail server; the default is 8
	Fields      func(tag string) string // header fields with a delivery's tag, which the email provider repeats; nil if there are none
	Domains     Domains                 // keys of the sending domains of Accounts; nil if there are none
	Key         enlist.LinkKey          // signs the tags of deliveries
	Log         *slog.Logger            // nil if nothing is logged

	settings func() *accounts.Settings // of this moment: the rate, the bounce address, the key that signs
}

// newSender returns the sender for the settings, and its metrics. If SMTP is set, Dir is ignored.
func newSender(t Transport) (sender, *meter, error) {
	if t.Log == nil {
		t.Log = slog.New(slog.DiscardHandler)
	}
	if t.settings == nil {
		t.settings = noSettings
	}
	encoder := newEncoder(t)
	switch {
	case t.SMTP != "":
		server, err := parseServer(t.SMTP)
		if err != nil {
			return nil, nil, err
		}
		meter := newMeter(server.relay())
		return newSMTPSender(server, t, encoder, meter), meter, nil
	case t.Dir != "":
		meter := newMeter("folder")
		sender, err := newDirSender(t.Dir, encoder, meter)
		return sender, meter, err
	}
	return nil, nil, errors.New("mail cannot be sent: set a mail server with --smtp or a folder with --mail")
}

// dirSender writes each message into an .eml file, which mail programs can open. If the same
// message is sent again, its new file replaces the old one.
type dirSender struct {
	dir     string
	encoder *encoder
	meter   *meter

	mu    sync.Mutex
	names map[string]string // maps a Message-ID to the name of its file
}

// nameTime is the format of the time at the beginning of a file name, in UTC. So the order
// of the names is the order of the times.
const nameTime = "20060102-150405"

func newDirSender(dir string, e *encoder, m *meter) (*dirSender, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("create the folder for mail: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder for mail: %w", err)
	}
	s := &dirSender{dir: dir, encoder: e, meter: m, names: make(map[string]string, len(entries))}
	for _, file := range entries {
		if id, ok := strings.CutSuffix(file.Name(), ".eml"); ok && len(id) > len(nameTime) {
			s.names[id[len(nameTime)+1:]] = file.Name()
		}
	}
	return s, nil
}

// send implements sender. An error is temporary, because the operator can free space on the disk.
func (s *dirSender) send(ctx context.Context, m *composed, about *enlist.DeliveryKey) error {
	e, err := s.encoder.encode(ctx, m, about)
	if err != nil {
		return err
	}
	defer s.meter.took(time.Now())
	if err := s.write(s.name(fileID(e.id)), e.data); err != nil {
		return &messages.Undelivered{Detail: "write the mail into a file", Err: err}
	}
	return nil
}

// name returns the file name for a Message-ID. It returns the same name for the same ID.
func (s *dirSender) name(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.names[id]
	if !ok {
		name = time.Now().UTC().Format(nameTime) + "-" + id + ".eml"
		s.names[id] = name
	}
	return name
}

// write writes a mail. Other programs see a file only when it is complete: its temporary name does not end in .eml. The mail
// counts as handed over, so it is on the disk before.
func (s *dirSender) write(name string, data [][]byte) error {
	return durable.Write(filepath.Join(s.dir, name), func(file io.Writer) error {
		for _, part := range data {
			if _, err := file.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
}

// fileID replaces the characters of a Message-ID that are not safe in file names by "_".
func fileID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("@.-_", r):
			return r
		}
		return '_'
	}, id)
}

func (s *dirSender) close() error { return nil }
