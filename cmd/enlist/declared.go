package main

import (
	"errors"
	"fmt"
	"net/mail"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"

	"github.com/alecthomas/kong"
)

// This file reads the values that are declared before the start: in variables, and in the file of --config. A flag wins
// over its variable, and that over the file. Declared settings win over stored ones. decisions.md: 147

// declaredOnly are names of values that are neither flags nor settings: every user of the machine can see flags.
var declaredOnly = []string{"bootstrap-key", "bounce-secret", "bounce-key", "first-user"}

// declarable returns the names of all values that can be declared.
func (p *parser) declarable() (names []string) {
	for _, command := range p.Model.Children {
		if command.Name != "serve" {
			continue
		}
		for _, f := range command.Flags {
			if f.Name != "help" && f.Name != "config" {
				names = append(names, f.Name)
			}
		}
	}
	for i := range accounts.SettingTable {
		names = append(names, accounts.SettingTable[i].Name)
	}
	return append(names, declaredOnly...)
}

// declare reads the declared values into p.declared. environ are the variables, as NAME=VALUE.
func (p *parser) declare(args, environ []string) {
	p.declared.All, p.declared.Mistakes = nil, nil
	env := make(map[string]string)
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		env[name] = value
	}
	names := p.declarable()
	for _, name := range names {
		variable := variableOf(name)
		value, file := env[variable], env[variable+"_FILE"]
		if slices.Contains(names, name+"-file") {
			file = "" // the variable of another flag
		}
		switch {
		case value != "" && file != "":
			p.mistake("variable "+variable, "%s_FILE is set too: remove one of them", variable)
		case value != "":
			p.add(name, value, "variable "+variable)
		case file != "":
			p.addFile(name, file, "variable "+variable+"_FILE")
		}
	}
	if path := configPath(args, env); path != "" {
		p.declareFile(path, names)
	}
}

// configPath returns the path of --config or its variable.
func configPath(args []string, env map[string]string) string {
	for i, arg := range args {
		if path, found := strings.CutPrefix(arg, "--config="); found {
			return path
		}
		if arg == "--config" && i+1 < len(args) {
			return args[i+1]
		}
	}
	return env["ENLIST_CONFIG"]
}

// declareFile adds the values of the file that no variable declares.
func (p *parser) declareFile(path string, names []string) {
	values, mistakes, err := config.ReadFile(path)
	if err != nil {
		mistakes = append(mistakes, err.Error())
	}
	p.declared.Mistakes = append(p.declared.Mistakes, mistakes...)
	inFile := make(map[string]bool)
	for _, v := range values {
		name, isFile := v.Name, false
		if of, ok := strings.CutSuffix(name, "-file"); ok && !slices.Contains(names, name) {
			name, isFile = of, true
		}
		switch {
		case !slices.Contains(names, name):
			text := "unknown name " + v.Name
			if near := enlist.Nearest(v.Name, names); near != "" {
				text += ": did you mean " + near + "?"
			}
			p.mistake(v.Where, "%s", text)
		case inFile[name]:
			p.mistake(v.Where, "%s and %[1]s-file are both set: remove one of them", name)
		case p.declared.Find(name) != nil: // by a variable
		case isFile:
			p.addFile(name, v.Value, v.Where)
		default:
			p.add(name, v.Value, v.Where)
		}
		inFile[name] = true
	}
}

func (p *parser) mistake(where, format string, args ...any) {
	p.declared.Mistakes = append(p.declared.Mistakes, where+": "+fmt.Sprintf(format, args...))
}

// addFile adds a value that is the content of a file.
func (p *parser) addFile(name, path, where string) {
	value, err := config.ReadSecret(path)
	if err != nil {
		p.mistake(where, "%v", err)
		return
	}
	p.add(name, value, where)
}

// add adds a value and checks it.
func (p *parser) add(name, value, where string) {
	row, err := accounts.FindSetting(name)
	if path, isPath := strings.CutPrefix(value, "@"); err == nil && row.IsFile && isPath {
		p.addFile(name, path, where)
		return
	}
	switch {
	case err == nil:
		err = row.Check(value)
	case name == "first-user":
		_, err = mail.ParseAddress(value)
	case slices.Contains(declaredOnly, name):
		err = nil
	default:
		err = checkFlag("--" + name + "=" + value)
	}
	if err != nil {
		p.mistake(where, "%v", err)
	}
	p.declared.All = append(p.declared.All,
		config.Declaration{Name: name, Value: value, Where: where, IsWrong: err != nil})
}

// checkFlag parses flags of serve.
func checkFlag(flags ...string) error {
	_, err := parseServe(flags)
	return err
}

// parseServe returns the values of flags of serve, without variables.
func parseServe(flags []string) (config.Serve, error) {
	var one struct{ config.Serve }
	k, err := kong.New(&one, kong.Bind(new(config.Declarations)))
	if err != nil {
		panic(err) // a struct tag of config.Serve is invalid
	}
	_, err = k.Parse(flags)
	return one.Serve, err
}

// resolve gives package kong the declared values of flags. It implements kong.ResolverFunc.
func (p *parser) resolve(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
	for i := range p.declared.All {
		if d := &p.declared.All[i]; !d.IsWrong && slices.Contains(flag.Envs, variableOf(d.Name)) {
			if flag.Target.Kind() == reflect.Bool {
				return d.Value == "true", nil
			}
			return d.Value, nil
		}
	}
	return nil, nil
}

// checkFlags looks for mistakes in declared flags and secrets, and for values that contradict each other.
func (p *parser) checkFlags() error {
	var flags []string
	secrets := make(map[string]string)
	for _, d := range p.declared.All {
		_, err := accounts.FindSetting(d.Name)
		switch {
		case err == nil || d.IsWrong:
		case slices.Contains(declaredOnly, d.Name):
			secrets[d.Name] = d.Value
		default:
			flags = append(flags, "--"+d.Name+"="+d.Value)
		}
	}
	c, err := parseServe(flags)
	if err != nil {
		return err
	}
	c.BounceSecret, c.BounceKey = secrets["bounce-secret"], secrets["bounce-key"]
	return errors.Join(checkStart(c, secrets["bootstrap-key"]), checkDatabaseFolder(c))
}

// settingsOf returns the declared settings that can be used.
func settingsOf(d *config.Declarations) (all []accounts.Declared) {
	if d == nil {
		return nil
	}
	for _, v := range d.All {
		if _, err := accounts.FindSetting(v.Name); err == nil && !v.IsWrong {
			all = append(all, accounts.Declared{Name: v.Name, Value: v.Value, Where: v.Where})
		}
	}
	return all
}

// declareSettings makes the declared settings win over those of the database, in this process.
func declareSettings(s *app.App, db config.Database) {
	s.Accounts.Declare(settingsOf(db.Declared))
	s.Accounts.SetServerZone(serverZone())
}

// serverZone returns the IANA name of the time zone of this machine, or UTC if it has none.
func serverZone() string {
	name := time.Local.String()
	if name == "Local" { // Go has read a file and does not know its name
		target, _ := os.Readlink("/etc/localtime")
		_, name, _ = strings.Cut(target, "/zoneinfo/")
	}
	if enlist.CheckTimeZone(name) != nil || name == "Etc/UTC" {
		return "UTC"
	}
	return name
}

// mistakes returns the error for all mistakes in declared values and variables, or nil. A server that has no other mistake
// checks its flags later, together with those of its command line.
func (p *parser) mistakes(out *console, isServer bool) error {
	all := slices.Clone(p.declared.Mistakes)
	add := func(err error) {
		if err != nil {
			all = append(all, err.Error())
		}
	}
	add(accounts.CheckTogether(settingsOf(p.declared)))
	add(checkVariables(out, p.Serve.variables))
	if !isServer || len(all) > 0 {
		add(p.checkFlags())
	}
	if len(all) == 0 {
		return nil
	}
	return usage("%s", strings.Join(all, "\n"))
}

// settingsCheck prints the declared values. Mistakes have ended the command before it runs.
type settingsCheck struct {
	Config string `placeholder:"FILE" help:"File with the names of flags and settings, in TOML."`
	format
}

// secretNames are the names of values that can have a password, besides the settings that are files.
var secretNames = map[string]bool{"db": true, "db-replica": true, "smtp": true, "bootstrap-key": true, "bounce-secret": true,
	"bounce-key": true}

// Run prints the values and where they are declared.
func (c *settingsCheck) Run(out *console, declared *config.Declarations) error {
	var rows []record
	for _, d := range declared.All {
		if row, err := accounts.FindSetting(d.Name); err == nil {
			d.Value = shownSetting(row, d.Value)
		}
		if secretNames[d.Name] {
			d.Value = "(not shown)"
		}
		rows = append(rows, record{{"name", d.Name}, {"value", d.Value}, {"declared_by", d.Where}})
	}
	if len(rows) == 0 && !c.JSON {
		fmt.Fprintln(out.stdout, "nothing is declared")
		return nil
	}
	return c.list(out.stdout, rows, "name", "value", "declared_by")
}
