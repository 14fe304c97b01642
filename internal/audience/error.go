package audience

import (
	"errors"
	"fmt"
)

// This file has the refusals: a Service returns an Error with a Kind when a call breaks a
// rule.

// Kind says which rule a call broke. Package rpc turns a Kind into the
// published error code; nothing else may depend on an error's text.
type Kind int

// The kinds, in the order of the published codes they become.
const (
	Internal          Kind = iota // any other error; its cause is for the log only
	InvalidKey                    // 300: unknown, expired or revoked key
	MissingKey                    // 301: no key was given
	NoList                        // 303
	NoContact                     // 304
	NoField                       // 305
	NoFolder                      // 306
	NoMessage                     // 307
	NoAutoresponder               // 309
	InvalidParameters             // 310
	InvalidSearch                 // 311
	FieldNotFound                 // 315: deleteField of an unknown Field
	EmailFieldFixed               // 316
	InvalidEmail                  // 317
	DuplicateField                // 318
	DuplicateFolder               // 319
	Denied                        // 321: level too low, or outside the key's Lists
	FolderNeeded                  // 323: not empty, or the last of its type
	ReservedField                 // 325
	ContactLimit                  // 330
	InvalidConsent                // 334
	ConsentRequired               // 335
	InvalidContacts               // 380: not an array of Contacts
	NothingUpdated                // 320
	Busy                          // 399: the call waited for its turn as long as it may

	// Kinds that no caller of the API sees.
	NoLink   // a page's link has no target any more
	NotFound // a Tx has no such delivery, webhook target, search index or retry
)

// Error is what every Service method returns when it refuses. Detail is for
// the caller and says which value, and what was expected; Err is for the log.
type Error struct {
	Kind   Kind
	Detail string
	Field  string // name of the Field or parameter that the Detail is about, if one
	Err    error
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

// Refuse makes an Error of a kind with a detail for the caller.
func Refuse(kind Kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Detail: fmt.Sprintf(format, args...)}
}

// invalid makes an Error of kind InvalidParameters about a Field or a parameter.
func invalid(field, detail string) *Error {
	return &Error{Kind: InvalidParameters, Field: field, Detail: detail}
}

// KindOf returns the Kind of the first *Error in err's chain, Internal when there is none.
func KindOf(err error) Kind {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Kind
	}
	return Internal
}

// ignoreKind returns err, or nil when it is of a kind that the caller expects.
func ignoreKind(kind Kind, err error) error {
	if err != nil && KindOf(err) == kind {
		return nil
	}
	return err
}
