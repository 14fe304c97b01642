// Package images has the library of images: the page on which a person uploads and deletes them. Messages and the
// theme show them.
package images

import (
	"embed"
	"errors"
	"io"
	"net/http"
	"path"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

//go:embed *.html
var templates embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(templates, "images.html"), ui.Parse(templates, "delete.html")}
	return []ui.Page{
		{Pattern: "GET /admin/images", Needs: enlist.See, Serve: p.list},
		{Pattern: "POST /admin/images", Needs: enlist.Write, Upload: true, Whole: true, Serve: p.upload},
		{Pattern: "GET /admin/images/{file}", Needs: enlist.See, File: true, Serve: show},
		{Pattern: "GET /admin/images/{file}/original", IsForm: true, Needs: enlist.Write, Serve: original},
		{Pattern: "GET /admin/images/{file}/delete", IsForm: true, Needs: enlist.Write, Serve: p.remove},
	}
}

type pages struct{ library, deletion *ui.Template }

// Image is a file that mails can show.
type Image struct {
	files.StoredFile
	About   string // its size, in words
	Added   string
	MayEdit bool
}

var columns = ui.Columns[Image]{
	{Text: "images.image"},
	ui.TextColumn("name", "images.name", func(i *Image) string { return i.Name }),
	ui.TimeColumn("size", "images.size", func(i *Image) int64 { return i.Size }),
	ui.TimeColumn("added", "images.added", func(i *Image) int64 { return i.LastModifiedTime }),
	{},
}

// listData is the data of the page.
type listData struct {
	ui.Table[Image]
	Upload *ui.FormCard // nil: the user may not
	OfSome bool         // the user uses only some Lists
}

// All returns the images of the Account that the user sees, the newest first.
func All(r *ui.Request) ([]Image, error) {
	all, err := r.App.Files.SearchFiles(r.Context(), r.Caller, enlist.Query{SortBy: "id", Descending: true})
	if err != nil {
		return nil, err
	}
	var images []Image
	for i := range all {
		if !all[i].IsShown() {
			continue
		}
		about := r.Language.Size(all[i].Size)
		if all[i].ImageWidth > 0 {
			about = r.Text("images.pixels", "width", int64(all[i].ImageWidth), "height", int64(all[i].ImageHeight),
				"size", about)
		}
		images = append(images, Image{all[i], about, r.Day(all[i].LastModifiedTime), all[i].MayEdit(r.Caller)})
	}
	return images, nil
}

func (p *pages) list(r *ui.Request) (*ui.View, error) { return p.view(r, "") }

// view shows the page. wrong says why an image was not stored.
func (p *pages) view(r *ui.Request, wrong string) (*ui.View, error) {
	if wrong != "" && forScript(r) {
		return nil, r.WriteJSON(http.StatusUnprocessableEntity, map[string]any{"problem": wrong})
	}
	all, err := All(r)
	d := listData{OfSome: r.Caller.Key.Lists != nil}
	if r.Caller.May(enlist.Write) {
		file := ui.Input{Name: "file", Kind: ui.InputFile, Label: r.Text("images.file", "size", r.Language.Size(most(r))),
			Accept: "image/png,image/jpeg,image/gif,image/webp", Required: true, Wrong: wrong}
		d.Upload = &ui.FormCard{Form: ui.Form{file}, Action: "/admin/images", Button: r.Text("images.upload")}
	}
	all, find := ui.FindRows(r, all, func(i *Image) string { return i.Name })
	d.Table = columns.Table(r, "added", all, find)
	if d.Cut(r); len(all) > 0 {
		d.Foot = r.Text("images.public")
	}
	v := &ui.View{Title: r.Text("images.title"), Place: "/admin/images", Content: p.library, Data: d}
	if d.OfSome {
		v.Sub = r.Text("images.some")
	}
	if wrong != "" {
		v.Problem = r.Text("images.not_stored")
	}
	return v, err
}

// most is the largest size of a file in bytes.
func most(r *ui.Request) int64 { return r.App.Accounts.Settings().Of(r.Caller.Account.ID).MaxFile }

// formRoom is the room in bytes for what a form has beside its file.
const formRoom = 64 << 10

func (p *pages) upload(r *ui.Request) (*ui.View, error) {
	tooLarge := r.Text("images.too_large", "size", r.Language.Size(most(r)))
	if r.ContentLength > most(r)+formRoom {
		r.Writer.Header().Set("Connection", "close") // the body is not read
		return p.view(r, tooLarge)
	}
	body := r.Upload(most(r) + formRoom)
	file, err := store(r)
	known, refused := errors.AsType[*enlist.Error](err)
	switch {
	case body.IsTooLarge():
		return p.view(r, tooLarge)
	case body.Broken() != nil, errors.Is(err, io.ErrUnexpectedEOF):
		return nil, enlist.Refuse(enlist.Busy, "the upload ended before the end of the file: try again")
	case refused && known.Kind == enlist.InvalidParameters:
		body.Discard()
		return p.view(r, known.Detail)
	case err != nil:
		return nil, err
	}
	body.Discard()
	if forScript(r) {
		return nil, r.WriteJSON(http.StatusOK, map[string]any{"id": file.ID, "name": file.Name, "width": file.ImageWidth,
			"height": file.ImageHeight})
	}
	return ui.GoTo("/admin/images", r.Text("images.stored", "name", file.Name)), nil
}

// mostWidth is the widest image that a page shows, in pixels.
const mostWidth = 1800

// forScript reports whether the script of the editor has sent the image.
func forScript(r *ui.Request) bool { return r.Header.Get("Accept") == "application/json" }

// store stores the file of the form.
func store(r *ui.Request) (*files.StoredFile, error) {
	parts, err := r.MultipartReader()
	if err != nil {
		return nil, enlist.Invalid("data", "choose a file")
	}
	for {
		part, err := parts.NextPart()
		if err != nil || part.FormName() == "file" && part.FileName() == "" {
			return nil, enlist.Invalid("data", "choose a file")
		}
		if part.FormName() == ui.AccountInput {
			value, err := io.ReadAll(io.LimitReader(part, formRoom))
			if err = errors.Join(err, r.CheckAccount(string(value))); err != nil {
				return nil, err
			}
		}
		if part.FormName() != "file" {
			continue
		}
		name := path.Base(strings.ReplaceAll(part.FileName(), `\`, "/"))
		added, err := r.App.Files.UploadImage(r.Context(), r.Caller, name, part)
		if err != nil {
			return nil, err
		}
		return r.App.Files.File(r.Context(), r.Caller, added.ID)
	}
}

// show sends an image to the browser: as a mail shows it, if the query has a width or a part.
func show(r *ui.Request) (*ui.View, error) {
	f, err := load(r)
	if err != nil {
		return nil, err
	}
	if width := ui.Int(r.FormValue("w")); width > 0 {
		crop, err := enlist.ReadCrop(r.FormValue("crop"))
		if err != nil {
			return nil, ui.ErrNotFound // no page has this
		}
		f, err = r.App.Files.Picture(r.Context(), f, enlist.Picture{File: f.ID, Width: min(width, mostWidth), Crop: crop})
		if err != nil {
			return nil, err
		}
	}
	h := r.Writer.Header()
	h.Set("Content-Type", f.Type)
	h.Set("Content-Length", ui.Plain(f.Size))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cache-Control", "private, max-age=300")
	for n := range files.Pieces(f.Size) {
		piece, err := r.App.Files.Piece(r.Context(), f.Content, n)
		if err != nil {
			panic(http.ErrAbortHandler) // the browser must not take the image as complete
		}
		if _, err := r.Writer.Write(piece); err != nil {
			break // the browser has disconnected
		}
	}
	return nil, nil
}

// original replaces an image by the largest form that mails show.
func original(r *ui.Request) (*ui.View, error) {
	f, err := loadToEdit(r)
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Texts: []string{r.Text("images.original_note", "size", r.Language.Size(f.Size))}, Button: r.Text("images.original_remove"),
		Back: ui.Action{Text: r.Text("images.original_keep"), Path: "/admin/images"}}
	return r.FormPage(r.Text("images.original_title", "name", f.Name), "/admin/images", &c, func() (*ui.View, error) {
		err := r.App.Files.RemoveOriginal(r.Context(), r.Caller, f.ID)
		return ui.GoTo("/admin/images", r.Text("images.original_removed", "name", f.Name)), err
	})
}

// remove asks before it deletes an image.
func (p *pages) remove(r *ui.Request) (*ui.View, error) {
	f, err := loadToEdit(r)
	if err != nil {
		return nil, err
	}
	page := func(problem string) (*ui.View, error) {
		return &ui.View{Title: r.Text("images.delete_title", "name", f.Name), Place: "/admin/images",
			Content: p.deletion, Data: f, Problem: problem}, nil
	}
	return r.Submit(nil, page, func() (*ui.View, error) {
		err := r.App.Files.DeleteFile(r.Context(), r.Caller, f.ID)
		return ui.GoTo("/admin/images", r.Text("images.deleted")), err
	})
}

// load returns the image of the path. Errors: ui.ErrNotFound.
func load(r *ui.Request) (*files.StoredFile, error) {
	f, err := r.App.Files.File(r.Context(), r.Caller, enlist.FileID(r.ID("file")))
	if enlist.KindOf(err) == enlist.NoFile || err == nil && !f.IsShown() {
		return nil, ui.ErrNotFound
	}
	return f, err
}

// loadToEdit is load for a user who replaces or deletes the image.
func loadToEdit(r *ui.Request) (*files.StoredFile, error) {
	f, err := load(r)
	if err == nil && !f.MayEdit(r.Caller) {
		err = ui.ErrNotFound
	}
	return f, err
}
