package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/durable"
	"enlist/internal/enlist"
	"enlist/internal/exports"
	"enlist/internal/rpc"
)

// enlist export: writes the Contacts of a List as a file.

type exportCommand struct {
	config.Database
	List    int64  `required:"" placeholder:"ID" help:"ID of the List."`
	Where   string `placeholder:"JSON" help:"Only Contacts that match this search_criteria of the API."`
	Columns string `placeholder:"NAMES" help:"Fields and system keys, separated by commas or as a JSON array; by default all."`
	Sort    string `placeholder:"KEY" help:"Field or system key to sort by; by default the ID."`
	Desc    bool   `help:"Sort from the highest to the lowest value."`
	Limit   int64  `placeholder:"N" help:"Largest number of Contacts; by default all."`
	Format  string `enum:"csv,ndjson" default:"csv" help:"csv or ndjson."`
	Gz      bool   `help:"Compress the file with gzip."`
	Excel   bool   `help:"CSV for Excel, which cannot be imported again: texts that begin with = + - @ get a quote."`
	Proof   bool   `help:"Add consents, unsubscribes and mails of each Contact: as a JSON object, in CSV in the column proof."`
	Output  string `short:"o" placeholder:"FILE" help:"File to write; by default the standard output."`
	Force   bool   `help:"Replace the file if it exists."`
}

// Run writes the file.
func (c *exportCommand) Run(ctx context.Context, out *console) error {
	e, err := c.export()
	if err != nil {
		return &usageError{err}
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	var n int64
	err = withService(ctx, c.Database, func(s *app.App) error {
		caller, err := operatorOfList(ctx, s, e.List)
		if err != nil {
			return err
		}
		if c.Output == "" {
			n, err = e.Write(ctx, s, caller, out.stdout)
			return err
		}
		return c.writeFile(func(file io.Writer) error {
			n, err = e.Write(ctx, s, caller, file)
			return err
		})
	})
	if ctx.Err() != nil && err != nil {
		return errors.New("interrupted: the file is incomplete")
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(out.stderr, "exported %d Contacts\n", n)
	return nil
}

// export returns what the flags say.
func (c *exportCommand) export() (*exports.Export, error) {
	criteria, err := rpc.ParseCriteria(c.Where)
	if err != nil {
		return nil, err
	}
	columns, err := exports.ParseColumns(c.Columns)
	if err != nil {
		return nil, err
	}
	e := &exports.Export{List: enlist.ListID(c.List), Columns: columns, Format: exports.Format(c.Format),
		Gzip: c.Gz, Excel: c.Excel, Proof: c.Proof,
		Query: enlist.Query{Criteria: criteria, SortBy: c.Sort, Descending: c.Desc, Limit: c.Limit}}
	return e, e.Check()
}

// writeFile writes a file under a temporary name in its folder, and renames it when it is complete and on the disk. So
// a file with the given name is complete. Only its owner may read it.
func (c *exportCommand) writeFile(write func(io.Writer) error) error {
	if _, err := os.Stat(c.Output); err == nil && !c.Force {
		return fmt.Errorf("%s exists: give another path, or replace it with --force", c.Output)
	}
	return durable.Write(c.Output, write)
}
