package rpc

import (
	"encoding/json"
	"strconv"
	"strings"

	"enlist/api"
)

// This file makes the document of OpenRPC, https://spec.open-rpc.org, with the types of parameters and results as JSON
// schemas. rpc.discover and /api/openrpc.json return it.

// discover is the name of the method that returns the document. It needs no key. decisions.md: 73
const discover = "rpc.discover"

const openRPCVersion = "1.3.2"

// discover returns the document. A batch cannot have many of these long replies, because they need no key.
func (x *exchange) discover(index int) error {
	if index != outsideBatch {
		return refuse(api.CodeInvalidParameters, "%s is not answered in a batch", discover)
	}
	x.reply.buf = append(x.reply.buf, x.handler.OpenRPC()...)
	return nil
}

// OpenRPC returns the document of OpenRPC that rpc.discover returns. The caller must not change it.
func (h *Handler) OpenRPC() []byte { return h.openRPC() }

// OpenRPC returns the description as a document of OpenRPC in JSON.
func (d *Description) OpenRPC() []byte {
	methods := make([]schema, len(d.Methods))
	failures := schema{}
	for i := range d.Methods {
		methods[i] = d.Methods[i].openRPC(failures)
	}
	records := schema{}
	for _, r := range d.Records {
		records[r.Name] = r.schema()
	}
	document, err := json.Marshal(schema{
		"openrpc": openRPCVersion,
		"info": schema{"title": "enlist", "version": d.Version,
			"description": "Contact lists, consent and e-mail marketing. Parameters are positional; the first is the API key."},
		"methods":    methods,
		"components": schema{"schemas": records, "errors": failures},
	})
	if err != nil {
		panic("OpenRPC: " + err.Error()) // only texts and examples, which are valid JSON
	}
	return document
}

// openRPC returns the method object of a method. It adds the method's errors to failures.
func (m *MethodInfo) openRPC(failures schema) schema {
	params := make([]schema, len(m.Params))
	for i, p := range m.Params {
		s := p.Type.schema()
		if p.Default != "" {
			s["default"] = json.RawMessage(p.Default)
		}
		params[i] = schema{"name": p.Name, "description": p.Meaning, "required": p.Default == "", "schema": s}
	}
	references := make([]schema, len(m.Errors))
	for i, e := range m.Errors {
		key := strconv.Itoa(int(e.Code))
		if e.Code == api.CodeUndefined {
			key += "-" + m.Name
		}
		failures[key] = schema{"code": e.Code, "message": e.Name}
		references[i] = schema{"$ref": "#/components/errors/" + key}
	}
	method := schema{
		"name": m.Name, "summary": m.Summary, "tags": []schema{{"name": m.Noun}}, "paramStructure": "by-position",
		"params": params, "errors": references, "x-level": m.Level, "x-idempotency-key": m.Writes,
		"result": schema{"name": "result", "description": m.Returns, "schema": m.Result.schema()},
	}
	if m.Example != nil {
		method["examples"] = []schema{m.openRPCExample()}
	}
	return method
}

// openRPCExample returns the example of a method.
func (m *MethodInfo) openRPCExample() schema {
	params := make([]schema, len(m.Example.Params))
	for i, value := range m.Example.Params {
		params[i] = schema{"name": m.Params[i].Name, "value": value}
	}
	return schema{"name": m.Name, "params": params, "result": schema{"name": "result", "value": m.Example.Result}}
}

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
