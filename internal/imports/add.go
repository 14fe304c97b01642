package imports

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/lists"
)

// This file adds an Import: it stores the file in pieces, reads its header, and adds the Fields that the caller asked
// for. Then a job or the command line runs the Import (run.go).

// NewImport is a file to import.
type NewImport struct {
	ImportOptions
	File io.Reader
	Size int64 // of the file in bytes; 0 or less: not known
	Most int64 // largest size of the file in bytes; 0: no limit
	// OnlyKeep stores the file for ImportKept and runs nothing: the options are not complete.
	OnlyKeep bool
}

// ImportTooLarge is the error of AddImport if the file is larger than NewImport.Most, which it contains.
type ImportTooLarge int64

func (e ImportTooLarge) Error() string {
	return fmt.Sprintf("the file is larger than %d bytes: split it, or compress it with gzip", int64(e))
}

// NoRoom is the error of AddImport if the disk of the database has no room for the file.
type NoRoom struct{ Needed, Free int64 } // in bytes

func (e NoRoom) Error() string {
	return fmt.Sprintf("the disk of the database has room for %d MiB, and the import needs at least %d MiB: free some space",
		e.Free>>20, max(1, e.Needed>>20))
}

// requireRoom returns a NoRoom if the file cannot fit on the disk. The database stores the file and, until the file is
// removed at the end, also its Contacts. Their rows are at least as large.
func (s *Service) requireRoom(n *NewImport) error {
	needed := max(n.Size, 0)
	if !n.DryRun {
		needed *= 2
	}
	if free, known := s.db.FreeSpace(); known && free < needed {
		return NoRoom{Needed: needed, Free: free}
	}
	return nil
}

// AddImport stores a file and adds its Import, which then waits for a process that runs it. Errors: NoList, Denied,
// InvalidParameters, ConsentRequired, ImportTooLarge, NoRoom, ErrNoMemory, and errors of File. After an error the
// Import is failed. With KeepFile, columns that are not clear are no error: the Import returned is failed, and
// ImportKept can say what they are. With another refusal of a file that is stored, AddImport returns the failed Import
// and the error. reference.md: import.options, import.access
func (s *Service) AddImport(ctx context.Context, c *enlist.Caller, n NewImport) (*Import, error) {
	i, err := s.addUpload(ctx, c, &n)
	if err != nil {
		return nil, err
	}
	if err = s.uploadImport(ctx, i, n); err == nil {
		var waiting *Import
		if waiting, err = s.startImport(ctx, c, i, n.OnlyKeep); err == nil {
			return waiting, nil
		}
	}
	failed, abandoned := s.abandonImport(context.WithoutCancel(ctx), i, err)
	switch {
	case abandoned != nil:
		return nil, errors.Join(err, abandoned)
	case !failed.HasKeptFile():
		return nil, err
	case isAboutColumns(err) && !n.OnlyKeep:
		return failed, nil
	}
	return failed, err
}

// addUpload adds an Import whose file is to be uploaded.
func (s *Service) addUpload(ctx context.Context, c *enlist.Caller, n *NewImport) (*Import, error) {
	if err := s.requireRoom(n); err != nil {
		return nil, err
	}
	o := n.ImportOptions
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (*Import, error) {
		if err := o.check(c); err != nil {
			return nil, err
		}
		if _, err := allowImport(tx, c, &o); err != nil {
			return nil, err
		}
		content := files.Content{AccountID: c.Account.ID, Size: 1} // 0 would mean that it is being removed
		if err := content.Add(tx); err != nil {
			return nil, err
		}
		i := &Import{AccountID: c.Account.ID, ListID: o.List, CreatorKeyID: c.Key.ID, CreatorName: c.Key.Name,
			CreationTime: now, Options: o, Content: content.ID, State: ImportUploading,
			LeaseUntil: now + files.UploadTime}
		return i, errors.Join(i.add(tx), tx.Enqueue(RunImport{Import: i.ID, Account: i.AccountID,
			Due: i.LeaseUntil + 1}))
	})
}

// allowImport returns the List of an Import, or an error if the caller may not import such a file into it.
func allowImport(tx *db.Tx, c *enlist.Caller, o *ImportOptions) (*enlist.Schema, error) {
	schema, err := lists.Load(tx, c, o.List)
	switch {
	case err != nil:
		return nil, err
	case !c.May(enlist.SeeContacts):
		return nil, enlist.Refuse(enlist.Denied, "an import needs a key of the level standard")
	case o.AddFields && !o.DryRun && !c.May(enlist.Manage):
		return nil, enlist.Refuse(enlist.Denied, "an import that adds Fields needs a key of the level full")
	case o.Skip == SkipOfAccount && o.As == AsContacts:
		return schema, enlist.RequireWholeAccount(c)
	}
	return schema, nil
}

// uploadImport stores the file in pieces. Each Update stores a few of them.
func (s *Service) uploadImport(ctx context.Context, i *Import, n NewImport) error {
	sum := sha256.New()
	from := io.TeeReader(wholeFile{n.File}, sum)
	for number := int64(0); ; {
		var parts [][]byte
		var err error
		for err == nil && len(parts) < files.UploadStep {
			part := make([]byte, files.PieceSize)
			var size int
			size, err = io.ReadFull(from, part)
			i.Size += int64(size)
			if size > 0 {
				parts = append(parts, part[:size])
			}
		}
		if n.Most > 0 && i.Size > n.Most {
			return ImportTooLarge(n.Most)
		}
		isEnd := err == io.EOF || err == io.ErrUnexpectedEOF
		if err != nil && !isEnd {
			return fmt.Errorf("read the file: %w", err)
		}
		if err := s.storePieces(ctx, i, number, parts); err != nil {
			return err
		}
		number += int64(len(parts))
		if isEnd {
			i.SHA256 = hex.EncodeToString(sum.Sum(nil))
			return nil
		}
	}
}

// wholeFile reads a file that a client sends. If the client breaks off, the reader of its request returns
// io.ErrUnexpectedEOF, which io.ReadFull also returns for the last piece of a whole file.
type wholeFile struct{ io.Reader }

// Read implements io.Reader.
func (f wholeFile) Read(p []byte) (n int, err error) {
	n, err = f.Reader.Read(p)
	if err == io.ErrUnexpectedEOF {
		err = fmt.Errorf("the file ends too early: %w", err)
	}
	return n, err
}

// storePieces stores pieces of the file, and renews the lease of the upload.
func (s *Service) storePieces(ctx context.Context, i *Import, number int64, parts [][]byte) error {
	return s.db.Update(ctx, func(tx *db.Tx) error {
		stored, err := lockImport(tx, i.ID)
		if err != nil {
			return err
		}
		if stored.State != ImportUploading {
			return errStopped
		}
		for n, part := range parts {
			if err := files.AddPiece(tx, i.Content, number+int64(n), part); err != nil {
				return err
			}
		}
		if err := files.SetContentSize(tx, i.Content, max(i.Size, 1)); err != nil {
			return err
		}
		stored.Size, stored.LeaseUntil = i.Size, s.db.Now().Unix()+files.UploadTime
		return stored.save(tx)
	})
}

// startImport reads the header of the file, adds Fields, and makes the Import wait for a process. With onlyKeep it only
// reads the header.
func (s *Service) startImport(ctx context.Context, c *enlist.Caller, i *Import, onlyKeep bool) (*Import, error) {
	schema, err := db.View(ctx, s.db, c, func(tx *db.Tx) (*enlist.Schema, error) {
		return allowImport(tx, c, &i.Options)
	})
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx, c, i, schema, onlyKeep); err != nil {
		return nil, err
	}
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, now int64) (*Import, error) {
		stored, err := lockImport(tx, i.ID)
		if err != nil {
			return nil, err
		}
		if stored.State != ImportUploading {
			return nil, errStopped
		}
		stored.SHA256, stored.Columns, stored.State, stored.LeaseUntil = i.SHA256, i.Columns, ImportWaiting, 0
		stored.Report, stored.Options = i.Report, i.Options
		if err := accounts.Audit(tx, c, now, stored.audited(), nil, stored.auditValues()); err != nil {
			return nil, err
		}
		return stored, errors.Join(stored.save(tx), stored.saveOptions(tx),
			tx.Enqueue(RunImport{Import: i.ID, Account: i.AccountID}))
	})
}

// prepare reads the header of the file, checks what is needed before a run, and adds Fields.
func (s *Service) prepare(ctx context.Context, c *enlist.Caller, i *Import, schema *enlist.Schema,
	onlyKeep bool) (err error) {
	if i.Columns, err = s.readHeader(ctx, i, schema); err != nil {
		return err
	}
	if onlyKeep {
		return ErrOnlyKept
	}
	if err := requireConsent(schema, i); err != nil {
		return err
	}
	return s.addFields(ctx, c, i)
}

// requireConsent refuses a file for a GDPR compliant List that says nothing about consent. reference.md: import.consent
func requireConsent(schema *enlist.Schema, i *Import) error {
	if i.Options.As != AsContacts {
		return nil
	}
	hasText := slices.ContainsFunc(i.Columns, func(c ImportColumn) bool { return c.Target == keyConsentText })
	if i.Options.Confirm == ConfirmStatement && strings.TrimSpace(i.Options.ConsentText) == "" && !hasText {
		return enlist.Invalid("consent_text", "confirm=statement needs the text to which the people agreed")
	}
	consent := contacts.Consent{Type: enlist.ConsentType(i.Options.ConsentType), Text: i.Options.ConsentText}
	if hasConsent(i.Columns) {
		if consent.Type == "" {
			return nil // each row is checked
		}
	} else if schema.List.GDPR && consent.Type == "" {
		return &enlist.Error{Kind: enlist.ConsentRequired, Field: "consent_type",
			Detail: "the List is GDPR compliant: " +
				"the file needs the columns consent_type and consent_text, or consent_type=gdpr and consent_text for all rows"}
	}
	if err := consent.Check(schema); err != nil {
		return err
	}
	_, err := consent.Row(schema)
	return err
}

// addFields adds the new Fields, unless the Import is a dry run.
func (s *Service) addFields(ctx context.Context, c *enlist.Caller, i *Import) error {
	if i.Options.DryRun {
		return nil
	}
	for n := range i.Columns {
		column := &i.Columns[n]
		if column.New == nil {
			continue
		}
		id, err := s.lists.AddField(ctx, c, i.ListID, column.New.Details(column.Target))
		if err != nil {
			return err
		}
		column.Field = id
	}
	return nil
}
