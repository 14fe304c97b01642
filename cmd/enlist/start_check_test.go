package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"enlist/internal/accounts"
)

// enlist serve and enlist settings check name all mistakes at once, and create nothing.
func TestAllMistakesAreNamedBeforeAnythingIsCreated(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) string {
		must(0, os.WriteFile(name, []byte(text), 0o600))(t)
		return name
	}
	wrong := map[string]string{"ENLIST_SMTP": "http://secret:password@mail", "ENLIST_BACKUP_DIR": "none-such", "ENLIST_BACKUP_KEEP": "x",
		"ENLIST_BACKUP_RECIPIENT": "age1x", "ENLIST_TRUSTED_PROXY": "10.0.0.0/99", "ENLIST_TLS_CERT": "cert.pem", "ENLIST_TLS_KEY": "key.pem",
		"ENLIST_ACME": "localhost", "ENLIST_LISTEN": "8080", "ENLIST_OPS_LISTEN": "9090", "ENLIST_OTLP_ENDPOINT": "collector",
		"ENLIST_PUBLIC_URL": "lists.example.com", "ENLIST_BOOTSTRAP_KEY": "short"}
	wanted := []string{"--smtp: the mail server's URL is not smtp://", "--backup-dir: there is no folder none-such", "--backup-keep: ",
		"--backup-recipient: ", "--trusted-proxy: ", "--tls-cert: ", "--acme: \"localhost\" is no host name", "--tls-cert and --acme exclude each other",
		"--listen 8080: give a host and a port", "--ops-listen 9090: ", "--otlp-endpoint: ", "--public-url lists.example.com must begin",
		"ENLIST_BOOTSTRAP_KEY must be 64"}
	with := func(more ...string) map[string]string {
		all := map[string]string{}
		for name, value := range wrong {
			all[name] = value
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	config := write("wrong.toml", "mail-rate = \"x\"\ncolour = 1\n")
	for _, c := range []struct {
		name      string
		args      []string
		variables map[string]string
		want      []string
	}{
		{"serve", []string{"serve"}, wrong, wanted},
		{"settings check", []string{"settings", "check"}, wrong, wanted},
		{"serve with a file", []string{"serve", "--config", config}, with("ENLIST_SMPT", "x"), append(wanted, "wrong.toml:1: mail-rate: ", "wrong.toml:2: unknown name colour", "ENLIST_SMPT (did you mean ENLIST_SMTP?)")},
		{"settings check with a file", []string{"settings", "check", "--config", config}, with("ENLIST_SMPT", "x"), append(wanted, "wrong.toml:1: mail-rate: ", "ENLIST_SMPT (did")},
		{"serve with flags", []string{"serve", "--smtp", "mail:25", "--backup-dir", "none-such"}, nil,
			[]string{"--smtp: ", "--backup-dir: there is no folder none-such"}},
		{"settings check of a database", []string{"settings", "check"}, with("ENLIST_DB", "none/enlist.db"), append(wanted, "--db: there is no folder none")},
		{"serve with a broken file", []string{"serve", "--config", write("broken.toml", "a = [")}, wrong, append(wanted, "broken.toml:1: ")},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, _, failed := enlistCommand(c.variables, c.args...)
			if status != 2 || strings.Contains(failed, "password@") {
				t.Errorf("the status is %d, want 2, without a password: %s", status, failed)
			}
			for _, want := range c.want {
				if n := strings.Count(failed, want); n != 1 {
					t.Errorf("%q is %d times in:\n%s", want, n, failed)
				}
			}
			left := must(filepath.Glob("*"))(t)
			if len(left) != 2 && len(left) != 1 {
				t.Errorf("the command has left %v", left)
			}
		})
	}
}

// Each setting can be declared in its variable, in the file of a variable, and in the file of --config, and the commands
// show where.
func TestEachSettingCanBeDeclared(t *testing.T) {
	t.Chdir(t.TempDir())
	for i := range accounts.SettingTable {
		row := &accounts.SettingTable[i]
		if row.IsFile || strings.HasPrefix(row.Name, "dkim") { // these need each other; declared.txt has them
			continue
		}
		t.Run(row.Name, func(t *testing.T) {
			must(0, os.WriteFile("value", []byte(row.Example+"\n"), 0o600))(t)
			must(0, os.WriteFile("enlist.toml", []byte(row.Name+" = '"+row.Example+"'\n"), 0o600))(t)
			for declared, where := range map[[2]string]string{
				{variableOf(row.Name), row.Example}:       "variable " + variableOf(row.Name),
				{variableOf(row.Name) + "_FILE", "value"}: "variable " + variableOf(row.Name) + "_FILE",
				{"ENLIST_CONFIG", "enlist.toml"}:          "enlist.toml:1",
			} {
				status, found, failed := enlistCommand(map[string]string{declared[0]: declared[1]}, "settings", "check")
				if status != 0 || !strings.Contains(found, row.Example) || !strings.HasSuffix(found, " "+where+"\n") {
					t.Errorf("%s: status %d, %s%s; want the value and %q", declared, status, found, failed, where)
				}
			}
		})
	}
}
