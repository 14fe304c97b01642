// Package config is what a person can set: one struct per kind of command,
// filled once from flags and ENLIST_ environment variables by cmd/enlist (the
// tags are for package kong) and passed down from there. Nothing else in the
// program reads the environment, but for ENLIST_BOOTSTRAP_KEY, which cmd/enlist
// reads: as a flag, every user of the machine could see it.
package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
)

// Database says where everything is kept. Every command has it.
type Database struct {
	DB string `name:"db" default:"enlist.db" placeholder:"PATH|URL" help:"SQLite file that holds everything, or postgres://USER@HOST/DATABASE (${default}). Everybody on this machine can see flags: a password belongs in ENLIST_DB."`
}

// Check refuses databases that this program cannot open.
func (d Database) Check() error {
	switch {
	case d.DB == "":
		return errors.New("--db is empty: give the path of a file, or postgres://USER@HOST/DATABASE")
	case strings.Contains(d.DB, "://") && !d.IsPostgres():
		return fmt.Errorf("--db %s: give the path of a SQLite file, or postgres://USER@HOST/DATABASE", schemeOf(d.DB))
	}
	return nil
}

// IsPostgres reports whether the database is on a PostgreSQL server.
func (d Database) IsPostgres() bool {
	return strings.HasPrefix(d.DB, "postgres://") || strings.HasPrefix(d.DB, "postgresql://")
}

// Shown is the database in a message, without the password that a URL may hold.
func (d Database) Shown() string {
	if !d.IsPostgres() {
		return d.DB
	}
	u, err := url.Parse(d.DB)
	if err != nil {
		return schemeOf(d.DB)
	}
	shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
	if name := u.User.Username(); name != "" {
		shown.User = url.User(name)
	}
	return shown.String() // without its parameters, one of which may be the password
}

// Exists refuses a path at which there is no database, so that a wrong path
// does not make an empty one. What is on a server has to be looked for there.
func (d Database) Exists() error {
	if d.IsPostgres() {
		return nil
	}
	if _, err := os.Stat(d.DB); err != nil {
		return fmt.Errorf("there is no database at %s: give its path with --db, or make one with: enlist serve --db %[1]s", d.DB)
	}
	return nil
}

// schemeOf keeps the password that a URL may hold out of messages.
func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, "://")
	return scheme + "://…"
}

// DefaultOpsListen is where a server listens for its operator when it is not
// told where. Two servers on one machine are no error as long as it is not.
const DefaultOpsListen = "127.0.0.1:9090"

// Serve is what a server can be told.
type Serve struct {
	Database

	DBWriters    int           `name:"db-writers" placeholder:"N" help:"PostgreSQL: connections for changes (16)."`
	DBReaders    int           `name:"db-readers" placeholder:"N" help:"PostgreSQL: connections for look-ups (two for each processor, at least 4)."`
	DBReplica    []string      `name:"db-replica" sep:" " placeholder:"URL" help:"PostgreSQL: standby of the database that searches and exports read from; may be given several times. A password belongs in ENLIST_DB_REPLICA, with a space between several URLs."`
	DBReplicaLag time.Duration `name:"db-replica-lag" default:"0s" placeholder:"TIME" help:"How old what such a search sees may be; 0s: it sees all that was answered before it came (${default})."`

	Listen      string        `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address to serve the API on; port 0 takes a free one (${default})."`
	OpsListen   string        `default:"127.0.0.1:9090" placeholder:"ADDR" help:"Address for metrics and profiles, not for the public; none turns it off (${default})."`
	MaxBody     Size          `default:"32MiB" placeholder:"SIZE" help:"Largest request body (${default})."`
	ReadTimeout time.Duration `default:"1m" placeholder:"TIME" help:"How long a client may take to send a request (${default})."`

	Connections int `default:"4096" placeholder:"N" help:"Connections at once; further ones wait until one closes (${default})."`

	MaxCalls int           `default:"256" placeholder:"N" help:"Calls of one Account that run at once; further ones wait in line (${default})."`
	CallWait time.Duration `default:"5s" placeholder:"TIME" help:"How long a call waits in line before it is refused (${default})."`

	Searches      int           `default:"4" placeholder:"N" help:"Searches at once that may look at every Contact of a List; further ones wait in line (${default})."`
	SearchTimeout time.Duration `default:"1m" placeholder:"TIME" help:"The longest that one of them may take (${default})."`
	Streams       int           `default:"4" placeholder:"N" help:"Long replies that stream at once; further ones wait in line (${default})."`
	SearchWait    time.Duration `default:"5s" placeholder:"TIME" help:"How long a search or a stream waits in line before it is refused (${default})."`
	SearchIndexes int           `default:"64" placeholder:"N" help:"Indexes that searches get by themselves where they need them, at most, in a SQLite file or in each of the 16 partitions on PostgreSQL; 0: none (${default})."`
	StreamTimeout time.Duration `default:"10m" placeholder:"TIME" help:"How long a client may take for all of a long reply (${default})."`
	FlushTimeout  time.Duration `default:"30s" placeholder:"TIME" help:"How long a client may take nothing of a long reply (${default})."`

	PublicURL string `name:"public-url" placeholder:"URL" help:"Where people reach this service, for the links in mails; the address of --listen when it is left out."`

	SMTP            string  `name:"smtp" placeholder:"URL" help:"Mail server: smtp://HOST:PORT, or smtps:// for TLS from the start, with USER:PASSWORD@ if it wants them. Everybody on this machine can see flags: a password belongs in ENLIST_SMTP."`
	Mail            string  `placeholder:"dir:PATH" help:"Folder that mails are written to while there is no mail server; one beside the database file, or enlist-mail, when it is left out."`
	MailFrom        string  `placeholder:"ADDRESS" help:"Sender of mails that name none; wanted with --smtp."`
	MailConnections int     `default:"8" placeholder:"N" help:"Connections to the mail server at once (${default})."`
	MailRate        float64 `default:"0" placeholder:"N" help:"Mails a second at most; 0: as many as the mail server takes (${default})."`
	BounceAddress   string  `placeholder:"ADDRESS" help:"Address that bounces come back to, LOCAL@HOST: mails leave with LOCAL+TAG@HOST as their envelope sender. See enlist bounce."`
	DKIMKey         string  `name:"dkim-key" placeholder:"FILE" help:"Private key in PEM, RSA or Ed25519, with which mails are signed."`
	DKIMDomain      string  `name:"dkim-domain" placeholder:"DOMAIN" help:"Domain that signs; that of --mail-from when it is left out."`
	DKIMSelector    string  `name:"dkim-selector" default:"enlist" placeholder:"NAME" help:"Name of the key in the domain's DNS, at NAME._domainkey (${default})."`

	WebhookPrivate bool `help:"Let webhooks call private, loopback and link-local addresses."`

	LogLevel string `default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Least level that is logged: debug, info, warn or error (${default})."`
}

// Check refuses values that cannot be meant.
func (s Serve) Check() error {
	if err := s.Database.Check(); err != nil {
		return err
	}
	if err := s.checkConnections(); err != nil {
		return err
	}
	if err := s.checkMail(); err != nil {
		return err
	}
	switch {
	case s.MaxBody < 1024:
		return errors.New("--max-body is at least 1KiB")
	case min(s.MaxCalls, s.Connections) < 1:
		return errors.New("--max-calls and --connections are at least 1")
	case min(s.Searches, s.Streams) < 1:
		return errors.New("--searches and --streams are at least 1")
	case s.SearchIndexes < 0:
		return errors.New("--search-indexes is 0 or more")
	case min(s.ReadTimeout, s.CallWait, s.SearchWait, s.SearchTimeout, s.StreamTimeout, s.FlushTimeout) <= 0:
		return errors.New("--read-timeout, --call-wait, --search-wait, --search-timeout, --stream-timeout and --flush-timeout are more than 0s")
	}
	return nil
}

// checkConnections refuses settings of connections to a database server that cannot be meant.
func (s Serve) checkConnections() error {
	switch {
	case !s.IsPostgres() && (s.DBWriters != 0 || s.DBReaders != 0):
		return errors.New("--db-writers and --db-readers are for PostgreSQL: give the URL of a database with --db, or leave them out")
	case !s.IsPostgres() && len(s.DBReplica) > 0:
		return errors.New("--db-replica is for PostgreSQL: give the URL of the database that it is a standby of with --db, or leave it out")
	case min(s.DBWriters, s.DBReaders) < 0:
		return errors.New("--db-writers and --db-readers are at least 1")
	case s.DBReplicaLag < 0:
		return errors.New("--db-replica-lag is not negative")
	case s.DBReplicaLag > 0 && len(s.DBReplica) == 0:
		return errors.New("--db-replica-lag wants --db-replica")
	}
	for _, url := range s.DBReplica {
		if !(Database{DB: url}).IsPostgres() {
			return errors.New("--db-replica is the URL of a standby: postgres://USER@HOST/DATABASE")
		}
	}
	return nil
}

// checkMail refuses settings of mails that do not go together.
func (s Serve) checkMail() error {
	_, domain, _ := strings.Cut(s.MailFrom, "@")
	switch {
	case s.SMTP != "" && s.Mail != "":
		return errors.New("--smtp and --mail exclude each other: mails go to a mail server or into a folder")
	case s.SMTP != "" && s.MailFrom == "":
		return errors.New("--smtp wants --mail-from, the sender of mails that name none")
	case s.MailFrom != "" && domain == "":
		return fmt.Errorf("--mail-from %s is no address", s.MailFrom)
	case s.Mail != "" && !strings.HasPrefix(s.Mail, "dir:"):
		return errors.New("--mail is dir: and the path of a folder")
	case s.MailConnections < 0 || s.MailRate < 0:
		return errors.New("--mail-connections and --mail-rate are not negative")
	case s.DKIMKey == "" && s.DKIMDomain != "":
		return errors.New("--dkim-domain wants --dkim-key")
	case s.DKIMKey != "" && s.DKIMDomain == "" && s.MailFrom == "":
		return errors.New("--dkim-key wants --dkim-domain, or --mail-from to take the domain of")
	case s.PublicURL != "" && !strings.HasPrefix(s.PublicURL, "http://") && !strings.HasPrefix(s.PublicURL, "https://"):
		return fmt.Errorf("--public-url %s does not begin with http:// or https://", s.PublicURL)
	}
	return nil
}

// MailDir is the folder for mails while there is no mail server.
func (s Serve) MailDir() string {
	if dir, ok := strings.CutPrefix(s.Mail, "dir:"); ok {
		return dir
	}
	if s.IsPostgres() {
		return "enlist-mail"
	}
	return strings.TrimSuffix(s.DB, ".db") + "-mail"
}
