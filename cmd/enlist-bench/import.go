package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"enlist/api"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file has the part "import": files of Contacts with 10 Fields, their dry run, and exports. It also has the part
// "bulk": the same rows by addContacts.

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
			in.server.forgetPeak()
			for _, dry := range []bool{false, true} {
				if err := in.files(dry); err != nil {
					return err
				}
			}
			in.add(figure{"– peak of the memory", fmt.Sprintf("%.0f MiB", in.server.resident(true)), 0})
			if err := in.export(); err != nil {
				return err
			}
			return in.subscribe()
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

// files measures imports or, with dry, dry runs. The time of a file includes its upload.
func (in *importList) files(dry bool) error {
	title := fmt.Sprintf("%simport of a file with %d rows", in.on, in.rowsOfFile())
	if dry {
		title = in.on + "dry run of such a file"
	}
	o, err := in.repeat(title, func() (o outcome, err error) {
		file := csvOf(in.bulkRows(in.rowsOfFile()))
		cpu, began := in.server.cpu(), time.Now()
		err = in.upload(file, dry)
		return outcome{calls: in.rowsOfFile(), elapsed: time.Since(began), cpu: in.server.cpu() - cpu}, err
	})
	if err == nil {
		in.add(figure{title, perSecond(o), 0})
		in.add(figure{"– processor time of a row in enlist", o.each().String(), 0})
	}
	return err
}

// upload imports a file, and waits until the Import has ended.
func (in *importList) upload(file []byte, dry bool) error {
	url := fmt.Sprintf("http://%s/api/imports?list_id=%d&file_name=people.csv&dry_run=%t", in.server.addr, in.list, dry)
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
	title := in.on + "export of all Contacts as CSV"
	o, err := in.repeat(title, in.exportCSV)
	if err == nil {
		in.add(figure{title, perSecond(o), 0})
	}
	return err
}

func (in *importList) exportCSV() (o outcome, err error) {
	cpu, began := in.server.cpu(), time.Now()
	body, err := in.exchange(http.MethodGet, fmt.Sprintf("http://%s/api/exports?list_id=%d", in.server.addr, in.list),
		nil)
	if err != nil {
		return o, err
	}
	defer body.Close()
	buf := make([]byte, 64<<10)
	lines := -1 // the header is no Contact
	for {
		n, err := body.Read(buf)
		lines += bytes.Count(buf[:n], []byte{'\n'})
		if err == io.EOF {
			return outcome{calls: lines, elapsed: time.Since(began), cpu: in.server.cpu() - cpu}, nil
		}
		if err != nil {
			return o, err
		}
	}
}

// subscribe measures subscribeContact over 16 connections while an Import runs.
func (in *importList) subscribe() error {
	file := csvOf(in.bulkRows(in.rowsOfFile()))
	imported := make(chan error, 1)
	calls := in.subscriptions(in.server, in.list, 16)
	began := time.Now()
	go func() { imported <- in.upload(file, false) }()
	o, err := calls.run(in.ctx)
	if err = errors.Join(err, <-imported); err != nil {
		return err
	}
	if took := time.Since(began); took < in.Duration {
		in.say("the import ended after %s, so some calls ran alone: use more --contacts", took)
	}
	title := in.on + "subscribeContact, 16 connections, while a file is imported"
	in.add(figure{title, perSecond(o), 0})
	in.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0})
	return nil
}

// addContacts measures calls of 1,000 Contacts from one caller.
func (in *importList) addContacts() error {
	const size = 1000
	client := api.NewClient("http://"+in.server.addr, apiKey)
	defer client.Close()
	title := fmt.Sprintf("%srows of addContacts, calls of %d from one caller", in.on, size)
	o, err := in.repeat(title, func() (o outcome, err error) {
		var calls [][]api.Details
		for range in.rowsOfFile() / size {
			calls = append(calls, detailsOf(in.bulkRows(size)))
		}
		began := time.Now()
		for _, call := range calls {
			added, err := client.AddContacts(in.ctx, int64(in.list), call, api.AddOptions{})
			if err != nil || len(added) != size {
				return o, fmt.Errorf("addContacts added %d of %d Contacts, error %w", len(added), size, err)
			}
		}
		return outcome{calls: size * len(calls), elapsed: time.Since(began)}, nil
	})
	if err == nil {
		in.add(figure{title, perSecond(o), 0})
	}
	return err
}

// bulkColumns are the columns of a file.
var bulkColumns = []string{"Email", "First Name", "Last Name", "State", "Postcode", "Amount", "Born", "Member",
	"Comment",
	"Colours"}

// bulkRows returns rows with new addresses.
func (in *importList) bulkRows(n int) [][]string {
	in.runs++
	states := []string{"NSW", "VIC", "QLD", "WA", "SA", "TAS", "ACT", "NT"}
	rows := make([][]string, n)
	for i := range rows {
		// Successive addresses are far apart in the index, as in a file that is not sorted.
		rows[i] = []string{fmt.Sprintf("i%d.%09d@example.com", in.runs, uint64(i)*2654435761%1_000_000_007), "Maria",
			"Kowalska " + strconv.Itoa(i*7919%lastNames), states[i%8], strconv.Itoa(2000 + i%1000),
			strconv.Itoa(i%10000) + ".50", time.Unix(int64(i%25000)*86400, 0).UTC().Format(time.DateOnly),
			[]string{"yes", "no"}[i%2], "Met at the spring fair", "green,blue"}
	}
	return rows
}

// csvOf returns rows as a file.
func csvOf(rows [][]string) []byte {
	var f bytes.Buffer
	f.WriteString(strings.Join(bulkColumns, ",") + "\n")
	for i := range rows {
		last := len(bulkColumns) - 1
		f.WriteString(strings.Join(rows[i][:last], ","))
		fmt.Fprintf(&f, ",%q\n", rows[i][last])
	}
	return f.Bytes()
}

// detailsOf returns rows as Contacts of a call.
func detailsOf(rows [][]string) []api.Details {
	all := make([]api.Details, len(rows))
	for i := range rows {
		all[i] = api.Details{}
		for n, name := range bulkColumns {
			all[i][name] = rows[i][n]
		}
	}
	return all
}
