// Package api is for programs that call enlist. It has a client with a method for
// each operation, and the error codes with their published names. It imports only
// the standard library.
//
// Files: client.go sends calls, methods.go has the operations and the records in
// replies, parameters.go has types of parameters, contact.go reads Contacts, and
// codes.go has the errors. methods.go is generated from the server's table of methods.
// doc/reference.md has the rules of the operations.
package api

import (
	"encoding/json"
	"fmt"
)

// Code is the number of an error in a reply.
type Code int

// The published error codes. reference.md: Errors
const (
	CodeInternal            Code = 100
	CodeNoResponse          Code = 103
	CodeMethodNotFound      Code = 104
	CodeUnreadable          Code = 106 // unreadable or empty request
	CodeInvalidMethod       Code = 107 // the method name is missing or not a string
	CodeTermsNotAccepted    Code = 108
	CodeInvalidKey          Code = 300 // unknown, expired or revoked key
	CodeMissingKey          Code = 301
	CodeUndefined           Code = 302
	CodeNoList              Code = 303
	CodeNoContact           Code = 304
	CodeNoField             Code = 305
	CodeNoFolder            Code = 306
	CodeNoMessage           Code = 307
	CodeNoBatch             Code = 308
	CodeNoCampaign          Code = 309
	CodeInvalidParameters   Code = 310
	CodeInvalidSearch       Code = 311
	CodeInvalidListIDs      Code = 312
	CodeCannotEditLists     Code = 313
	CodeNoListForBatch      Code = 314
	CodeFieldNotFound       Code = 315
	CodeEmailFieldFixed     Code = 316
	CodeInvalidEmail        Code = 317
	CodeDuplicateField      Code = 318
	CodeDuplicateFolder     Code = 319
	CodeNoContactUpdated    Code = 320
	CodeDenied              Code = 321 // the key has a lower access level, or may not access the List
	CodeUsernameUnavailable Code = 322
	CodeCannotDeleteFolder  Code = 323
	CodeCannotDeleteUser    Code = 324
	CodeReservedField       Code = 325
	CodeNoAccount           Code = 328
	CodeContactLimit        Code = 330
	CodeInvalidConsent      Code = 334
	CodeConsentRequired     Code = 335
	CodeNoFile              Code = 379
	CodeInvalidContactArray Code = 380
	CodeTooManyConcurrent   Code = 399
)

// Name returns the published name of a code, or "" for an unknown code. Each message
// begins with the name of its code. Only for CodeUndefined, the message begins with a
// name that depends on the method: see FailureName.
func (c Code) Name() string { return names[c] }

// names has the published name of each code. reference.md: Errors
var names = map[Code]string{
	CodeInternal:            "Internal Server Error",
	CodeNoResponse:          "No Response from Server Call",
	CodeMethodNotFound:      "Method Not Found",
	CodeUnreadable:          "No XML Data Found",
	CodeInvalidMethod:       "Invalid Method Name",
	CodeTermsNotAccepted:    "Terms and Conditions not accepted",
	CodeInvalidKey:          "Authorisation Failed - Invalid Login",
	CodeMissingKey:          "Authorisation Failed - Please log in first",
	CodeUndefined:           "Undefined Error in Method",
	CodeNoList:              "Unable to Load List",
	CodeNoContact:           "Unable to Load Contact",
	CodeNoField:             "Unable to Load Field",
	CodeNoFolder:            "Unable to Load Folder",
	CodeNoMessage:           "Unable to Load Email",
	CodeNoBatch:             "Unable to Load Batch",
	CodeNoCampaign:          "Unable to Load Campaign",
	CodeInvalidParameters:   "Invalid Method Parameters",
	CodeInvalidSearch:       "Invalid Search Parameter Format",
	CodeInvalidListIDs:      "Invalid Email List IDs",
	CodeCannotEditLists:     "Cannot Edit Account Lists",
	CodeNoListForBatch:      "No Contact List Specified for Batch Population",
	CodeFieldNotFound:       "Field Not Found",
	CodeEmailFieldFixed:     "Email Field Cannot be Edited",
	CodeInvalidEmail:        "Invalid Email Address Specified",
	CodeDuplicateField:      "Duplicate Field Name",
	CodeDuplicateFolder:     "Duplicate Folder Name / Type",
	CodeNoContactUpdated:    "Failed to Update any Contacts",
	CodeDenied:              "Administrative Access Denied",
	CodeUsernameUnavailable: "Username Unavailable",
	CodeCannotDeleteFolder:  "Unable to Delete Folder",
	CodeCannotDeleteUser:    "Cannot Delete User",
	CodeReservedField:       "Reserved Field Name",
	CodeNoAccount:           "Unable to load Account",
	CodeContactLimit:        "Contact Limit Reached",
	CodeInvalidConsent:      "Invalid Contact consent type",
	CodeConsentRequired:     "The GDPR Contact consent type and consent text are required for this list",
	CodeNoFile:              "Unable to Load File",
	CodeInvalidContactArray: "Invalid contact array specified",
	CodeTooManyConcurrent:   "You have reached the maximum number of allowed concurrent API requests",
}

// FailureName returns the code and the published name of an internal error in a
// method. For five methods that change the state of one Contact, the code is
// CodeUndefined, and each of them has its own name. For all other methods, the code
// is CodeInternal.
// reference.md: error.302-subscribe, errors.order
func FailureName(method string) (Code, string) {
	switch method {
	case "subscribeContact":
		return CodeUndefined, "Undefined Error: Contact Subscription Failed"
	case "resubscribeContact":
		return CodeUndefined, "Undefined Error: Contact Resubscribe Failed"
	case "deactivateContact":
		return CodeUndefined, "Undefined Error: Contact Deactivation Failed"
	case "reactivateContact":
		return CodeUndefined, "Undefined Error: Contact Reactivation Failed"
	case "confirmContact":
		return CodeUndefined, "Undefined Error: Contact Confirm Failed"
	case "clearList":
		return CodeUndefined, "Undefined Error: Unable to clear list"
	case "deleteList":
		return CodeUndefined, "Undefined Error: Unable to delete list"
	case "deleteField", "addFolder", "editFolder", "deleteFolder":
		return CodeUndefined, "Undefined Error"
	}
	return CodeInternal, CodeInternal.Name()
}

// Error is the error of a reply. Message begins with the published name of the code.
// The text after the name may change between versions.
type Error struct {
	Code    Code            `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"` // the wrong parameter or Field; nil for a Client, because only JSON-RPC 2.0 has it
}

// Error returns the message and the code.
func (e *Error) Error() string { return fmt.Sprintf("%s (%d)", e.Message, e.Code) }
