package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"enlist/api"
	"enlist/internal/audience"
)

// This file is the part "import": files of Contacts with 10 Fields, their dry run, exports, and addContacts. The
// comparison is what the engine itself does with the same rows (importbulk.go).

// importing measures imports and exports on SQLite, and on PostgreSQL if --postgres is set.
func (b *bench) importing() error {
	databases := []string{filepath.Join(b.Dir, "import.db")}
	if b.Postgres != "" {
		databases = append(databases, b.Postgres)
	}
	for _, db := range databases {
		in, err := b.makeImportList(db)
		if err == nil {
			err = in.measure()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// importList is a List that a server imports files into.
type importList struct {
	*bench
	mailingList
	server *process
}

// makeImportList creates a List with 10 Fields in an empty database.
func (b *bench) makeImportList(db string) (*importList, error) {
	store, err := b.openStore(db)
	if err != nil {
		return nil, err
	}
	defer store.Close()
	service := audience.NewService(store, time.Now)
	first, err := service.Bootstrap(b.ctx, apiKey)
	switch {
	case err != nil:
		return nil, err
	case first == nil:
		return nil, errors.New("the database of --postgres is not empty: give a new one")
	}
	caller, err := service.Operator(b.ctx, first.Account)
	if err != nil {
		return nil, err
	}
	in := &importList{bench: b, mailingList: mailingList{db: db}}
	in.list, err = b.addList(service, caller)
	return in, err
}

// measure runs all measurements of an engine. The memory is measured after the first file, when caches are full.
func (in *importList) measure() (err error) {
	in.server, err = in.serveAt(in.db, "--mail", "dir:"+in.Dir)
	if err != nil {
		return err
	}
	defer in.server.stop()
	time.Sleep(2 * time.Second) // the server becomes idle
	idle := in.server.resident(false)
	in.server.forgetPeak()
	for _, step := range []func() error{in.real, in.dry} {
		if err := step(); err != nil {
			return err
		}
	}
	in.add(figure{"– peak of the memory", fmt.Sprintf("%.0f MiB", in.server.resident(true)), 0, "150 MiB"})
	for _, step := range []func() error{in.export, in.subscribe} {
		if err := step(); err != nil {
			return err
		}
	}
	return in.addContacts(idle)
}

// rowsOfFile returns the number of rows of each file.
func (in *importList) rowsOfFile() int { return max(1000, in.Contacts/5) }

// target returns the target of an engine. The targets are for a machine that is about three times as fast as the one of
// the figures in doc/benchmarks.md.
func (in *importList) target(sqlite, postgres string) string {
	if isPostgres(in.db) {
		return postgres
	}
	return sqlite
}

// real measures imports.
func (in *importList) real() error {
	title := fmt.Sprintf("%s: import of a file with %d rows", in.engine(), in.rowsOfFile())
	var rows []bulkRow
	ratio, o, err := in.alternate(title, func() (outcome, error) { return in.importRows(rows, false) },
		func() (o outcome, err error) {
			rows = in.bulkRows(in.rowsOfFile())
			return in.bulkInsert(rows)
		})
	if err == nil {
		in.add(figure{title + "; ratio to the engine's bulk insert", perSecond(o), ratio, in.target("80000/s", "60000/s")})
		in.add(figure{"– processor time of a row in enlist", o.each().String(), 0, ""})
	}
	return err
}

// dry measures dry runs.
func (in *importList) dry() error {
	title := in.engine() + ": dry run of such a file"
	var rows []bulkRow
	ratio, o, err := in.alternate(title, func() (outcome, error) { return in.importRows(rows, true) },
		func() (o outcome, err error) {
			rows = in.bulkRows(in.rowsOfFile())
			return in.bulkInsert(rows)
		})
	if err == nil {
		in.add(figure{title + "; ratio to the engine's bulk insert", perSecond(o), ratio, in.target("80000/s", "60000/s")})
	}
	return err
}

// importRows imports rows as a CSV file over HTTP. Its time includes the upload.
func (in *importList) importRows(rows []bulkRow, dry bool) (o outcome, err error) {
	file := csvOf(rows)
	cpu, began := in.server.cpu(), time.Now()
	err = in.upload(file, dry)
	return outcome{calls: len(rows), elapsed: time.Since(began), cpu: in.server.cpu() - cpu}, err
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
	if last.State != string(audience.ImportDone) || last.Added != last.Rows {
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
	title := in.engine() + ": export of all Contacts as CSV"
	ratio, o, err := in.alternate(title, func() (outcome, error) { return in.exportCSV() }, in.bulkRead)
	if err == nil {
		in.add(figure{title + "; ratio to the engine's reading of the rows", perSecond(o), ratio, "200000/s"})
	}
	return err
}

func (in *importList) exportCSV() (o outcome, err error) {
	cpu, began := in.server.cpu(), time.Now()
	body, err := in.exchange(http.MethodGet, fmt.Sprintf("http://%s/api/exports?list_id=%d", in.server.addr, in.list), nil)
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
	title := in.engine() + ": subscribeContact, 16 connections, while a file is imported"
	in.add(figure{title, perSecond(o), 0, ""})
	in.add(figure{"– its p99", milliseconds(o.percentile(0.99)), 0, "100 ms"})
	return nil
}

// addContacts measures calls of 1,000 Contacts from one caller, and the memory a minute after them.
func (in *importList) addContacts(idle float64) error {
	const size = 1000
	client := api.NewClient("http://"+in.server.addr, apiKey)
	defer client.Close()
	var calls [][]api.Details
	for range max(1, in.rowsOfFile()/size) {
		calls = append(calls, detailsOf(in.bulkRows(size)))
	}
	began := time.Now()
	for _, call := range calls {
		added, err := client.AddContacts(in.ctx, int64(in.list), call, api.AddOptions{})
		if err != nil || len(added) != size {
			return fmt.Errorf("addContacts added %d of %d Contacts, error %w", len(added), size, err)
		}
	}
	o := outcome{calls: size * len(calls), elapsed: time.Since(began)}
	title := fmt.Sprintf("%s: rows of addContacts, calls of %d from one caller", in.engine(), size)
	in.add(figure{title, perSecond(o), 0, in.target("50000/s", "25000/s")})
	after := in.server.resident(false)
	in.settle()
	in.add(figure{"– memory before everything, directly after it, and a minute after it",
		fmt.Sprintf("%.0f, %.0f, %.0f MiB", idle, after, in.server.resident(false)), 0, ""})
	return nil
}

// settle waits for a minute, or a shorter time in a short run.
func (in *importList) settle() { time.Sleep(min(time.Minute, 12*in.Duration)) }

// bulkRow is a row for an Import and for the engine's own bulk insert.
type bulkRow struct {
	key    string // the address
	values []string
	doc    string // the values as the column field_values stores them
}

// bulkColumns are the columns of a file.
var bulkColumns = []string{"Email", "First Name", "Last Name", "State", "Postcode", "Amount", "Born", "Member", "Comment",
	"Colours"}

// bulkRows returns rows with new addresses. The IDs of the Fields are those of addList in a new database.
func (in *importList) bulkRows(n int) []bulkRow {
	in.runs++
	states := []string{"NSW", "VIC", "QLD", "WA", "SA", "TAS", "ACT", "NT"}
	rows := make([]bulkRow, n)
	for i := range rows {
		// Successive addresses are far apart in the index, as in a file that is not sorted.
		key := fmt.Sprintf("i%d.%09d@example.com", in.runs, uint64(i)*2654435761%1_000_000_007)
		values := []string{key, "Maria", "Kowalska " + strconv.Itoa(i*7919%lastNames), states[i%8], strconv.Itoa(2000 + i%1000),
			strconv.Itoa(i%10000) + ".50", time.Unix(int64(i%25000)*86400, 0).UTC().Format(time.DateOnly),
			[]string{"yes", "no"}[i%2], "Met at the spring fair", "green,blue"}
		var doc strings.Builder
		for n, v := range values {
			if bulkColumns[n] != "Amount" {
				v = `"` + v + `"`
			}
			fmt.Fprintf(&doc, `,"%d":%s`, 3+n, v)
		}
		rows[i] = bulkRow{key, values, "{" + doc.String()[1:] + "}"}
	}
	return rows
}

// csvOf returns rows as a file.
func csvOf(rows []bulkRow) []byte {
	var f bytes.Buffer
	f.WriteString(strings.Join(bulkColumns, ",") + "\n")
	for i := range rows {
		last := len(bulkColumns) - 1
		f.WriteString(strings.Join(rows[i].values[:last], ","))
		fmt.Fprintf(&f, ",%q\n", rows[i].values[last])
	}
	return f.Bytes()
}

// detailsOf returns rows as Contacts of a call.
func detailsOf(rows []bulkRow) []api.Details {
	all := make([]api.Details, len(rows))
	for i := range rows {
		all[i] = api.Details{}
		for n, name := range bulkColumns {
			all[i][name] = rows[i].values[n]
		}
	}
	return all
}
