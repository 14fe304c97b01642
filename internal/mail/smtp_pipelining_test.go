package mail

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"

	"enlist/internal/messages"
)

// The tests in this file check how smtpSender groups commands, with a mail server that sees each command.

// commandServer is a mail server with fixed replies.
type commandServer struct {
	extensions string            // lines of the reply to EHLO
	replies    map[string]string // reply to a command, by its first word; "" closes the connection

	mu       sync.Mutex
	texts    [][]byte
	together bool // the client sent a command before it had the reply to the previous one
	opened   int  // number of connections
}

// start starts the server and returns a sender with one connection to it.
func (s *commandServer) start(t *testing.T) *smtpSender {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { s.serve(c) })
		}
	})
	sender, _, err := newSender(Transport{SMTP: "smtp://" + l.Addr().String(), Connections: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sender.close(); l.Close(); wg.Wait() })
	return sender.(*smtpSender)
}

func (s *commandServer) serve(c net.Conn) {
	defer c.Close()
	s.mu.Lock()
	s.opened++
	s.mu.Unlock()
	r := bufio.NewReader(c)
	fmt.Fprint(c, "220 ready\r\n")
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return
		}
		word := strings.ToUpper(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\r' })[0])
		reply, scripted := s.replies[word]
		switch {
		case scripted:
		case word == "EHLO":
			reply = "250-server\r\n" + s.extensions + "250 8BITMIME"
		case word == "DATA":
			reply = "354 go on"
		default:
			reply = "250 ok"
		}
		s.mu.Lock()
		s.together = s.together || r.Buffered() > 0
		s.mu.Unlock()
		if reply == "" {
			return
		}
		fmt.Fprint(c, reply+"\r\n")
		if strings.HasPrefix(reply, "354") && !s.receive(c, r) {
			return
		}
	}
}

// receive reads a text and accepts it, if it is not empty.
func (s *commandServer) receive(c net.Conn, r *bufio.Reader) bool {
	var text []byte
	for {
		line, err := r.ReadBytes('\n')
		if err != nil {
			return false
		}
		if string(line) == ".\r\n" {
			break
		}
		text = append(text, bytes.TrimPrefix(line, []byte("."))...)
	}
	if len(text) == 0 {
		fmt.Fprint(c, "554 no valid recipients\r\n")
		return true
	}
	s.mu.Lock()
	s.texts = append(s.texts, text)
	s.mu.Unlock()
	fmt.Fprint(c, "250 accepted\r\n")
	return true
}

// If the server offers PIPELINING, the sender sends MAIL, RCPT and DATA together. Otherwise it waits for
// each reply. In both cases the server receives the same text.
func TestCommandsAreSentTogetherIfTheServerOffersIt(t *testing.T) {
	for _, test := range []struct {
		name, extensions string
		want             bool
	}{{"offered", "250-PIPELINING\r\n", true}, {"not offered", "", false}} {
		t.Run(test.name, func(t *testing.T) {
			server := &commandServer{extensions: test.extensions}
			sender := server.start(t)
			for n := range 3 {
				m := testMessage(t, n, "ann@example.com")
				m.text = ".\n..\n.a dot begins each line\n"
				if err := sender.send(t.Context(), m, nil); err != nil {
					t.Fatal(err)
				}
			}
			server.mu.Lock()
			defer server.mu.Unlock()
			if server.together != test.want || server.opened != 1 || len(server.texts) != 3 {
				t.Errorf("commands together: %v, connections: %d, messages: %d; want %v, 1 and 3",
					server.together, server.opened, len(server.texts), test.want)
			}
			if text := server.texts[0]; !bytes.HasSuffix(text, []byte("\r\n\r\n.\r\n..\r\n.a dot begins each line\r\n")) {
				t.Errorf("the server received %q, want the same text", text)
			}
		})
	}
}

// If the server refuses a command, the reply to this command is the result, whatever the server replies to
// the commands that were sent together with it. The connection stays usable, unless the server closes it.
//
// covers: decision 50
func TestRefusalAmongCommandsSentTogether(t *testing.T) {
	for _, test := range []struct {
		name    string
		replies map[string]string
		code    int
		bounce  bool
		opened  int // connections after a second message
	}{
		{"the sender is refused", map[string]string{"MAIL": "550 5.1.8 no", "RCPT": "503 no", "DATA": "503 no"}, 550, false, 1},
		{"the recipient is refused", map[string]string{"RCPT": "550 5.1.1 no", "DATA": "554 no"}, 550, true, 1},
		{"DATA is accepted without a recipient", map[string]string{"RCPT": "550 5.1.1 no"}, 550, true, 1},
		{"DATA is refused", map[string]string{"DATA": "451 4.3.0 later"}, 451, false, 1},
		{"closed after the recipient was refused", map[string]string{"RCPT": "550 5.1.1 no", "DATA": ""}, 550, true, 2},
		{"closing at the recipient", map[string]string{"RCPT": "421 4.3.2 closing", "DATA": ""}, 421, false, 2},
		{"closing at DATA after the recipient was refused",
			map[string]string{"RCPT": "550 5.1.1 no", "DATA": "421 4.3.2 closing", "RSET": ""}, 550, true, 2},
		{"closed at the sender", map[string]string{"MAIL": ""}, 0, false, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := &commandServer{extensions: "250-PIPELINING\r\n", replies: test.replies}
			sender := server.start(t)
			err := sender.send(t.Context(), testMessage(t, 1, "ann@example.com"), nil)
			u, ok := errors.AsType[*messages.Undelivered](err)
			if !ok || u.Code != test.code || u.Recipient != test.bounce {
				t.Fatalf("got %#v, want the code %d, a bounce: %v", err, test.code, test.bounce)
			}
			(&smtpFixture{sender: sender}).endPause()
			sender.send(t.Context(), testMessage(t, 2, "ann@example.com"), nil)
			server.mu.Lock()
			defer server.mu.Unlock()
			if server.opened != test.opened || len(server.texts) != 0 {
				t.Errorf("connections: %d, messages: %d; want %d and 0", server.opened, len(server.texts), test.opened)
			}
		})
	}
}
