package mail

import (
	"bufio"
	"bytes"
	"net"
	"sync"
	"testing"
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
	r := bufio.NewReader(c)
	c.Write([]byte("220 ready\r\n"))
	for text := false; ; {
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
		case bytes.HasPrefix(line, []byte("DATA")):
			text, reply = true, "354 go on\r\n"
		}
		c.Write([]byte(reply))
	}
}

// BenchmarkSend sends small messages in several goroutines over up to 8 connections.
func BenchmarkSend(b *testing.B) {
	s, err := newSender(Transport{SMTP: acceptAllServer(b)})
	if err != nil {
		b.Fatal(err)
	}
	defer s.close()
	b.SetParallelism(4)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for n := 0; pb.Next(); n++ {
			if err := s.send(b.Context(), testMessage(b, n, "ann@example.com"), nil); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}
