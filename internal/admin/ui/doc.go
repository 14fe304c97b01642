// Package ui has what the pages of the administration share: the layout, the style sheet, numbers and dates as people
// read them, and charts. A page has a folder of its own beside this one, with its template and its test. It gives this
// package its Page values, and package admin serves them.
//
// A page asks only the services of package app, with the Caller of the Request: no rule and no SQL is here. All pages
// work without script. The templates escape all texts by their place in the HTML.
//
// The script shows counts and progress without a reload: it asks for a page, and View.Fragment is the block of the
// template that answers. Without a Fragment, the main part of the page answers.
//
//	page.go, pager.go    a page, and the parts of a list that is too long for one
//	template.go          templates in each language
//	form.go, form_wrong.go   forms, and what is wrong in them; forms whose inputs are the keys of a record
//	picker.go            inputs with more Options than a user reads
//	choices.go, utm.go   inputs that several forms have: rights, Lists, a country, a time zone; UTM parameters
//	upload.go, download.go   files from and to a browser
//	format.go, rate.go   times in words; rates of opens and clicks
//	account.go           keeps a form of one Account from changing another
//	seen.go              keeps a form from setting back what others have changed
//	table.go             tables that are sorted by a column and searched for names
//	chart.go, bars.go, dots.go   charts
//	shade.go             a mail in light and dark colours
//	wait.go              how long a page may read
//	asset.go             the style sheet and the script
package ui
