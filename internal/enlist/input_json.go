package enlist

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// This file reads JSON into a tree of Inputs. It keeps the digits of numbers. Package rpc has a reader of its own, which is
// faster and needs the positions of errors.

// maxDepth is the greatest depth of arrays and objects.
const maxDepth = 32

// InputOfJSON reads the first JSON value of a text.
func InputOfJSON(data []byte) (Input, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	return readValue(d, maxDepth)
}

func readValue(d *json.Decoder, depth int) (in Input, err error) {
	token, err := d.Token()
	if err != nil {
		return in, err
	}
	switch v := token.(type) {
	case string:
		return TextInput(v), nil
	case json.Number:
		return Input{Kind: InputNumber, Text: v.String()}, nil
	case bool:
		if v {
			return Input{Kind: InputTrue}, nil
		}
		return Input{Kind: InputFalse}, nil
	case json.Delim:
		if depth == 0 {
			return in, fmt.Errorf("the text has more than %d levels of arrays and objects", maxDepth)
		}
		return readItems(d, v, depth)
	}
	return in, nil // null
}

// readItems reads the rest of an array or object.
func readItems(d *json.Decoder, opening json.Delim, depth int) (in Input, err error) {
	in.Kind = InputArray
	if opening == '{' {
		in.Kind = InputObject
	}
	for d.More() {
		name := ""
		if in.Kind == InputObject {
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
