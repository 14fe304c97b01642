// Package config has the settings of the program. cmd/enlist fills the structs once,
// from flags and ENLIST_ environment variables, and passes them to other packages. The
// library kong makes one flag of each struct field. The name of the flag comes from the
// name of the field, and the default from the tag. help.txt has the help texts.
//
// One setting has no struct field and no flag: cmd/enlist reads ENLIST_BOOTSTRAP_KEY only
// from the environment, because every user of the machine can see flags.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net/mail"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

// Database is the setting of the database. Each command that opens a database has this
// setting.
type Database struct {
	DB string `default:"enlist.db" placeholder:"PATH|URL"`
}

// Check returns an error if this program cannot open such a database. The error does not
// contain the password of a URL.
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

// Shown returns the path or URL of the database for logs and messages. It removes the
// password that a URL may contain.
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
	return shown.String() // without query parameters, because a parameter can contain the password
}

// Exists returns an error if there is no file at the path, so that a wrong path does not
// create an empty database. It does not check a database on a server.
func (d Database) Exists() error {
	if d.IsPostgres() {
		return nil
	}
	_, err := os.Stat(d.DB)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("this user may not read %s: run the command as the user that owns the database", d.DB)
	}
	if err != nil {
		return fmt.Errorf("there is no database at %s: give its path with --db, "+
			"or create one with: enlist serve --db %[1]s", d.DB)
	}
	return nil
}

// schemeOf returns the scheme of a URL. The text after the scheme may contain a password,
// so schemeOf replaces it by "…".
func schemeOf(url string) string {
	scheme, _, _ := strings.Cut(url, "://")
	return scheme + "://…"
}

// DefaultOpsListen is the default of --ops-listen. If two servers run on the same machine,
// the second one cannot use this port. This is an error only if the flag is set.
const DefaultOpsListen = "127.0.0.1:9090"

// Serve has the settings of enlist serve.
type Serve struct {
	Database

	DBWriters    int           `placeholder:"N"`
	DBReaders    int           `placeholder:"N"`
	DBReplica    []string      `sep:" " placeholder:"URL"`
	DBReplicaLag time.Duration `default:"0s" placeholder:"TIME"`

	Listen      string        `default:"127.0.0.1:8080" placeholder:"ADDR"`
	OpsListen   string        `default:"127.0.0.1:9090" placeholder:"ADDR"`
	Memory      Size          `default:"512MiB" placeholder:"SIZE"`
	MaxBody     Size          `default:"32MiB" placeholder:"SIZE"`
	ReadTimeout time.Duration `default:"1m" placeholder:"TIME"`

	MaxFile  Size `default:"10MiB" placeholder:"SIZE"`
	MaxFiles Size `default:"1GiB" placeholder:"SIZE"`

	MaxImport Size `default:"1GiB" placeholder:"SIZE"`

	Connections int `default:"4096" placeholder:"N"`

	TLSCert        string        `placeholder:"FILE"`
	TLSKey         string        `placeholder:"FILE"`
	ACME           []string      `sep:"," placeholder:"HOST"`
	ACMEEmail      string        `placeholder:"ADDRESS"`
	ACMEDirectory  string        `placeholder:"URL"`
	ACMEDir        string        `placeholder:"FOLDER"`
	RedirectListen string        `placeholder:"ADDR"`
	HSTS           time.Duration `default:"0s" placeholder:"TIME"`
	TrustedProxy   []string      `sep:" " placeholder:"CIDR"`

	MaxCalls int           `default:"256" placeholder:"N"`
	CallWait time.Duration `default:"5s" placeholder:"TIME"`
	KeyRate  string        `default:"none" placeholder:"RATE"`

	Searches      int           `default:"8" placeholder:"N"`
	SearchTimeout time.Duration `default:"1m" placeholder:"TIME"`
	Streams       int           `default:"8" placeholder:"N"`
	SearchWait    time.Duration `default:"5s" placeholder:"TIME"`
	SearchIndexes int           `default:"64" placeholder:"N"`
	StreamTimeout time.Duration `default:"10m" placeholder:"TIME"`
	FlushTimeout  time.Duration `default:"30s" placeholder:"TIME"`
	WALLimit      Size          `default:"1GiB" placeholder:"SIZE"`
	Checkpoints   string        `default:"own" enum:"own,external" placeholder:"WHO"`

	BackupDir            string        `placeholder:"FOLDER"`
	BackupEvery          time.Duration `default:"6h" placeholder:"TIME"`
	BackupKeep           string        `default:"7d,4w" placeholder:"TEXT"`
	BackupRecipient      []string      `sep:" " placeholder:"KEY"`
	BackupRecipientsFile string        `placeholder:"FILE"`

	PublicURL string `placeholder:"URL"`

	SMTP            string   `placeholder:"URL"`
	Mail            string   `placeholder:"dir:PATH"`
	MailFrom        string   `placeholder:"ADDRESS"`
	MailConnections int      `default:"8" placeholder:"N"`
	MailRate        float64  `default:"0" placeholder:"N"`
	BatchCalendar   string   `placeholder:"TEXT"`
	BatchWarmup     string   `placeholder:"TEXT"`
	BatchRate       []string `sep:" " placeholder:"SCOPE=RATES"`
	BounceAddress   string   `placeholder:"ADDRESS"`
	SMTPProvider    string   `placeholder:"NAME"`
	BounceSecret    string   `placeholder:"TEXT"`
	BounceKey       string   `placeholder:"KEY"`
	DKIMKey         string   `placeholder:"FILE"`
	DKIMDomain      string   `placeholder:"DOMAIN"`
	DKIMSelector    string   `default:"enlist" placeholder:"NAME"`

	WebhookPrivate bool

	OTLPEndpoint string `placeholder:"URL"`

	LogLevel  string `default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL"`
	LogFormat string `default:"auto" enum:"auto,text,json" placeholder:"FORMAT"`
}

// DNS has the settings of enlist doctor --dns: those of enlist serve that decide how mails are sent, and how to look
// records up.
type DNS struct {
	DNS       bool     `name:"dns" help:"Check only the DNS records of mails and the public URL."`
	Resolver  string   `placeholder:"HOST:PORT" help:"DNS server to ask with --dns, instead of the one of the system."`
	SendingIP []string `sep:" " placeholder:"IP" help:"Address from which the mail server sends, for --dns. Can be repeated."`

	PublicURL     string `placeholder:"URL"`
	SMTP          string `placeholder:"URL"`
	MailFrom      string `placeholder:"ADDRESS"`
	BounceAddress string `placeholder:"ADDRESS"`
	SMTPProvider  string `placeholder:"NAME"`
	DKIMKey       string `placeholder:"FILE"`
	DKIMDomain    string `placeholder:"DOMAIN"`
	DKIMSelector  string `default:"enlist" placeholder:"NAME"`
}

// Serve returns the settings that the server has, and an error if one contradicts another. SMTPProvider is left out,
// because the server needs its secrets too.
func (d DNS) Serve(db Database) (Serve, error) {
	s := Serve{Database: db, PublicURL: d.PublicURL, SMTP: d.SMTP, MailFrom: d.MailFrom, BounceAddress: d.BounceAddress,
		DKIMKey: d.DKIMKey, DKIMDomain: d.DKIMDomain, DKIMSelector: d.DKIMSelector}
	return s, s.checkMail()
}

// Check returns an error if a setting is out of range or contradicts another setting.
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
	if err := s.checkTLS(); err != nil {
		return err
	}
	switch {
	case s.MaxBody < 1024:
		return errors.New("--max-body must be at least 1KiB")
	case s.Memory < 12*s.MaxBody || s.Memory < 64<<20:
		return errors.New("--memory must be at least 64MiB, and at least 12 times --max-body")
	case s.MaxImport < 1024:
		return errors.New("--max-import must be at least 1KiB")
	case s.MaxFile < 1024 || s.MaxFiles < s.MaxFile:
		return errors.New("--max-file must be at least 1KiB, and --max-files at least --max-file")
	case min(s.MaxCalls, s.Connections) < 1:
		return errors.New("--max-calls and --connections must be at least 1")
	case min(s.Searches, s.Streams) < 1:
		return errors.New("--searches and --streams must be at least 1")
	case s.WALLimit < 256<<20:
		return errors.New("--wal-limit must be at least 256MiB")
	case s.BackupDir != "" && s.BackupEvery < time.Minute:
		return errors.New("--backup-every must be at least 1m")
	case s.BackupDir == "" && (len(s.BackupRecipient) > 0 || s.BackupRecipientsFile != ""):
		return errors.New("--backup-recipient and --backup-recipients-file need --backup-dir")
	case s.Checkpoints == "external" && s.IsPostgres():
		return errors.New("--checkpoints external is for SQLite: leave it out")
	case s.SearchIndexes < 0:
		return errors.New("--search-indexes must be 0 or more")
	case min(s.ReadTimeout, s.CallWait, s.SearchWait, s.SearchTimeout, s.StreamTimeout, s.FlushTimeout) <= 0:
		return errors.New("--read-timeout, --call-wait, --search-wait, --search-timeout, --stream-timeout " +
			"and --flush-timeout must be more than 0s")
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
		return errors.New("--db-writers and --db-readers must be at least 1")
	case s.DBReplicaLag < 0:
		return errors.New("--db-replica-lag must not be negative")
	case s.DBReplicaLag > 0 && len(s.DBReplica) == 0:
		return errors.New("--db-replica-lag needs --db-replica")
	}
	for _, url := range s.DBReplica {
		if !(Database{DB: url}).IsPostgres() {
			return errors.New("--db-replica must be the URL of a standby: postgres://USER@HOST/DATABASE")
		}
	}
	return nil
}

// checkTLS checks the settings of TLS.
func (s Serve) checkTLS() error {
	switch {
	case (s.TLSCert == "") != (s.TLSKey == ""):
		return errors.New("--tls-cert and --tls-key need each other: the files of the certificate and of its private key")
	case s.TLSCert != "" && len(s.ACME) > 0:
		return errors.New("--tls-cert and --acme exclude each other: the certificate is in files, or the service gets one")
	case len(s.ACME) == 0 && cmp.Or(s.ACMEEmail, s.ACMEDirectory, s.ACMEDir) != "":
		return errors.New("--acme-email, --acme-directory and --acme-dir need --acme, the host names of the service")
	case !s.HasTLS() && s.RedirectListen != "":
		return errors.New("--redirect-listen redirects to HTTPS: it needs --tls-cert and --tls-key, or --acme")
	case !s.HasTLS() && s.HSTS != 0:
		return errors.New("--hsts needs --tls-cert and --tls-key, or --acme")
	case s.HSTS < 0:
		return errors.New("--hsts must not be negative")
	}
	return nil
}

// bounceSecret matches a secret that can be a part of a path and cannot be guessed.
var bounceSecret = regexp.MustCompile(`^[A-Za-z0-9_-]{20,100}$`)

// HasTLS reports whether the service answers over HTTPS.
func (s Serve) HasTLS() bool { return s.TLSCert != "" || len(s.ACME) > 0 }

// ACMEFolder returns the folder of the certificates that the service gets with --acme.
func (s Serve) ACMEFolder() string { return cmp.Or(s.ACMEDir, s.beside("acme")) }

// beside returns the default path of a folder: beside the file of SQLite, or in the working directory.
func (s Serve) beside(name string) string {
	if s.IsPostgres() {
		return "enlist-" + name
	}
	return strings.TrimSuffix(s.DB, ".db") + "-" + name
}

// checkMail checks the settings of mail.
func (s Serve) checkMail() error {
	_, from := s.Sender()
	_, domain, _ := strings.Cut(from, "@")
	switch {
	case s.SMTP != "" && s.Mail != "":
		return errors.New("--smtp and --mail exclude each other: " +
			"mails are sent to a mail server or written into a folder")
	case s.SMTP != "" && s.MailFrom == "":
		return errors.New("--smtp needs --mail-from, the default sender of mails")
	case s.MailFrom != "" && domain == "":
		return fmt.Errorf("--mail-from %s is not an address such as news@example.com or \"Name <news@example.com>\"", s.MailFrom)
	case s.Mail != "" && !strings.HasPrefix(s.Mail, "dir:"):
		return errors.New("--mail must be dir: and the path of a folder")
	case s.MailConnections < 0 || s.MailRate < 0:
		return errors.New("--mail-connections and --mail-rate must not be negative")
	case s.SMTPProvider == "" && (s.BounceSecret != "" || s.BounceKey != ""):
		return errors.New("--bounce-secret and --bounce-key need --smtp-provider")
	case s.SMTPProvider != "" && s.SMTP == "":
		return errors.New("--smtp-provider needs --smtp, the mail server of the provider")
	case s.SMTPProvider != "" && !bounceSecret.MatchString(s.BounceSecret):
		return errors.New("--smtp-provider needs --bounce-secret with 20 to 100 letters, digits, - and _: " +
			"make one with: openssl rand -hex 16")
	case s.DKIMKey == "" && s.DKIMDomain != "":
		return errors.New("--dkim-domain needs --dkim-key")
	case s.DKIMKey != "" && s.DKIMDomain == "" && s.MailFrom == "":
		return errors.New("--dkim-key needs --dkim-domain, or --mail-from, whose domain is the default")
	case s.PublicURL != "" && !strings.HasPrefix(s.PublicURL, "http://") && !strings.HasPrefix(s.PublicURL, "https://"):
		return fmt.Errorf("--public-url %s must begin with http:// or https://", s.PublicURL)
	}
	return nil
}

// Sender returns the display name and the address of --mail-from. The name is "" if there is only an address.
// The address is "" if the text has angle brackets but is not a name and an address.
func (s Serve) Sender() (name, address string) {
	if !strings.Contains(s.MailFrom, "<") {
		return "", s.MailFrom
	}
	parsed, err := mail.ParseAddress(s.MailFrom)
	if err != nil {
		return "", ""
	}
	return parsed.Name, parsed.Address
}

// MailDir returns the folder into which mails are written if there is no mail server.
func (s Serve) MailDir() string {
	if dir, ok := strings.CutPrefix(s.Mail, "dir:"); ok {
		return dir
	}
	return s.beside("mail")
}
