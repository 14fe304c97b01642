package mail

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/messages"
)

// The benchmark in this file measures smtpSender with a mail server that does almost no work.

// acceptAllServer starts a mail server that accepts every message, and returns its URL. The
// server does little work, so that the benchmark measures only the sender.
func acceptAllServer(b *testing.B) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { takeAll(c) })
		}
	})
	b.Cleanup(func() { l.Close(); wg.Wait() })
	return "smtp://" + l.Addr().String()
}

func takeAll(c net.Conn) {
	defer c.Close()
	r, w := bufio.NewReader(c), bufio.NewWriter(c)
	w.WriteString("220 ready\r\n")
	for text := false; ; {
		if r.Buffered() == 0 && w.Flush() != nil {
			return
		}
		line, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		reply := "250 ok\r\n"
		switch {
		case text && !bytes.Equal(line, []byte(".\r\n")):
			continue
		case text:
			text = false
		case bytes.HasPrefix(line, []byte("EHLO")):
			reply = "250-ready\r\n250 PIPELINING\r\n"
		case bytes.HasPrefix(line, []byte("DATA")):
			text, reply = true, "354 go on\r\n"
		}
		w.WriteString(reply)
	}
}

// BenchmarkMailer composes and sends mails of 2 KB with a text part, an HTML part and three merged values, over 16
// connections. The processor time includes the mail server, which runs in the same process.
func BenchmarkMailer(b *testing.B) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		settings func() *accounts.Settings
		domains  Domains
	}{
		{"unsigned", nil, nil},
		{"RSA2048", signingWith(private).settings, nil},
		{"SendingDomainRSA2048", nil, sendingDomain(b, "example.org")},
	} {
		b.Run(c.name, func(b *testing.B) {
			m, err := New(Options{From: "lists@example.org", PublicURL: "https://mail.example.org", Settings: c.settings,
				Transport: Transport{SMTP: acceptAllServer(b), Connections: 16, Domains: c.domains}})
			if err != nil {
				b.Fatal(err)
			}
			defer m.Close()
			const sentence = "The gardens are open from nine to five, and the café serves lunch until two. "
			l := testMail(&messages.Message{EmailType: messages.EmailHTML, Subject: "News for {{First Name}}",
				Text: "Dear {{First Name}},\n\n" + strings.Repeat(sentence, 7) + "\n{{Website}} {{Comment}}\n",
				HTML: "<p>Dear {{First Name}},</p><p>" + strings.Repeat(sentence, 12) + "</p><p>{{Website}} {{Comment}}</p>"})
			l.Schema.List.AccountID = 1
			before := processorTime(b)
			b.SetParallelism(16)
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if _, err := m.Send(b.Context(), l); err != nil {
						b.Error(err)
					}
				}
			})
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "mails/s")
			b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/mail")
		})
	}
}

// sendingDomain returns the keys of a database in which Account 1 has a sending domain, with a key of RSA-2048.
func sendingDomain(b *testing.B, domain string) Domains {
	store, err := dbtest.Open(b.Context(), dbtest.SQLite.New(b), 0)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	service := app.New(store, time.Now)
	if _, err := service.Bootstrap(b.Context(), ""); err != nil {
		b.Fatal(err)
	}
	if _, err := service.Accounts.AddSendingDomain(b.Context(), accounts.NewSendingDomain{Account: 1, Domain: domain}); err != nil {
		b.Fatal(err)
	}
	// The process learns of the key as a transaction reads the Account, as before each mail.
	if err := store.View(b.Context(), func(tx *db.Tx) error { _, err := accounts.ByID(tx, 1); return err }); err != nil {
		b.Fatal(err)
	}
	if key, err := service.Accounts.SigningKey(b.Context(), 1, domain); err != nil || key == nil {
		b.Fatalf("the key is %v, error %v", key, err)
	}
	return service.Accounts
}

// processorTime returns the processor time that this process has used.
func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
