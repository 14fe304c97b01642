package contacts

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file writes conditions as a person says them: State is NSW and (Born has no value or joined after 3 May 2026).

// sentence returns criteria in words. A test that the form cannot show is written as a search has it.
func (b *builder) sentence(c *enlist.Criteria) string {
	both, parts := "contacts.sentence_and", c.All
	if c.Any != nil {
		both, parts = "contacts.sentence_or", c.Any
	}
	if c.Key != "" {
		return b.tested(c)
	}
	text := ""
	for i := range parts {
		one := b.sentence(&parts[i])
		if len(parts) > 1 && len(parts[i].All)+len(parts[i].Any) > 1 {
			one = "(" + one + ")"
		}
		if i == 0 {
			text = one
		} else {
			text = b.request.Text(both, "a", text, "b", one)
		}
	}
	return text
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
	if slices.Contains(relative, one.Operator) {
		period, _ := enlist.ParsePeriod(one.Value)
		return b.request.Text(k.Kind.texts(one.Operator).sentence, "key", cmp.Or(k.Clause, k.Text), "period",
			b.request.Text(periodTexts[period.Unit], "n", period.Number))
	}
	sentence := k.Kind.texts(one.Operator).sentence
	switch {
	case k.Kind == flag && (one.Operator == "exactly" || one.Operator == "not"):
		sentence = k.No
		if (one.Value == "1") == (one.Operator == "exactly") {
			sentence = k.Yes
		}
	case k.Kind == batch && one.Operator == "in":
		sentence = k.Yes
	case k.Kind == batch && one.Operator == "not":
		sentence = k.No
	case k.Kind != segment && one.Operator == "in" && !strings.Contains(one.Value, ","):
		sentence = "contacts.sentence_is"
	}
	return b.request.Text(sentence, "key", cmp.Or(k.Clause, k.Text), "value", b.said(&k, one.Value))
}

// said returns a value in words: choices by their texts, and days as people write them. A text of several words stands
// between quotes.
func (b *builder) said(k *key, value string) string {
	all := []string{value}
	if k.Choices != nil || k.Kind == whole || k.Kind == number || k.Kind == text {
		all = strings.Split(value, ",")
	}
	for i, one := range all {
		if at := slices.IndexFunc(k.Choices, func(o ui.Option) bool { return o.Value == one }); at >= 0 {
			one = k.Choices[at].Text
		}
		if day, err := time.Parse(time.DateOnly, one); err == nil && (k.Kind == date || k.Kind == moment) {
			one = b.request.Language.Time("long_day", day)
		} else if strings.ContainsAny(one, " ,") {
			one = b.request.Text("contacts.quoted", "text", one)
		}
		all[i] = one
	}
	return b.request.Language.Series(all)
}

// sentenceOf returns the criteria of a Segment in words, with a capital at its beginning.
func (b *builder) sentenceOf(c *enlist.Criteria) string {
	return strings.TrimSuffix(ui.Sentence(b.sentence(c)), ".")
}
