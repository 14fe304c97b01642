package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
)

// enlist settings: prints and changes the settings, which all servers of a database share. A running server reads
// a change within seconds. accounts/setting.go has their table.

type settingsCommand struct {
	List  settingsList  `cmd:"" help:"Print the settings with their values, defaults and meanings."`
	Set   settingsSet   `cmd:"" help:"Change settings. Running servers apply them within seconds."`
	Unset settingsUnset `cmd:"" help:"Return settings to their defaults."`
	Check settingsCheck `cmd:"" help:"Check the variables and the file of --config without a start, and print what they declare."`
}

// ofAccount is the flag --account of the commands of settings.
type ofAccount struct {
	Account int64 `placeholder:"ID" help:"Account whose own values are meant, instead of those of the whole service."`
}

type settingsList struct {
	reporting
	ofAccount
}

// Run prints the settings. With --account it prints those that an Account can have, with the values that hold for it.
func (c *settingsList) Run(ctx context.Context, out *console, s *app.App) error {
	if c.Account != 0 {
		if _, err := s.Accounts.Operator(ctx, enlist.AccountID(c.Account)); err != nil {
			return err
		}
	}
	stored, err := s.Accounts.StoredSettings(ctx)
	if err != nil {
		return err
	}
	var rows []record
	for i := range accounts.SettingTable {
		if row := &accounts.SettingTable[i]; c.Account == 0 || row.OfAccount {
			rows = append(rows, settingRecord(s, row, stored, enlist.AccountID(c.Account)))
		}
	}
	if c.JSON {
		return c.list(out.stdout, rows)
	}
	for _, r := range rows {
		fmt.Fprintf(out.stdout, "%s = %s", r.text("name"), cmp.Or(r.text("value"), "(none)"))
		if r.text("set_for") != "" {
			fmt.Fprintf(out.stdout, "  (set for %s; default: %s)", r.text("set_for"),
				cmp.Or(r.text("default"), "none"))
		}
		fmt.Fprintf(out.stdout, "\n%s\n", wrapped(r.text("meaning")+" Example: "+r.text("example")))
	}
	return nil
}

// settingRecord returns a setting with the value that holds for the service, or for an Account. set_for is "" if the
// default holds.
func settingRecord(s *app.App, row *accounts.Setting, stored []accounts.StoredSetting,
	account enlist.AccountID) record {
	v, setFor := s.Accounts.ValueOf(row, stored, account), ""
	switch {
	case v.Declared != nil:
		setFor = "this process by " + v.Declared.Where
	case v.Account != 0:
		setFor = fmt.Sprintf("Account %d", v.Account)
	case v.IsSet:
		setFor = "the service"
	}
	value := v.Value
	if v.IsSet {
		value = shownSetting(row, value)
	}
	return record{{"name", row.Name}, {"value", value}, {"set_for", setFor}, {"default", row.Default},
		{"of_account", row.OfAccount}, {"meaning", row.Says}, {"example", row.Example}}
}

// shownSetting returns a value without the private key that it may be.
func shownSetting(row *accounts.Setting, value string) string {
	if row.IsFile && value != "" {
		return "(a file that is not shown)"
	}
	return value
}

// wrapped breaks a text into indented lines of at most 80 columns.
func wrapped(text string) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0 || column+1+len(word) > 80:
			if column != 0 {
				b.WriteByte('\n')
			}
			b.WriteString("    " + word)
			column = 4 + len(word)
		default:
			b.WriteString(" " + word)
			column += 1 + len(word)
		}
	}
	return b.String()
}

type settingsSet struct {
	config.Database
	ofAccount
	Values []string `arg:"" name:"name=value" help:"Settings such as mail-rate=20. enlist settings list prints all."`
}

// Run changes the settings, all or none.
func (c *settingsSet) Run(ctx context.Context, out *console) error {
	values := make(map[string]string)
	for _, text := range c.Values {
		name, value, found := strings.Cut(text, "=")
		switch _, twice := values[name]; {
		case !found:
			return usage("%q is not NAME=VALUE, such as mail-rate=20", text)
		case value == "":
			return usage("%s has no value: return it to its default with: enlist settings unset %[1]s", name)
		case twice:
			return usage("%s is set twice", name)
		}
		row, err := accounts.FindSetting(name)
		if err != nil {
			return &usageError{err}
		}
		if row.IsFile {
			if value, err = readSetting(row, value); err != nil {
				return err
			}
		}
		values[name] = value
	}
	return changeSettings(ctx, out, c.Database, c.Account, values)
}

// readSetting reads the file of a setting whose value is @ and a path.
func readSetting(row *accounts.Setting, value string) (string, error) {
	path, isPath := strings.CutPrefix(value, "@")
	if !isPath {
		return "", usage("%s needs @ and the path of a file, such as %s=%s", row.Name, row.Name, row.Example)
	}
	text, err := os.ReadFile(path)
	return string(text), err
}

type settingsUnset struct {
	config.Database
	ofAccount
	Names []string `arg:"" name:"name" help:"Names of settings."`
}

// Run returns the settings to their defaults, all or none.
func (c *settingsUnset) Run(ctx context.Context, out *console) error {
	values := make(map[string]string)
	for _, name := range c.Names {
		values[name] = ""
	}
	return changeSettings(ctx, out, c.Database, c.Account, values)
}

// changeSettings changes the settings and prints the values that hold now.
func changeSettings(ctx context.Context, out *console, db config.Database, account int64,
	values map[string]string) error {
	return withService(ctx, db, func(s *app.App) error {
		if err := s.Accounts.ChangeSettings(ctx, enlist.AccountID(account), values); err != nil {
			return err
		}
		stored, err := s.Accounts.StoredSettings(ctx)
		if err != nil {
			return err
		}
		for i := range accounts.SettingTable {
			row := &accounts.SettingTable[i]
			if _, changed := values[row.Name]; changed {
				r := settingRecord(s, row, stored, enlist.AccountID(account))
				fmt.Fprintf(out.stdout, "%s = %s\n", row.Name, cmp.Or(r.text("value"), "(none)"))
			}
		}
		return nil
	})
}
