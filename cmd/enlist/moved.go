package main

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
)

// This file handles flags and variables of earlier versions of enlist serve. Those that are settings now must be
// moved once with a command that serve prints. Until then it does not start, so that no server runs with other
// values than before.

// movedFlags are the flags that are settings of the same name now.
var movedFlags = []string{"mail-from", "mail-rate", "bounce-address", "dkim-key", "dkim-domain", "dkim-selector",
	"batch-rate", "batch-calendar", "batch-warmup", "key-rate", "max-file", "max-files", "max-import", "search-indexes"}

// goneFlags are the flags that have no effect any more, and what holds instead.
var goneFlags = map[string]string{
	"max-body":       "the largest request is 1/16 of --memory",
	"read-timeout":   "a client has 1m to send a request",
	"connections":    "there are at most 4096 connections",
	"max-calls":      "an Account makes at most 256 calls at the same time",
	"call-wait":      "a call waits at most 5s for another call",
	"searches":       "there are at most 8 simultaneous searches, or one for each processor if it has more",
	"search-timeout": "a search takes at most 1m",
	"search-wait":    "a search waits at most 5s for others",
	"streams":        "there are at most 8 simultaneous long replies",
	"stream-timeout": "a client has 10m to read a long reply",
	"flush-timeout":  "a client may stall for 30s while it reads a long reply",
	"wal-limit":      "long replies are broken off at 1GiB of SQLite's write-ahead log",
	"acme-email":     "the certificate authority gets no address: watch the expiry of certificates with the metrics",
	"bounce-secret":  "set it in the variable ENLIST_BOUNCE_SECRET",
	"bounce-key":     "set it in the variable ENLIST_BOUNCE_KEY",
}

// oldFlags are the old flags and variables of a process.
type oldFlags struct {
	moved map[string]string // values by name
	shown map[string]string // as the operator wrote a name: --mail-rate or ENLIST_MAIL_RATE
}

// takeOldFlags returns the arguments without the old flags of enlist serve, and these.
func takeOldFlags(args []string) (kept []string, old oldFlags) {
	old = oldFlags{make(map[string]string), make(map[string]string)}
	if len(args) == 0 || args[0] != "serve" {
		return args, old
	}
	for i := 0; i < len(args); i++ {
		flag, value, hasValue := strings.Cut(args[i], "=")
		name, isFlag := strings.CutPrefix(flag, "--")
		if !isFlag || !isOldFlag(name) {
			kept = append(kept, args[i])
			continue
		}
		if !hasValue && i+1 < len(args) {
			i++
			value = args[i]
		}
		if name == "batch-rate" && old.moved[name] != "" { // this flag could be repeated
			value = old.moved[name] + " " + value
		}
		old.moved[name], old.shown[name] = value, flag
	}
	return kept, old
}

func isOldFlag(name string) bool { return slices.Contains(movedFlags, name) || goneFlags[name] != "" }

// addVariables adds the old variables. Those of settings declare them, as ever. A flag wins over its variable, as in the
// earlier version.
func (o *oldFlags) addVariables(getenv func(string) string) {
	for name := range goneFlags {
		if strings.HasPrefix(name, "bounce-") {
			continue // these variables are not old
		}
		variable := variableOf(name)
		if value := getenv(variable); value != "" && o.shown[name] == "" {
			o.moved[name], o.shown[name] = value, variable
		}
	}
}

// check refuses old flags whose settings have no value in the database, with the command that stores all of them.
// It logs the others, because they have no effect.
func (o *oldFlags) check(ctx context.Context, s *app.App, db config.Database, log *slog.Logger) error {
	if len(o.shown) == 0 {
		return nil
	}
	stored, err := s.Accounts.StoredSettings(ctx)
	if err != nil {
		return fmt.Errorf("read the settings: %w", err)
	}
	set := settingNames(stored)
	var missing, shown []string
	for _, name := range movedFlags {
		if o.shown[name] != "" && !slices.Contains(set, name) {
			missing, shown = append(missing, shellWord(name+"="+settingValue(name, o.moved[name]))), append(shown,
				o.shown[name])
		}
	}
	if missing != nil {
		return usage("%s: the flags and variables of these settings are gone. The settings are in the database now, and all "+
			"servers share them. Store the values with this command, start the server again, and then remove the flags and "+
			"variables:\n\n  %s %s\n\n\"enlist settings list\" explains the settings", strings.Join(shown, ", "),
			settingsSetCommand(db), strings.Join(missing, " "))
	}
	for name, written := range o.shown {
		if instead := goneFlags[name]; instead != "" {
			log.Warn("a flag or variable has no effect any more: remove it", "name", written, "instead", instead)
		} else {
			log.Warn("a flag or variable has no effect: the value is the setting in the database; remove it",
				"name", written, "setting", name)
		}
	}
	return nil
}

// settingValue returns the value for enlist settings set. The old flag of a private key is the path of its file.
func settingValue(name, value string) string {
	if row, err := accounts.FindSetting(name); err == nil && row.IsFile {
		return "@" + value
	}
	return value
}

// settingsSetCommand returns the beginning of the command. The text may be logged, so it has the variable
// ENLIST_DB in place of a URL with a password.
func settingsSetCommand(db config.Database) string {
	if u, err := url.Parse(db.DB); db.IsPostgres() {
		secret := err != nil || strings.Contains(u.RawQuery, "password")
		if err == nil && u.User != nil {
			_, hasPassword := u.User.Password()
			secret = secret || hasPassword
		}
		if secret {
			return `enlist settings set --db "$ENLIST_DB"`
		}
	}
	return "enlist settings set --db " + shellWord(db.DB)
}

// shellWord returns a text as one word of a shell.
func shellWord(text string) string {
	plain := func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' ||
			strings.ContainsRune("-_=+,.:/@%", c))
	}
	if text != "" && !strings.ContainsFunc(text, plain) {
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
}
