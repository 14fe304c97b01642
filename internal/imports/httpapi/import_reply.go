package httpapi

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/imports/sheet"
)

// This file writes the replies about imports: lines of JSON, or CSV.

// importLines writes JSON objects, one in each line, and sends each line at once. It ignores that the client is gone,
// because the context of the request says it too.
type importLines struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func newImportLines(w http.ResponseWriter) *importLines {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.Header().Set("Cache-Control", "no-store")
	return &importLines{w, http.NewResponseController(w)}
}

// write sends the record of an import. Its keys are those of imports.ImportAttributes, in this order.
func (l *importLines) write(i *imports.Import) {
	b := []byte{'{'}
	for n, a := range imports.ImportAttributes {
		if n > 0 {
			b = append(b, ',')
		}
		b = append(strconv.AppendQuote(b, a.Name), ':')
		switch v := a.Get(i); v.Kind {
		case enlist.KeyInt:
			b = strconv.AppendInt(b, v.Int, 10)
		case enlist.KeyBool:
			b = strconv.AppendBool(b, v.Int != 0)
		default:
			text, _ := json.Marshal(v.Text) // a string is always encoded
			b = append(b, text...)
		}
	}
	if i.Ended() {
		text, _ := json.Marshal(i.Report) // a struct of texts and numbers is always encoded
		b = append(append(b, `,"report":`...), text...)
	}
	l.send(append(b, '}'))
}

// columns sends what each column of the file is stored as.
func (l *importLines) columns(i *imports.Import) {
	b, _ := json.Marshal(struct { // a struct of texts and numbers is always encoded
		ID      enlist.ImportID        `json:"id"`
		Columns []imports.ImportColumn `json:"columns"`
		File    *sheet.About           `json:"file,omitempty"`
		Unused  []imports.ColumnReport `json:"unused,omitempty"`
	}{i.ID, i.Columns, i.Report.File, i.Report.Unused})
	l.send(b)
}

func (l *importLines) send(line []byte) {
	l.w.Write(append(line, '\n'))
	l.control.Flush()
}

// resultLines writes the results of rows.
type resultLines struct {
	reply *fileReply
	to    *bufio.Writer
	json  *json.Encoder
	csv   bool
	only  []string
}

// newResultLines returns the writer that the query of a request asks for. Errors: InvalidParameters.
func newResultLines(reply *fileReply, id enlist.ImportID, query url.Values) (*resultLines, error) {
	l := &resultLines{reply: reply, to: bufio.NewWriterSize(reply, partBytes), only: query["outcome"]}
	for _, o := range l.only {
		if !slices.Contains(imports.RowOutcomes, imports.RowOutcome(o)) {
			return nil, badOption("outcome", "expected added, updated, unchanged, skipped or refused")
		}
	}
	l.json = json.NewEncoder(l.to)
	l.json.SetEscapeHTML(false)
	reply.name, reply.kind = fmt.Sprintf("import-%d.ndjson", id), "application/x-ndjson"
	switch query.Get("format") {
	case "", string(NDJSON):
	case string(CSV):
		l.csv = true
		reply.name, reply.kind = fmt.Sprintf("import-%d.csv", id), "text/csv; charset=utf-8"
		l.to.WriteString(imports.RowResultHeader) // end returns the error
	default:
		return nil, badOption("format", "expected ndjson or csv")
	}
	return l, nil
}

// row writes the result of a row.
func (l *resultLines) row(r *imports.RowResult) error {
	if len(l.only) > 0 && !slices.Contains(l.only, string(r.Outcome)) {
		return nil
	}
	if l.csv {
		_, err := l.to.Write(r.AppendCSV(l.to.AvailableBuffer()))
		return err
	}
	return l.json.Encode(r)
}

// end sends the rest.
func (l *resultLines) end() error {
	if err := l.to.Flush(); err != nil {
		return err
	}
	if _, err := l.reply.Write(nil); err != nil { // sends the header if there is no result
		return err
	}
	return l.reply.finish()
}
