package imports

import (
	"context"
	"io"

	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/imports/sheet"
)

// This file reads the file of an Import from the database.

// keptPieces is the number of pieces that a contentReader keeps in memory: 2 MiB. A workbook and a .zip file are not
// read from their start to their end.
const keptPieces = 8

// contentReader reads content, piece by piece. It is not for use by several goroutines at the same time.
type contentReader struct {
	ctx     context.Context
	service *Service
	content enlist.ContentID
	size    int64
	kept    []keptPiece // the piece that was used last is the last one
	read    int64       // number of bytes of the pieces that were read
	err     error       // the first error of the database
}

// keptPiece is a piece of content in memory.
type keptPiece struct {
	number int64
	data   []byte
}

// ReadAt implements io.ReaderAt.
func (r *contentReader) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		if at >= r.size {
			return n, io.EOF
		}
		data, err := r.piece(at / files.PieceSize)
		if err != nil {
			return n, err
		}
		within := at % files.PieceSize
		if within >= int64(len(data)) {
			return n, io.ErrUnexpectedEOF
		}
		done := copy(b[n:], data[within:])
		n, at = n+done, at+int64(done)
	}
	return n, nil
}

// piece returns a piece of the content.
func (r *contentReader) piece(number int64) ([]byte, error) {
	for n, p := range r.kept {
		if p.number == number {
			copy(r.kept[n:], r.kept[n+1:])
			r.kept[len(r.kept)-1] = p
			return p.data, nil
		}
	}
	data, err := r.service.files.Piece(r.ctx, r.content, number)
	if err != nil {
		r.err = err
		return nil, err
	}
	if len(r.kept) == keptPieces {
		r.kept = append(r.kept[:0], r.kept[1:]...)
	}
	r.kept = append(r.kept, keptPiece{number, data})
	r.read += int64(len(data))
	return data, nil
}

// position returns about how many bytes of the content were read.
func (r *contentReader) position() int64 { return min(r.read, r.size) }

// open opens the file of an Import. The refused rows of a file without a header come back with one, so a file that is
// given again has it, whatever the options say.
func (s *Service) open(content *contentReader, size int64, o *ImportOptions) (*sheet.Reader, error) {
	read := s.sheet(o)
	file, err := sheet.Open(content, size, read)
	if err != nil || !o.NoHeader {
		return file, err
	}
	first, err := file.Next()
	if cells := first.Values; err == nil && len(cells) > 0 && isReasonColumn(textOf(cells[len(cells)-1])) {
		read.NoHeader = false
	}
	if err := file.Close(); err != nil {
		return nil, err
	}
	return sheet.Open(content, size, read)
}

// sheet returns the options for the package that reads files.
func (s *Service) sheet(o *ImportOptions) sheet.Options {
	read := sheet.Options{Format: sheet.Format(o.Format), FileName: o.FileName, Encoding: o.Encoding,
		NoHeader: o.NoHeader,
		Memory:   s.memory.Load()}
	for _, c := range o.Delimiter {
		read.Delimiter = c
	}
	return read
}
