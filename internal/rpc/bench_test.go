package rpc

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"enlist/internal/enlist"
)

// These benchmarks measure the cost of this package for a call, with little work for package
// the rules and the database.

// discard is a ResponseWriter that ignores the reply.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(b []byte) (int, error) { return len(b), nil }
func (d *discard) WriteHeader(int)             {}

func (d *discard) SetReadDeadline(time.Time) error { return nil }
func (d *discard) FlushError() error               { return nil }

// BenchmarkRefused measures a call of subscribeContact with 10 values. This package reads all
// parameters. Package contacts then refuses the call, because the List does not exist.
func BenchmarkRefused(b *testing.B) {
	h := newHarness(b, Options{})
	body := h.request("subscribeContact", `77,{"Email":"somebody@example.com","First Name":"Some","Last Name":"Body","City":"Sydney","Field 4":"a value of some length",`+
		`"Field 5":"a value of some length","Field 6":"a value of some length","Field 7":"a value of some length","Field 8":"a value of some length","Field 9":"a value of some length"}`)
	benchmarkCall(b, h, body)
}

// BenchmarkKeyOnly measures the smallest cost of a call: the server only looks up the key.
func BenchmarkKeyOnly(b *testing.B) {
	h := newHarness(b, Options{})
	benchmarkCall(b, h, h.request("getSessionInfo", ""))
}

// BenchmarkPage measures how long it takes to encode 100 Contacts with 10 Fields each.
func BenchmarkPage(b *testing.B) {
	var columns []enlist.Column
	contact := enlist.Contact{ID: 1234567, Created: 1767225600, IsActive: true, SubscribedVia: "api"}
	columns = append(columns, enlist.Column{Name: "id", System: &enlist.ContactAttributes[0]})
	for i := range 10 {
		f := &enlist.Field{ID: enlist.FieldID(i + 1), Name: fmt.Sprintf("Field %d", i), Type: enlist.Text}
		columns = append(columns, enlist.Column{Name: f.Name, Field: f})
		contact.Values = contact.Values.Set(f.ID, "a value of some length")
	}
	for i := range enlist.ContactAttributes[1:] {
		a := &enlist.ContactAttributes[i+1]
		columns = append(columns, enlist.Column{Name: a.Name, System: a})
	}
	r := &reply{options: &Options{MaxHeld: 4 << 20}}
	e := &envelope{id: null}
	var memory arena
	b.ReportAllocs()
	for b.Loop() {
		r.buf = r.buf[:0]
		r.open(e)
		w := newContactWriter(r, &memory.columns)
		if err := w.Begin(columns, false); err != nil {
			b.Fatal(err)
		}
		for range 100 {
			if err := w.Contact(&contact); err != nil {
				b.Fatal(err)
			}
		}
		r.end("]", nil)
	}
	b.SetBytes(int64(len(r.buf)))
}

func benchmarkCall(b *testing.B, h *harness, body string) { benchmarkCallTo(b, h, "/rpc", body) }

func benchmarkCallTo(b *testing.B, h *harness, path, body string) {
	reader := bytes.NewReader(nil)
	request := httptest.NewRequest("POST", path, nil).WithContext(context.Background())
	request.ContentLength = int64(len(body))
	request.Body = http.NoBody
	w := &discard{header: make(http.Header)}
	b.ReportAllocs()
	for b.Loop() {
		reader.Reset([]byte(body))
		request.Body = readCloser{reader}
		h.handler.ServeHTTP(w, request)
	}
}

type readCloser struct{ *bytes.Reader }

func (readCloser) Close() error { return nil }
