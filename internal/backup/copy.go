package backup

import (
	"context"
	"errors"
	"fmt"

	"enlist/internal/config"
	"enlist/internal/db/dbcopy"
	"enlist/internal/db/postgres"
	"enlist/internal/db/sqlite"
)

// This file copies a database that no server uses into a new one, of either engine.

var errServed = errors.New("a server or a command uses it: stop the service, and try again")

// Copy copies a database into a file that does not exist or an empty PostgreSQL database. A file appears at its path when
// it is complete. A server cannot open a PostgreSQL database before that, and a repeated Copy into it continues.
func Copy(ctx context.Context, from, to config.Database, report func(dbcopy.Step)) (r dbcopy.Result, err error) {
	source, closeSource, err := openSource(ctx, from)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, closeSource()) }()
	if !to.IsPostgres() {
		return copyToFile(ctx, source, to.DB, report)
	}
	target, err := postgres.OpenTarget(ctx, to.DB)
	if err != nil {
		return r, err
	}
	defer target.Close() // its error is ignored: Run has verified the rows
	return (&dbcopy.Copier{From: source, To: target, Report: report}).Run(ctx)
}

// openSource opens a database of which no other process has a connection.
func openSource(ctx context.Context, from config.Database) (dbcopy.Source, func() error, error) {
	if !from.IsPostgres() {
		file, err := sqlite.OpenSource(ctx, from.DB)
		if err != nil {
			return nil, nil, err
		}
		return file, file.Close, nil
	}
	server, err := postgres.OpenSnapshot(ctx, from.DB)
	if err != nil {
		return nil, nil, err
	}
	served, err := server.IsServed(ctx)
	if err == nil && served {
		err = fmt.Errorf("open %s: %w", from.Shown(), errServed)
	}
	if err != nil {
		server.Close()
		return nil, nil, err
	}
	return server, server.Close, nil
}

// copyToFile copies a database into a file that does not exist.
func copyToFile(ctx context.Context, from dbcopy.Source, path string,
	report func(dbcopy.Step)) (r dbcopy.Result, err error) {
	if err := checkAbsent(path); err != nil {
		return r, err
	}
	temp, err := tempFile(path)
	if err != nil {
		return r, err
	}
	defer removeTemp(temp)
	r, err = fill(ctx, from, temp, report)
	if err == nil {
		_, err = publish(temp, path)
	}
	return r, err
}

// fill copies a database into the empty file at path.
func fill(ctx context.Context, from dbcopy.Source, path string,
	report func(dbcopy.Step)) (r dbcopy.Result, err error) {
	to, err := sqlite.NewFiller(ctx, path)
	if err != nil {
		return r, err
	}
	r, err = (&dbcopy.Copier{From: from, To: to, Report: report}).Run(ctx)
	return r, errors.Join(err, to.Close())
}
