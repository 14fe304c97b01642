// Package forms has Forms, with which people subscribe to a List on a page of this service or on a site of the Account.
//
//	form.go         the record, and the calls setForm, deleteForm and searchForms
//	form_sql.go     the statements
//	translation.go  its texts in further languages
//	tracking.go     the tick for the recording of opens and clicks
//	public.go       what a visitor without a key sees of a Form, and what people did with it on each day
//	send.go         what happens when a visitor sends it, and what its inputs are in HTML
//
// A Form decides what is asked. The rules of a subscription are those of package contacts, which tells what people do
// with a Form, so that it is counted here. Package web has the pages.
package forms
