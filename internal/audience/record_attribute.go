// This file has the functions that make the Attributes in the tables of records, and the
// functions that read names and lines. An Attribute's Set reads an unboxed Input. The error of
// such a function becomes the detail of a refusal.

package audience

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the largest length, in characters, of a name of a List, Field or preference, and
// of an attribute that is one line of text. decisions.md: 16
const maxName = 255

// maxText is the largest length, in bytes, of a text attribute of a List or Field. Lists and
// Fields are cached in memory, so they must stay small.
const maxText = 64 << 10

// assign sets the keys that details contain, in the order sent. It ignores unknown keys and
// keys that callers cannot set, because clients send complete records back.
func assign[T any](record *T, attributes []Attribute[T], details []Detail) error {
	for i := range details {
		for j := range attributes {
			a := &attributes[j]
			if a.Name != details[i].Key || a.Set == nil {
				continue
			}
			if err := a.Set(record, details[i].Value.Unbox()); err != nil {
				return invalid(a.Name, err.Error())
			}
		}
	}
	return nil
}

// textKey returns a text key that callers may set. null and an empty array leave the text
// unchanged, and "" empties it. read checks the text and returns its stored form.
func textKey[T any, S ~string](name string, at func(*T) *S, read func(string) (string, error)) Attribute[T] {
	return textUpTo(maxText, name, at, read)
}

// textUpTo is textKey with another largest length, in bytes.
func textUpTo[T any, S ~string](most int, name string, at func(*T) *S,
	read func(string) (string, error)) Attribute[T] {
	a := readOnlyText(name, func(record *T) S { return *at(record) })
	a.Set = func(record *T, in Input) error {
		if in.Kind != InputText && in.Omitted() {
			return nil
		}
		text, ok := in.AsText()
		if !ok || len(text) > most {
			return expected(fmt.Sprintf("a text of at most %d bytes", most))
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

// enumKey returns a key that callers may set to one of several words. "" leaves the record
// unchanged.
func enumKey[T any, S ~string](name string, at func(*T) *S, words ...string) Attribute[T] {
	a := textKey(name, at, oneOf(words...))
	return settable(a, a.Set)
}

// refKey returns a key that callers may set to the ID of another record. A value that cannot be an
// ID becomes -1. No record has this ID, so the look-up refuses it later. decisions.md: 13
func refKey[T any, N ~int64](name string, at func(*T) *N) Attribute[T] {
	a := readOnlyInt(name, func(record *T) N { return *at(record) })
	return settable(a, func(record *T, in Input) error {
		n, ok := in.AsInt()
		if !ok {
			n = -1
		}
		*at(record) = N(max(n, -1))
		return nil
	})
}

// intKey returns a key that callers may set to an integer from least to most.
func intKey[T any, N ~int64](name string, at func(*T) *N, least, most int64) Attribute[T] {
	a := readOnlyInt(name, func(record *T) N { return *at(record) })
	return settable(a, func(record *T, in Input) error {
		n, ok := in.AsInt()
		if !ok || n < least || n > most {
			return expected(fmt.Sprintf("an integer from %d to %d", least, most))
		}
		*at(record) = N(n)
		return nil
	})
}

// flagKey returns a boolean key that callers may set.
func flagKey[T any](name string, at func(*T) *bool) Attribute[T] {
	a := readOnlyFlag(name, func(record *T) bool { return *at(record) })
	return settable(a, func(record *T, in Input) error {
		b, ok := in.AsBool()
		if !ok {
			return expected("true or false")
		}
		*at(record) = b
		return nil
	})
}

// bitKey returns a boolean key that callers may set. Replies show it as 0 or 1.
func bitKey[T any](name string, at func(*T) *bool) Attribute[T] {
	a := flagKey(name, at)
	a.Type = KeyInt
	a.Get = func(record *T) Value { return IntValue(BoolValue(*at(record)).Int) }
	return a
}

// readOnlyText returns a text key that callers cannot set.
func readOnlyText[T any, S ~string](name string, at func(*T) S) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyText, Get: func(record *T) Value { return TextValue(at(record)) }}
}

// readOnlyInt returns an integer key that callers cannot set.
func readOnlyInt[T any, N ~int64](name string, at func(*T) N) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyInt, Get: func(record *T) Value { return IntValue(at(record)) }}
}

// readOnlyFlag returns a boolean key that callers cannot set.
func readOnlyFlag[T any](name string, at func(*T) bool) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyBool, Get: func(record *T) Value { return BoolValue(at(record)) }}
}

// searchable returns a copy of the Attribute that criteria may test.
func searchable[T any](a Attribute[T]) Attribute[T] {
	a.Searchable = true
	return a
}

// computed returns a copy of the Attribute whose values only this package can compute.
func computed[T any](a Attribute[T]) Attribute[T] {
	a.Computed = true
	return a
}

// expected is the error of a value that is not valid. Its text describes a valid value.
type expected string

// Error says what the caller may send.
func (e expected) Error() string { return "expected " + string(e) }

// readName reads the name of a List, Field or preference. decisions.md: 16
func readName(text string) (string, error) {
	name, err := readLine(text)
	if err == nil && name == "" {
		err = expected(fmt.Sprintf("a name of 1 to %d characters", maxName))
	}
	return name, err
}

// readLine reads one line of text and removes the white space around it.
func readLine(text string) (string, error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxName || strings.ContainsFunc(text, unicode.IsControl) {
		return "", expected(fmt.Sprintf("a text of at most %d characters without control characters", maxName))
	}
	return text, nil
}

// oneOf returns a function that accepts one of the words. If "" is allowed, it must be the
// first word. The error text does not list "".
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(words, text) {
			return text, nil
		}
		return "", expected("one of " + strings.TrimPrefix(strings.Join(words, ", "), ", "))
	}
}

// quoted returns the beginning of a text in quotes, for an error text. Clients cut an error
// text at a square bracket, so quoted replaces square brackets by parentheses.
func quoted(text string) string {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(strings.NewReplacer("[", "(", "]", ")").Replace(text))
}
