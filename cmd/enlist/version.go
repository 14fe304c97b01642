package main

import (
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"strings"

	"enlist/internal/db/sqlite"
)

// enlist version: prints the versions of the program, of Go and of the SQLite driver, and the licences of its modules.

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

// release is the version of a package. tools/packages/build sets it when it links the program.
var release string

// version returns the version of the package, or what Go knows of the source code that the program was built from: the
// version of a tag, or else the time and the commit. A program of go run, or of a folder without its Git history, is of
// an unknown state.
func version() string {
	if release != "" {
		return release
	}
	info, ok := debug.ReadBuildInfo()
	if v := strings.TrimPrefix(info.Main.Version, "v"); ok && v != "(devel)" && v != "" {
		return v
	}
	return "development"
}
