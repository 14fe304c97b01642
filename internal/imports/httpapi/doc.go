// Package httpapi moves Contacts between a List and files, over HTTP and for the command line. The rules
// for imports are in package imports, those for exports in package contacts. Package sheet reads the files.
//
//	handler.go          the HTTP endpoints: authentication, errors
//	export.go           writes the Contacts of a List as a file
//	export_csv.go       the CSV of an export
//	export_http.go      GET /api/exports
//	import_http.go      /api/imports: uploads, and requests about imports
//	import_options.go   the options of an upload
//	import_reply.go     the records and results of imports
//	preset.go           what the exports of other services contain
//	preset_parts.go     splits such a file into imports
package httpapi
