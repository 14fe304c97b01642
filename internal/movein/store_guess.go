package movein

import (
	"encoding/json"
	"fmt"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/imports"
	"enlist/internal/lists"
)

// This file finds Fields for the attributes of a service that has no Fields. The types are guessed as for an import.

// AttributeGuess guesses the type of the Field for an attribute from its values.
type AttributeGuess struct{ guess imports.Guess }

// NewAttributeGuess returns a guess that has seen no value.
func NewAttributeGuess() *AttributeGuess { return &AttributeGuess{*imports.NewGuess()} }

// See takes a value into account: nil, a bool, a json.Number or a string.
func (g *AttributeGuess) See(value any) { g.guess.See(value) }

// Field returns the details of the Field, without its ID.
func (g *AttributeGuess) Field(name string) []enlist.Detail {
	f := g.guess.Field()
	return f.Details(name)
}

// AttributeFieldName returns the name of the Field for an attribute. A Field must not have the name of a system key, or
// one of the names that are taken. The comparison ignores letter case.
func AttributeFieldName(attribute string, taken ...string) string {
	name := strings.TrimSpace(attribute)
	isTaken := lists.Reserved(name) || lists.Reserved(strings.ToLower(name))
	for _, other := range taken {
		isTaken = isTaken || strings.EqualFold(name, other)
	}
	if isTaken {
		return name + " (attribute)"
	}
	return name
}

// AttributeValue returns a value of an attribute as its Field accepts it: nil, a bool, a json.Number or a string.
func AttributeValue(f *enlist.Field, value any) enlist.Input {
	var text string
	switch v := value.(type) {
	case nil:
		return enlist.Input{}
	case bool:
		text = fmt.Sprint(v)
	case json.Number:
		text = string(v)
	case string:
		text = v
	}
	if f.Type == enlist.Checkbox && f.Values == imports.TickChoice {
		ticked, ok := imports.TickOf(text)
		switch {
		case ticked:
			text = imports.TickChoice
		case ok:
			text = ""
		}
	}
	return enlist.TextInput(text)
}
