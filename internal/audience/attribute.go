package audience

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxName is the longest name of a List, Field or preference, and the longest
// line of text among their attributes, in characters. decisions.md: 16
const maxName = 255

// maxText is the longest text among the attributes of Lists and Fields, in
// bytes: they are kept in memory, and read with every Contact.
const maxText = 64 << 10

// assign sets what details name, in the order sent. Keys that there are not
// and those that only the service sets are ignored: clients send whole records back.
func assign[T any](record *T, attributes []Attribute[T], details []Detail) error {
	for i := range details {
		for j := range attributes {
			a := &attributes[j]
			if a.Name != details[i].Key || a.Set == nil {
				continue
			}
			if err := a.Set(record, details[i].Value); err != nil {
				return &Error{Kind: InvalidParameters, Field: a.Name, Detail: err.Error()}
			}
		}
	}
	return nil
}

// textKey is a text that callers may set; null and an empty array leave it as
// it is, "" empties it. read turns what was sent into what is stored.
func textKey[T any, S ~string](name string, at func(*T) *S, read func(string) (string, error)) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyText,
		Get: func(record *T) Value { return TextValue(*at(record)) },
		Set: func(record *T, in Input) error {
			if in = in.Unbox(); in.Kind != InputText && in.Omitted() {
				return nil
			}
			text, ok := in.AsText()
			if !ok {
				return expected("a text")
			}
			if len(text) > maxText {
				return expected("a text of at most 65,536 bytes")
			}
			text, err := read(text)
			if err == nil {
				*at(record) = S(text)
			}
			return err
		},
	}
}

// wordKey is one of some words that callers may set; "" leaves it as it is.
func wordKey[T any, S ~string](name string, at func(*T) *S, words ...string) Attribute[T] {
	a := textKey(name, at, oneOf(words...))
	set := a.Set
	a.Set = func(record *T, in Input) error {
		if in.Omitted() {
			return nil
		}
		return set(record, in)
	}
	return a
}

// refKey is the ID of another record, which callers may set. One that no record
// can have becomes 0, so that looking for it fails in its turn.
func refKey[T any, N ~int64](name string, at func(*T) *N) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyInt,
		Get: func(record *T) Value { return IntValue(*at(record)) },
		Set: func(record *T, in Input) error {
			if in.Omitted() {
				return nil
			}
			n, ok := in.AsInt()
			if !ok && in.Unbox().Kind != InputFalse {
				return expected("an integer")
			}
			*at(record) = N(max(n, 0))
			return nil
		},
	}
}

// intKey is a number that callers may set between bounds.
func intKey[T any, N ~int64](name string, at func(*T) *N, least, most int64) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyInt,
		Get: func(record *T) Value { return IntValue(*at(record)) },
		Set: func(record *T, in Input) error {
			if in.Omitted() {
				return nil
			}
			n, ok := in.AsInt()
			if !ok || n < least || n > most {
				return expected("an integer from " + strconv.FormatInt(least, 10) + " to " + strconv.FormatInt(most, 10))
			}
			*at(record) = N(n)
			return nil
		},
	}
}

// flagKey is a flag that callers may set.
func flagKey[T any](name string, at func(*T) *bool) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyBool,
		Get: func(record *T) Value { return BoolValue(*at(record)) },
		Set: func(record *T, in Input) error {
			if in.Omitted() {
				return nil
			}
			b, ok := in.AsBool()
			if !ok {
				return expected("true or false")
			}
			*at(record) = b
			return nil
		},
	}
}

// bitKey is a flag that is shown as 0 or 1.
func bitKey[T any](name string, at func(*T) *bool) Attribute[T] {
	a := flagKey(name, at)
	a.Type = KeyInt
	a.Get = func(record *T) Value { return IntValue(BoolValue(*at(record)).Int) }
	return a
}

// shownText and shownInt are keys that only the service sets.
func shownText[T any, S ~string](name string, at func(*T) S) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyText, Get: func(record *T) Value { return TextValue(at(record)) }}
}

func shownInt[T any, N ~int64](name string, at func(*T) N) Attribute[T] {
	return Attribute[T]{Name: name, Type: KeyInt, Get: func(record *T) Value { return IntValue(at(record)) }}
}

// searchable marks a key as one that criteria may name.
func searchable[T any](a Attribute[T]) Attribute[T] {
	a.Searchable = true
	return a
}

// expected says what a value should have been.
type expected string

func (e expected) Error() string { return string(e) + " was expected" }

// readName takes the name of a List, Field or preference. decisions.md: 16
func readName(text string) (string, error) {
	name, err := readLine(text)
	if err == nil && name == "" {
		err = expected("a name of 1 to 255 characters")
	}
	return name, err
}

// readLine takes a trimmed text without control characters.
func readLine(text string) (string, error) {
	text = strings.TrimSpace(text)
	if utf8.RuneCountInString(text) > maxName || strings.ContainsFunc(text, unicode.IsControl) {
		return "", expected("a text of at most 255 characters, none of them a control character,")
	}
	return text, nil
}

// oneOf takes one of some words, of which "" need not be said.
func oneOf(words ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		for _, word := range words {
			if text == word {
				return text, nil
			}
		}
		return "", expected("one of " + strings.TrimPrefix(strings.Join(words, ", "), ", "))
	}
}

// quoted shows what was sent in a message, where square brackets must not be.
func quoted(text string) string {
	const most = 100
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return strconv.Quote(strings.NewReplacer("[", "(", "]", ")").Replace(text))
}
