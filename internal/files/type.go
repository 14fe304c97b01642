package files

import (
	"net/http"
	"path"
	"strings"
)

// This file finds the media type of a file. Mail programs and browsers decide by it what to do with the
// file, so a file is an image only if its content is one. decisions.md: 64

// unknownType is the media type of a file whose type is not known.
const unknownType = "application/octet-stream"

// ImageTypes are the types of images that browsers show and that contain no script.
var ImageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// IsShown reports whether a browser may show the file in place of storing it.
func (f *StoredFile) IsShown() bool { return ImageTypes[f.Type] }

// fileTypes are the types of files that are not images, by the end of the name. The table of the
// operating system is not used, because it differs between machines.
var fileTypes = map[string]string{
	".pdf": "application/pdf", ".txt": "text/plain", ".csv": "text/csv", ".ics": "text/calendar",
	".vcf": "text/vcard", ".html": "text/html", ".htm": "text/html", ".xml": "application/xml",
	".json": "application/json", ".svg": "image/svg+xml", ".zip": "application/zip", ".rtf": "application/rtf",
	".doc": "application/msword", ".xls": "application/vnd.ms-excel", ".ppt": "application/vnd.ms-powerpoint",
	".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
	".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
	".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
	".odt":  "application/vnd.oasis.opendocument.text", ".ods": "application/vnd.oasis.opendocument.spreadsheet",
	".odp": "application/vnd.oasis.opendocument.presentation", ".epub": "application/epub+zip",
	".mp3": "audio/mpeg", ".m4a": "audio/mp4", ".wav": "audio/wav", ".mp4": "video/mp4", ".mov": "video/quicktime",
	".webm": "video/webm", ".pkpass": "application/vnd.apple.pkpass",
}

// SniffLength is the number of bytes that decide whether content is an image.
const SniffLength = 512

// TypeOf returns the media type of a file with a name. head is the beginning of its content.
func TypeOf(name string, head []byte) string {
	if sniffed := http.DetectContentType(head); ImageTypes[sniffed] {
		return sniffed
	}
	if known, ok := fileTypes[strings.ToLower(path.Ext(name))]; ok {
		return known
	}
	return unknownType
}
