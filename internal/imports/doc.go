// Package imports has Imports of Contacts from files: it guesses what the columns are, stores the file, and adds or
// changes the Contacts in steps, which another process continues after a crash. Package sheet reads the formats.
//
//	import.go lists the files of this package.
package imports
