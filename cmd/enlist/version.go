package main

// enlist version: prints the versions of the program, of Go and of the SQLite driver.

import (
	"runtime"
	"runtime/debug"

	"enlist/internal/db/sqlite"
)

type versionCommand struct {
	format
}

// Run prints the version.
func (c *versionCommand) Run(out *console) error {
	r := record{{"version", version()}, {"go", runtime.Version()}, {"sqlite_driver", sqlite.Driver}}
	return c.one(out.stdout, r, "enlist %s, %s, SQLite by %s", version(), runtime.Version(), sqlite.Driver)
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
