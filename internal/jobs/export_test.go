package jobs

import (
	"context"

	"enlist/internal/db"
	"enlist/internal/imports"
)

// SharedImport returns the work of an Import with slots, as shared does.
func SharedImport(do func(context.Context, db.Job, imports.RunImport) error) func(context.Context, db.Job,
	imports.RunImport) error {
	return shared(do)
}
