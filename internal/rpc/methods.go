package rpc

import (
	"slices"
	"strconv"
	"strings"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/enlist"
)

// This file says what a method of the API is. The files methods_*.go have the table of all methods, by noun. An
// entry has the name, the access level, whether the method accepts an Idempotency-Key, the parameters with
// their defaults, the function that executes the method, and a description. describe_params.txt describes the
// parameters. The description of the API (describe.go), its reference page and the clients are made from the
// table.

// method is one operation of the API.
type method struct {
	name   string
	level  enlist.Level // lowest access level of a key that may call it
	writes bool         // changes data, so it accepts an Idempotency-Key
	params []string     // names of the parameters, api_key first
	run    func(c *call) error

	noun     string            // heading of the reference page
	position int               // in the table
	defaults map[string]string // value of each parameter that a caller may leave out, as text
	summary  string            // what the method does
	returns  string            // type of the result (Type), and after a comma what it is
	errors   []api.Code        // the method's own codes, without those that every method has
}

// Parameters that several methods share: those of a search and of consent.
const (
	searchParams  = " search_criteria=[] limit=100 offset=0 sort_by= sort_order=DESC"
	consentParams = " consent_type=not_recorded consent_text= list_preferences={} ip_address="
	// trackingParams are the parameters of a decision about the recording of opens and clicks (params.tracking).
	trackingParams = " tracking_consent= tracking_text= tracking_text_version="
)

// Short names for the table: access levels, and whether a method writes.
const (
	read, standard, full = enlist.Read, enlist.Standard, enlist.Full
	readOnly, writes     = false, true
)

// methods returns the methods by name. Letter case matters in the name of a method. The methods call the Services of a;
// those of an empty App serve only to describe the methods.
func methods(a *app.App) map[string]*method {
	t := table{App: a, all: make(map[string]*method)}
	t.addContactMethods()
	t.addPersonMethods()
	t.addListMethods()
	t.addFieldMethods()
	t.addSegmentMethods()
	t.addFormMethods()
	t.addMessageMethods()
	t.addSavedMethods()
	t.addThemeMethods()
	t.addAutoresponderMethods()
	t.addBatchMethods()
	t.addReportMethods()
	t.addWebhookMethods()
	t.addFolderMethods()
	t.addFileMethods()
	t.addAccountMethods()
	return t.all
}

// table has the methods by name, and the Services that they call.
type table struct {
	*app.App
	all map[string]*method
}

// group adds the methods of one noun to the table.
type group struct {
	table
	noun string
}

// of returns the group of a noun.
func (t table) of(noun string) group { return group{t, noun} }

// add adds a method. params are the names of its parameters after api_key, separated by spaces. name=value is a
// parameter that the caller may leave out, which has the same effect as the value.
func (g group) add(name string, level enlist.Level, writes bool, params string, run func(*call) error) *method {
	m := &method{name: name, level: level, writes: writes, params: []string{"api_key"}, run: run,
		noun: g.noun, position: len(g.all), defaults: make(map[string]string)}
	for param := range strings.FieldsSeq(params) {
		param, value, optional := strings.Cut(param, "=")
		m.params = append(m.params, param)
		if optional {
			m.defaults[param] = value
		}
	}
	g.all[name] = m
	return m
}

// says describes a method. codes are error codes, separated by spaces.
func (m *method) says(summary, returns, codes string) {
	m.summary, m.returns = summary, returns
	for code := range strings.FieldsSeq(codes) {
		n, _ := strconv.Atoi(code) // a test checks that each code has a name
		m.errors = append(m.errors, api.Code(n))
	}
	slices.Sort(m.errors)
}
