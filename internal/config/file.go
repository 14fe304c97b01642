package config

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// This file has the values that the operator declares before the start: in variables, and in the file of --config. The
// names in the file are those of flags and settings.

// Declaration is a value of a flag, a setting or a secret, and where it is declared: "variable ENLIST_SMTP" or
// "/etc/enlist/enlist.toml:3".
type Declaration struct {
	Name, Value, Where string
	IsWrong            bool // the value cannot be used: Declarations.Mistakes says why
}

// Declarations are all declared values, and the mistakes among them, each with its place.
type Declarations struct {
	All      []Declaration
	Mistakes []string
}

// Find returns the declaration of a name, or nil.
func (d *Declarations) Find(name string) *Declaration {
	for i := range d.All {
		if d.All[i].Name == name {
			return &d.All[i]
		}
	}
	return nil
}

// AfterApply keeps the declarations for the settings of the database. Package kong calls it.
func (d *Database) AfterApply(all *Declarations) error {
	d.Declared = all
	return nil
}

// ReadFile reads a file in TOML whose keys are names, without tables. Lists become texts with a separator, which is a
// comma or a space as the flag of the name needs it. The error is about the complete file, and mistakes are about lines.
func ReadFile(path string) (values []Declaration, mistakes []string, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	var all map[string]any
	if err := toml.Unmarshal(text, &all); err != nil {
		line := 1
		if at, ok := errors.AsType[*toml.DecodeError](err); ok {
			line, _ = at.Position()
		}
		return nil, nil, fmt.Errorf("%s:%d: %w", path, line, err)
	}
	lines := new(unstable.Parser)
	lines.Reset(text)
	for lines.NextExpression() {
		e := lines.Expression()
		name, at := "", 0
		for key := e.Key(); key.Next(); {
			name += "." + string(key.Node().Data)
			at = lines.Shape(key.Node().Raw).Start.Line
		}
		name = strings.TrimPrefix(name, ".")
		where := fmt.Sprintf("%s:%d", path, at)
		value, ok := textOf(name, all[name])
		if e.Kind != unstable.KeyValue || !ok {
			mistakes = append(mistakes, fmt.Sprintf("%s: %s must be a text, a number, true, false, or a list of texts", where,
				name))
			continue
		}
		values = append(values, Declaration{Name: name, Value: value, Where: where})
	}
	return values, mistakes, lines.Error()
}

// textOf returns a value of the file as the text of a flag or setting.
func textOf(name string, value any) (text string, ok bool) {
	switch value := value.(type) {
	case string:
		return value, true
	case bool, int64, float64:
		return fmt.Sprint(value), true
	case []any:
		separator := " "
		if name == "acme" {
			separator = ","
		}
		var all []string
		for _, v := range value {
			one, isText := v.(string)
			if !isText {
				return "", false
			}
			all = append(all, one)
		}
		return strings.Join(all, separator), true
	}
	return "", false
}

// ReadSecret returns the content of a file with a secret, without the line end at its end.
func ReadSecret(path string) (string, error) {
	text, err := os.ReadFile(filepath.Clean(path))
	return strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r"), err
}

// ReadVariables returns the ENLIST_ variables of a file in the form of EnvironmentFile of systemd: NAME=VALUE in each
// line, with or without quotes, and comments that begin with # or ;.
func ReadVariables(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := make(map[string]string)
	for line := range strings.Lines(string(text)) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), "=")
		if !ok || !strings.HasPrefix(name, "ENLIST_") {
			continue
		}
		if n := len(value); n >= 2 && (value[0] == '"' || value[0] == '\'') && value[n-1] == value[0] {
			value = value[1 : n-1]
		}
		values[name] = value
	}
	return values, nil
}
