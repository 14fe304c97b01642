// Package editor has the script and the style sheet of the editor of Messages. They are made from the files in source and
// library by "make assets": esbuild bundles the sources and the libraries, of which LICENCES has the licences. The script
// makes no HTML of a mail: it gets texts as the HTML that package mail made of their Markdown, and returns blocks.
package editor

import "embed"

// Files has editor.js and editor.css.
//
//go:embed editor.js editor.css
var Files embed.FS
