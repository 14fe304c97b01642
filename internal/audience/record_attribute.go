// This file has the kinds of Attributes that the tables of records are made of,
// and the readers of names and lines that they share. An Attribute's Set reads
// an unboxed Input; a reader's error becomes the message of a refusal.

package audience

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the length of a name of a List, Field or preference, and of a line
// of text among their attributes, in characters. decisions.md: 16
const maxName = 255

// maxText is the length of a text among the attributes of Lists and Fields, in
// bytes. They are cached in memory, so they must stay small.
const maxText = 64 << 10

// assign sets the keys that details name, in the order sent. Unknown keys and
// keys that callers cannot set are ignored, because clients send whole records
// back.
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

// textKey is a text that callers may set. null and an empty array leave it
// unchanged, "" empties it. read checks the text and returns its stored form.
func textKey[T any, S ~string](name string, at func(*T) *S, read func(string) (string, error)) Attribute[T] {
	return textUpTo(maxText, name, at, read)
}

// textUpTo is textKey with another greatest length, in bytes.
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

// settable returns the key as one that callers may set with a function. An omitted value
// leaves it unchanged.
func settable[T any](a Attribute[T], set func(*T, Input) error) Attribute[T] {
	a.Set = func(record *T, in Input) error {
		if in.Omitted() {
			return nil
		}
		return set(record, in)
	}
	return a
}

// enumKey is one of several words that callers may set. "" leaves it unchanged.
func enumKey[T any, S ~string](name string, at func(*T) *S, words ...string) Attribute[T] {
	a := textKey(name, at, oneOf(words...))
	return settable(a, a.Set)
}

// refKey is the ID of another record, which callers may set. An ID below 0
// becomes 0, which no record has, so that the look-up refuses it later.
func refKey[T any, N ~int64](name string, at func(*T) *N) Attribute[T] {
	a := readOnlyInt(name, func(record *T) N { return *at(record) })
	return settable(a, func(record *T, in Input) error {
		n, ok := in.AsInt()
		if !ok && in.Kind != InputFalse {
			return expected("an integer")
		}
		*at(record) = N(max(n, 0))
		return nil
	})
}

// intKey is an integer from least to most that callers may set.
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

// flagKey is a boolean that callers may set.
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

// bitKey is a boolean that replies show as 0 or 1.
func bitKey[T any](name string, at func(*T) *bool) Attribute[T] {
	a := flagKey(name, at)
	a.Type = KeyInt
	a.Get = func(record *T) Value { return IntValue(BoolValue(*at(record)).Int) }
	return a
}

// readOnlyText is a text that callers cannot set.
func readOnlyText[T any, S ~string](name string, at func(*T) S) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyText, Get: func(record *T) Value { return TextValue(at(record)) }}
}

// readOnlyInt is a number that callers cannot set.
func readOnlyInt[T any, N ~int64](name string, at func(*T) N) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyInt, Get: func(record *T) Value { return IntValue(at(record)) }}
}

// readOnlyFlag is a boolean that callers cannot set.
func readOnlyFlag[T any](name string, at func(*T) bool) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyBool, Get: func(record *T) Value { return BoolValue(at(record)) }}
}

// searchable returns the key as one that criteria may name.
func searchable[T any](a Attribute[T]) Attribute[T] {
	a.Searchable = true
	return a
}

// expected is the error of a value that is not of this form.
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

// readLine reads one line of text. Spaces around it are removed.
func readLine(text string) (string, error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxName || strings.ContainsFunc(text, unicode.IsControl) {
		return "", expected(fmt.Sprintf("a text of at most %d characters without control characters", maxName))
	}
	return text, nil
}

// oneOf reads one of the words. A message leaves "" out, which is first if allowed.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(words, text) {
			return text, nil
		}
		return "", expected("one of " + strings.TrimPrefix(strings.Join(words, ", "), ", "))
	}
}

// quoted returns the beginning of a text in quotes, for a message. Clients find
// the end of a message by its square brackets, so there are none in it.
func quoted(text string) string {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(strings.NewReplacer("[", "(", "]", ")").Replace(text))
}
