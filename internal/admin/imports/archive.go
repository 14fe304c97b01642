package imports

import (
	"errors"
	"io"
	"os"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/imports"
	"enlist/internal/imports/sheet"
)

// This file imports the archive of Mailchimp, which has a file for each status: one Import each, as enlist import
// --preset mailchimp does.

// addArchive adds the Imports of an archive and returns the path of the page that shows them. With any other archive it
// returns "" and a reader of the archive. The archive is in a temporary file meanwhile, because its directory is at its
// end. The caller calls remove.
func addArchive(r *ui.Request, n imports.NewImport) (to string, file io.Reader, remove func(), err error) {
	spool, err := os.CreateTemp("", "enlist-import-")
	if err != nil {
		return "", nil, func() {}, err
	}
	remove = func() {
		spool.Close()           // it was only read since Copy
		os.Remove(spool.Name()) // the system removes what is left in its directory
	}
	size, err := io.Copy(spool, io.LimitReader(n.File, n.Most+1))
	switch {
	case err != nil:
		return "", nil, remove, err
	case size > n.Most:
		return "", nil, remove, imports.ImportTooLarge(n.Most)
	}
	preset, err := imports.PresetNamed("mailchimp")
	if err != nil {
		return "", nil, remove, err
	}
	parts, _, err := preset.Parts(spool, size, n.ImportOptions)
	if len(sheet.Entries(spool, size)) < 2 || err != nil || len(parts) == 0 { // AddImport says what is wrong
		_, err = spool.Seek(0, io.SeekStart)
		return "", spool, remove, err
	}
	for i := range parts {
		if err := addPart(r, &parts[i], n.Most); err != nil {
			return "", nil, remove, err
		}
	}
	return "/admin/imports", nil, remove, nil
}

// addPart adds the Import of one file of an archive.
func addPart(r *ui.Request, p *imports.Part, most int64) error {
	file, err := p.Open()
	if err != nil {
		return err
	}
	_, err = r.App.Imports.AddImport(r.Context(), r.Caller,
		imports.NewImport{ImportOptions: p.Options, File: file, Most: most})
	return errors.Join(err, file.Close())
}

// isArchive reports whether the name of a file is that of a .zip file.
func isArchive(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".zip") }
