package rpc

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"enlist/api"
	"enlist/internal/enlist"
)

// This file maps errors to the published codes and messages. The Kind of an enlist.Error
// determines the code. A message begins with the published name of the code. The text after the
// name may change between versions.

// refusal is an error that this package returns before it calls the service.
type refusal struct {
	code     api.Code
	name     string // published name of the error, if it is not that of the code
	detail   string
	position int // position of the wrong parameter: api_key is 1; 0 if no parameter is wrong
}

func (r *refusal) Error() string { return r.code.Name() + ": " + r.detail }

// refuse returns a refusal with a formatted detail.
func refuse(code api.Code, format string, args ...any) *refusal {
	return &refusal{code: code, detail: fmt.Sprintf(format, args...)}
}

// codeOf maps the Kind of an enlist.Error to its published code. The code of Internal
// depends on the method: see api.FailureName.
var codeOf = [...]api.Code{
	enlist.InvalidKey:        api.CodeInvalidKey,
	enlist.MissingKey:        api.CodeMissingKey,
	enlist.NoList:            api.CodeNoList,
	enlist.NoContact:         api.CodeNoContact,
	enlist.NoField:           api.CodeNoField,
	enlist.NoFolder:          api.CodeNoFolder,
	enlist.NoMessage:         api.CodeNoMessage,
	enlist.NoBatch:           api.CodeNoBatch,
	enlist.NoAutoresponder:   api.CodeNoCampaign,
	enlist.InvalidParameters: api.CodeInvalidParameters,
	enlist.InvalidSearch:     api.CodeInvalidSearch,
	enlist.NoListForBatch:    api.CodeNoListForBatch,
	enlist.FieldNotFound:     api.CodeFieldNotFound,
	enlist.EmailFieldFixed:   api.CodeEmailFieldFixed,
	enlist.InvalidEmail:      api.CodeInvalidEmail,
	enlist.DuplicateField:    api.CodeDuplicateField,
	enlist.DuplicateFolder:   api.CodeDuplicateFolder,
	enlist.Denied:            api.CodeDenied,
	enlist.FolderNeeded:      api.CodeCannotDeleteFolder,
	enlist.NoAccount:         api.CodeNoAccount,
	enlist.ReservedField:     api.CodeReservedField,
	enlist.ContactLimit:      api.CodeContactLimit,
	enlist.InvalidConsent:    api.CodeInvalidConsent,
	enlist.ConsentRequired:   api.CodeConsentRequired,
	enlist.NoFile:            api.CodeNoFile,
	enlist.InvalidContacts:   api.CodeInvalidContactArray,
	enlist.NothingUpdated:    api.CodeNoContactUpdated,
	enlist.Busy:              api.CodeTooManyConcurrent,
}

// wireError has the parts of an error in a reply.
type wireError struct {
	code    api.Code
	message string

	// The values of error.data in JSON-RPC 2.0. reference.md: reply.message
	parameter string
	position  int
	field     string
}

// expose returns the error for the reply. It returns false for an error that has no published code,
// because the text of such an error can contain internal details. m is nil for an unknown method.
func expose(err error, m *method) (wireError, bool) {
	if r, ok := errors.AsType[*refusal](err); ok {
		w := wireError{code: r.code, message: sentence(cmp.Or(r.name, r.code.Name()), r.detail), position: r.position}
		if m != nil && r.position > 0 && r.position <= len(m.params) {
			w.parameter = m.params[r.position-1]
		}
		return w, true
	}
	e, ok := errors.AsType[*enlist.Error](err)
	if !ok || e.Kind == enlist.Internal || int(e.Kind) >= len(codeOf) {
		return wireError{}, false
	}
	w := wireError{code: codeOf[e.Kind]}
	detail := e.Detail
	// "expected a date" has the word of a Field called "date", and does not name the Field.
	if !strings.Contains(detail, e.Field) || e.Field != "" && strings.HasPrefix(detail, "expected ") {
		detail = e.Field + ": " + detail
	}
	w.message = sentence(w.code.Name(), detail)
	if i := -1; e.Field != "" {
		if m != nil {
			i = slices.Index(m.params, e.Field)
		}
		if i >= 0 {
			w.parameter, w.position = e.Field, i+1
		} else {
			w.field = e.Field
		}
	}
	return w, true
}

// maxDetail is the largest length of a detail in bytes. A detail may quote what the caller sent.
const maxDetail = 300

// sentence returns the message of an error: the published name of the code and a detail. Some
// clients cut a message at a square bracket, so sentence replaces square brackets in the detail
// by parentheses. reference.md: reply.message
func sentence(name, detail string) string {
	if detail == "" {
		return name
	}
	if len(detail) > maxDetail {
		cut := maxDetail
		for !utf8.RuneStart(detail[cut]) {
			cut--
		}
		detail = detail[:cut] + "…"
	}
	return name + ": " + brackets.Replace(detail)
}

var brackets = strings.NewReplacer("[", "(", "]", ")")
