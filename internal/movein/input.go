package movein

import (
	"fmt"

	"enlist/internal/enlist"
)

// This file makes records of a reply. It accepts the forms of older services, such as [] for an empty object.

// records returns the objects of an array. A single object counts as an array of one, and any other item is an error.
func records(method string, in enlist.Input) ([]Record, error) {
	items := in.Items
	switch {
	case in.Kind == enlist.InputObject && len(in.Items) > 0:
		items = []enlist.Input{in}
	case in.Kind != enlist.InputArray && !in.Omitted() && in.Kind != enlist.InputObject:
		return nil, fmt.Errorf("%s: the reply is neither an array nor an object", method)
	}
	all := make([]Record, len(items))
	for i := range items {
		if items[i].Kind != enlist.InputObject {
			return nil, fmt.Errorf("%s: item %d of the reply is no object", method, i+1)
		}
		all[i] = recordOf(items[i])
	}
	return all, nil
}

// recordOf returns an object as a record.
func recordOf(object enlist.Input) Record {
	record := make(Record, len(object.Items))
	for i := range object.Items {
		record[i] = enlist.Detail{Key: object.Items[i].Name, Value: object.Items[i]}
	}
	return record
}
