package imports

import (
	"errors"
	"io"
	"mime/multipart"
	"os"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/imports/sheet"
)

// This file receives the form of a new Import with its file, which is the last part of the form and goes into the
// database while it arrives. A form with mistakes keeps its file: the next form names the Import that has it.

const (
	// formRoom is the room in bytes for the parts of the form that are no file.
	formRoom = 1 << 20
	// maxText is the largest size of one of them.
	maxText = 4 << 10
	// readAnyway is how much of a request is read, also if its file is too large: a browser that still sends its
	// request may show no page.
	readAnyway = 16 << 20
)

func (p *pages) upload(r *ui.Request) (*ui.View, error) {
	f, err := p.newForm(r)
	if err != nil {
		return nil, err
	}
	most := most(r)
	body := r.Upload(max(most+formRoom, readAnyway))
	i, err := p.receive(r, f, most)
	switch {
	case r.ContentLength > most+formRoom, body.IsTooLarge():
		f.Refused("file", tooLarge(r, most))
	case body.Broken() != nil, errors.Is(err, io.ErrUnexpectedEOF):
		return nil, enlist.Refuse(enlist.Busy, "%s", r.Text("imports.upload_ended"))
	case err != nil && !f.explain(r, err):
		return nil, err
	}
	body.Discard()
	switch {
	case f.IsWrong():
		return p.view(r, f), nil
	case f.to != "":
		return ui.GoTo(f.to, r.Text("imports.archive_has_several_files_each")), nil
	}
	return ui.GoTo(path(i.ID), ""), nil
}

// receive reads the form and adds the Import. It returns nil if something is wrong, and the form says what.
func (p *pages) receive(r *ui.Request, f *form, most int64) (*imports.Import, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		f.Refused("file", r.Text("imports.choose_a_file"))
		return nil, nil
	}
	for {
		part, err := parts.NextPart()
		if err == io.EOF {
			return p.addKept(r, f)
		}
		if err != nil {
			return nil, enlist.Invalid("file", r.Text("imports.broken_form"))
		}
		switch {
		case part.FormName() == "file" && r.ContentLength > most+formRoom:
			return nil, nil
		case part.FormName() == "file" && part.FileName() == "":
			return p.addKept(r, f)
		case part.FormName() == "file":
			return p.add(r, f, part, most)
		}
		text, err := io.ReadAll(io.LimitReader(part, maxText))
		if err != nil {
			return nil, enlist.Invalid("file", r.Text("imports.broken_form"))
		}
		if len(f.posted) < 50 {
			f.posted.Set(part.FormName(), strings.ToValidUTF8(string(text), "�"))
			f.ReadFrom(f.posted)
		}
	}
}

// add adds the Import of an uploaded file. The file of a form with mistakes is only stored.
func (p *pages) add(r *ui.Request, f *form, part *multipart.Part, most int64) (*imports.Import, error) {
	name := strings.ToValidUTF8(part.FileName(), "�")
	o, err := f.check(r, name)
	if err != nil {
		return nil, err
	}
	release, err := p.uploads.Acquire(r.Context())
	if err != nil {
		return nil, enlist.Refuse(enlist.Busy, "%s", r.Text("imports.too_many"))
	}
	defer release()
	n := imports.NewImport{File: part, Size: r.ContentLength, Most: most, ImportOptions: o, OnlyKeep: f.IsWrong()}
	if n.OnlyKeep {
		n.ImportOptions = imports.ImportOptions{List: o.List, FileName: o.FileName, DryRun: true, KeepFile: true}
	} else if isArchive(name) && o.As == imports.AsContacts {
		to, file, remove, err := addArchive(r, n)
		defer remove()
		if f.to = to; err != nil || to != "" {
			return nil, err
		}
		n.File = file
	}
	i, err := r.App.Imports.AddImport(r.Context(), r.Caller, n)
	if i != nil && err != nil {
		f.Kept = i
	}
	if n.OnlyKeep && i != nil && (errors.Is(err, imports.ErrOnlyKept) || len(i.Columns) > 0 || isArchive(name)) {
		return nil, nil // what is wrong with the form is more important
	}
	return i, err
}

// addKept adds the Import of a file that an earlier form has uploaded.
func (p *pages) addKept(r *ui.Request, f *form) (*imports.Import, error) {
	kept, err := r.App.Imports.Import(r.Context(), r.Caller, enlist.ImportID(ui.Int(f.posted.Get("kept"))))
	switch {
	case errors.Is(err, imports.ErrNoImport):
		f.Refused("file", r.Text("imports.choose_a_file"))
		kept = new(imports.Import)
	case err != nil:
		return nil, err
	case kept.HasKeptFile():
		f.Kept = kept
	default:
		f.Refused("file", r.Text("imports.file_no_longer_here_choose"))
	}
	o, err := f.check(r, kept.Options.FileName)
	if err != nil || f.IsWrong() {
		return nil, err
	}
	if isArchive(o.FileName) && o.As == imports.AsContacts {
		file, err := r.App.Imports.KeptFile(r.Context(), r.Caller, kept.ID)
		if err != nil {
			return nil, err
		}
		to, _, remove, err := addArchive(r, imports.NewImport{File: file, Most: kept.Size, ImportOptions: o})
		defer remove()
		if f.to = to; err != nil || to != "" {
			return nil, err
		}
	}
	return r.App.Imports.AddKept(r.Context(), r.Caller, kept.ID, func(to *imports.ImportOptions) { *to = o })
}

// addArchive adds the Imports of an archive of Mailchimp, which has a file for each status: one Import each, as enlist
// import --preset mailchimp does. It returns the path of the page that shows them. With any other archive it
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
