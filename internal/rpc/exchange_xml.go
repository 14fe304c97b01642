package rpc

import (
	"io"
	"math"
	"mime"
	"net/http"
	"strconv"

	"enlist/api"
	"enlist/internal/rpc/xmlrpc"
)

// This file connects package xmlrpc with the code for JSON. A call in XML is translated to JSON while its
// body is read, and the result in JSON is translated to XML while the reply is sent. Everything between
// is the same for both formats. decisions.md: 72

// refuseXML returns the refusal for a body that is not a call of XML-RPC.
func refuseXML(e *xmlrpc.Error) *refusal {
	if e.Invalid {
		return refuse(api.CodeInvalidParameters, "%s", e.Detail)
	}
	return refuse(api.CodeUnreadable, "the body is not a call of XML-RPC: %s", e.Detail)
}

// xmlBody returns a reader that translates the body to JSON, up to the largest size of a body.
func (x *exchange) xmlBody(body io.Reader) io.ReadCloser {
	_, params, _ := mime.ParseMediaType(x.request.Header.Get("Content-Type")) // an invalid header names no charset
	translated := xmlrpc.NewReader(body, params["charset"], maxDepth)
	return http.MaxBytesReader(x.reply.w, io.NopCloser(translated), x.handler.options.MaxBody)
}

// expectedXML returns an upper bound for the size of the translated body. It is negative if the client did
// not send the size of the body.
func (x *exchange) expectedXML() int64 {
	return min(x.request.ContentLength*xmlrpc.Expansion, x.handler.options.MaxBody)
}

// xmlReply translates the result or the error of a call to XML.
type xmlReply struct {
	encoder xmlrpc.Encoder
	fault   bool   // the reply is an error
	begun   bool   // the start of the document was translated
	out     []byte // the part that was translated last
}

// shortXML is the number of bytes of JSON whose XML is sent at once, which may be 20 times as long.
const shortXML = 4 << 10

// xmlType is the header value of all replies in XML.
var xmlType = []string{"text/xml; charset=utf-8"}

// The XML around the value of a result and of an error.
const (
	beforeResult = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<methodResponse><params><param>`
	afterResult  = "</param></params></methodResponse>\n"
	beforeFault  = `<?xml version="1.0" encoding="UTF-8"?>` + "\n" + `<methodResponse><fault>`
	afterFault   = "</fault></methodResponse>\n"
)

// translate translates a part of the JSON, until the XML has limit bytes or more. The result is valid until the next call.
func (x *xmlReply) translate(part []byte, limit int) (xml, rest []byte) {
	x.out, rest = x.encoder.Append(x.begin(x.out[:0]), part, limit)
	return x.out, rest
}

// begin appends the start of the document, unless an earlier part has it.
func (x *xmlReply) begin(b []byte) []byte {
	switch {
	case x.begun:
		return b
	case x.fault:
		b = append(b, beforeFault...)
	default:
		b = append(b, beforeResult...)
	}
	x.begun = true
	return b
}

// end returns the end of the document.
func (x *xmlReply) end() []byte {
	if x.fault {
		return []byte(afterFault)
	}
	return []byte(afterResult)
}

// appendFault appends an error as the JSON of a fault.
func appendFault(b []byte, w wireError) []byte {
	b = strconv.AppendInt(append(b, `{"faultCode":`...), int64(w.code), 10)
	b = appendString(append(b, `,"faultString":`...), w.message)
	return append(b, '}')
}

// contentType returns the media type of the reply as a header value.
func (r *reply) contentType() []string {
	if r.xml != nil {
		return xmlType
	}
	return jsonType
}

// finishXML sends the rest of a reply in XML. A short reply has a Content-Length.
func (r *reply) finishXML() error {
	short := !r.sent && len(r.buf) <= shortXML
	if short {
		xml, _ := r.xml.translate(r.buf, math.MaxInt)
		body := append(xml, r.xml.end()...)
		r.w.Header()["Content-Type"] = xmlType
		r.w.Header()["Content-Length"] = []string{strconv.Itoa(len(body))}
		return r.sendPart(body)
	}
	if err := r.flush(); err != nil {
		return err
	}
	return r.sendPart(r.xml.end())
}
