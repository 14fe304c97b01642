package enlist

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// This file has the functions that make the Attributes in the tables of records, and the
// functions that read names and lines. An Attribute's Set reads an unboxed Input. The error of
// such a function becomes the detail of a refusal.

// MaxName is the largest length, in characters, of a name of a List, Field or preference, and
// of an attribute that is one line of text. reference.md: name.rule
const MaxName = 255

// maxText is the largest length, in bytes, of a text attribute of a List or Field. Lists and
// Fields are cached in memory, so they must stay small.
const maxText = 64 << 10

// Assign sets the keys that details contain, in the order sent. It ignores unknown keys and
// keys that callers cannot set, because clients send complete records back. With the key IfVersion, the record must have this
// version. After an error, which has all mistakes, the
// record must not be used.
func Assign[T any](record *T, attributes []Attribute[T], details []Detail) error {
	if err := checkVersion(record, attributes, details); err != nil {
		return err
	}
	var wrong []*Error
	for i := range details {
		for j := range attributes {
			a := &attributes[j]
			if a.Name != details[i].Key || a.Set == nil {
				continue
			}
			if err := a.Set(record, details[i].Value.Unbox()); err != nil {
				wrong = append(wrong, Invalid(a.Name, err.Error()))
			}
		}
	}
	return Together(wrong)
}

// TextKey returns a text key that callers may set. null and an empty array leave the text
// unchanged, and "" empties it. read checks the text and returns its stored form.
func TextKey[T any, S ~string](name string, at func(*T) *S, read func(string) (string, error)) Attribute[T] {
	return TextUpTo(maxText, name, at, read)
}

// TextUpTo is TextKey with another largest length, in bytes.
func TextUpTo[T any, S ~string](most int, name string, at func(*T) *S,
	read func(string) (string, error)) Attribute[T] {
	a := ReadOnlyText(name, func(record *T) S { return *at(record) })
	a.Set = func(record *T, in Input) error {
		if in.Kind != InputText && in.Omitted() {
			return nil
		}
		text, ok := in.AsText()
		if !ok || len(text) > most {
			return Expected(fmt.Sprintf("a text of at most %d bytes", most))
		}
		text, err := read(text)
		if err == nil {
			*at(record) = S(text)
		}
		return err
	}
	return a
}

// settable returns a copy of the Attribute that callers may set. The function set stores the
// value. An omitted value leaves the record unchanged.
func settable[T any](a Attribute[T], set func(*T, Input) error) Attribute[T] {
	a.Set = func(record *T, in Input) error {
		if in.Omitted() {
			return nil
		}
		return set(record, in)
	}
	return a
}

// EnumKey returns a key that callers may set to one of several words. "" leaves the record
// unchanged.
func EnumKey[T any, S ~string](name string, at func(*T) *S, words ...string) Attribute[T] {
	a := TextKey(name, at, OneOf(words...))
	return settable(a, a.Set)
}

// RefKey returns a key that callers may set to the ID of another record. A value that cannot be an
// ID becomes -1. No record has this ID, so the look-up refuses it later. reference.md: value.id
func RefKey[T any, N ~int64](name string, at func(*T) *N) Attribute[T] {
	a := ReadOnlyInt(name, func(record *T) N { return *at(record) })
	return settable(a, func(record *T, in Input) error {
		n, ok := in.AsInt()
		if !ok {
			n = -1
		}
		*at(record) = N(max(n, -1))
		return nil
	})
}

// IntKey returns a key that callers may set to an integer from least to most.
func IntKey[T any, N ~int64](name string, at func(*T) *N, least, most int64) Attribute[T] {
	a := ReadOnlyInt(name, func(record *T) N { return *at(record) })
	return settable(a, func(record *T, in Input) error {
		n, ok := in.AsInt()
		if !ok || n < least || n > most {
			return Expected(fmt.Sprintf("an integer from %d to %d", least, most))
		}
		*at(record) = N(n)
		return nil
	})
}

// FlagKey returns a boolean key that callers may set.
func FlagKey[T any](name string, at func(*T) *bool) Attribute[T] {
	a := ReadOnlyFlag(name, func(record *T) bool { return *at(record) })
	return settable(a, func(record *T, in Input) error {
		b, ok := in.AsBool()
		if !ok {
			return Expected("true or false")
		}
		*at(record) = b
		return nil
	})
}

// NotKey returns a boolean key that callers may set, and which is the opposite of a flag.
func NotKey[T any](name string, at func(*T) *bool) Attribute[T] {
	a := ReadOnlyFlag(name, func(record *T) bool { return !*at(record) })
	return settable(a, func(record *T, in Input) error {
		b, ok := in.AsBool()
		if !ok {
			return Expected("true or false")
		}
		*at(record) = !b
		return nil
	})
}

// BitKey returns a boolean key that callers may set. Replies show it as 0 or 1.
func BitKey[T any](name string, at func(*T) *bool) Attribute[T] {
	a := FlagKey(name, at)
	a.Type = KeyInt
	a.Get = func(record *T) Value { return IntValue(BoolValue(*at(record)).Int) }
	return a
}

// ReadOnlyText returns a text key that callers cannot set.
func ReadOnlyText[T any, S ~string](name string, at func(*T) S) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyText, Get: func(record *T) Value { return TextValue(at(record)) }}
}

// ReadOnlyInt returns an integer key that callers cannot set.
func ReadOnlyInt[T any, N ~int64](name string, at func(*T) N) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyInt, Get: func(record *T) Value { return IntValue(at(record)) }}
}

// ReadOnlyFlag returns a boolean key that callers cannot set.
func ReadOnlyFlag[T any](name string, at func(*T) bool) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyBool, Get: func(record *T) Value { return BoolValue(at(record)) }}
}

// Searchable returns a copy of the Attribute that criteria may test.
func Searchable[T any](a Attribute[T]) Attribute[T] {
	a.Searchable = true
	return a
}

// Computed returns a copy of the Attribute whose values only this package can compute.
func Computed[T any](a Attribute[T]) Attribute[T] {
	a.Computed = true
	return a
}

// Expected is the error of a value that is not valid. Its text describes a valid value.
type Expected string

// Error says what the caller may send.
func (e Expected) Error() string { return "expected " + string(e) }

// ReadName reads the name of a List, Field or preference. reference.md: name.rule
func ReadName(text string) (string, error) {
	name, err := ReadLine(text)
	if err == nil && name == "" {
		err = Expected(fmt.Sprintf("a name of 1 to %d characters", MaxName))
	}
	return name, err
}

// ReadLine reads one line of text and removes the white space around it.
func ReadLine(text string) (string, error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > MaxName || strings.ContainsFunc(text, unicode.IsControl) {
		return "", Expected(fmt.Sprintf("a text of at most %d characters without control characters", MaxName))
	}
	return text, nil
}

// OneOf returns a function that accepts one of the words. If "" is allowed, it must be the
// first word. The error text does not list "".
func OneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(words, text) {
			return text, nil
		}
		return "", Expected("one of " + strings.TrimPrefix(strings.Join(words, ", "), ", "))
	}
}

// Quoted returns the beginning of a text in quotes, for an error text. Clients cut an error
// text at a square bracket, so quoted replaces square brackets by parentheses.
func Quoted(text string) string {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(strings.NewReplacer("[", "(", "]", ")").Replace(text))
}
