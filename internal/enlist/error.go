package enlist

import (
	"errors"
	"fmt"
	"slices"
)

// This file defines refusals: a Service returns an Error with a Kind if a call breaks a rule.

// Kind says which rule a call broke. Package rpc converts a Kind to the published error code.
// No code may depend on the text of an error.
type Kind int

// The kinds, with the published codes to which they are converted.
const (
	Internal          Kind = iota // any other error; its cause is for the log only
	InvalidKey                    // 300: unknown, expired or revoked key
	MissingKey                    // 301: no key was given
	NoList                        // 303
	NoContact                     // 304
	NoField                       // 305
	NoFolder                      // 306
	NoMessage                     // 307
	NoBatch                       // 308
	NoAutoresponder               // 309
	InvalidParameters             // 310
	InvalidSearch                 // 311
	NoListForBatch                // 314: a Batch without a List
	FieldNotFound                 // 315: deleteField of an unknown Field
	EmailFieldFixed               // 316
	InvalidEmail                  // 317
	DuplicateField                // 318
	DuplicateFolder               // 319
	NoAccount                     // 328
	Denied                        // 321: the key's level is too low, or the key is restricted to other Lists
	FolderNeeded                  // 323: the Folder is not empty, or it is the last one of its type
	ReservedField                 // 325
	ContactLimit                  // 330
	InvalidConsent                // 334
	ConsentRequired               // 335
	NoFile                        // 379
	InvalidContacts               // 380: not an array of Contacts
	NothingUpdated                // 320
	Busy                          // 399: the call waited too long to start, or its search took too long

	// Kinds that no caller of the API sees.
	NoLink   // the target of a link was deleted
	NotFound // a Tx has no such delivery, webhook target, search index or retry
)

// Error is the error of every Service method that refuses a call. Detail is for the caller: it
// says which value is wrong and what was expected. Err is for the log.
type Error struct {
	Kind   Kind
	Detail string
	Field  string // name of the Field or parameter that the Detail is about, or ""
	Err    error
	Also   []*Error // other mistakes of the same form, which pages show together with this one
}

// Together returns the first of some mistakes, which has the others as Also, or nil without any.
func Together(mistakes []*Error) error {
	if len(mistakes) == 0 {
		return nil
	}
	first := *mistakes[0]
	first.Also = append(slices.Clip(first.Also), mistakes[1:]...)
	return &first
}

func (e *Error) Error() string {
	switch {
	case e.Err != nil && e.Detail != "":
		return e.Detail + ": " + e.Err.Error()
	case e.Err != nil:
		return e.Err.Error()
	case e.Detail != "":
		return e.Detail
	}
	return fmt.Sprintf("refused (kind %d)", e.Kind)
}

func (e *Error) Unwrap() error { return e.Err }

// Refuse returns an Error of a kind, with a detail for the caller.
func Refuse(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// Invalid returns an Error of kind InvalidParameters about a Field or a parameter.
func Invalid(field, detail string) *Error {
	return &Error{Kind: InvalidParameters, Field: field, Detail: detail}
}

// KindOf returns the Kind of the first *Error in err's chain, or Internal if there is none.
// KindOf(nil) is Internal, too.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// IgnoreKind returns nil if err is of the given kind, else err.
func IgnoreKind(kind Kind, err error) error {
	if err != nil && KindOf(err) == kind {
		return nil
	}
	return err
}
