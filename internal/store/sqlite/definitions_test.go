package sqlite

import (
	"testing"

	"enlist/internal/audience"
	"enlist/internal/store/storetest"
)

// TestDefinitions runs the suite for the definitions of Lists, Fields, preferences, Folders and Messages.
//
// covers: decision 11, 14, 15, 16, 17, 18, 22, 24, 54, 57, 110
// covers: spec auth.restricted, list.id, addList.fields, addField.addresses, addField.attributes, editField.retype, name.rule, clearList.kept
func TestDefinitions(t *testing.T) {
	storetest.Definitions(t, func(t *testing.T) audience.Store { return open(t) })
}
