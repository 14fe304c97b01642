package httpapi

import (
	"encoding/json"
	"net/http"
	"strconv"

	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/imports/sheet"
)

// This file writes the records of imports as lines of JSON.

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
