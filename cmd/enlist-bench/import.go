package main

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"enlist/api"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file has the part "import": files of Contacts with 10 Fields, and exports. It also has the part "bulk": the same
// rows by addContacts.

// importList is a List that a server imports files into.
type importList struct {
	*bench
	list   enlist.ListID
	server *process
	on     string // begins the names of figures
}

// importing measures imports and exports.
func (b *bench) importing() error {
	return b.onEngines("import.db", func(db string) error {
		return b.withImportList(db, func(in *importList) error {
			if err := in.files(); err != nil {
				return err
			}
			return in.export()
		})
	})
}

// addingInBulk measures addContacts.
func (b *bench) addingInBulk() error {
	return b.onEngines("bulk.db", func(db string) error { return b.withImportList(db, (*importList).addContacts) })
}

// withImportList starts a server with a new List, and measures.
func (b *bench) withImportList(db string, measure func(*importList) error) error {
	list, err := b.makeList(db, 0)
	if err != nil {
		return err
	}
	server, err := b.serve(db)
	if err != nil {
		return err
	}
	defer server.stop()
	return measure(&importList{b, list, server, engine(db) + ": "})
}

// rowsOfFile returns the number of rows of each file.
func (in *importList) rowsOfFile() int { return max(1000, in.Contacts/5) }

// files measures imports. The time of a file includes its upload.
func (in *importList) files() error {
	return in.repeat(fmt.Sprintf("%simport of a file with %d rows", in.on, in.rowsOfFile()), func() (o outcome, err error) {
		file := csvOf(in.bulkRows(in.rowsOfFile()))
		began := time.Now()
		err = in.upload(file)
		return outcome{calls: in.rowsOfFile(), elapsed: time.Since(began)}, err
	})
}

// upload imports a file, and waits until the Import has ended.
func (in *importList) upload(file []byte) error {
	url := fmt.Sprintf("http://%s/api/imports?list_id=%d&file_name=people.csv", in.server.addr, in.list)
	body, err := in.exchange(http.MethodPost, url, bytes.NewReader(file))
	if err != nil {
		return err
	}
	defer body.Close()
	var last struct {
		State          string
		Rows, Refused  int64
		Added, Skipped int64
	}
	for lines := json.NewDecoder(body); ; {
		if err := lines.Decode(&last); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
	}
	if last.State != string(imports.ImportDone) || last.Added != last.Rows {
		return fmt.Errorf("the import ended with %+v", last)
	}
	return nil
}

// exchange sends a request with the key, and returns the body of the reply.
func (in *importList) exchange(method, url string, file io.Reader) (io.ReadCloser, error) {
	r, err := http.NewRequestWithContext(in.ctx, method, url, file)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Authorization", "Bearer "+apiKey)
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	if reply.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(io.LimitReader(reply.Body, 1000))
		reply.Body.Close()
		return nil, fmt.Errorf("the server answered %s: %s", reply.Status, text)
	}
	return reply.Body, nil
}

// export measures exports of all Contacts with all columns.
func (in *importList) export() error {
	return in.repeat(in.on+"export of all Contacts as CSV", func() (o outcome, err error) {
		began := time.Now()
		url := fmt.Sprintf("http://%s/api/exports?list_id=%d", in.server.addr, in.list)
		body, err := in.exchange(http.MethodGet, url, nil)
		if err != nil {
			return o, err
		}
		defer body.Close()
		o.calls = -1 // the header is no Contact
		lines := bufio.NewScanner(body)
		for lines.Scan() {
			o.calls++
		}
		o.elapsed = time.Since(began)
		return o, lines.Err()
	})
}

// addContacts measures calls of 1,000 Contacts from one caller.
func (in *importList) addContacts() error {
	const size = 1000
	client := api.NewClient("http://"+in.server.addr, apiKey)
	defer client.Close()
	title := fmt.Sprintf("%srows of addContacts, calls of %d from one caller", in.on, size)
	return in.repeat(title, func() (o outcome, err error) {
		rows := detailsOf(in.bulkRows(in.rowsOfFile() / size * size))
		began := time.Now()
		for call := range slices.Chunk(rows, size) {
			added, err := client.AddContacts(in.ctx, int64(in.list), call, api.AddOptions{})
			if err != nil || len(added) != size {
				return o, fmt.Errorf("addContacts added %d of %d Contacts, error %w", len(added), size, err)
			}
		}
		return outcome{calls: len(rows), elapsed: time.Since(began)}, nil
	})
}

// bulkRows returns the values of new Contacts.
func (in *importList) bulkRows(n int) []map[string]string {
	in.runs++
	rows := make([]map[string]string, n)
	for i := range rows {
		rows[i] = values(i, fmt.Sprintf("i%d.%s", in.runs, address(i)))
	}
	return rows
}

// csvOf returns rows as a file.
func csvOf(rows []map[string]string) []byte {
	var f bytes.Buffer
	w := csv.NewWriter(&f)
	w.Write(columns)
	for _, row := range rows {
		cells := make([]string, len(columns))
		for i, name := range columns {
			cells[i] = row[name]
		}
		w.Write(cells)
	}
	w.Flush()
	return f.Bytes()
}

// detailsOf returns rows as Contacts of a call.
func detailsOf(rows []map[string]string) []api.Details {
	all := make([]api.Details, len(rows))
	for i, row := range rows {
		all[i] = api.Details{}
		for name, value := range row {
			all[i][name] = value
		}
	}
	return all
}
