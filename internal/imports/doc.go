// Package imports has Imports of Contacts from files: it guesses what the columns are, stores the file, and adds or
// changes the Contacts in steps, which another process continues after a crash. Package sheet reads the formats.
//
//	import.go   the record of an Import
//	add.go      stores the file and adds the Import
//	header.go   reads the header and the first rows of the file
//	columns.go  what each column of the file is stored as
//	guess.go, format.go, headings.go    the types of new Fields
//	content.go  reads the file from the database
//	cell.go     the value of a cell
//	row.go      reads a row and checks it
//	row_value.go values that do not fit, and the state of a row's person
//	status.go   columns with such states
//	step.go     stores the rows of one step in a transaction
//	others.go   files of addresses that have unsubscribed or bounced
//	tracking.go      what people have decided about the recording of their opens and clicks
//	language.go      the same of the language in which they get mails
//	run.go      runs the steps
//	run_read.go reads the rows of the steps
//	edit.go     shows, pauses, continues and cancels Imports
//	kept.go     files that are imported later
//	speed.go    how many rows were done over time
//	result.go   what became of each row
//	refused.go  the refused rows by their reasons
//	returned.go the refused rows as a file to mend
//	report.go   what an Import says about its file
//	person_data.go what of this is about a person
//	preset.go   what the files of other services contain; preset_parts.go splits such a file into Imports
//	import_sql.go, service.go, jobs.go   the statements, the Service and the jobs
package imports
