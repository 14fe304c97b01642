package messages

import (
	"slices"

	"enlist/internal/enlist"
)

// This file looks for merge fields of a Message that do not fit a List or a Contact. batches/check.go and
// preview.go use it.

// UnknownFields returns the merge fields of a Message that are no values of the Contacts of a List.
func (m *Message) UnknownFields(schema *enlist.Schema) (names []string) {
	for _, part := range m.MergeFields() {
		if _, known := MergeValue(schema, new(enlist.Contact), part.Name); !known && len(names) < MaxFindings {
			names = append(names, part.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// UnknownField is the Finding for a merge field that is no value of the Contacts of a List.
func UnknownField(schema *enlist.Schema, name string) Finding {
	return Finding{Level: FindingWarning, Code: FindingUnknownField,
		Text: "the List " + enlist.Quoted(schema.List.Name) + " has no Field " + enlist.Quoted(name)}
}

// fieldFindings returns what is probably wrong with the merge fields in the mail of one Contact.
func fieldFindings(m *OutgoingMail) (all []Finding) {
	for _, name := range m.Message.UnknownFields(m.Schema) {
		all = append(all, UnknownField(m.Schema, name))
	}
	for _, part := range m.Message.MergeFields() {
		value, known := MergeValue(m.Schema, m.Contact, part.Name)
		if known && value == "" && part.Fallback == "" && len(all) < MaxFindings {
			all = append(all, Finding{Level: FindingWarning, Code: FindingMissingValue, Contacts: 1,
				Text: "the Contact has no value of " + enlist.Quoted(part.Name) +
					", and the merge field has no fallback"})
		}
	}
	return all
}
