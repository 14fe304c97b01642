package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"

	"enlist/internal/backup"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/httpserver"
	"enlist/internal/mail"
	"enlist/internal/tracing"
)

// This file looks for mistakes in the flags of serve before anything is created. enlist settings check does the same.

// checkStart returns an error with a line for each mistake. key is the text of the first key; "": none is given.
func checkStart(c config.Serve, key string) error {
	all := []error{c.Check(), checkFeedback(c), checkAddresses(c), checkBackups(c), checkEntrance(c)}
	if c.SMTP != "" {
		all = append(all, about("smtp", mail.CheckServer(c.SMTP)))
	}
	if c.OTLPEndpoint != "" {
		all = append(all, about("otlp-endpoint", tracing.CheckEndpoint(c.OTLPEndpoint)))
	}
	if key != "" && !enlist.ValidKeyText(key) {
		all = append(all, fmt.Errorf("%s must be 64 lower-case hexadecimal characters: create a key with: openssl rand -hex 32",
			bootstrapKey))
	}
	return errors.Join(all...)
}

// about names the flag that an error is about.
func about(flag string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--%s: %w", flag, err)
}

// checkAddresses checks where the service listens.
func checkAddresses(c config.Serve) error {
	var all []error
	for _, a := range []struct{ flag, address string }{{"listen", c.Listen}, {"admin-listen", c.AdminListen},
		{"ops-listen", c.OpsListen}, {"redirect-listen", c.RedirectListen}} {
		isNone := a.address == "" || a.flag == "ops-listen" && a.address == "none"
		if _, _, err := net.SplitHostPort(a.address); err != nil && !isNone {
			all = append(all, fmt.Errorf("--%s %s: give a host and a port, such as 127.0.0.1:8080", a.flag, a.address))
		}
	}
	return errors.Join(all...)
}

// checkDatabaseFolder returns an error if the file of SQLite cannot be created, because it has no folder. A server finds
// that by itself before it creates anything, and starts again, because a disk can be mounted late.
func checkDatabaseFolder(c config.Serve) error {
	if c.IsPostgres() || c.Database.Check() != nil { // which can be a URL with a password
		return nil
	}
	return about("db", isFolder(filepath.Dir(c.DB)))
}

// isFolder returns an error if a path does not lead to a folder.
func isFolder(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s: create it", path)
	case err == nil && !info.IsDir():
		return fmt.Errorf("%s is no folder", path)
	}
	return err
}

// checkBackups checks the folder of backups, which are kept, and for whom they are encrypted.
func checkBackups(c config.Serve) error {
	if !c.MakesBackups() {
		return nil
	}
	_, keepErr := backup.ParseKeep(c.BackupKeep)
	_, recipientErr := backup.Recipients(c.BackupRecipient, c.BackupRecipientsFile)
	return errors.Join(about("backup-keep", keepErr), about("backup-recipient", recipientErr),
		about("backup-dir", isFolder(c.BackupDir)))
}

// checkEntrance checks trusted proxies, the files of the certificate and the hosts of certificates.
func checkEntrance(c config.Serve) error {
	_, err := httpserver.ParseProxies(c.TrustedProxy)
	all := []error{about("trusted-proxy", err)}
	if c.TLSCert != "" && c.TLSKey != "" {
		_, err := httpserver.LoadCertificate(c.TLSCert, c.TLSKey, nil)
		all = append(all, about("tls-cert", err))
	}
	for _, host := range c.ACME {
		if !httpserver.ValidHost(host) {
			all = append(all, fmt.Errorf("--acme: %q is no host name such as lists.example.com", host))
		}
	}
	return errors.Join(all...)
}
