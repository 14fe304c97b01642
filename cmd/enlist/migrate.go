package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/durable"
	"enlist/internal/enlist"
	"enlist/internal/movein"
	"enlist/internal/movein/listmonk"
	"enlist/internal/publicnet"
)

// enlist migrate: moves an Account from another service with the same API, or from listmonk, into a database. Package
// movein does the work; the same command continues an interrupted move, and later catches up.

type migrateCommand struct {
	reporting
	From     string `required:"" placeholder:"URL" help:"URL of the other service, https://HOST/api/jsonrpcserver, or of listmonk's database, listmonk-postgres://USER@HOST:5432/DATABASE."`
	Key      string `placeholder:"KEY" help:"API key of the other service, or password of listmonk's database. Set it in the environment variable ENLIST_KEY."`
	KeyFile  string `placeholder:"PATH" help:"File that contains the API key or the password."`
	Private  string `name:"private-host" placeholder:"HOST" help:"The host of --from, if it has a private address. Without it, only public addresses are called."`
	Uploads  string `placeholder:"FOLDER" help:"Folder with listmonk's uploads. Without it, images are read by their URLs, from public addresses."`
	Account  int64  `placeholder:"ID" help:"ID of the Account that a move continues in; needed if Accounts were added since it began."`
	Quick    bool   `help:"Read only new and changed Contacts: no consents, no deletions and no comparison."`
	DryRun   bool   `help:"Move into a temporary database, print the comparison and remove the database. --db is not used."`
	Problems string `placeholder:"PATH" help:"File for what could not be moved, one JSON object a line."`
}

// Help returns the text that --help prints after the usage.
func (migrateCommand) Help() string {
	return "Every user of this machine can see the flags of a command. Put the key into the environment variable " +
		"ENLIST_KEY or into a file instead."
}

// Run moves the Account, or continues.
func (c *migrateCommand) Run(ctx context.Context, out *console) (err error) {
	name, err := sourceName(c.From)
	if err != nil {
		return err
	}
	key, err := c.key()
	if err != nil {
		return err
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	report := problemReport{out: out}
	if err := report.open(c.Problems); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, report.close()) }()
	show := newProgress(out).ofMove()
	from, closeSource, err := c.open(ctx, name, key, show)
	if err != nil {
		return err
	}
	defer closeSource()
	return c.withTarget(ctx, out, func(s *app.App, caller *enlist.Caller) error {
		start := time.Now()
		m := &movein.Mover{Service: s, Caller: caller, From: from, Source: name, Quick: c.Quick,
			Report: show, Problem: report.add}
		result, err := m.Run(ctx)
		if errors.Is(err, publicnet.ErrNotPublic) {
			return usage("the other service is at an address that is not public: if you trust it, add --private-host HOST "+
				"with the host of --from: %w", err)
		}
		if err != nil && ctx.Err() != nil {
			return errors.New("interrupted: run the same command again to continue")
		}
		if err != nil {
			return err
		}
		return c.print(out, result, time.Since(start))
	})
}

// withTarget calls do with the Account to move into. It creates the database if there is none.
func (c *migrateCommand) withTarget(ctx context.Context, out *console, do func(*app.App, *enlist.Caller) error) error {
	target, account := c.Database, c.Account
	if c.DryRun {
		dir, err := os.MkdirTemp("", "enlist-dry-run")
		if err != nil {
			return fmt.Errorf("create the temporary database: %w", err)
		}
		defer os.RemoveAll(dir)
		target, account = config.Database{DB: filepath.Join(dir, "enlist.db")}, 0
	}
	if err := target.Check(); err != nil {
		return &usageError{err}
	}
	store, err := openDatabase(ctx, config.Serve{Database: target}, true, nil, nil)
	if err != nil {
		return err
	}
	defer store.Close()
	service, _ := newService(store)
	first, err := service.Bootstrap(ctx, "")
	if err != nil {
		return err
	}
	if first != nil && !c.DryRun {
		fmt.Fprintf(out.stdout, "New database. Its API key, which is shown only now: %s\n", first.Key)
	}
	if err := service.ReadSettings(ctx); err != nil {
		return err
	}
	caller, err := operator(ctx, service, account)
	if err != nil {
		return err
	}
	return do(service, caller)
}

// open opens the source with a name that sourceName has returned.
func (c *migrateCommand) open(ctx context.Context, name, key string, report func(string)) (
	from movein.Source, done func(), err error) {
	if strings.HasPrefix(name, listmonk.Scheme+"://") {
		if c.Private != "" {
			return nil, nil, usage("--private-host is not for listmonk's database, which is always read")
		}
		return c.openListmonk(ctx, key)
	}
	if c.Uploads != "" {
		return nil, nil, usage("--uploads is for listmonk only: the other service sends its files")
	}
	client := api.NewClient(name, key)
	u, err := url.Parse(name)
	if err != nil {
		return nil, nil, err
	}
	if c.Private != "" && c.Private != u.Hostname() {
		return nil, nil, usage("--private-host %s is not the host of --from, %s", c.Private, u.Hostname())
	}
	return movein.NewAPI(client, name, c.Private != "", report), client.Close, nil
}

// openListmonk opens listmonk's database, and the folder with its uploads.
func (c *migrateCommand) openListmonk(ctx context.Context, password string) (movein.Source, func(), error) {
	d, err := listmonk.Open(ctx, c.From, password)
	if err != nil {
		return nil, nil, err
	}
	if c.Uploads != "" {
		if err := d.UseUploads(c.Uploads); err != nil {
			d.Close()
			return nil, nil, err
		}
	}
	return d, func() { d.Close() }, nil
}

// sourceName checks the URL of the source and returns it as the move stores it: the URL of the other service with the
// path of the API, or the URL of listmonk's database without user and password.
func sourceName(from string) (string, error) {
	if strings.HasPrefix(from, listmonk.Scheme+"://") {
		name, err := listmonk.Name(from)
		if err != nil {
			return "", usage("--from: %v", err)
		}
		return name, nil
	}
	u, err := url.Parse(from)
	if err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil {
		return "", usage("--from must be the URL of the other service, https://HOST" + api.Path +
			", or of listmonk's database, " + listmonk.Scheme + "://USER@HOST:5432/DATABASE")
	}
	if strings.Trim(u.Path, "/") == "" {
		u.Path = api.Path
	}
	return u.String(), nil
}

// key returns the API key of the other service, or the password of listmonk's database, which may be "".
func (c *migrateCommand) key() (string, error) {
	if c.KeyFile == "" {
		if c.Key == "" && !strings.HasPrefix(c.From, listmonk.Scheme) {
			return "", usage("set the API key of the other service in the environment variable ENLIST_KEY, or give --key-file")
		}
		return c.Key, nil
	}
	if c.Key != "" {
		return "", usage("give either --key-file or a key, not both")
	}
	text, err := os.ReadFile(c.KeyFile)
	if err != nil {
		return "", fmt.Errorf("read the key: %w", err)
	}
	return string(bytes.TrimSpace(text)), nil
}

// print prints the comparison. The error says that the two sides differ.
func (c *migrateCommand) print(out *console, r *movein.Result, took time.Duration) error {
	rows := records(r.Lists, listRow)
	if c.Quick {
		for i := range rows {
			rows[i] = slices.DeleteFunc(rows[i], func(v value) bool { return !slices.Contains(quickColumns, v.name) })
		}
	}
	different := 0
	for i := range r.Lists {
		if !r.Lists[i].Equal() {
			different++
		}
	}
	if c.JSON {
		err := printJSON(out.stdout, record{{"lists", rows}, {"folders", r.Folders}, {"files", r.Files},
			{"messages", r.Messages}, {"saved_blocks", r.SavedBlocks}, {"autoresponders", r.Autoresponders}, {"webhooks", r.Webhooks},
			{"active_at_source", append([]int64{}, r.Active...)},
			{"consents", r.Consents}, {"unsubscribers_at_source", r.Unsubscribers}, {"unsubscribers", r.StoredUnsubs},
			{"unsubscribers_erased", r.ErasedUnsubs},
			{"not_moved", r.Problems}, {"skipped_methods", append([]string{}, r.Skipped...)}})
		if err != nil {
			return err
		}
	} else if err := c.printText(out, r, rows, took); err != nil {
		return err
	}
	if different > 0 {
		return fmt.Errorf("%d Lists differ from the other service: run the same command again; "+
			"if they still differ, report this as a bug", different)
	}
	return nil
}

// printText prints the comparison for people.
func (c *migrateCommand) printText(out *console, r *movein.Result, rows []record, took time.Duration) error {
	columns := []string{"id", "name", "at_source", "left_out", "erased", "here", "added", "changed", "removed",
		"source_checksum", "checksum", "result"}
	if c.Quick {
		columns = quickColumns
	}
	if err := c.list(out.stdout, rows, columns...); err != nil {
		return err
	}
	fmt.Fprintf(out.stdout, "%d Folders, %d files, %d Messages, %d saved blocks, %d autoresponders, %d webhooks, "+
		"%d new consents; Unsubscriber List: %d entries, %d at the source. Took %s\n", r.Folders, r.Files, r.Messages,
		r.SavedBlocks, r.Autoresponders, r.Webhooks, r.Consents, r.StoredUnsubs, r.Unsubscribers, took.Round(time.Second/10))
	if r.ErasedUnsubs > 0 {
		fmt.Fprintf(out.stdout, "%d entries of the source's Unsubscriber List are of persons who were erased here: only their "+
			"hashes stay\n", r.ErasedUnsubs)
	}
	if len(r.Active) > 0 {
		fmt.Fprintf(out.stdout, "These autoresponders are active at the source and inactive here. Activate them with "+
			"editAutoresponder when the other service has stopped: %s\n", strings.Trim(fmt.Sprint(r.Active), "[]"))
	}
	if r.Problems > 0 {
		fmt.Fprintf(out.stdout, "%d values or records were not moved: see the lines above\n", r.Problems)
	}
	return nil
}

// quickColumns are the columns that a move with --quick counts.
var quickColumns = []string{"id", "name", "here", "added", "changed"}

// listRow returns the comparison of a List as a row.
func listRow(l *movein.ListResult) record {
	result := "equal"
	if !l.Equal() {
		result = "different"
	}
	if l.Checksum == "" {
		result = ""
	}
	return record{{"id", l.ID}, {"name", l.Name}, {"at_source", l.AtSource}, {"left_out", l.LeftOut},
		{"erased", l.Erased}, {"here", l.Stored},
		{"added", l.Added}, {"changed", l.Changed}, {"removed", l.Removed},
		{"source_checksum", l.SourceChecksum}, {"checksum", l.Checksum}, {"result", result}}
}

// problemReport prints what could not be moved. It also writes it to a file, if there is one.
type problemReport struct {
	out  *console
	file *os.File
	err  error // the first error of the file
}

func (r *problemReport) open(path string) (err error) {
	if path != "" {
		r.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	}
	return err
}

func (r *problemReport) close() error {
	if r.file == nil {
		return nil
	}
	return errors.Join(r.err, durable.Close(r.file))
}

// add prints one problem.
func (r *problemReport) add(p movein.Problem) {
	text := fmt.Sprintf("not moved: %s %d", p.Record, p.ID)
	if p.List != 0 {
		text += fmt.Sprintf(" of List %d", p.List)
	}
	if p.Key != "" {
		text += fmt.Sprintf(", %s = %q", p.Key, p.Value)
	}
	fmt.Fprintf(r.out.stderr, "%s: %s\n", text, plainText(p.Reason, ""))
	if r.file == nil || r.err != nil {
		return
	}
	line, err := json.Marshal(p)
	if err == nil {
		_, err = r.file.Write(append(line, '\n'))
	}
	r.err = err
}
