package postgres

import (
	"context"
	"errors"
	"log/slog"

	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file prepares indexes for parts of texts, which searches with contains, ends_with and
// starts_with use. They need the extension pg_trgm. It is part of PostgreSQL's contrib modules, and a
// role with the right CREATE in the database may create it. Without the extension such searches read
// all Contacts.

// lookForTrigrams sets s.trigrams if the database has pg_trgm. If create is true, it first tries to
// create the extension. If that fails, it logs a warning, because the service works without it.
func (s *Store) lookForTrigrams(ctx context.Context, create bool, log *slog.Logger) error {
	if s.distributed { // the workers do not get search indexes of this kind
		return nil
	}
	if err := s.findTrigrams(ctx); err != nil || s.trigrams != "" || !create {
		return err
	}
	_, refused := s.jobs.Exec(ctx, "CREATE EXTENSION IF NOT EXISTS pg_trgm")
	if err := s.findTrigrams(ctx); err != nil || s.trigrams != "" { // perhaps another process created it
		return err
	}
	log.Warn("searches with contains and ends_with get no indexes: install the extension with CREATE EXTENSION pg_trgm",
		"error", refused)
	return nil
}

// findTrigrams reads the name of the operator class of pg_trgm, with its schema.
func (s *Store) findTrigrams(ctx context.Context) error {
	return s.readers.pool.QueryRow(ctx, `SELECT coalesce(max(quote_ident(nspname) || '.gin_trgm_ops'), '')
		FROM pg_extension JOIN pg_namespace ON pg_namespace.oid = extnamespace WHERE extname = 'pg_trgm'`).Scan(&s.trigrams)
}

// FindsParts implements db.Engine.
func (s *Store) FindsParts() bool { return s.trigrams != "" }

// indexOn returns the text after ON in the statement that creates a SearchIndex.
func (s *Store) indexOn(table string, list enlist.ListID, k *enlist.SearchKey) (string, error) {
	switch {
	case !k.Parts:
		return search.IndexOn(dialect, table, list, k), nil
	case s.trigrams == "":
		return "", errNoTrigrams
	}
	return search.PartsOn(dialect, table, list, k, s.trigrams), nil
}

var errNoTrigrams = errors.New("the extension pg_trgm is not installed")
