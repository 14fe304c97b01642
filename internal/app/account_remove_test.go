package app_test

import (
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/files"
	"enlist/internal/imports"
)

func TestRemovedAccount(t *testing.T) {
	apptest.Run(t, apptest.Own, apptest.NewAccount, []apptest.Rule[*apptest.Account]{
		{Name: "the file that a dry run has kept is removed", Test: removeKeptFile},
	})
}

func removeKeptFile(f *apptest.Account) {
	f.NewCaller() // the only Account cannot be removed
	dry, err := f.App.Imports.AddImport(f.Context(), f.Caller, imports.NewImport{File: strings.NewReader("Email\nann@example.com\n"),
		ImportOptions: imports.ImportOptions{List: f.AddList(), FileName: "p.csv", DryRun: true, KeepFile: true}})
	f.Must(err)
	f.Must(f.App.Imports.RunImport(f.Context(), dry.ID))
	f.Must(f.App.RemoveAccount(f.Context(), f.Caller.Account.ID))
	apptest.View(f.T, f.Store, func(tx *db.Tx) error {
		kept, err := tx.Number("SELECT count(*) FROM file_content WHERE account_id = ?", int64(f.Caller.Account.ID))
		released, failed := files.ReleasedContents(tx, f.Caller.Account.ID)
		if failed != nil || kept != int64(len(released)) {
			f.Errorf("%d files are stored, and jobs remove %d, want all; error %v", kept, len(released), failed)
		}
		return err
	})
}
