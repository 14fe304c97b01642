package mail

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"mime"
	"path"
	"strings"
	"unicode/utf8"

	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file encodes the files of a Message, once for all of its mails. The mails share the encoded bytes, so
// a file of 10 MiB is in memory once and not in each mail. transport_mime.go puts the bytes into a mail.

// Files reads the content of files.
type Files interface {
	// Piece returns a piece of content, of files.PieceSize bytes. The last one is shorter. The error is of
	// kind enlist.NotFound if the content was removed.
	Piece(ctx context.Context, id enlist.ContentID, number int64) ([]byte, error)
	// InlineImage returns the content, media type and size of an image as mails contain it. The error is of kind
	// enlist.NotFound if the file was removed or has other content.
	InlineImage(ctx context.Context, id enlist.FileID, content enlist.ContentID) (shown enlist.ContentID, mediaType string,
		size int64, err error)
}

// encodedFiles are the parts of a mail that contain files, with the boundaries around them. The bytes are
// shared, so do not change them.
type encodedFiles struct {
	related  []byte // inline images; nil if there are none
	attached []byte // attachments; nil if there are none
}

// encodedSize estimates the size of a file in a mail.
func encodedSize(f *messages.MessageFile) int { return int(f.Size)/lineInput*(lineWidth+2) + 1024 }

// encodedFiles returns the encoded files of a Message. The first call reads and encodes them.
func (c *compiled) encodedFiles(ctx context.Context, files Files) (*encodedFiles, error) {
	c.filesMu.Lock()
	defer c.filesMu.Unlock()
	if c.encoded != nil {
		return c.encoded, nil
	}
	var e encodedFiles
	for _, part := range []struct {
		to       *[]byte
		inline   bool
		boundary string
	}{{&e.related, true, relatedBoundary}, {&e.attached, false, mixedBoundary}} {
		var err error
		*part.to, err = encodeFiles(ctx, c.files, part.inline, part.boundary, files)
		if enlist.KindOf(err) == enlist.NotFound {
			return nil, &messages.Undelivered{Detail: "a file of the Message was replaced; the next attempt has the new one"}
		}
		if err != nil {
			return nil, fmt.Errorf("read the files of Message %d: %w", c.source.ID, err)
		}
	}
	c.encoded = &e
	return c.encoded, nil
}

// encodeFiles returns the parts of the inline images or of the attachments, or nil if there are none.
func encodeFiles(ctx context.Context, all []messages.MessageFile, inline bool, boundary string,
	files Files) ([]byte, error) {
	var b bytes.Buffer
	size := 0
	for i := range all {
		if all[i].Inline == inline {
			size += encodedSize(&all[i])
		}
	}
	if size == 0 {
		return nil, nil
	}
	b.Grow(size)
	for i := range all {
		if all[i].Inline != inline {
			continue
		}
		f := all[i]
		if inline {
			var err error
			if f.Content, f.Type, f.Size, err = files.InlineImage(ctx, f.File, f.Content); err != nil {
				return nil, err
			}
		}
		b.WriteString("\r\n--" + boundary + "\r\n")
		writeFileHeader(&b, &f)
		if err := writeContent(ctx, &b, &f, files); err != nil {
			return nil, err
		}
	}
	b.WriteString("\r\n--" + boundary + "--\r\n")
	return b.Bytes(), nil
}

// writeFileHeader writes the header of a part. The name is in both fields, because old mail programs read
// only the first. RFC 2183, RFC 2231
func writeFileHeader(b *bytes.Buffer, f *messages.MessageFile) {
	name, disposition := shortName(f.Name), "attachment"
	if f.Inline {
		disposition = "inline"
	}
	b.WriteString("Content-Type: " + folded(mime.FormatMediaType(f.Type, map[string]string{"name": name})) +
		"\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: " +
		folded(mime.FormatMediaType(disposition, map[string]string{"filename": name})))
	if f.Inline {
		b.WriteString("\r\nContent-ID: <" + f.Name + ">") // messages allows only names that need no encoding
	}
	b.WriteString("\r\n\r\n")
}

// folded begins a new line before the parameter of a header field.
func folded(value string) string { return strings.Replace(value, "; ", ";\r\n ", 1) }

// shortName cuts a name so that the line with it is shorter than 998 bytes. It keeps the extension.
func shortName(name string) string {
	const most = 200 // bytes; each can become three
	if len(name) <= most {
		return name
	}
	extension := path.Ext(name)
	if len(extension) > 20 {
		extension = ""
	}
	cut := most - len(extension)
	for !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + extension
}

// lineInput bytes become one line of lineWidth characters. RFC 2045, 6.8
const (
	lineInput = 57
	lineWidth = 76
)

func writeContent(ctx context.Context, b *bytes.Buffer, f *messages.MessageFile, files Files) error {
	var rest []byte // bytes that do not fill a line
	line := make([]byte, 0, lineWidth+2)
	for at, number := int64(0), int64(0); at < f.Size; number++ {
		piece, err := files.Piece(ctx, f.Content, number)
		if err != nil {
			return err
		}
		if len(piece) == 0 {
			return errors.New("a piece is empty")
		}
		at += int64(len(piece))
		for data := append(rest, piece...); ; data = data[lineInput:] {
			if len(data) < lineInput {
				rest = data
				break
			}
			line = append(base64.StdEncoding.AppendEncode(line[:0], data[:lineInput]), "\r\n"...)
			b.Write(line)
		}
	}
	b.Write(base64.StdEncoding.AppendEncode(line[:0], rest))
	return nil
}
