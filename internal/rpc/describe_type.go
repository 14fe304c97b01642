package rpc

import "strings"

// This file has the types of parameters and results, and their JSON schemas.

// Type is the type of a parameter, a result or a key: integer, number, string, boolean, object, array, true, the name
// of a record, or "array of" or "object of" another type. The items of an "object of" are its values.
type Type string

// Items returns the type of the items and whether they are in an array or an object. Other types have none.
func (t Type) Items() (container string, items Type) {
	container, rest, ok := strings.Cut(string(t), " of ")
	if !ok {
		return "", ""
	}
	return container, Type(rest)
}

// IsRecord reports whether the type is the name of a record.
func (t Type) IsRecord() bool { return t != "" && t[0] >= 'A' && t[0] <= 'Z' }

// schema is a JSON schema or a part of the OpenRPC document.
type schema = map[string]any

// schema returns the JSON schema of a type.
func (t Type) schema() schema {
	container, items := t.Items()
	switch {
	case container == "array":
		return schema{"type": "array", "items": items.schema()}
	case container == "object":
		return schema{"type": "object", "additionalProperties": items.schema()}
	case t.IsRecord():
		return schema{"$ref": "#/components/schemas/" + string(t)}
	case t == "true":
		return schema{"const": true}
	}
	return schema{"type": string(t)}
}

// schema returns the JSON schema of a record.
func (r *RecordInfo) schema() schema {
	properties := make(schema, len(r.Keys))
	for _, key := range r.Keys {
		property := key.Type.schema()
		if key.Meaning != "" {
			property["description"] = key.Meaning
		}
		property["readOnly"] = !key.Settable
		property["x-searchable"] = key.Searchable
		properties[key.Name] = property
	}
	return schema{"type": "object", "properties": properties, "additionalProperties": r.Open}
}
