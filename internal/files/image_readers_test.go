package files_test

import (
	"bytes"
	"image"
	"image/png"
	"sync"
	"sync/atomic"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file tests what readers of a mail ask for at once, large copies, and copies that an earlier version has left.

// fill makes the size of an image one that no other test has.
var fill atomic.Int64

func firstReaders(f *fileFixture) {
	data := append(photo(f, quadrants(1200, 900), 1), make([]byte, 1000+fill.Add(1))...)
	file := f.file(f.upload("first.jpg", data, ""))
	const readers = 30
	var shown [readers]*files.StoredFile
	var errs [readers]error
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range readers {
		all.Go(func() {
			<-start
			shown[i], errs[i] = f.App.Files.Picture(f.Context(), file, enlist.Picture{File: file.ID, Width: 500})
		})
	}
	close(start)
	all.Wait()
	for i := range readers {
		f.Must(errs[i])
		if shown[i].Content != shown[0].Content || shown[i].Content == file.Content {
			f.Errorf("reader %d got the content %d, and the first one %d", i, shown[i].Content, shown[0].Content)
		}
	}
	if n := files.Decodings(int64(len(data))); n != 1 {
		f.Errorf("%d readers at once: the image was decoded %d times, want once", readers, n)
	}
}

func highImage(f *fileFixture) {
	var b bytes.Buffer
	f.Must(png.Encode(&b, image.NewGray(image.Rect(0, 0, 300, 30_000))))
	file, err := f.uploadImage("high.png", b.Bytes())
	f.Must(err)
	_, m := f.picture(file, 300, "0,0,100,99")
	if n := m.Bounds().Dx() * m.Bounds().Dy(); n > 8_000_000 || n < 7_500_000 {
		f.Errorf("the copy is %v", m.Bounds())
	}
}

func staleCopies(f *fileFixture) {
	gone, replaced, stays := f.file(f.upload("gone.jpg", photo(f, quadrants(90, 60), 1), "")),
		f.file(f.upload("replaced.jpg", photo(f, quadrants(90, 60), 1), "")), f.file(f.upload("stays.jpg", photo(f, quadrants(90, 60), 1), ""))
	var contents []enlist.ContentID
	for _, file := range []*files.StoredFile{gone, replaced, stays} {
		shown, _ := f.picture(file, 30, "")
		contents = append(contents, shown.Content)
	}
	f.Must(f.Store.Update(f.Context(), func(tx *db.Tx) error { // as an earlier version, which does not know copies
		if err := tx.Do("DELETE FROM file WHERE id = ?", int64(gone.ID)); err != nil {
			return err
		}
		return tx.Do("UPDATE file SET content_id = ? WHERE id = ?", int64(stays.Content), int64(replaced.ID))
	}))
	f.Must(f.App.Files.RemoveStaleCopies(f.Context()))
	if a, b, c := f.copies(gone.ID), f.copies(replaced.ID), f.copies(stays.ID); a+b != 0 || c != 1 {
		f.Errorf("%d and %d stale copies are left, and %d of 1 others", a, b, c)
	}
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) error {
		for i, want := range []bool{true, true, false} {
			content, err := files.LoadContent(tx, contents[i])
			if err != nil || (content.Size == 0) != want {
				f.Errorf("content %d is %+v, error %v; removed: want %t", i, content, err, want)
			}
		}
		return nil
	}))
}
