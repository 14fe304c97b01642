package contacts

import (
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file writes conditions as a person says them: State is NSW and (Born has no value or joined after 3 May 2026).

// sentence returns criteria in words. A test that the form cannot show is written as a search has it.
func (b *builder) sentence(c *enlist.Criteria) string {
	word, parts := " and ", c.All
	if c.Any != nil {
		word, parts = " or ", c.Any
	}
	if c.Key != "" {
		return b.tested(c)
	}
	texts := make([]string, len(parts))
	for i := range parts {
		texts[i] = b.sentence(&parts[i])
		if len(parts) > 1 && len(parts[i].All)+len(parts[i].Any) > 1 {
			texts[i] = "(" + texts[i] + ")"
		}
	}
	return strings.Join(texts, word)
}

// InWords returns criteria for the Contacts of a List as a person says them. Errors: those of the List.
func InWords(r *ui.Request, list enlist.ListID, c *enlist.Criteria) (string, error) {
	b, err := newBuilder(r, list)
	if err != nil {
		return "", err
	}
	return b.sentence(c), nil
}

// tested returns a test in words.
func (b *builder) tested(c *enlist.Criteria) string {
	one, ok := b.shown(c)
	if !ok {
		return c.Text()
	}
	k := b.key(one.Key)
	if k.About != "" && k.About != "Values" && k.About != "Preferences" { // words of the page, not of the Account
		k.Text = strings.ToLower(k.Text[:1]) + k.Text[1:]
	}
	if _, needsNone := without[one.Operator]; needsNone {
		if one.Operator == "ever" || one.Operator == "never" {
			return k.Text + ": " + one.Operator
		}
		return k.Text + " " + k.Kind.word(one.Operator)
	}
	value := k.said(one.Value)
	switch {
	case k.Kind == flag:
		return flagText(k.Text, one.Value == "1")
	case k.Kind == segment:
		return "is in the Segment " + value
	case k.Kind == batch && one.Operator == "not":
		return "not: " + k.Text + " " + value
	case k.Kind == batch:
		return k.Text + " " + value
	case one.Operator == "in" && !strings.Contains(one.Value, ","):
		return k.Text + " is " + value
	case one.Operator == "in":
		return k.Text + " is one of " + value
	}
	word := k.Kind.word(one.Operator)
	if k.Kind == moment {
		word = strings.TrimPrefix(word, "is ") // joined after 3 May
	}
	return k.Text + " " + word + " " + value
}

// said returns a value in words: choices by their texts, and days as people write them. A text of several words stands
// between quotes.
func (k *key) said(value string) string {
	all := []string{value}
	if k.Choices != nil || k.Kind == whole || k.Kind == number || k.Kind == text {
		all = strings.Split(value, ",")
	}
	for i, one := range all {
		if at := slices.IndexFunc(k.Choices, func(o option) bool { return o.Value == one }); at >= 0 {
			one = k.Choices[at].Text
		}
		if day, err := time.Parse(time.DateOnly, one); err == nil && (k.Kind == date || k.Kind == moment) {
			one = day.Format("2 January 2006")
		} else if strings.ContainsAny(one, " ,") {
			one = "“" + one + "”"
		}
		all[i] = one
	}
	return strings.Join(all, ", ")
}

// flagText returns a yes or no in words: is active, is not active.
func flagText(text string, yes bool) string {
	verb, rest, _ := strings.Cut(text, " ")
	if yes {
		return text
	}
	return verb + " not " + rest
}

// sentenceOf returns the criteria of a Segment in words, with a capital at its beginning.
func (b *builder) sentenceOf(c *enlist.Criteria) string {
	return strings.TrimSuffix(ui.Sentence(b.sentence(c)), ".")
}
