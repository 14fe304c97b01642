package rpc

import (
	"strconv"

	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/pace"
	"enlist/internal/recipients"
	"enlist/internal/reports"
	"enlist/internal/sending"
)

// This file encodes the numbers of a Batch, and its recipients.

// appendBatchStatistics appends the published numbers of a Batch as one object. agents is true for a caller of version
// 3.3: the object then has the numbers by device and mail program.
func appendBatchStatistics(b []byte, r *reports.BatchReport, agents bool) []byte {
	w := memberWriter{b: append(b, '{')}
	addMembers(&w, reports.BatchReportAttributes, r)
	if agents {
		w.agents(r)
	}
	return append(w.b, '}')
}

// appendBatchReport appends the numbers of a Batch that the published interface does not have.
func appendBatchReport(b []byte, r *reports.BatchReport) []byte {
	w := memberWriter{b: append(b, '{')}
	addMembers(&w, reports.OwnReportAttributes, r)
	addObject(&w, "left_out", reports.LeftOutAttributes, &r.Counts)
	addArray(&w, "periods", reports.PeriodAttributes, r.Periods)
	addArray(&w, "domains", recipients.DomainAttributes, r.ByDomain())
	addArray(&w, "bounce_reasons", recipients.ReasonAttributes, r.ByReason())
	addArray(&w, "editions", recipients.EditionAttributes, r.Editions)
	addArray(&w, "variants", sending.VariantAttributes, r.ByVariant)
	return append(w.b, '}')
}

// appendBatchCheck appends the result of a check as one object.
func appendBatchCheck(b []byte, k *batches.BatchCheck) []byte {
	w := memberWriter{b: append(b, '{')}
	addMembers(&w, batches.CheckAttributes, k)
	addObject(&w, "left_out", reports.LeftOutAttributes, &k.Counts)
	addArray(&w, "findings", batches.FindingAttributes, k.Findings)
	return append(w.b, '}')
}

// agents appends the members device_statistics and mail_clients.
func (w *memberWriter) agents(r *reports.BatchReport) {
	devices, all := r.Devices(), r.Opened()
	w.name("device_statistics")
	inner := memberWriter{b: append(w.b, '{')}
	for _, device := range []pace.Device{pace.Desktop, pace.Mobile, pace.UnknownDevice} {
		inner.name(string(device))
		inner.b = strconv.AppendInt(append(inner.b, `{"total_count":`...), devices[device], 10)
		inner.b = appendPercent(append(inner.b, `,"percentage":`...), devices[device], all)
		inner.b = append(inner.b, '}')
	}
	w.b = append(inner.b, '}')
	w.name("mail_clients")
	inner = memberWriter{b: append(w.b, '{')}
	for _, c := range r.Clients() {
		inner.name(c.Key)
		inner.b = appendString(append(inner.b, `{"title":`...), c.Title)
		inner.b = strconv.AppendInt(append(inner.b, `,"total":`...), c.Opened, 10)
		inner.b = appendPercent(append(inner.b, `,"percent":`...), c.Opened, all)
		inner.b = append(inner.b, '}')
	}
	w.b = append(inner.b, '}')
}

// appendPercent appends which part of all n is, in percent with at most two decimals. It appends 0 if all is 0.
func appendPercent(b []byte, n, all int64) []byte {
	if all <= 0 {
		return append(b, '0')
	}
	hundredths := (n*10_000 + all/2) / all
	return strconv.AppendFloat(b, float64(hundredths)/100, 'f', -1, 64)
}

// batchRowWriter encodes rows as an object with an array for each List, each row when the search finds it. It
// implements enlist.RowWriter, and buffers and streams like contactWriter.
type batchRowWriter struct {
	reply     *reply
	append    func([]byte, *recipients.Row) []byte
	streaming bool
	list      enlist.ListID // of the last row; 0: no row was written
}

func newBatchRowWriter(r *reply, kind recipients.EventKind) *batchRowWriter {
	return &batchRowWriter{reply: r, append: Encoder(reports.BatchRowAttributes(kind))}
}

// Begin begins the result. A later call of Begin discards the rows that were written before.
func (w *batchRowWriter) Begin(streaming bool) error {
	w.streaming, w.list = streaming, 0
	return w.reply.begin('{')
}

// Row appends a row.
func (w *batchRowWriter) Row(r *recipients.Row) error {
	w.reply.buf = w.append(w.separate(w.reply.buf, r.List), r)
	w.list = r.List
	return w.reply.added(w.streaming, w.reply.options.MaxHeld)
}

// separate appends what precedes the next row.
func (w *batchRowWriter) separate(b []byte, list enlist.ListID) []byte {
	switch w.list {
	case list:
		return append(b, ',')
	case 0:
	default:
		b = append(b, ']', ',')
	}
	b = strconv.AppendInt(append(b, '"'), int64(list), 10)
	return append(b, '"', ':', '[')
}

// end closes the result, unless the search failed.
func (w *batchRowWriter) end(err error) error {
	if w.list == 0 {
		return w.reply.end("}", err)
	}
	return w.reply.end("]}", err)
}
