package rpc

import (
	_ "embed"
	"iter"
	"strings"

	"enlist/internal/language"
)

// This file reads what parameters and keys of records mean. The reference page, the document of OpenRPC, and the clients
// for TypeScript and Go show it.

// keysText has the meaning of each key whose name does not say it. The key is Record.key, or only key for all records
// without a line of their own.
//
//go:embed describe_keys.txt
var keysText string

// paramsText has the type and the meaning of each parameter. A name has one meaning in all methods. The types are those of
// Type. doc/reference.md: Values says which other values are accepted for them.
//
//go:embed describe_params.txt
var paramsText string

// meanings returns the names and meanings in a text, which has one of both in each line.
func meanings(text string) iter.Seq2[string, string] {
	return func(yield func(name, meaning string) bool) {
		for line := range strings.Lines(text) {
			name, meaning, ok := strings.Cut(strings.TrimSpace(line), ": ")
			if ok && !yield(name, meaning) {
				return
			}
		}
	}
}

// keyMeanings returns the meanings of keys.
func keyMeanings() map[string]string {
	all := make(map[string]string)
	languages := strings.Join(language.Codes(), ", ")
	for key, meaning := range meanings(keysText) {
		all[key] = strings.ReplaceAll(meaning, "{languages}", languages)
	}
	return all
}

// keyMeaning returns what a key of a record means, or "". WholeMessage has the keys of Message.
func keyMeaning(meanings map[string]string, record, key string) string {
	if meaning := meanings[strings.TrimPrefix(record, "Whole")+"."+key]; meaning != "" {
		return meaning
	}
	return meanings[key]
}

// parameters returns the types and meanings of parameters by their names.
func parameters() map[string]ParamInfo {
	all := make(map[string]ParamInfo)
	for name, meaning := range meanings(paramsText) {
		name, dataType, _ := strings.Cut(strings.TrimSuffix(name, ")"), " (")
		all[name] = ParamInfo{Name: name, Meaning: meaning, Type: Type(dataType)}
	}
	return all
}
