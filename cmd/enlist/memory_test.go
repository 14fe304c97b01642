package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"

	"enlist/api"
	"enlist/internal/db/dbtest"
)

// This test sends requests that need much memory to the program, all at the same time.

// Callers without a key, and with a key of the level read, cannot make the service use more memory than --memory. Large
// calls of another Account succeed meanwhile.
//
// covers: decision 43
func TestMemoryStaysBoundedWhateverCallersSend(t *testing.T) {
	if testing.Short() {
		t.Skip("this test sends 600 MB: run it with \"make faults\"")
	}
	t.Parallel()
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this test reads the peak memory of a process from /proc")
	}
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	p := c.process()
	defer p.end(os.Kill)
	a := attack{t: t, url: p.url, key: c.readKey()}
	a.silent()
	xml := a
	xml.url = strings.Replace(a.url, "jsonrpc", "xmlrpc", 1)
	var wg sync.WaitGroup
	for _, body := range a.bodies() {
		wg.Go(func() { a.send(body) })
	}
	for _, body := range a.xmlBodies() {
		wg.Go(func() { xml.send(body) })
	}
	const large = 2
	for n := range large {
		wg.Go(func() {
			added, err := p.client.AddContacts(t.Context(), 1, wideRows(n), api.AddOptions{})
			if err != nil || len(added) != 5000 {
				t.Errorf("a large addContacts during the attack: %d Contacts, error %v", len(added), err)
			}
		})
	}
	wg.Wait()
	if peak := peakMemory(t, p.cmd.Process.Pid); peak > 512 {
		t.Errorf("the peak memory of the process was %d MiB, want at most 512", peak)
	} else {
		t.Logf("the peak memory of the process was %d MiB", peak)
	}
}

// readKey returns a key of the level read. It belongs to a new Account.
func (c *crash) readKey() string {
	c.t.Helper()
	var out []byte
	for _, args := range [][]string{{"account", "add", "--name", "Attacker"}, {"key", "create", "--account", "2", "--name", "reader", "--level", "read"}} {
		var err error
		out, err = exec.Command("enlist", append(args, "--db", c.db)...).Output()
		if err != nil {
			c.t.Fatal(err)
		}
	}
	return strings.TrimSpace(string(out))
}

// peakMemory returns the largest resident memory that a process has had, in MiB.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(status), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(text)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kib / 1024
}

// wideRows returns 5,000 Contacts with 50 values each. Most values match no Field and are ignored, but
// the server has to read them.
func wideRows(n int) []api.Details {
	rows := make([]api.Details, 5000)
	for i := range rows {
		rows[i] = api.Details{"Email": fmt.Sprintf("large%d.%d@example.com", n, i)}
		for field := range 49 {
			rows[i]["Field "+strconv.Itoa(field)] = "a value of some length"
		}
	}
	return rows
}

// attack sends requests with a key of the level read, or without a key.
type attack struct {
	t        *testing.T
	url, key string
}

// request returns a call with the key. params are the parameters after the key.
func (a *attack) request(method, params string) string {
	return `{"id":1,"method":"` + method + `","params":["` + a.key + `",` + params + `]}`
}

// bodies returns the bodies of the requests, most of them several times.
func (a *attack) bodies() (bodies []string) {
	add := func(times int, body string) {
		for range times {
			bodies = append(bodies, body)
		}
	}
	zeros := func(n int) string { return "[" + strings.Repeat("0,", n-1) + "0]" }
	var members strings.Builder
	for i := range 2_200_000 {
		fmt.Fprintf(&members, `"m%d":0,`, i)
	}
	object := "{" + members.String() + `"x":0}`
	many := "{" + members.String()[:12_000_000] // cut inside of a member
	many = many[:strings.LastIndex(many, ",")] + "}"
	ignored := a.request("countLists", `[],`+zeros(990_000))
	add(2, "["+strings.Repeat(ignored+",", 15)+ignored+"]")
	read := a.request("countLists", zeros(990_000))
	add(1, "["+strings.Repeat(read+",", 15)+read+"]")
	add(24, a.request("countLists", zeros(520_000)))
	add(4, object)
	add(2, a.request("countLists", many))
	add(4, `{"id":"`+strings.Repeat("1", 30<<20)+`","method":"x"}`)
	add(4, `{"id":1,"method":"x","params":["`+strings.Repeat("\\n", 15<<20)+`"]}`)
	add(2, a.request("countLists", `[["name","exactly","`+strings.Repeat("\\n", 12<<20)+`"]]`))
	add(2, a.request(strings.Repeat("\\u0000", 4<<20), "1"))
	add(60, a.request("countLists", `[["name","in","`+strings.Repeat("a,", 199_000)+`"]]`))
	timezones := a.request("getTimezoneList", "0")
	add(60, "["+strings.Repeat(timezones+",", 99)+timezones+"]")
	return bodies
}

// xmlBodies returns the bodies of requests in XML.
func (a *attack) xmlBodies() (bodies []string) {
	call := "<methodCall><methodName>countLists</methodName><params><param><value>"
	for range 4 {
		bodies = append(bodies,
			call+strings.Repeat("\x01", 30<<20), // each byte becomes six
			call+a.key+"</value></param><param><value>"+strings.Repeat("x", 30<<20),
			call+strings.Repeat("<array><data><value>", 1<<20),
			"<methodCall "+strings.Repeat("a='b' ", 5<<20),
			call+a.key+"</value></param><param><value><array><data>"+strings.Repeat("<value/>", 900_000)+"</data></array></value></param></params></methodCall>")
	}
	return bodies
}

// send sends a body. The reply does not matter, and send reads it slowly.
func (a *attack) send(body string) {
	resp, err := http.Post(a.url, "application/json", strings.NewReader(body))
	if err != nil {
		return // the server may close the connection before it has read the body
	}
	defer resp.Body.Close()
	reply, err := io.ReadAll(resp.Body)
	if err == nil && bytes.Contains(reply, []byte(`"code":100`)) {
		a.t.Errorf("%.100s: %.200s", body, reply)
	}
}

// silent opens connections without a key that send only a part of a large body.
func (a *attack) silent() {
	endpoint, err := url.Parse(a.url)
	if err != nil {
		a.t.Fatal(err)
	}
	for i := range 40 {
		conn, err := net.Dial("tcp", endpoint.Host)
		if err != nil {
			a.t.Fatal(err)
		}
		a.t.Cleanup(func() { conn.Close() })
		fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: enlist\r\nContent-Length: %d\r\n\r\n{", 32<<20)
		if i < 20 {
			go io.WriteString(conn, strings.Repeat(" ", 20<<20)) // the server stops reading when it has no memory
		}
	}
}
