package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// enlist import --preset: imports the files that another service exports. Package imports knows these files.

// runPreset runs an Import for each kind of rows in the file: first the Contacts, then the addresses that
// unsubscribed, complained or bounced. It ends at the first Import that is not done.
func (c *importAdd) runPreset(ctx context.Context, out *console) error {
	preset, err := imports.PresetNamed(c.Preset)
	if err != nil {
		return &usageError{err}
	}
	if c.File == "-" || c.NoHeader || c.As != imports.AsContacts {
		return usage("--preset needs a file with a header, and finds out what its rows are: leave out --as and --no-header")
	}
	file, err := os.Open(c.File)
	if err != nil {
		return usage("%v", err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	parts, notes, err := preset.Parts(file, info.Size(), c.options(filepath.Base(c.File)))
	if err != nil {
		return err
	}
	for _, note := range notes {
		fmt.Fprintln(out.stderr, note)
	}
	return withService(ctx, c.Database, func(s *app.App) error {
		caller, err := operatorOfList(ctx, s, enlist.ListID(c.List))
		if err != nil {
			return err
		}
		for i := range parts {
			fmt.Fprintf(out.stderr, "%s: as %s\n", parts[i].Options.FileName, parts[i].Options.As)
			if err := c.addPart(ctx, s, caller, &parts[i], out); err != nil {
				return err
			}
		}
		return nil
	})
}

// addPart adds the Import of one part and runs it.
func (c *importAdd) addPart(ctx context.Context, s *app.App, caller *enlist.Caller, p *imports.Part,
	out *console) error {
	file, err := p.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	return c.add(ctx, s, caller, imports.NewImport{ImportOptions: p.Options, File: file}, out)
}
