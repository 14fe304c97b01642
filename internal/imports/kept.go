package imports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/imports/sheet"
)

// This file has Imports that keep their file (ImportOptions.KeepFile). A person looks at what a dry run recognised, or
// mends a mistake of the form, and then imports the file without a second upload.

// keptTime is the time in seconds for which a dry run keeps its file after its end. The file is personal data, so it
// does not stay as long as the results.
const keptTime = enlist.Day

// keepsFile reports whether an Import that ends with a state keeps its file: a dry run does, and an Import that was
// refused before it ran. Without a sum, the file was not stored completely.
func (i *Import) keepsFile(state ImportState) bool {
	return i.Options.KeepFile && (i.Options.DryRun || i.StartTime == 0) && i.Content != 0 && i.SHA256 != "" &&
		i.Size > 0 && state != ImportCancelled
}

// ErrOnlyKept is the error of AddImport with OnlyKeep. The file is stored, and can be read.
var ErrOnlyKept = enlist.Invalid("form", "the form was not complete")

// isAboutColumns reports whether an error says that the meaning of the columns is not clear, or the consent is missing.
func isAboutColumns(err error) bool {
	e, ok := errors.AsType[*enlist.Error](err)
	return ok && slices.Contains([]string{"map", "consent_type", "consent_text"}, e.Field)
}

// abandonImport ends an Import whose upload or header was refused, and returns it.
func (s *Service) abandonImport(ctx context.Context, refused *Import, reason error) (*Import, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*Import, error) {
		i, err := lockImport(tx, refused.ID)
		if err != nil || i.State != ImportUploading {
			return i, err
		}
		if e, ok := errors.AsType[*enlist.Error](reason); ok && e.Kind != enlist.Internal {
			i.Columns, i.SHA256, i.Report = refused.Columns, refused.SHA256, refused.Report
		}
		return i, i.end(tx, ImportFailed, shorten(reason.Error(), maxReason), now)
	})
}

// maxReason is the longest reason of an Import, in bytes.
const maxReason = 2000

// HasKeptFile reports whether ImportKept can use the file.
func (i *Import) HasKeptFile() bool { return i.Ended() && i.Content != 0 }

// errNotKept is the refusal of an Import whose file was removed, or has gone to another Import.
func errNotKept() error {
	return enlist.Invalid("file", "the file of this import is no longer stored: upload it again")
}

// ImportKept adds an Import of the file that another one has kept, with other options. The name of the file and its
// format stay. The file then belongs to the new Import. After an error nothing has changed. Errors: ErrNoImport, NoList,
// Denied, InvalidParameters, ConsentRequired, NoRoom, ErrNoMemory.
func (s *Service) ImportKept(ctx context.Context, c *enlist.Caller, id enlist.ImportID,
	change func(*ImportOptions)) (*Import, error) {
	return s.importKept(ctx, c, id, change, func(error) bool { return false })
}

// AddKept is AddImport for a file that another Import has kept: with KeepFile, columns that are not clear are no error.
func (s *Service) AddKept(ctx context.Context, c *enlist.Caller, id enlist.ImportID,
	change func(*ImportOptions)) (*Import, error) {
	return s.importKept(ctx, c, id, change, isAboutColumns)
}

func (s *Service) importKept(ctx context.Context, c *enlist.Caller, id enlist.ImportID, change func(*ImportOptions),
	isQuestion func(error) bool) (*Import, error) {
	var next *Import
	schema, err := db.View(ctx, s.db, c, func(tx *db.Tx) (*enlist.Schema, error) {
		kept, err := loadImport(tx, c, id)
		if err != nil {
			return nil, err
		}
		if !kept.HasKeptFile() {
			return nil, errNotKept()
		}
		next = kept.again(c, change)
		if err := next.Options.check(c); err != nil {
			return nil, err
		}
		return allowImport(tx, c, &next.Options)
	})
	if err != nil {
		return nil, err
	}
	if err := s.requireRoom(&NewImport{ImportOptions: next.Options, Size: next.Size}); err != nil {
		return nil, err
	}
	err = s.prepare(ctx, c, next, schema, false)
	if next.Options.KeepFile && isQuestion(err) {
		next.State, next.Reason = ImportFailed, shorten(err.Error(), maxReason)
	} else if err != nil {
		return nil, err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*Import, error) {
		kept, err := lockImport(tx, id)
		if err != nil {
			return nil, err
		}
		if !kept.HasKeptFile() || kept.Content != next.Content {
			return nil, errNotKept() // another request was faster
		}
		added := *next
		kept.Content, added.CreationTime = 0, now
		if err := errors.Join(kept.save(tx), added.add(tx)); err != nil {
			return nil, err
		}
		if added.State == ImportFailed {
			return &added, added.end(tx, added.State, added.Reason, now)
		}
		return &added, errors.Join(accounts.Audit(tx, c, now, added.audited(), nil, added.auditValues()),
			tx.Enqueue(RunImport{Import: added.ID, Account: added.AccountID}))
	})
}

// again returns a new Import of the same file.
func (i *Import) again(c *enlist.Caller, change func(*ImportOptions)) *Import {
	next := &Import{AccountID: i.AccountID, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name,
		Options: i.Options, Content: i.Content, Size: i.Size, SHA256: i.SHA256, State: ImportWaiting}
	change(&next.Options)
	next.Options.FileName, next.Options.Format = i.Options.FileName, i.Options.Format
	next.ListID = next.Options.List
	return next
}

// releaseKept removes the file of a dry run whose time is over.
func (i *Import) releaseKept(tx *db.Tx, now int64) error {
	content := i.Content
	i.Content = 0
	return errors.Join(i.save(tx), files.SetContentSize(tx, content, 0),
		tx.Enqueue(files.RemoveContent{Content: content, Due: now}))
}

// ReleaseKept removes the files that dry runs of an Account have kept, and the samples of all its Imports.
func ReleaseKept(tx *db.Tx, account enlist.AccountID, now int64) error {
	all, err := Imports(tx, account)
	if err != nil {
		return err
	}
	for n := range all {
		if !all[n].HasKeptFile() && all[n].Report.Texts() == "" {
			continue
		}
		i, err := lockImport(tx, all[n].ID)
		if err != nil {
			return err
		}
		i.Report.forget()
		if err := i.save(tx); err != nil {
			return err
		}
		if i.HasKeptFile() {
			if err := i.releaseKept(tx, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// KeptFile returns a reader of the file that an Import has kept. Errors: ErrNoImport, Denied, and InvalidParameters if it
// is no longer there.
func (s *Service) KeptFile(ctx context.Context, c *enlist.Caller, id enlist.ImportID) (io.Reader, error) {
	i, err := s.Import(ctx, c, id)
	if err != nil {
		return nil, err
	}
	if !i.HasKeptFile() {
		return nil, errNotKept()
	}
	return io.NewSectionReader(s.contentOf(ctx, i), 0, i.Size), nil
}

// contentOf returns a reader of the file of an Import.
func (s *Service) contentOf(ctx context.Context, i *Import) *contentReader {
	return &contentReader{ctx: ctx, service: s, content: i.Content, size: i.Size}
}

// Sample is what the service recognised in a file, with its first rows.
type Sample struct {
	sheet.About
	Rows [][]string // in the order of the columns; a row that cannot be read is left out
}

// KeptSample reads the first rows of the file that a dry run has kept. It returns nil if the file is no longer there.
// Errors: ErrNoImport, Denied, ErrNoMemory, and InvalidParameters for a file that cannot be read.
func (s *Service) KeptSample(ctx context.Context, c *enlist.Caller, id enlist.ImportID, rows int) (*Sample, error) {
	i, err := s.Import(ctx, c, id)
	if err != nil || !i.HasKeptFile() {
		return nil, err
	}
	content := s.contentOf(ctx, i)
	file, err := s.open(content, i.Size, &i.Options)
	switch {
	case enlist.KindOf(content.err) == enlist.NotFound:
		return nil, nil
	case content.err != nil:
		return nil, content.err
	case errors.Is(err, ErrNoMemory):
		return nil, err
	case err != nil:
		return nil, enlist.Invalid("file", err.Error())
	}
	defer file.Close()
	sample := &Sample{About: file.About()}
	for n := 0; n < 20*rows && len(sample.Rows) < rows; n++ {
		row, err := file.Next()
		if err != nil {
			break // the run says why
		}
		if row.Err == nil {
			sample.Rows = append(sample.Rows, textsOf(row.Values))
		}
	}
	return sample, nil
}

// textsOf returns cells as texts for people, each of at most 200 bytes.
func textsOf(cells []any) []string {
	texts := make([]string, len(cells))
	for n, cell := range cells {
		texts[n] = shorten(strings.TrimSpace(textOf(cell)), maxShownValue)
	}
	return texts
}

// textOf returns a cell as a text.
func textOf(cell any) string {
	switch v := cell.(type) {
	case nil:
		return ""
	case string:
		return v
	case time.Time:
		return isoTime(v)
	case json.Number, bool, sheet.CellError:
		return fmt.Sprint(v)
	}
	b, _ := json.Marshal(cell) // an array or an object of NDJSON, which comes from JSON
	return string(b)
}
