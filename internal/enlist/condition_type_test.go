package enlist

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"enlist/internal/address"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func searchSchema() *Schema {
	return NewSchema(List{ID: 1, CountryCode: 61}, []Field{
		{ID: 1, Name: "Email", Type: Text, AddressType: AddressEmail},
		{ID: 2, Name: "Mobile", Type: Text, AddressType: AddressMobile},
		{ID: 3, Name: "City", Type: Text},
		{ID: 4, Name: "city", Type: Dropdown},
		{ID: 5, Name: "Price", Type: Decimal},
		{ID: 6, Name: "Born", Type: Date, TimeFormat: Time24},
		{ID: 7, Name: "ID", Type: Text},
	}, nil)
}

func contactSearchKeys() Keys { return Keys{System: ContactKeys, Schema: searchSchema()} }

func test(key, operator string, value any) Criteria {
	return Criteria{Key: key, Operator: operator, Value: input(value)}
}

func input(value any) Input {
	switch value := value.(type) {
	case string:
		return text(value)
	case bool:
		return flag(value)
	case num:
		return literal(string(value))
	case []any:
		var items []Input
		for _, item := range value {
			items = append(items, input(item))
		}
		return array(items...)
	case struct{}:
		return object()
	}
	return null()
}

type num string

// covers: spec search.key, op.in, compare, decision 32
func TestInvalidCriteriaAreRefused(t *testing.T) {
	for _, c := range []Criteria{
		test("Unknown", "exactly", "x"), test("", "exactly", "x"), test("email", "exactly", "x"), test("field_99", "exactly", "x"),
		test("field_", "exactly", "x"), test("field_03", "exactly", "x"), test("field_+3", "exactly", "x"), test("field_99999999999999999999", "exactly", "x"), test("all", "exactly", "x"),
		test("City", "", "x"), test("City", "is", "x"), test("City", "greater-than", "x"), test("City", "like", "x"),
		test("City", "exactly", []any{"x"}), test("City", "in", []any{[]any{"x"}}), test("City", "in", struct{}{}), test("City", "exactly", struct{}{}), test("City", "contains", []any{"x"}),
		test("id", "exactly", "x"), test("id", "exactly", true), test("id", "exactly", num("1234567890123456")), test("id", "exactly", num("1e15")), test("id", "exactly", "1e999999999"),
		test("id", "greater_than", ""), test("creation_time", "less_than", nil), test("creation_time", "exactly", "2026-01-31"), test("id", "in", "1,x"),
		test("is_active", "greater_than", "0"), test("is_active", "contains", "1"), test("is_active", "exactly", "yes"), test("is_active", "exactly", "2"), test("is_active", "in", "1,2"),
		test("Price", "exactly", "x"), test("Price", "exactly", true), test("Price", "greater_than", ""), test("Price", "exactly", "0.1234567890123456"),
		test("Born", "exactly", "yesterday"), test("Born", "exactly", "2026-02-30"), test("Born", "greater_than", ""), test("Born", "exactly", num("2026")), test("Born", "in", []any{"2026-01-31", "31/01/2026"}),
	} {
		t.Run(fmt.Sprintf("%s %s %v", c.Key, c.Operator, c.Value), func(t *testing.T) {
			where, err := contactSearchKeys().Condition(&c)
			if KindOf(err) != InvalidSearch || err.Error() == "" {
				t.Errorf("%v: got %v, error %v; want an error of kind InvalidSearch", c, where, err)
			}
		})
	}
}

// covers: spec search.key, op.in, compare, decision 32
func TestOperandsHaveTheTypeOfTheirKey(t *testing.T) {
	long := strings.Repeat("ÄB", 101)
	for _, c := range []struct {
		test Criteria
		want []Operand
	}{
		{test("City", "equal", "NSW İ"), []Operand{{Text: "nsw İ"}}},
		{test("City", "equals", num("1e+05")), []Operand{{Text: "100000"}}},
		{test("City", "exactly", true), []Operand{{Text: "1"}}},
		{test("City", "exactly", long), []Operand{{Text: address.LowerASCII(long)}}},
		{test("City", "greater_than", long), []Operand{{Text: strings.Repeat("Äb", 100)}}},
		{test("City", "contains", long), []Operand{{Text: address.LowerASCII(long)}}},
		{test("City", "less_than", ""), []Operand{{}}},
		{test("City", "not", nil), []Operand{{Absent: true}}},
		{test("City", "in", ""), []Operand{}},
		{test("City", "in", "  "), []Operand{}},
		{test("City", "in", []any{}), []Operand{}},
		{test("City", "in", "a, B ,,c d"), []Operand{{Text: "a"}, {Text: "b"}, {Absent: true}, {Text: "c d"}}},
		{test("City", "in", []any{"a, B ", num("5"), nil}), []Operand{{Text: "a, b "}, {Text: "5"}, {Absent: true}}},
		{test("field_3", "exactly", "x"), []Operand{{Text: "x"}}},
		{test("id", "exactly", "7"), []Operand{{Text: "7", Number: 7, Int: 7}}},
		{test("id", "exactly", num("7.5")), []Operand{{Text: "7.5", Number: 7.5, Int: 7, Impossible: true}}},
		{test("id", "less_than", "-7.5"), []Operand{{Text: "-7.5", Number: -7.5, Int: -7}}},
		{test("id", "greater_than", "-7.5"), []Operand{{Text: "-7.5", Number: -7.5, Int: -8}}},
		{test("id", "starts_with", "x"), []Operand{{Text: "x"}}},
		{test("last_open_time", "exactly", ""), []Operand{{Absent: true}}},
		{test("is_active", "exactly", "1"), []Operand{{Text: "1", Int: 1}}},
		{test("is_active", "not", false), []Operand{{Text: "0"}}},
		{test("is_active", "in", "0,1"), []Operand{{Text: "0"}, {Text: "1", Int: 1}}},
		{test("Price", "exactly", "12.50"), []Operand{{Text: "12.50", Number: 12.5}}},
		{test("Price", "ends_with", num("0.50")), []Operand{{Text: "0.50"}}},
		{test("Born", "exactly", "2026-01-31"), []Operand{{Text: "2026-01-31"}}},
		{test("Born", "less_than", "2026-01-31 05:00:00 PM"), []Operand{{Text: "2026-01-31 17:00:00"}}},
		{test("Email", "exactly", " A@Example.COM"), []Operand{{Text: "a@example.com"}}},
		{test("Email", "exactly", "a@"), []Operand{{Impossible: true}}},
		{test("Email", "contains", "A@"), []Operand{{Text: "a@"}}},
		{test("Mobile", "in", "0412 345 678,x"), []Operand{{Text: "+61412345678"}, {Impossible: true}}},
		{test("Mobile", "starts_with", "0412"), []Operand{{Text: "0412"}}},
	} {
		t.Run(fmt.Sprintf("%s %s %v", c.test.Key, c.test.Operator, c.test.Value), func(t *testing.T) {
			where, err := contactSearchKeys().Condition(&c.test)
			if err != nil {
				t.Errorf("%v: %v", c.test, err)
				return
			}
			if diff := cmp.Diff(c.want, where.Operands); diff != "" {
				t.Errorf("%v: (-want +got)\n%s", c.test, diff)
			}
		})
	}
}

// covers: spec search.key
func TestSystemKeysTakePrecedenceOverFields(t *testing.T) {
	s := NewSchema(List{}, []Field{{ID: 5, Name: "field_6"}, {ID: 6, Name: "id"}, {ID: 7, Name: "ID"}, {ID: 8, Name: KeyBatchSent}}, nil)
	k := Keys{System: ContactKeys, Schema: s}
	if key := k.find("id", false); key.Field != nil {
		t.Errorf("the key id is the Field %d, want the system key", key.Field.ID)
	}
	if key := k.find("field_6", false); key.Field.ID != 5 {
		t.Errorf("the key field_6 is the Field %d, want Field 5, whose name is field_6", key.Field.ID)
	}
	if key := k.find("field_7", false); key.Field.ID != 7 {
		t.Errorf("the key field_7 is the Field %d, want 7", key.Field.ID)
	}
	if key := k.find(KeyBatchSent, false); key.Field == nil {
		t.Error("the key batch_sent of a caller is not the Field of this name")
	}
	if key := k.find(KeyBatchSent, true); key.Type != KeyBatch {
		t.Error("the key batch_sent of the program is not the one of Batches")
	}
}

// covers: spec search.connectors
func TestGroupsWithoutTestsAreLeftOut(t *testing.T) {
	a, b := test("id", "exactly", "1"), test("id", "exactly", "2")
	for _, c := range []struct {
		name     string
		criteria Criteria
		want     string
	}{
		{"an empty group", Criteria{All: []Criteria{}}, ""},
		{"empty groups in a group", Criteria{All: []Criteria{{Any: []Criteria{}}, {All: []Criteria{}}}}, ""},
		{"a group of one test", Criteria{All: []Criteria{a}}, "1"},
		{"an empty group beside a test", Criteria{Any: []Criteria{{All: []Criteria{}}, a}}, "1"},
		{"two tests", Criteria{All: []Criteria{a, b}}, "(1 and 2)"},
		{"a group in a group", Criteria{Any: []Criteria{a, {All: []Criteria{a, b}}}}, "(1 or (1 and 2))"},
	} {
		t.Run(c.name, func(t *testing.T) {
			where, err := contactSearchKeys().Condition(&c.criteria)
			if err != nil {
				t.Fatal(err)
			}
			if got := conditionText(where); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The limit is for the values of all tests together. Without it, one request could contain 15
// million telephone numbers. Parsing them would take a minute and 4 GB.
//
// covers: spec search.connectors
func TestNumberOfOperandsIsLimited(t *testing.T) {
	half := test("id", "in", strings.Repeat("1,", maxOperands/2-1)+"1")
	one := test("id", "exactly", "1")
	if _, err := contactSearchKeys().Condition(&Criteria{All: []Criteria{half, half}}); err != nil {
		t.Errorf("%d values: %v, want no error", maxOperands, err)
	}
	for _, c := range []struct {
		name     string
		criteria Criteria
	}{
		{"in three tests", Criteria{Any: []Criteria{half, half, one}}},
		{"separated by commas", test("Mobile", "in", strings.Repeat(",", maxOperands))},
		{"in an array", test("id", "in", make([]any, maxOperands+1))},
	} {
		t.Run("too many values "+c.name, func(t *testing.T) {
			_, err := contactSearchKeys().Condition(&c.criteria)
			if KindOf(err) != InvalidSearch || !strings.Contains(err.Error(), "at most") {
				t.Errorf("got error %v, want an error of kind InvalidSearch that contains the limit", err)
			}
		})
	}
}

func conditionText(c *Condition) string {
	switch {
	case c == nil:
		return ""
	case c.Key != nil:
		return c.Operands[0].Text
	}
	connector, parts := " and ", c.All
	if c.Any != nil {
		connector, parts = " or ", c.Any
	}
	var texts []string
	for i := range parts {
		texts = append(texts, conditionText(&parts[i]))
	}
	return "(" + strings.Join(texts, connector) + ")"
}

// covers: spec search.connectors
func TestCriteriaHaveLimits(t *testing.T) {
	one := test("id", "exactly", "1")
	hundred := slices.Repeat([]Criteria{one}, 100)
	deep := one
	for range 9 {
		deep = Criteria{Any: []Criteria{one, {All: []Criteria{one, deep}}}}
	}
	deeper := Criteria{All: []Criteria{{Any: []Criteria{one, {All: []Criteria{one, deep}}}}}}
	for _, c := range []struct {
		name     string
		criteria Criteria
		allowed  bool
	}{
		{"100 tests", Criteria{All: hundred}, true},
		{"101 tests", Criteria{All: append(hundred, one)}, false},
		{"10 levels", Criteria{All: []Criteria{deep}}, true},
		{"11 levels", deeper, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := contactSearchKeys().Condition(&c.criteria)
			if c.allowed && err != nil || !c.allowed && KindOf(err) != InvalidSearch {
				t.Errorf("got error %v; the criteria are allowed: %v", err, c.allowed)
			}
		})
	}
}

// covers: spec sort.by
func TestSortByIgnoresLetterCaseIfUnique(t *testing.T) {
	k := contactSearchKeys()
	for _, c := range []struct {
		name   string
		field  FieldID
		system string
	}{
		{"City", 3, ""}, {"city", 4, ""}, {"field_5", 5, ""}, {"FIELD_5", 5, ""}, {"PRICE", 5, ""}, {"ID", 7, ""},
		{"id", 0, "id"}, {"Creation_Time", 0, "creation_time"},
	} {
		t.Run(c.name, func(t *testing.T) {
			key, err := k.Sort(c.name)
			if err != nil || key.Name != c.system || c.field != 0 && key.Field.ID != c.field {
				t.Errorf("got the key %v, error %v; want system key %q or Field %d", key, err, c.system, c.field)
			}
		})
	}
	for _, name := range []string{"CITY", "Id", "x", " id", "all", "field_99"} {
		t.Run("refused "+name, func(t *testing.T) {
			if key, err := k.Sort(name); KindOf(err) != InvalidSearch {
				t.Errorf("got the key %v, error %v; want an error of kind InvalidSearch", key, err)
			}
		})
	}
}

// For all criteria, the check returns a Condition or an error of kind InvalidSearch.
func TestCheckOfCriteriaNeverPanics(t *testing.T) {
	words := []string{"", "id", "is_active", "subscribed_via", "Email", "Mobile", "City", "Price", "Born", "field_5", "exactly", "in", "not", "greater_than",
		"contains", "1", "1e5", "-", ".", "1.", "2026-01-31", "2026-01-31 25:00:00", "a@b.example", "+61", ",", "9999999999999999999", "1e-400", "\xff", "\x00", "é"}
	word := rapid.OneOf(rapid.SampledFrom(words), rapid.String())
	var value func(depth int) *rapid.Generator[Input]
	value = func(depth int) *rapid.Generator[Input] {
		return rapid.Custom(func(t *rapid.T) Input {
			in := Input{Kind: InputKind(rapid.IntRange(0, int(InputObject)).Draw(t, "kind")), Text: word.Draw(t, "text")}
			if in.Kind == InputArray && depth > 0 {
				in.Items = rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "items")
			}
			return in
		})
	}
	var tree func(depth int) *rapid.Generator[Criteria]
	tree = func(depth int) *rapid.Generator[Criteria] {
		return rapid.Custom(func(t *rapid.T) Criteria {
			switch kind := rapid.IntRange(0, 3).Draw(t, "node"); {
			case kind == 0 && depth > 0:
				return Criteria{All: rapid.SliceOfN(tree(depth-1), 0, 3).Draw(t, "all")}
			case kind == 1 && depth > 0:
				return Criteria{Any: rapid.SliceOfN(tree(depth-1), 0, 3).Draw(t, "any")}
			}
			return Criteria{Key: word.Draw(t, "key"), Operator: word.Draw(t, "operator"), Value: value(2).Draw(t, "value")}
		})
	}
	k := contactSearchKeys()
	rapid.Check(t, func(t *rapid.T) {
		c := tree(4).Draw(t, "criteria")
		_, err := k.Condition(&c)
		if err != nil && KindOf(err) != InvalidSearch {
			t.Fatal(err)
		}
		_, err = k.Sort(word.Draw(t, "sort"))
		if err != nil && KindOf(err) != InvalidSearch {
			t.Fatal(err)
		}
	})
}
