package enlist

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// This file has versions of records, by which a change finds that the record was changed meanwhile. A version is a hash of
// what callers may set, so it needs no column, and a change that is taken back gives the earlier version.

// VersionOf returns the version of a record with attributes.
func VersionOf[T any](attributes []Attribute[T], record *T) string {
	var all []string
	for i := range attributes {
		if a := &attributes[i]; a.Set != nil {
			value := a.Get(record)
			all = append(all, a.Name, value.Text, strconv.FormatInt(value.Int, 10))
		}
	}
	return VersionOfTexts(all...)
}

// VersionOfTexts returns the version of a record that consists of texts.
func VersionOfTexts(texts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:8])
}
