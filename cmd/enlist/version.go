package main

// enlist version: prints the versions of the program, of Go and of the SQLite driver, and the licences of its modules.

import (
	"errors"
	"io"
	"runtime"
	"runtime/debug"

	"enlist/internal/db/sqlite"
)

type versionCommand struct {
	format
	Licences bool `help:"Print the licences of the modules in the program instead."`
}

// Run prints the version or the licences.
func (c *versionCommand) Run(out *console) error {
	if c.Licences {
		return printLicences(out.stdout)
	}
	r := record{{"version", version()}, {"go", runtime.Version()}, {"sqlite_driver", sqlite.Driver}}
	return c.one(out.stdout, r, "enlist %s, %s, SQLite by %s", version(), runtime.Version(), sqlite.Driver)
}

func printLicences(to io.Writer) error {
	if licences == "" {
		return errors.New("this program was not built as a package: tools/packages/licences in its source code prints the " +
			"licences")
	}
	_, err := io.WriteString(to, licences)
	return err
}

// version returns the module's version, or the commit that the program was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			return "commit " + s.Value[:min(12, len(s.Value))]
		}
	}
	return "development"
}
