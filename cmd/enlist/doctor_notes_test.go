package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
)

// The tests in this file look at what enlist doctor says of things that were never set up, and of the certificate.

// Each note and problem is there if something is missing, and not otherwise. The variables are those of the service.
func TestTheDoctorSaysWhatIsNotSetUp(t *testing.T) {
	const (
		noBackup  = "note: backup: no server has ever made a backup of this database"
		noBounces = "note: mails: mails are sent, but no program reads their bounces"
		noLinks   = "problem: mails: mails are sent, but the public URL is missing or is that of the reader's own machine"
	)
	dbtest.EachParallel(t, func(t *testing.T, e dbtest.Engine) {
		path := e.New(t)
		change := func(do func(*app.App) error) {
			must(0, withService(t.Context(), config.Database{DB: path}, do))(t)
		}
		change(func(s *app.App) error {
			_, err := s.Bootstrap(t.Context(), "")
			return err
		})
		says := func(about string, variables map[string]string, want ...string) {
			t.Helper()
			_, found, failed := enlistCommand(variables, "doctor", "--db", path)
			for _, line := range []string{noBackup, noBounces, noLinks} {
				wanted := false
				for _, w := range want {
					wanted = wanted || w == line
				}
				if strings.Contains(found, line) != wanted {
					t.Errorf("%s: the doctor says %q: %v, want %v:\n%s%s", about, line, !wanted, wanted, found, failed)
				}
			}
		}
		const server, site = "smtp://mail.example.com", "https://lists.example.com"
		says("no mail is sent", nil, noBackup)
		says("nothing is set up", map[string]string{"ENLIST_SMTP": server}, noBackup, noBounces, noLinks)
		says("loopback", map[string]string{"ENLIST_SMTP": server, "ENLIST_PUBLIC_URL": "http://localhost:8080"}, noBackup, noBounces, noLinks)
		says("a public URL", map[string]string{"ENLIST_SMTP": server, "ENLIST_PUBLIC_URL": site}, noBackup, noBounces)
		says("a provider", map[string]string{"ENLIST_SMTP": server, "ENLIST_PUBLIC_URL": site, "ENLIST_SMTP_PROVIDER": "ses"}, noBackup)
		says("another program makes backups", map[string]string{"ENLIST_BACKUP_DIR": "none"})
		says("Litestream makes backups", map[string]string{"ENLIST_CHECKPOINTS": "external"})
		says("a declared address", map[string]string{"ENLIST_SMTP": server, "ENLIST_PUBLIC_URL": site, "ENLIST_BOUNCE_ADDRESS": "b@example.com"}, noBackup)
		setSettings(t, path, map[string]string{"bounce-address": "b@example.com"})
		says("a stored address", map[string]string{"ENLIST_SMTP": server, "ENLIST_PUBLIC_URL": site}, noBackup)
		change(func(s *app.App) error {
			return s.DB.Update(t.Context(), func(tx *db.Tx) error {
				return tx.Do("INSERT INTO backup (id, time, name, tried_time, lease_time, every, error) VALUES (1, ?, 'b', 0, 0, 3600, '')", s.DB.Now().Unix())
			})
		})
		says("a server makes backups", nil)
	})
}

// An expired certificate, or one that ends soon, is a problem, with files and with ACME. So is one that cannot be read.
func TestTheDoctorLooksAtTheCertificate(t *testing.T) {
	path, dir := dbtest.SQLite.New(t), t.TempDir()
	must(0, withService(t.Context(), config.Database{DB: path}, func(s *app.App) error {
		_, err := s.Bootstrap(t.Context(), "")
		return err
	}))(t)
	cert := filepath.Join(dir, "cert.pem")
	selfSigned(t, cert, filepath.Join(dir, "key.pem"))
	must(0, os.WriteFile(filepath.Join(dir, "lists.example.com"), must(os.ReadFile(cert))(t), 0o600))(t)
	const soon = "problem: certificate: the TLS certificate expires in 0 days"
	for about, c := range map[string]struct {
		variables map[string]string
		want      string
	}{
		"no TLS":                {nil, "ok: certificate\n"},
		"files":                 {map[string]string{"ENLIST_TLS_CERT": cert}, soon},
		"ACME":                  {map[string]string{"ENLIST_ACME": "lists.example.com,news.example.com", "ENLIST_ACME_DIR": dir}, soon},
		"ACME, no client yet":   {map[string]string{"ENLIST_ACME": "news.example.com", "ENLIST_ACME_DIR": dir}, "note: certificate: the folder " + dir + " has no TLS certificate yet"},
		"a file that is not so": {map[string]string{"ENLIST_TLS_CERT": path}, "problem: certificate: the TLS certificate cannot be read: " + path + " has no certificate"},
		"no file":               {map[string]string{"ENLIST_TLS_CERT": dir + "/none.pem"}, "problem: certificate: the TLS certificate cannot be read: open "},
	} {
		t.Run(about, func(t *testing.T) {
			status, found, failed := enlistCommand(c.variables, "doctor", "--db", path)
			if !strings.Contains(found, c.want) || (status == 1) != strings.HasPrefix(c.want, "problem") {
				t.Errorf("the doctor ends with %d and says %s%s; want %q", status, found, failed, c.want)
			}
		})
	}
}
