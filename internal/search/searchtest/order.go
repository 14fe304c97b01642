package searchtest

import (
	"fmt"
	"slices"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file tests the order of texts in searches.

// orderOfTexts tests that texts have the same order on every engine and in every locale of the
// database. Texts are compared by code point. The comparison ignores the case of ASCII letters, and
// uses only the first 200 characters. The texts of one line of textsInOrder are equal in this order.
// reference.md: compare, sort.by
func orderOfTexts(o *apptest.Account) {
	list := o.AddList()
	name := o.AddField(list, "name", "Name", "type", "text")
	lines := textsInOrder()
	ids := storeLastFirst(o, list, name, lines)
	ascending := slices.Concat(ids...)
	descending := slices.Clone(ascending)
	slices.Reverse(descending)
	wantOrder(o, list, enlist.Query{SortBy: "Name"}, ascending)
	wantOrder(o, list, enlist.Query{SortBy: "Name", Descending: true}, descending)
	wantOrder(o, list, enlist.Query{SortBy: "Name", Limit: 7, Offset: 20}, ascending[20:27])
	less, all := 0, len(ascending)-len(ids[0])
	for i, line := range lines[1:] { // lines[0] has Contacts without a value, which are not less and not greater than a text
		equal := len(ids[i+1])
		for _, text := range line {
			wantCount(o, list, "less_than", text, less)
			wantCount(o, list, "greater_than", text, all-less-equal)
		}
		less += equal
	}
	for _, text := range []string{"", "A", "SS", "I", "😀A"} {
		wantCount(o, list, "exactly", text, 2)
	}
	for _, text := range []string{"a\u0308", "Ä", "ä", "é", "e\u0301", "ß", "ẞ", "İ", "ı", "i\u0307", "k", "\u212a",
		"ſ", "ǆ",
		"ς", "я"} {
		wantCount(o, list, "exactly", text, 1)
	}
}

// textsInOrder returns lines of texts in the expected order. Every wrong method would give another
// order: the collation of a language, its rules for letter case, or a comparison of bytes or of
// UTF-16 units.
func textsInOrder() [][]string {
	return slices.Concat(
		[][]string{{"", ""}, {"\x01"}, {"\t"}, {" "}, {" z"}, {"!"}, {"'"}, {"-a"}, {"10"}, {"9"}, {"[x"}, {"_"},
			{"a", "A"}, {"a b"}, {"a-b"}, {"AB", "ab"}, {"az"}, {"a\u0308"}, {"co-op"}, {"coop", "COOP"}, {"e\u0301"},
			{"i", "I"}, {"i\u0307"}, {"k"}, {"SS", "ss"}, {"Z", "z"}, {"ZZ"}, {"{"}, {"~"}, {"\x7f"}, {"\u0085"},
			{"\u00a0"},
			{"Ä"}, {"Äa"}, {"É"}, {"Ö"}, {"ß"}, {"ä"}, {"é"}, {"ö"}},
		longTexts("ü"), // two bytes in UTF-8
		[][]string{{"ÿ"}, {"Ā"}, {"İ"}, {"ı"}, {"ſ"}, {"Ǆ"}, {"ǅ"}, {"ǆ"}, {"\u0301e"}, {"Σ"}, {"ς"}, {"σ"}, {"Я"},
			{"я"},
			{"ẞ"}, {"\u200b"}, {"\u2028"}, {"\u212a"}, {"東京"}, {"ﬁ"}, {"\ufeffa"}, {"\ufffd"}, {"\uffff"},
			{"😀"}, {"😀a", "😀A"}},
		longTexts("😀"), // four bytes in UTF-8, and two units in UTF-16
		[][]string{{"😁"}, {"\U0010ffff"}},
	)
}

// longTexts returns lines of texts that differ in the 200th character or after it.
func longTexts(c string) [][]string {
	begin := strings.Repeat(c, 199)
	return [][]string{{begin}, {begin + "a", begin + "Az", begin + "aä", begin + "aa"},
		{begin + "B", begin + "b😀", begin + "ba"}}
}

// storeLastFirst stores a Contact for each text and returns the IDs of each line. It starts with the
// last line, so that the order of the texts differs from the order of the IDs.
func storeLastFirst(o *apptest.Account, list enlist.ListID, field enlist.FieldID, lines [][]string) (ids [][]string) {
	o.Helper()
	o.Update(func(tx *db.Tx) error {
		ids = make([][]string, len(lines))
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		for i := len(lines) - 1; i >= 0; i-- {
			for j, text := range lines[i] {
				c := apptest.NewContact(schema, fmt.Sprintf("%d-%d@example.com", i, j))
				if text != "" {
					c.Values = c.Values.Set(field, text)
				}
				if inserted, err := contacts.Insert(tx, c); err != nil || !inserted {
					return fmt.Errorf("contact with the text %q: inserted %v, %w", text, inserted, err)
				}
				ids[i] = append(ids[i], fmt.Sprint(c.ID))
			}
		}
		return nil
	})
	return ids
}

func wantOrder(o *apptest.Account, list enlist.ListID, q enlist.Query, want []string) {
	o.Helper()
	var w apptest.ContactRows
	o.Must(o.App.Contacts.SearchContacts(o.Context(), o.Caller, list, q, []string{"id", "Name"}, &w))
	for i, row := range w.Rows {
		if i >= len(want) || row["id"] != want[i] {
			o.Fatalf("%s: row %d is Contact %s with the text %.30q, want another Contact", apptest.Show(q), i,
				row["id"], row["Name"])
		}
	}
	if len(w.Rows) != len(want) {
		o.Errorf("%s: the search found %d Contacts, want %d", apptest.Show(q), len(w.Rows), len(want))
	}
}

func wantCount(o *apptest.Account, list enlist.ListID, operator, text string, want int) {
	o.Helper()
	if n := o.Count(list, "Name", operator, text); n != int64(want) {
		o.Errorf("%s %.30q: the search counted %d Contacts, want %d", operator, text, n, want)
	}
}
