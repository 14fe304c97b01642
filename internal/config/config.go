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
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	"enlist/internal/enlist"
)

// Database is the setting of the database. Each command that opens a database has this
// setting.
type Database struct {
	DB string `default:"enlist.db" placeholder:"PATH|URL"`
	// Config is the path of the file with declared values, which cmd/enlist has read before it parses the flags.
	Config   string        `hidden:"" placeholder:"FILE"`
	Declared *Declarations `kong:"-"` // nil: none
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
func schemeOf(text string) string {
	scheme, _, _ := strings.Cut(text, "://")
	return scheme + "://…"
}

// DefaultOpsListen is the default of --ops-listen. If two servers run on the same machine,
// the second one cannot use this port. This is an error only if the flag is set.
const DefaultOpsListen = "127.0.0.1:9090"

// Serve has the flags of enlist serve: what belongs to one process. What all servers share is in the database, and
// package accounts has the table of these settings.
type Serve struct {
	Database

	DBWriters    int           `placeholder:"N"`
	DBReaders    int           `placeholder:"N"`
	DBReplica    []string      `sep:" " placeholder:"URL"`
	DBReplicaLag time.Duration `default:"0s" placeholder:"TIME"`
	Checkpoints  string        `default:"own" enum:"own,external" placeholder:"WHO"`

	Listen         string   `default:"127.0.0.1:8080" placeholder:"ADDR"`
	AdminListen    string   `placeholder:"ADDR"`
	AdminURL       string   `placeholder:"URL"`
	OpsListen      string   `default:"127.0.0.1:9090" placeholder:"ADDR"`
	RedirectListen string   `placeholder:"ADDR"`
	PublicURL      string   `placeholder:"URL"`
	TrustedProxy   []string `sep:" " placeholder:"CIDR"`

	TLSCert       string        `placeholder:"FILE"`
	TLSKey        string        `placeholder:"FILE"`
	ACME          []string      `sep:"," placeholder:"HOST"`
	ACMEDirectory string        `hidden:"" placeholder:"URL"`
	ACMEDir       string        `placeholder:"DIR"`
	HSTS          time.Duration `default:"0s" placeholder:"TIME"`

	SMTP            string `placeholder:"URL"`
	SMTPProvider    string `placeholder:"NAME"`
	Mail            string `placeholder:"dir:PATH"`
	MailConnections int    `default:"8" placeholder:"N"`
	WebhookPrivate  bool
	CheckLinks      string `default:"on" enum:"on,off" hidden:"" placeholder:"WHEN"`

	BackupDir            string        `placeholder:"DIR"`
	BackupEvery          time.Duration `default:"6h" placeholder:"TIME"`
	BackupKeep           string        `default:"7d,4w" placeholder:"TEXT"`
	BackupRecipient      []string      `sep:" " placeholder:"K"`
	BackupRecipientsFile string        `placeholder:"F"`

	Memory       enlist.Size `default:"512MiB" placeholder:"SIZE"`
	LogLevel     string      `default:"info" enum:"debug,info,warn,error" placeholder:"LEVEL"`
	LogFormat    string      `default:"auto" enum:"auto,text,json" placeholder:"FORMAT"`
	OTLPEndpoint string      `placeholder:"URL"`

	BounceSecret string `kong:"-"` // the variable ENLIST_BOUNCE_SECRET: every user of the machine can see flags
	BounceKey    string `kong:"-"` // the variable ENLIST_BOUNCE_KEY
	FirstUser    string `kong:"-"` // the variable ENLIST_FIRST_USER: an address, or a name and an address
	Connections  int    `kong:"-"` // largest number of HTTP connections; 0: 4096. Only tests set it.

	// ClientTime is the time of all httpserver.Limits; 0: their defaults. Only tests set it.
	ClientTime time.Duration `kong:"-"`
}

// MaxBody returns the largest size of a request in bytes.
func (s Serve) MaxBody() int64 { return int64(s.Memory) / 16 }

// DNS has the flags of enlist doctor --dns and --smtp: those of enlist serve that decide how mails are sent, and how to
// look records up. Here --smtp has no value, so the URL of the mail server has another flag.
type DNS struct {
	TrySMTP   bool     `name:"smtp" env:"-" help:"Check only the mail server: connect, TLS, login, sender. Sends no mail."`
	DNS       bool     `name:"dns" help:"Check only the DNS records of mails and the public URL."`
	Resolver  string   `placeholder:"HOST:PORT" help:"DNS server to ask with --dns, instead of the one of the system."`
	SendingIP []string `sep:" " placeholder:"IP" help:"Address from which the mail server sends, for --dns. Can be repeated."`

	PublicURL    string `placeholder:"URL"`
	SMTP         string `name:"smtp-server" env:"ENLIST_SMTP" placeholder:"URL" help:"Mail server, as --smtp of enlist serve."`
	SMTPProvider string `placeholder:"NAME"`
}

// TLS has the flags of enlist doctor that say which certificate the service has, as those of enlist serve.
type TLS struct {
	TLSCert string   `placeholder:"FILE" help:"PEM file of the TLS certificate, as in enlist serve."`
	ACME    []string `sep:"," placeholder:"HOST" help:"Host names of the certificates, as in enlist serve."`
	ACMEDir string   `placeholder:"DIR" help:"Folder of these certificates, as in enlist serve."`
}

// Serve returns the flags that the server has, and an error if one contradicts another. SMTPProvider is left out,
// because the server needs its secrets too.
func (d DNS) Serve(db Database) (Serve, error) {
	s := Serve{Database: db, PublicURL: d.PublicURL, SMTP: d.SMTP}
	return s, s.checkMail()
}

// noBackups is the value of --backup-dir that says that another program backs the database up.
const noBackups = "none"

// MakesBackups reports whether the process makes regular backups.
func (s Serve) MakesBackups() bool { return s.BackupDir != "" && s.BackupDir != noBackups }

// OtherBackups reports whether another program makes the backups.
func (s Serve) OtherBackups() bool { return s.BackupDir == noBackups || s.Checkpoints == "external" }

// LinksToItself reports whether the links in mails lead to the machine of the reader: to localhost or to a loopback
// address.
func (s Serve) LinksToItself() bool {
	u, err := url.Parse(s.PublicURL)
	if s.PublicURL == "" || err != nil {
		return true
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		err == nil && (ip.IsLoopback() || ip.IsUnspecified())
}

// Check returns an error if settings are out of range or contradict each other, with a line for each mistake.
func (s Serve) Check() error {
	return errors.Join(s.Database.Check(), s.checkConnections(), s.checkMail(), s.checkTLS(), s.checkProcess())
}

// mistakes are the mistakes of a check.
type mistakes []error

// when adds a mistake if is is true.
func (m *mistakes) when(is bool, format string, args ...any) {
	if is {
		*m = append(*m, fmt.Errorf(format, args...))
	}
}

// checkProcess checks the settings of memory and backups.
func (s Serve) checkProcess() error {
	var m mistakes
	m.when(s.Memory < 64<<20, "--memory must be at least 64MiB")
	m.when(s.MakesBackups() && s.BackupEvery < time.Minute, "--backup-every must be at least 1m")
	m.when(!s.MakesBackups() && (len(s.BackupRecipient) > 0 || s.BackupRecipientsFile != ""),
		"--backup-recipient and --backup-recipients-file need --backup-dir")
	m.when(s.Checkpoints == "external" && s.IsPostgres(), "--checkpoints external is for SQLite: leave it out")
	return errors.Join(m...)
}

// checkConnections checks the settings of connections to a database server.
func (s Serve) checkConnections() error {
	var m mistakes
	m.when(!s.IsPostgres() && (s.DBWriters != 0 || s.DBReaders != 0),
		"--db-writers and --db-readers are for PostgreSQL: "+
			"set --db to the URL of a PostgreSQL database, or leave them out")
	m.when(!s.IsPostgres() && len(s.DBReplica) > 0,
		"--db-replica is for PostgreSQL: set --db to the URL of its primary, or leave it out")
	m.when(min(s.DBWriters, s.DBReaders) < 0, "--db-writers and --db-readers must be at least 1")
	m.when(s.DBReplicaLag < 0, "--db-replica-lag must not be negative")
	m.when(s.DBReplicaLag > 0 && len(s.DBReplica) == 0, "--db-replica-lag needs --db-replica")
	for _, replica := range s.DBReplica {
		m.when(!(Database{DB: replica}).IsPostgres(), "--db-replica must be the URL of a standby: postgres://USER@HOST/DATABASE")
	}
	return errors.Join(m...)
}

// checkTLS checks the settings of TLS.
func (s Serve) checkTLS() error {
	var m mistakes
	m.when((s.TLSCert == "") != (s.TLSKey == ""),
		"--tls-cert and --tls-key need each other: the files of the certificate and of its private key")
	m.when(s.TLSCert != "" && len(s.ACME) > 0,
		"--tls-cert and --acme exclude each other: the certificate is in files, or the service gets one")
	m.when(len(s.ACME) == 0 && cmp.Or(s.ACMEDirectory, s.ACMEDir) != "",
		"--acme-directory and --acme-dir need --acme, the host names of the service")
	m.when(!s.HasTLS() && s.RedirectListen != "",
		"--redirect-listen redirects to HTTPS: it needs --tls-cert and --tls-key, or --acme")
	m.when(!s.HasTLS() && s.HSTS != 0, "--hsts needs --tls-cert and --tls-key, or --acme")
	m.when(s.HSTS < 0, "--hsts must not be negative")
	return errors.Join(m...)
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
	var m mistakes
	m.when(s.SMTP != "" && s.Mail != "", "--smtp and --mail exclude each other: "+
		"mails are sent to a mail server or written into a folder")
	m.when(s.Mail != "" && !strings.HasPrefix(s.Mail, "dir:"), "--mail must be dir: and the path of a folder")
	m.when(s.MailConnections < 0, "--mail-connections must not be negative")
	m.when(s.SMTPProvider == "" && (s.BounceSecret != "" || s.BounceKey != ""),
		"ENLIST_BOUNCE_SECRET and ENLIST_BOUNCE_KEY need --smtp-provider")
	m.when(s.SMTPProvider != "" && s.SMTP == "", "--smtp-provider needs --smtp, the mail server of the provider")
	m.when(s.SMTPProvider != "" && !bounceSecret.MatchString(s.BounceSecret),
		"--smtp-provider needs ENLIST_BOUNCE_SECRET with 20 to 100 letters, digits, - and _: "+
			"make one with: openssl rand -hex 16")
	m.when(!isWebURL(s.PublicURL), "--public-url %s must begin with http:// or https://, and a host", s.PublicURL)
	m.when(!isWebURL(s.AdminURL), "--admin-url %s must begin with http:// or https://, and a host", s.AdminURL)
	return errors.Join(m...)
}

// isWebURL reports whether a text is "" or the URL of pages.
func isWebURL(text string) bool {
	u, err := url.Parse(text)
	return text == "" || err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != ""
}

// MailDir returns the folder into which mails are written if there is no mail server.
func (s Serve) MailDir() string {
	if dir, ok := strings.CutPrefix(s.Mail, "dir:"); ok {
		return dir
	}
	return s.beside("mail")
}

//go:embed help.txt
var helpText string

// Help returns the help text of a flag, or "" if help.txt has no text for the flag. The texts
// are not in struct tags, because most of them are too long.
func Help(flag string) string {
	_, text, _ := strings.Cut(helpText, "\n--"+flag+"\n")
	text, _, _ = strings.Cut(text, "\n--")
	return strings.Join(strings.Fields(text), " ")
}
