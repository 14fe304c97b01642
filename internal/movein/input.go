package movein

import (
	"bytes"
	"encoding/json"
	"fmt"

	"enlist/internal/enlist"
)

// This file reads the JSON of a reply into the tree of values that store_record.go reads. It keeps the digits of
// numbers and accepts the forms of older services, such as [] for an empty object.

// maxDepth is the greatest depth of arrays and objects in a reply. A record needs 4.
const maxDepth = 32

// readInput reads one JSON value.
func readInput(data []byte) (enlist.Input, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readValue(d, maxDepth)
}

func readValue(d *json.Decoder, depth int) (in enlist.Input, err error) {
	token, err := d.Token()
	if err != nil {
		return in, err
	}
	switch v := token.(type) {
	case string:
		return enlist.TextInput(v), nil
	case json.Number:
		return enlist.Input{Kind: enlist.InputNumber, Text: v.String()}, nil
	case bool:
		if v {
			return enlist.Input{Kind: enlist.InputTrue}, nil
		}
		return enlist.Input{Kind: enlist.InputFalse}, nil
	case json.Delim:
		if depth == 0 {
			return in, fmt.Errorf("the reply has more than %d levels of arrays and objects", maxDepth)
		}
		return readItems(d, v, depth)
	}
	return in, nil // null
}

// readItems reads the rest of an array or object.
func readItems(d *json.Decoder, opening json.Delim, depth int) (in enlist.Input, err error) {
	in.Kind = enlist.InputArray
	if opening == '{' {
		in.Kind = enlist.InputObject
	}
	for d.More() {
		name := ""
		if in.Kind == enlist.InputObject {
			token, err := d.Token()
			if err != nil {
				return in, err
			}
			name, _ = token.(string) // a decoder returns only strings as names
		}
		item, err := readValue(d, depth-1)
		if err != nil {
			return in, err
		}
		item.Name = name
		in.Items = append(in.Items, item)
	}
	_, err = d.Token()
	return in, err
}

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
