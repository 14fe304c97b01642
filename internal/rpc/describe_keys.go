package rpc

import (
	_ "embed"
	"strings"

	"enlist/internal/language"
)

// describe_keys.txt says what the keys of records mean, where the name of a key does not say it. The reference page, the
// document of OpenRPC, and the clients for TypeScript and Go show it. Each line has a key of a record, as Record.key, or
// a key for all records without a line of their own.
//
//go:embed describe_keys.txt
var keysText string

// keyMeanings returns the meanings of keys.
func keyMeanings() map[string]string {
	all := make(map[string]string)
	text := strings.ReplaceAll(keysText, "{languages}", strings.Join(language.Codes(), ", "))
	for line := range strings.Lines(text) {
		if key, meaning, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			all[key] = meaning
		}
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
