package main

import (
	"fmt"

	"enlist/internal/accounts"
	"enlist/internal/config"
)

// enlist settings check: prints the declared values. Mistakes have ended the command before it runs.

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
