// Package config has the settings of the program: one struct for each kind of
// command. cmd/enlist fills it once from flags and ENLIST_ environment variables
// (the struct tags are read by package kong) and passes it on. Nothing else reads
// the environment, with one exception: cmd/enlist reads ENLIST_BOOTSTRAP_KEY. It
// is not a flag, because every user of the machine can see flags.
package config

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"
)

// Database is the setting of the database. Every command has it.
type Database struct {
	DB string `name:"db" default:"enlist.db" placeholder:"PATH|URL" help:"SQLite file with all data, or postgres://USER@HOST/DATABASE (${default}). Every user of this machine can see flags: set a password in ENLIST_DB."`
}

// Check refuses databases that this program cannot open. An error does not repeat
// the password in a URL.
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

// Shown returns the database for logs and messages, without the password that a
// URL may contain.
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
	return shown.String() // without parameters: one may be the password
}

// Exists refuses a path without a file, so that a wrong path does not create an
// empty database. A database on a server is not checked here.
func (d Database) Exists() error {
	if d.IsPostgres() {
		return nil
	}
	if _, err := os.Stat(d.DB); err != nil {
		return fmt.Errorf("there is no database at %s: give its path with --db, "+
			"or make one with: enlist serve --db %[1]s", d.DB)
	}
	return nil
}

// schemeOf returns a URL without everything after its scheme, which may contain a
// password.
func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, "://")
	return scheme + "://…"
}

// DefaultOpsListen is the default of --ops-listen. A second server on the same
// machine may find the port taken; that is an error only if the flag is set.
const DefaultOpsListen = "127.0.0.1:9090"

// Serve has the settings of enlist serve.
type Serve struct {
	Database

	DBWriters    int           `name:"db-writers" placeholder:"N" help:"PostgreSQL: number of connections for writes (16)."`
	DBReaders    int           `name:"db-readers" placeholder:"N" help:"PostgreSQL: number of connections for reads (two per processor, at least 4)."`
	DBReplica    []string      `name:"db-replica" sep:" " placeholder:"URL" help:"PostgreSQL: standby server for searches and exports; may be given several times. Set a password in ENLIST_DB_REPLICA, with a space between several URLs."`
	DBReplicaLag time.Duration `name:"db-replica-lag" default:"0s" placeholder:"TIME" help:"How far a standby may be behind; 0s: a search sees every change that was answered before the search started (${default})."`

	Listen      string        `default:"127.0.0.1:8080" placeholder:"ADDR" help:"Address to serve the API on; port 0 takes a free one (${default})."`
	OpsListen   string        `default:"127.0.0.1:9090" placeholder:"ADDR" help:"Address for metrics and profiles, which must not be public; none turns it off (${default})."`
	MaxBody     Size          `default:"32MiB" placeholder:"SIZE" help:"Largest request body (${default})."`
	ReadTimeout time.Duration `default:"1m" placeholder:"TIME" help:"Longest time a client may take to send a request (${default})."`

	Connections int `default:"4096" placeholder:"N" help:"Most HTTP connections at once; further ones wait until one closes (${default})."`

	MaxCalls int           `default:"256" placeholder:"N" help:"Most calls of one Account at once; further ones wait in a queue (${default})."`
	CallWait time.Duration `default:"5s" placeholder:"TIME" help:"Longest time a call waits in the queue before it is refused (${default})."`

	Searches      int           `default:"4" placeholder:"N" help:"Most searches at once that may read every Contact of a List; further ones wait in a queue (${default})."`
	SearchTimeout time.Duration `default:"1m" placeholder:"TIME" help:"Longest time one of these searches may take (${default})."`
	Streams       int           `default:"4" placeholder:"N" help:"Most streamed replies at once; further ones wait in a queue (${default})."`
	SearchWait    time.Duration `default:"5s" placeholder:"TIME" help:"Longest time a search or a streamed reply waits in the queue before it is refused (${default})."`
	SearchIndexes int           `default:"64" placeholder:"N" help:"Most indexes that the server builds by itself for searches, in a SQLite file or in each of the 16 partitions on PostgreSQL; 0: none (${default})."`
	StreamTimeout time.Duration `default:"10m" placeholder:"TIME" help:"Longest time a client may take to read a streamed reply (${default})."`
	FlushTimeout  time.Duration `default:"30s" placeholder:"TIME" help:"Longest time a client may stall while it reads a streamed reply (${default})."`

	PublicURL string `name:"public-url" placeholder:"URL" help:"URL of this service for the links in mails; without it, the address of --listen."`

	SMTP            string  `name:"smtp" placeholder:"URL" help:"Mail server: smtp://HOST:PORT, or smtps:// for TLS from the first byte, with USER:PASSWORD@ if it requires a login. Every user of this machine can see flags: set a password in ENLIST_SMTP."`
	Mail            string  `placeholder:"dir:PATH" help:"Folder for mails when there is no mail server; without it, a folder beside the database file, or enlist-mail."`
	MailFrom        string  `placeholder:"ADDRESS" help:"Sender of mails for which neither Message nor List names one; required with --smtp."`
	MailConnections int     `default:"8" placeholder:"N" help:"Most connections to the mail server at once (${default})."`
	MailRate        float64 `default:"0" placeholder:"N" help:"Most mails per second; 0: no limit (${default})."`
	BounceAddress   string  `placeholder:"ADDRESS" help:"Address for bounces, LOCAL@HOST: mails are sent with the envelope sender LOCAL+TAG@HOST. See enlist bounce."`
	DKIMKey         string  `name:"dkim-key" placeholder:"FILE" help:"Private key in PEM format, RSA or Ed25519, to sign mails with."`
	DKIMDomain      string  `name:"dkim-domain" placeholder:"DOMAIN" help:"Domain of the signature; without it, the domain of --mail-from."`
	DKIMSelector    string  `name:"dkim-selector" default:"enlist" placeholder:"NAME" help:"Name of the key in the domain's DNS, at NAME._domainkey (${default})."`

	WebhookPrivate bool `help:"Allow webhooks to call private, loopback and link-local addresses."`

	LogLevel string `default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL" help:"Lowest level that is logged: debug, info, warn or error (${default})."`
}

// Check refuses settings that are out of range or contradict each other.
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
		return errors.New("--read-timeout, --call-wait, --search-wait, --search-timeout, --stream-timeout " +
			"and --flush-timeout are more than 0s")
	}
	return nil
}

// checkConnections checks the settings of connections to a database server.
func (s Serve) checkConnections() error {
	switch {
	case !s.IsPostgres() && (s.DBWriters != 0 || s.DBReaders != 0):
		return errors.New("--db-writers and --db-readers are for PostgreSQL: " +
			"set --db to the URL of a PostgreSQL database, or leave them out")
	case !s.IsPostgres() && len(s.DBReplica) > 0:
		return errors.New("--db-replica is for PostgreSQL: set --db to the URL of its primary, or leave it out")
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

// checkMail checks the settings of mail.
func (s Serve) checkMail() error {
	_, domain, _ := strings.Cut(s.MailFrom, "@")
	switch {
	case s.SMTP != "" && s.Mail != "":
		return errors.New("--smtp and --mail exclude each other: mails are sent to a mail server or written into a folder")
	case s.SMTP != "" && s.MailFrom == "":
		return errors.New("--smtp wants --mail-from, the default sender of mails")
	case s.MailFrom != "" && domain == "":
		return fmt.Errorf("--mail-from %s is no address", s.MailFrom)
	case s.Mail != "" && !strings.HasPrefix(s.Mail, "dir:"):
		return errors.New("--mail is dir: and the path of a folder")
	case s.MailConnections < 0 || s.MailRate < 0:
		return errors.New("--mail-connections and --mail-rate are not negative")
	case s.DKIMKey == "" && s.DKIMDomain != "":
		return errors.New("--dkim-domain wants --dkim-key")
	case s.DKIMKey != "" && s.DKIMDomain == "" && s.MailFrom == "":
		return errors.New("--dkim-key wants --dkim-domain, or --mail-from, whose domain is the default")
	case s.PublicURL != "" && !strings.HasPrefix(s.PublicURL, "http://") && !strings.HasPrefix(s.PublicURL, "https://"):
		return fmt.Errorf("--public-url %s does not begin with http:// or https://", s.PublicURL)
	}
	return nil
}

// MailDir returns the folder for mails when there is no mail server.
func (s Serve) MailDir() string {
	if dir, ok := strings.CutPrefix(s.Mail, "dir:"); ok {
		return dir
	}
	if s.IsPostgres() {
		return "enlist-mail"
	}
	return strings.TrimSuffix(s.DB, ".db") + "-mail"
}
