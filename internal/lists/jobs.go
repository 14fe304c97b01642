package lists

import "enlist/internal/enlist"

// DeleteFieldValues removes the values of a deleted Field from Contacts, in steps.
type DeleteFieldValues struct {
	List   enlist.ListID    `json:"list_id"`
	Field  enlist.FieldID   `json:"field_id"`
	After  enlist.ContactID `json:"after"`  // the Contacts up to this ID are done
	Mobile bool             `json:"mobile"` // the Field was the mobile Field
}

// Kind implements Effect. Jobs that the first version stored have this name.
func (DeleteFieldValues) Kind() string { return "forget_field" }

// ConvertField stores the values of a Field again in the form of its new type, in steps.
type ConvertField struct {
	List  enlist.ListID    `json:"list_id"`
	Field enlist.FieldID   `json:"field_id"`
	After enlist.ContactID `json:"after"` // the Contacts up to this ID are done
}

// Kind implements Effect.
func (ConvertField) Kind() string { return "convert_field" }
