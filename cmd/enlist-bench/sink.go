package main

import (
	"bufio"
	"bytes"
	"net"
	"sync"
	"sync/atomic"
)

// This file is the mail server that receives the mails.

// sink is a mail server that accepts every message and stores only the first one. It shares the
// machine with the measured server, so it does as little work as possible.
type sink struct {
	listener net.Listener
	taken    atomic.Int64 // number of accepted messages
	first    atomic.Pointer[[]byte]
	gate     sync.RWMutex // locked for writing while the sink is paused
	conns    sync.WaitGroup
}

// newSink returns a sink that listens on a free port. The sink is paused until resume is called.
func newSink() (*sink, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{listener: l}
	s.pause()
	s.conns.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.conns.Go(func() { s.serve(conn) })
		}
	})
	return s, nil
}

// url returns the value for --smtp.
func (s *sink) url() string { return "smtp://" + s.listener.Addr().String() }

// pause makes every connection wait for an answer until resume is called.
func (s *sink) pause() { s.gate.Lock() }

// resume ends a pause.
func (s *sink) resume() { s.gate.Unlock() }

// flush sends the collected replies. It holds a read lock of the gate, so it waits while the sink is paused.
func (s *sink) flush(answers *bufio.Writer) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	return answers.Flush()
}

// close stops listening. Open connections end when the measured server closes them.
func (s *sink) close() { s.listener.Close() }

// replies are the replies to commands whose reply is not "250 ok".
var replies = []struct{ verb, reply []byte }{
	{[]byte("EHLO"), []byte("250-sink\r\n250-PIPELINING\r\n250-8BITMIME\r\n250 SMTPUTF8\r\n")},
	{[]byte("DATA"), []byte("354 go on\r\n")},
	{[]byte("QUIT"), []byte("221 bye\r\n")},
}

// serve answers the commands of one connection. It reads a message line by line and drops it. It sends the replies to
// several commands together if the client sent the commands together (PIPELINING).
func (s *sink) serve(conn net.Conn) {
	defer conn.Close()
	lines, answers := bufio.NewReaderSize(conn, 32<<10), bufio.NewWriter(conn)
	answers.WriteString("220 sink\r\n")
	var text []byte
	for data := false; ; {
		if lines.Buffered() == 0 && s.flush(answers) != nil {
			return
		}
		line, err := lines.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return
		}
		if data {
			data = !bytes.Equal(line, []byte(".\r\n"))
			if data {
				if s.first.Load() == nil {
					text = append(text, line...)
				}
				continue
			}
			s.taken.Add(1)
			if text != nil {
				message := text
				s.first.CompareAndSwap(nil, &message)
				text = nil
			}
		}
		reply := []byte("250 ok\r\n")
		for _, r := range replies {
			if bytes.HasPrefix(line, r.verb) {
				reply = r.reply
			}
		}
		data = bytes.HasPrefix(line, []byte("DATA"))
		answers.Write(reply)
	}
}
