package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file executes the directives of transcripts. Some change the service. The others change the
// request of a section or check its reply. testdata/README.md describes all of them.

// step is one request of a transcript, with the checks of its reply.
type step struct {
	verb, path, proto string
	headers           []string
	body              []byte

	status  int
	expect  []string // "header Name: value", "no Name", "body text"
	effects bool     // check the effects even if the section has no effect line
}

// directive executes one line before the request of a section.
func (s *transcript) directive(t *testing.T, st *step, line string) {
	t.Helper()
	name, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	var err error
	switch name {
	case "", "#", "covers:":
	case "verb":
		st.verb = rest
	case "path":
		st.path = rest
	case "http":
		st.proto = "HTTP/" + rest
	case "header":
		st.headers = append(st.headers, rest)
	case "body":
		st.body, err = bodyOf(rest)
	case "status":
		st.status, err = strconv.Atoi(rest)
	case "expect":
		st.expect = append(st.expect, rest)
	case "effects":
		st.effects = true
	default:
		err = s.arrange(t, name, rest)
	}
	if err != nil {
		t.Fatalf("%s: %v", line, err)
	}
}

// arrange executes a directive that changes the service. It returns an error for an unknown
// directive.
func (s *transcript) arrange(t *testing.T, name, rest string) error {
	switch name {
	case "account":
		return s.editAccount(t, rest)
	case "key":
		return s.makeKey(t, rest)
	case "revoke":
		id, err := strconv.ParseInt(s.vars[rest+"_ID"], 10, 64)
		if err != nil {
			return err
		}
		return s.service.Accounts.RevokeKey(t.Context(), enlist.KeyID(id))
	case "clock":
		return s.moveClock(rest)
	case "fault":
		return s.breakStore(rest)
	case "drain":
		s.handler.Drain()
		return nil
	case "call":
		return s.prepare(t, rest)
	case "visit":
		return s.visit(t, rest)
	}
	return errors.New("unknown directive: testdata/README.md lists the directives")
}

// bodyOf executes "body": it reads a quoted Go string. The string can be followed by * and the
// number of times to repeat it.
func bodyOf(text string) ([]byte, error) {
	quoted, err := strconv.QuotedPrefix(text)
	if err != nil {
		return nil, err
	}
	body, err := strconv.Unquote(quoted)
	if err != nil {
		return nil, err
	}
	times := 1
	if rest := strings.TrimSpace(text[len(quoted):]); rest != "" {
		if times, err = strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(rest, "*"))); err != nil {
			return nil, err
		}
	}
	return bytes.Repeat([]byte(body), times), nil
}

// editAccount executes "account" with limit=N, limit=none or timezone=NAME.
func (s *transcript) editAccount(t *testing.T, rest string) error {
	for setting := range strings.FieldsSeq(rest) {
		name, val, _ := strings.Cut(setting, "=")
		var err error
		switch {
		case name == "timezone":
			err = s.service.Accounts.SetTimeZone(t.Context(), s.account, val)
		case setting == "limit=none":
			err = s.service.Accounts.SetContactLimit(t.Context(), s.account, enlist.NoContactLimit)
		case name == "limit":
			var n int64
			if n, err = strconv.ParseInt(val, 10, 64); err == nil {
				err = s.service.Accounts.SetContactLimit(t.Context(), s.account, n)
			}
		default:
			err = fmt.Errorf("unknown setting %q of an account", name)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// makeKey executes "key NAME level=… lists=1,2 expires=SECONDS strict=true": it creates a key as $NAME.
func (s *transcript) makeKey(t *testing.T, rest string) error {
	words := strings.Fields(rest)
	d := accounts.KeyDetails{Account: s.account, Level: enlist.Full}
	for _, setting := range words[1:] {
		name, val, _ := strings.Cut(setting, "=")
		var err error
		switch name {
		case "level":
			d.Level, err = enlist.ParseLevel(val)
		case "lists":
			for item := range strings.SplitSeq(val, ",") {
				var id int64
				if id, err = strconv.ParseInt(item, 10, 64); err == nil {
					d.Lists = append(d.Lists, enlist.ListID(id))
				}
			}
		case "strict":
			d.Strict, err = strconv.ParseBool(val)
		case "expires":
			var n int64
			n, err = strconv.ParseInt(val, 10, 64)
			d.Expiry = s.clock().Unix() + n
		default:
			err = fmt.Errorf("unknown setting %q of a key", name)
		}
		if err != nil {
			return err
		}
	}
	id := s.addKey(t, words[0], d)
	s.vars[words[0]], s.vars[words[0]+"_ID"] = s.keys[words[0]], strconv.FormatInt(int64(id), 10)
	return nil
}

// moveClock executes "clock" with +SECONDS or a time of RFC 3339.
func (s *transcript) moveClock(rest string) error {
	if seconds, ok := strings.CutPrefix(rest, "+"); ok {
		n, err := strconv.Atoi(seconds)
		s.setClock(s.clock().Add(time.Duration(n) * time.Second))
		return err
	}
	to, err := time.Parse(time.RFC3339, rest)
	s.setClock(to)
	return err
}

// breakStore executes "fault". Its first argument is the kind of transaction: view, stream or
// update. The second is none, panic, busy or the text of the error.
func (s *transcript) breakStore(rest string) error {
	of, what, _ := strings.Cut(rest, " ")
	switch what {
	case "none":
		s.store.setFault(of, nil)
	case "panic":
		s.store.setFault(of, errPanic)
	case "busy":
		s.store.setFault(of, enlist.Refuse(enlist.Busy, ""))
	default:
		s.store.setFault(of, errors.New(what))
	}
	return nil
}

// visit executes "visit FORM [ADDRESS [FIELD=VALUE…]]": a visitor opens the Form, and sends it if there is an address.
func (s *transcript) visit(t *testing.T, rest string) error {
	words := strings.Fields(rest)
	id, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return err
	}
	p, err := s.service.Forms.Show(t.Context(), enlist.FormID(id))
	if err != nil {
		return err
	}
	if err := s.service.Forms.CountView(t.Context(), p); err != nil || len(words) == 1 {
		return err
	}
	e := &forms.Entry{Values: map[enlist.FieldID][]string{p.Schema.Email().ID: words[1:2]}, Agreed: true}
	for _, in := range p.Inputs {
		for _, word := range words[2:] {
			if value, ok := strings.CutPrefix(word, in.Name+"="); ok {
				e.Values[in.ID] = []string{value}
			}
		}
	}
	faults, err := s.service.Forms.Send(t.Context(), p.ID, e)
	if err == nil && len(faults) > 0 {
		err = fmt.Errorf("the Form was not sent: %v", faults)
	}
	return err
}

// prepare executes "call METHOD [PARAMS] -> NAME": a call with the key FULL, which must succeed.
// PARAMS do not contain the key. The result becomes the variable NAME.
func (s *transcript) prepare(t *testing.T, rest string) error {
	call, name, _ := strings.Cut(rest, " -> ")
	method, params, _ := strings.Cut(call, " ")
	inner := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(params), "["))
	if !strings.HasPrefix(inner, "]") {
		inner = "," + inner
	}
	body := fmt.Sprintf(`{"id":1,"method":%q,"params":[%q%s}`, method, s.keys["FULL"], inner)
	reply := s.exchange(t, &step{verb: "POST", path: "/rpc", proto: "HTTP/1.1", body: []byte(body), status: 200})
	v, err := parse(reply)
	if err != nil {
		return err
	}
	if failed := child(v, "error"); failed == nil || failed.Kind != enlist.InputNull {
		return errors.New(reply)
	}
	if name != "" {
		s.vars[name] = child(v, "result").Text
	}
	return nil
}

// exchange sends the request of a step over a new connection and returns the body of the reply. It
// checks the status and the lines "expect".
func (h *harness) exchange(t *testing.T, st *step) string {
	t.Helper()
	conn, err := net.Dial("tcp", h.server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	go func() {
		fmt.Fprintf(conn, "%s %s %s\r\nHost: enlist.example\r\n", st.verb, st.path, st.proto)
		for _, header := range st.headers {
			fmt.Fprintf(conn, "%s\r\n", header)
		}
		if len(st.body) > 0 || st.verb == "POST" {
			fmt.Fprintf(conn, "Content-Length: %d\r\n", len(st.body))
		}
		fmt.Fprint(conn, "\r\n")
		conn.Write(st.body) // after an error, the test gets no valid reply and fails
	}()
	req, err := http.NewRequest(st.verb, "/", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(conn), req)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	if resp.StatusCode != st.status {
		t.Errorf("got status %d, want %d", resp.StatusCode, st.status)
	}
	for _, expected := range st.expect {
		if !meets(resp, body, expected) {
			t.Errorf("want %s, got the headers %v and the body\n%s", expected, resp.Header, body)
		}
	}
	return string(body)
}

// meets reports whether a reply has "header NAME: VALUE", has "no NAME" or has "body TEXT".
func meets(resp *http.Response, body []byte, expected string) bool {
	kind, rest, _ := strings.Cut(expected, " ")
	switch kind {
	case "header":
		name, val, _ := strings.Cut(rest, ":")
		return resp.Header.Get(name) == strings.TrimSpace(val)
	case "no":
		return resp.Header.Values(rest) == nil && (rest != "Transfer-Encoding" || resp.TransferEncoding == nil)
	case "body":
		return bytes.Contains(body, []byte(rest))
	}
	return false
}
