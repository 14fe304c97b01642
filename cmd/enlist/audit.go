package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/rpc"

	"github.com/alecthomas/kong"
)

// enlist audit: shows the audit log. auditActor says who runs a command, for the rows that the command adds.

type auditCommand struct {
	config.Database
	Account int64  `placeholder:"ID" help:"Only rows of this Account; by default of all, and of the complete database."`
	Since   moment `placeholder:"WHEN" help:"Only rows from this time on: a duration before now (12h, 90d), a day or a time (2026-01-31T08:00:00Z)."`
	Until   moment `placeholder:"WHEN" help:"Only rows before this time."`
	KeyID   int64  `placeholder:"ID" help:"Only acts of this API key."`
	Method  string `placeholder:"NAME" help:"Only acts of this method, such as editList, or command, such as \"enlist key create\"."`
	Object  string `placeholder:"KIND" help:"Only acts about this kind of record, such as List or Key."`
	ID      int64  `placeholder:"ID" help:"With --object, only acts about the record with this ID."`
	Limit   int64  `default:"100" placeholder:"N" help:"Largest number of rows; 0: all."`
	JSON    bool   `name:"json" help:"Print a line of JSON for each row."`
}

// Help returns the text that --help prints after the usage.
func (auditCommand) Help() string {
	return "The newest row comes first. The log has a row for each change of definitions, keys and Accounts, for deleted, " +
		"imported and exported Contacts, and for persons who were exported or erased. It has no row for changes of single " +
		"Contacts: the consent ledger has those."
}

// Run prints the rows.
func (c *auditCommand) Run(ctx context.Context, out *console) error {
	if c.Limit < 0 {
		return usage("--limit must be 0 or more")
	}
	if c.ID != 0 && c.Object == "" {
		return usage("--id needs --object")
	}
	w := bufio.NewWriter(out.stdout)
	row, line := auditRow, rpc.AuditRowEncoder()
	if c.JSON {
		row = func(r *accounts.AuditRow) string { return string(line(nil, r)) }
	} else {
		fmt.Fprintf(w, auditLayout, "TIME (UTC)", "ACCOUNT", "WHO", "FROM", "METHOD", "OBJECT", "CHANGE")
	}
	err := withService(ctx, c.Database, func(s *app.App) error {
		return s.Accounts.AuditLog(ctx, enlist.AccountID(c.Account), c.query(time.Now()),
			func(r *accounts.AuditRow) error {
				_, err := fmt.Fprintln(w, row(r))
				return err
			})
	})
	return cmp.Or(err, w.Flush())
}

// query returns the search that the flags describe.
func (c *auditCommand) query(now time.Time) enlist.Query {
	var tests []enlist.Criteria
	test := func(key, operator string, kind enlist.InputKind, value string) {
		tests = append(tests, enlist.Criteria{Key: key, Operator: operator,
			Value: enlist.Input{Kind: kind, Text: value}})
	}
	number := func(key, operator string, n int64) {
		if n != 0 {
			test(key, operator, enlist.InputNumber, strconv.FormatInt(n, 10))
		}
	}
	if c.Since.isSet {
		number("time", "greater_than", c.Since.unix(now)-1)
	}
	if c.Until.isSet {
		number("time", "less_than", c.Until.unix(now))
	}
	number("key_id", "exactly", c.KeyID)
	number("object_id", "exactly", c.ID)
	for key, value := range map[string]string{"method": c.Method, "object": c.Object} {
		if value != "" {
			test(key, "exactly", enlist.InputText, value)
		}
	}
	q := enlist.Query{SortBy: "id", Descending: true, Limit: c.Limit}
	if tests != nil {
		q.Criteria = &enlist.Criteria{All: tests}
	}
	return q
}

// auditLayout is a line of the table. The columns have fixed widths, because the rows are printed while they are read.
const auditLayout = "%-19s  %-7s  %-20s  %-15s  %-22s  %-16s  %s\n"

// auditRow returns a row for the table.
func auditRow(r *accounts.AuditRow) string {
	account, who, about := "all", cmp.Or(r.User, operatorName), r.Object
	if r.AccountID != 0 {
		account = strconv.FormatInt(int64(r.AccountID), 10)
	}
	if r.KeyID != 0 {
		who = fmt.Sprintf("key %d %s", r.KeyID, r.KeyName)
	}
	if r.ObjectID != 0 {
		about += " " + strconv.FormatInt(r.ObjectID, 10)
	}
	if r.ListID != 0 && r.Object != "List" {
		about += fmt.Sprintf(" of List %d", r.ListID)
	}
	change := cmp.Or(r.Before, "erased") + " → " + cmp.Or(r.After, "erased")
	cells := record{{"who", who}, {"method", r.Method}, {"about", about}, {"change", change}}
	return strings.TrimSuffix(fmt.Sprintf(auditLayout, formatTime(time.DateTime, r.Time, ""), account,
		cells.text("who"),
		cmp.Or(r.IP, "–"), cells.text("method"), cells.text("about"), cells.text("change")), "\n")
}

// operatorName is shown if a row has no user.
const operatorName = "command line"

// moment is a flag with a time in the past: a duration before now, a day or a time.
type moment struct {
	isSet bool
	ago   time.Duration
	at    time.Time
}

// UnmarshalText parses a time. Kong calls it for flags.
func (m *moment) UnmarshalText(text []byte) error {
	s := string(text)
	for _, layout := range []string{time.DateOnly, time.RFC3339, time.DateTime} {
		if at, err := time.Parse(layout, s); err == nil {
			*m = moment{isSet: true, at: at}
			return nil
		}
	}
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 16); err == nil {
			*m = moment{isSet: true, ago: time.Duration(n) * 24 * time.Hour}
			return nil
		}
	}
	if ago, err := time.ParseDuration(s); err == nil && ago >= 0 {
		*m = moment{isSet: true, ago: ago}
		return nil
	}
	return fmt.Errorf("%q is neither a duration such as 12h or 90d nor a time such as 2026-01-31 or 2026-01-31T08:00:00Z", s)
}

func (m moment) unix(now time.Time) int64 {
	if m.at.IsZero() {
		return now.Add(-m.ago).Unix()
	}
	return m.at.Unix()
}

// auditActor returns who runs a command, and which: the words of the command without its arguments, which may contain
// an address. With sudo, the user has two names: ada as root@mail1.
func auditActor(command *kong.Context, getenv func(string) string) enlist.Actor {
	words := []string{"enlist"}
	for _, step := range command.Path {
		if step.Command != nil {
			words = append(words, step.Command.Name)
		}
	}
	name := strconv.Itoa(os.Getuid())
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if sudo := getenv("SUDO_USER"); sudo != "" && sudo != name {
		name = sudo + " as " + name
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return enlist.Actor{Method: strings.Join(words, " "), User: name}
}
