// Package dnstest is a DNS server for tests, on a free port of this machine.
package dnstest

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// Zone has the records of a server.
type Zone struct {
	Addr string // HOST:PORT

	mu      sync.Mutex
	records map[string][]dnsmessage.ResourceBody // by name and type, such as "example.org. TXT"
	names   map[string]bool
}

// Start starts a server without records. It ends with the test.
func Start(t testing.TB) *Zone {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	z := &Zone{Addr: conn.LocalAddr().String(), records: make(map[string][]dnsmessage.ResourceBody),
		names: make(map[string]bool)}
	var served sync.WaitGroup
	served.Go(func() { z.serve(conn) })
	t.Cleanup(func() {
		conn.Close()
		served.Wait()
	})
	return z
}

// Add adds records, each as a line of a zone file: NAME. TYPE VALUE.
func (z *Zone) Add(t testing.TB, lines ...string) {
	t.Helper()
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, " ")
		kind, value, _ := strings.Cut(rest, " ")
		body, err := parse(kind, value)
		if err != nil || !strings.HasSuffix(name, ".") {
			t.Fatalf("%s: %v", line, err)
		}
		z.records[name+" "+kind] = append(z.records[name+" "+kind], body)
		z.names[name] = true
	}
}

// Remove removes the records of a name and type.
func (z *Zone) Remove(name, kind string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	delete(z.records, name+" "+kind)
}

var quoted = regexp.MustCompile(`"([^"]*)"`)

func parse(kind, value string) (dnsmessage.ResourceBody, error) {
	switch kind {
	case "TXT":
		var parts []string
		for _, found := range quoted.FindAllStringSubmatch(value, -1) {
			if len(found[1]) > 255 {
				return nil, fmt.Errorf("a string has more than 255 bytes")
			}
			parts = append(parts, found[1])
		}
		return &dnsmessage.TXTResource{TXT: parts}, nil
	case "MX":
		preference, host, _ := strings.Cut(value, " ")
		n, err := strconv.ParseUint(preference, 10, 16)
		if err != nil {
			return nil, err
		}
		name, err := dnsmessage.NewName(host)
		return &dnsmessage.MXResource{Pref: uint16(n), MX: name}, err
	case "PTR":
		name, err := dnsmessage.NewName(value)
		return &dnsmessage.PTRResource{PTR: name}, err
	case "A":
		ip, err := netip.ParseAddr(value)
		if err != nil {
			return nil, err
		}
		return &dnsmessage.AResource{A: ip.As4()}, nil
	}
	return nil, fmt.Errorf("records of the type %s are not supported", kind)
}

// serve answers queries until the connection is closed.
func (z *Zone) serve(conn net.PacketConn) {
	query := make([]byte, 4096)
	for {
		n, from, err := conn.ReadFrom(query)
		if err != nil {
			return
		}
		if reply, err := z.answer(query[:n]); err == nil {
			conn.WriteTo(reply, from)
		}
	}
}

func (z *Zone) answer(query []byte) ([]byte, error) {
	var m dnsmessage.Message
	if err := m.Unpack(query); err != nil || len(m.Questions) != 1 {
		return nil, fmt.Errorf("not a query: %w", err)
	}
	q := m.Questions[0]
	z.mu.Lock()
	defer z.mu.Unlock()
	name := strings.ToLower(q.Name.String())
	reply := dnsmessage.Message{Questions: m.Questions,
		Header: dnsmessage.Header{ID: m.ID, Response: true, Authoritative: true, RecursionDesired: true,
			RecursionAvailable: true}}
	if !z.names[name] {
		reply.RCode = dnsmessage.RCodeNameError
	}
	for _, body := range z.records[name+" "+strings.TrimPrefix(q.Type.String(), "Type")] {
		reply.Answers = append(reply.Answers, dnsmessage.Resource{Body: body,
			Header: dnsmessage.ResourceHeader{Name: q.Name, Type: q.Type, Class: q.Class, TTL: 60}})
	}
	return reply.Pack()
}
