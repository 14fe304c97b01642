package rpc

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
)

// xmlCall returns the body of a call in XML with the key FULL. values is the XML of the other parameters.
func (h *harness) xmlCall(method, values string) string {
	return "<methodCall><methodName>" + method + "</methodName><params><param><value>" + h.keys["FULL"] + "</value></param>" + values + "</params></methodCall>"
}

// postXML sends a body in XML and returns the reply, whose body the caller must close.
func (h *harness) postXML(t testing.TB, body string) *http.Response {
	t.Helper()
	resp, err := h.server.Client().Post(h.server.URL+"/api/xmlrpcserver", "text/xml", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// values counts the elements <value> of a reply. It fails if the reply is not well-formed XML.
func values(r io.Reader) (n int, err error) {
	dec := xml.NewDecoder(r)
	for {
		token, err := dec.RawToken()
		if err == io.EOF {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "value" {
			n++
		}
	}
}

const searchAllXML = "<param><value>1</value></param><param><value/></param><param><value><int>0</int></value></param>"

// A reply with 150,000 values and more is streamed.
//
// covers: spec xmlrpc.reply, decision 72
func TestLongXMLReplyIsStreamed(t *testing.T) {
	h := newHarness(t, Options{})
	h.call(t, "addList", `{"name":"Customers"}`)
	const contacts = 10_000 // with 15 values each
	for from := 0; from < contacts; from += 5000 {
		var rows strings.Builder
		for i := range 5000 {
			fmt.Fprintf(&rows, `{"Email":"c%d@example.org"},`, from+i)
		}
		h.call(t, "addContacts", "1,["+strings.TrimSuffix(rows.String(), ",")+"]")
	}
	resp := h.postXML(t, h.xmlCall("searchContacts", searchAllXML))
	defer resp.Body.Close()
	n, err := values(resp.Body)
	if want := 2 + contacts*(1+15); err != nil || n < want-1 || n > want+contacts {
		t.Errorf("got %d values and the error %v, want about %d", n, err, want)
	}
	if resp.ContentLength >= 0 {
		t.Errorf("the reply has a Content-Length of %d, want a streamed reply", resp.ContentLength)
	}
}

// If a search fails after a part of its reply was sent, the client gets incomplete XML.
//
// covers: decision 72
func TestFailedXMLStreamIsNotWellFormed(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{MaxHeld: 1})
	h.fill(t, 60)
	for _, after := range []int{5, 40} {
		h.store.failSearchAfter(after)
		resp := h.postXML(t, h.xmlCall("searchContacts", searchAllXML))
		reply, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		switch {
		case after == 5 && !strings.Contains(string(reply), "<int>100</int>"):
			t.Errorf("a search that fails after 5 Contacts: got %s and the error %v, want code 100", reply, err)
		case after == 40 && (!errors.Is(err, io.ErrUnexpectedEOF) || len(reply) < firstBytes):
			t.Errorf("got %d bytes and the error %v, want at least %d bytes and an unexpected end", len(reply), err, firstBytes)
		}
	}
}

// A large call in XML stores the same values as in JSON, whatever the size of its body.
//
// covers: spec xmlrpc.request
func TestLargeXMLCallIsRead(t *testing.T) {
	t.Parallel()
	h := newHarness(t, Options{})
	h.call(t, "addList", `{"name":"Customers"}`)
	for _, rows := range []int{1, 20, 5000} {
		var all strings.Builder
		for i := range rows {
			fmt.Fprintf(&all, "<value><struct><member><name>Email</name><value>r%d.%d@example.org</value></member></struct></value>", rows, i)
		}
		resp := h.postXML(t, h.xmlCall("addContacts", "<param><value><i4>1</i4></value></param><param><value><array><data>"+all.String()+"</data></array></value></param>"))
		n, err := values(resp.Body)
		resp.Body.Close()
		if err != nil || n != rows+1 {
			t.Errorf("addContacts with %d rows: got %d values and the error %v, want %d", rows, n, err, rows+1)
		}
	}
}

func BenchmarkXMLKeyOnly(b *testing.B) {
	h := newHarness(b, Options{})
	body := h.xmlCall("getSessionInfo", "")
	benchmarkCallTo(b, h, "/api/xmlrpcserver", body)
}
