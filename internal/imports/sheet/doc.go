// Package sheet reads the rows of a file of Contacts: CSV with any delimiter, NDJSON, or the first
// sheet with rows of an XLSX workbook, each also inside a .gz or .zip file. Open recognises the format, the
// encoding and the delimiter, and Reader.Next returns one row after the other. The memory that a Reader
// needs does not depend on the number of rows, except for the shared texts of a workbook.
//
// The package knows no Lists, Fields or databases, and it does not change values: it changes only the
// white space in names of columns. A row that it cannot read has an error, and the next rows are still read.
//
//	file.go       Open, Reader, Row: what callers use
//	archive.go    .gz and .zip, and the format of the content
//	encoding.go   from bytes to UTF-8; letters.go and letters_table.go guess an encoding by the letters
//	window.go     the bytes of a text file that are in memory
//	delimiter.go  the delimiter of a CSV file, and its line sep=;
//	record.go     one record of a CSV file
//	table.go      the rows of a CSV file or of a sheet, below its header
//	ndjson.go     the rows of an NDJSON file
//	workbook.go   the parts of an XLSX file; worksheet*.go read its cells
//	memory.go     the limit of all workbooks that are read at the same time
//	column.go     names of columns
package sheet
