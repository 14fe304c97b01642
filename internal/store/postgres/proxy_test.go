package postgres

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

// proxy passes connections on to a server's socket.
type proxy struct {
	dir          string
	to           string
	cutAfterNext atomic.Bool // what the client says next is passed on, and the line cut
	wg           sync.WaitGroup
}

const socketName = "/.s.PGSQL.5432"

func newProxy(t *testing.T, url string) *proxy {
	config, err := parse(url)
	if err != nil {
		t.Fatal(err)
	}
	if config.ConnConfig.Host[0] != '/' {
		t.Skip("the server is not on a socket of this machine")
	}
	dir, err := os.MkdirTemp("", "proxy-") // a socket's path is short
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{dir: dir, to: config.ConnConfig.Host + socketName}
	listener, err := net.Listen("unix", filepath.Join(dir, socketName))
	if err != nil {
		t.Fatal(err)
	}
	p.wg.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			p.wg.Go(func() { p.pass(client) })
		}
	})
	t.Cleanup(func() {
		listener.Close()
		p.wg.Wait()
		os.RemoveAll(dir)
	})
	return p
}

func (p *proxy) url(of string) string {
	config, _ := parse(of)
	return fmt.Sprintf("postgres:///%s?user=postgres&host=%s", config.ConnConfig.Database, p.dir)
}

func (p *proxy) pass(client net.Conn) {
	defer client.Close()
	server, err := net.Dial("unix", p.to)
	if err != nil {
		return
	}
	defer server.Close()
	p.wg.Go(func() {
		defer client.Close()
		copyUntil(client, server, func() bool { return false })
	})
	copyUntil(server, client, func() bool { return p.cutAfterNext.CompareAndSwap(true, false) })
}

// copyUntil passes on until the line breaks or, before it reads on, it is to end.
func copyUntil(to, from net.Conn, ends func() bool) {
	b := make([]byte, 64<<10)
	for {
		n, err := from.Read(b)
		if err != nil {
			return
		}
		cut := ends()
		if cut {
			from.Close() // before the answer can come
		}
		if _, err := to.Write(b[:n]); err != nil || cut {
			return
		}
	}
}
