// Package forms has Forms, with which people subscribe to a List on a page of this service or on a site of the Account.
//
//	form.go         the record, and the calls setForm, deleteForm and searchForms
//	form_sql.go     the statements
//	translation.go  its texts in further languages
//	day.go          what people did with a Form on each day
//	public.go       what a visitor without a key sees of a Form
//	send.go         what happens when a visitor sends it
//	input.go, tick.go   what an input is in HTML, and what a tick is in what programs send
//
// A Form decides what is asked. The rules of a subscription are those of package contacts, which also counts what
// people do with a Form. Package web has the pages.
package forms
