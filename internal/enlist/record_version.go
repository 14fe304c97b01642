package enlist

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// This file has versions of records, by which a change finds that the record was changed meanwhile. A version is a hash of
// what callers may set, so it needs no column, and a change that is taken back gives the earlier version.

// IfVersion is the key of details with the version that a caller has seen of a record, such as details of a List.
const IfVersion = "if_version"

// WithVersion returns attributes with a last one, the version of the record.
func WithVersion[T any](attributes []Attribute[T]) []Attribute[T] {
	return append(attributes, ReadOnlyText("version", func(record *T) string { return VersionOf(attributes, record) }))
}

// checkVersion refuses details with another version than that of the stored record. A version of "" is none.
func checkVersion[T any](record *T, attributes []Attribute[T], details []Detail) error {
	for i := range details {
		if details[i].Key != IfVersion {
			continue
		}
		seen, ok := details[i].Value.Unbox().AsText()
		if !ok {
			return Invalid(IfVersion, "expected the version of the record, a text")
		}
		if now := VersionOf(attributes, record); seen != "" && seen != now {
			return Invalid(IfVersion, "the record was changed: its version is "+now+" now")
		}
	}
	return nil
}

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
