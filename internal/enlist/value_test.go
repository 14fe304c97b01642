package enlist

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func text(s string) Input        { return Input{Kind: InputText, Text: s} }
func literal(s string) Input     { return Input{Kind: InputNumber, Text: s} }
func array(items ...Input) Input { return Input{Kind: InputArray, Items: items} }
func flag(b bool) Input {
	return Input{Kind: map[bool]InputKind{true: InputTrue, false: InputFalse}[b]}
}
func object(items ...Input) Input   { return Input{Kind: InputObject, Items: items} }
func null() Input                   { return Input{} }
func field(t FieldType) *Field      { return &Field{Name: "Some Field", Type: t} }
func (f *Field) of(v string) *Field { f.Values = v; return f }

const sometime = "2026-06-15"

// covers: spec type.coercion, type.text, type.comment, type.decimal, type.currency, type.date, type.dropdown
// covers: spec type.radio, type.checkbox, type.file, field.length, field.values_array
func TestFieldsStoreValuesInTheFormOfTheirType(t *testing.T) {
	limited := &Field{Type: Text, Length: 3}
	choices := "NSW,VIC,New Zealand"
	timed := &Field{Type: Date, TimeFormat: Time12}
	for _, c := range []struct {
		f    *Field
		in   Input
		want string
	}{
		{field(Text), text("  kept as it is\n"), "  kept as it is\n"}, {field(Text), literal("12.50"), "12.50"}, {field(Text), literal("1e+05"), "100000"},
		{field(Text), flag(true), "1"}, {field(Text), flag(false), "0"}, {field(Text), null(), ""}, {field(Text), text(""), ""}, {field(Text), array(), ""},
		{field(Text), array(text("a"), literal("2"), flag(true)), "a,2,1"}, {field(Text), array(array(text("a")), text("b")), "a,b"}, {field(Text), array(array(text("a"))), "a"},
		{limited, text("abc"), "abc"}, {limited, text("äöü"), "äöü"}, {limited, literal("1e2"), "100"},
		{field(Comment), text("any\nlength"), "any\nlength"}, {field(File), text("cv.pdf"), "cv.pdf"},
		{field(Decimal), text("12.50"), "12.50"}, {field(Decimal), literal("-0"), "0"}, {field(Currency), text(" +5 "), "5"}, {field(Decimal), flag(true), "1"}, {field(Decimal), text(" "), ""},
		{field(Date), text("2026-01-31"), "2026-01-31"}, {field(Date), text(" "), ""}, {field(Date), null(), ""}, {timed, text("2026-01-31 01:00:00 PM"), "2026-01-31 13:00:00"},
		{&Field{Type: Date, DateValidation: datePast}, text(sometime), sometime}, {&Field{Type: Date, DateValidation: dateFuture}, text(sometime), sometime},
		{field(Dropdown).of(choices), text("VIC"), "VIC"}, {field(Radio).of(choices), array(text("New Zealand")), "New Zealand"}, {field(Dropdown).of("1,2"), literal("2"), "2"}, {field(Radio).of("0,1"), flag(false), "0"},
		{field(Dropdown).of(choices), text(""), ""}, {field(Radio).of(""), null(), ""},
		{field(Checkbox).of(choices), text("New Zealand, NSW"), "NSW,New Zealand"}, {field(Checkbox).of(choices), array(text("VIC"), text("NSW"), text("VIC")), "NSW,VIC"},
		{field(Checkbox).of(choices), array(text(""), text("VIC")), "VIC"}, {field(Checkbox).of(choices), text(" , "), ""}, {field(Checkbox).of("1"), flag(true), "1"},
		{field(Checkbox).of("Yes"), literal("1"), "Yes"}, {field(Checkbox).of("Yes"), text("1"), "Yes"}, {field(Checkbox).of("Yes"), flag(true), "Yes"}, {field(Checkbox).of("Yes"), text("on"), "Yes"}, {field(Checkbox).of("Yes"), array(text("on")), "Yes"},
		{field(Checkbox).of("Yes"), literal("0"), ""}, {field(Checkbox).of("Yes"), flag(false), ""}, {field(Checkbox).of("0"), text("0"), "0"}, {field(Checkbox).of("on"), flag(true), "on"}, {field(Checkbox).of("Yes"), text("Yes"), "Yes"},
		{field(Text), object(), ""}, {field(Text), object(text("1 High St"), text(" "), null(), literal("2000"), array(text("Sydney"))), "1 High St, 2000, Sydney"}, {field(Comment), object(flag(true), text("x")), "1, x"},
		{field(Date), text("2026-01-31 10:20:30"), "2026-01-31"}, {field(Date), text("2026-01-31 10:20:30 PM"), "2026-01-31"}, {&Field{Type: Date, DateValidation: datePast}, text(sometime + " 23:59:59"), sometime},
	} {
		t.Run(fmt.Sprint(c.f.Type, " ", c.in), func(t *testing.T) {
			got, err := c.f.Read(c.in, sometime)
			if err != nil || got != c.want {
				t.Errorf("%s Field reads %v as %q, %v; want %q", c.f.Type, c.in, got, err, c.want)
			}
		})
	}
}

// covers: spec type.coercion, type.refused
func TestFieldsRefuseInvalidValues(t *testing.T) {
	choices := "NSW,VIC"
	for _, c := range []struct {
		f  *Field
		in Input
	}{
		{field(Text), object(text("a"), object())}, {field(Text), object(array(text("a"), text("b")))}, {field(File), object()}, {&Field{Name: "Some Field", Type: Text, AddressType: AddressMobile}, object()}, {field(Text), array(text("a"), object())}, {field(Text), array(array(text("a"), text("b")), text("c"))}, {field(Text), literal("1e999999999")},
		{&Field{Name: "Some Field", Type: Text, Length: 3}, text("abcd")}, {&Field{Name: "Some Field", Type: Text, Length: 3}, text("äöüß")},
		{field(Decimal), text("abc")}, {field(Decimal), literal("1e15")}, {field(Currency), text("$5")}, {field(Decimal), array(literal("1"), literal("2"))},
		{field(Date), text("31/01/2026")}, {field(Date), text("2026-02-30")}, {field(Date), text("2026-01-31 25:00:00")}, {field(Date), text("2026-02-30 12:00:00")}, {&Field{Name: "Some Field", Type: Date, TimeFormat: Time24}, text("2026-01-31 25:00:00")},
		{&Field{Name: "Some Field", Type: Date, DateValidation: datePast}, text("2026-06-16")}, {&Field{Name: "Some Field", Type: Date, DateValidation: dateFuture}, text("2026-06-14")},
		{&Field{Name: "Some Field", Type: Date, DateValidation: "2026-01-01,2026-01-31"}, text("2026-02-01")},
		{field(Dropdown).of(choices), text("nsw")}, {field(Dropdown).of(choices), text("NSW,VIC")}, {field(Dropdown).of(choices), text(" NSW")}, {field(Radio).of(choices), array(text("NSW"), text("VIC"))},
		{field(Radio).of(""), text("x")}, {field(Dropdown), text(",")}, {field(Checkbox).of(choices), text("NSW,QLD")}, {field(Checkbox).of(choices), text("nsw")}, {field(Checkbox).of(choices), flag(true)}, {field(Checkbox).of(""), text("on")}, {field(Checkbox).of("Yes"), text("yes")}, {field(Radio).of("Yes"), text("on")}, {field(Dropdown).of("Yes"), flag(true)},
		{field(Text), text("a\xff")}, {field(Comment), text("a\x00")}, // a form can send them
	} {
		t.Run(fmt.Sprint(c.f.Type, " ", c.in), func(t *testing.T) {
			_, err := c.f.Read(c.in, sometime)
			e, ok := errors.AsType[*Error](err)
			if !ok || e.Kind != InvalidParameters || e.Field != "Some Field" || e.Detail == "" || strings.ContainsAny(e.Detail, "[]") {
				t.Errorf("%s Field reads %v with error %#v; want InvalidParameters about Some Field", c.f.Type, c.in, err)
			}
		})
	}
}

// covers: decision 23
func TestEmailFieldsAcceptOneAddress(t *testing.T) {
	f := &Field{Name: "Email", Type: Text, AddressType: AddressEmail, Length: 20}
	for _, c := range []struct {
		in   Input
		want string
	}{{text(" Ann@x.io "), "Ann@x.io"}, {array(text("a@x.io")), "a@x.io"}, {null(), ""}, {text(""), ""}, {text("  "), ""}, {array(), ""}, {array(null()), ""}} {
		t.Run(fmt.Sprint(c.in), func(t *testing.T) {
			if got, err := f.Read(c.in, sometime); err != nil || got != c.want {
				t.Errorf("read as %q, error %v; want %q", got, err, c.want)
			}
		})
	}
	for _, in := range []Input{text("ann"), literal("5"), flag(true), object(), array(text("a@x.io"), text("b@x.io")), array(text("a@x.io"), object()), array(object())} {
		t.Run("refused "+fmt.Sprint(in), func(t *testing.T) {
			if _, err := f.Read(in, sometime); KindOf(err) != InvalidEmail {
				t.Errorf("got error %#v, want kind InvalidEmail", err)
			}
		})
	}
	if _, err := f.Read(text("a.very.long.name@x.io"), sometime); KindOf(err) != InvalidParameters {
		t.Errorf("an address over the Field's length gives error %#v, want kind InvalidParameters", err)
	}
}

// covers: spec subscribeContact.rule.6, field.default_value, field.defaults_array
func TestNewContactsGetTheDefaultsOfFields(t *testing.T) {
	for _, c := range []struct {
		f    Field
		want string
	}{
		{Field{Type: Text, DefaultValue: "a"}, "a"}, {Field{Type: Comment, DefaultValue: "b"}, "b"}, {Field{Type: Decimal, DefaultValue: "1.50"}, "1.50"}, {Field{Type: Currency, DefaultValue: "5"}, "5"},
		{Field{Type: Date, DefaultValue: CurrentDate}, sometime}, {Field{Type: Date, DefaultValue: "2026-01-31"}, "2026-01-31"}, {Field{Type: Date}, ""},
		{Field{Type: Date, DefaultValue: "2026-01-31", DateValidation: dateFuture}, ""}, {Field{Type: Date, DefaultValue: CurrentDate, DateValidation: "2025-01-01,2025-12-31"}, ""},
		{Field{Type: Dropdown, Values: "a,b", Defaults: "b"}, "b"}, {Field{Type: Dropdown, Values: "a,b", Defaults: "b", DontStoreDefault: true}, ""},
		{Field{Type: Radio, Values: "a,b", Defaults: "b", DontStoreDefault: true}, "b"}, {Field{Type: Checkbox, Values: "a,b", Defaults: "a,b"}, "a,b"}, {Field{Type: File}, ""},
	} {
		t.Run(fmt.Sprintf("%s %q %q", c.f.Type, c.f.DefaultValue, c.f.Defaults), func(t *testing.T) {
			if got := c.f.Default(sometime); got != c.want {
				t.Errorf("default of %+v is %q, want %q", c.f, got, c.want)
			}
		})
	}
}

// covers: spec subscribeContact.rule.6, field.dont_store_default
func TestDontStoreDefaultOmitsTheDefaultChoice(t *testing.T) {
	f := Field{Type: Dropdown, Values: "a,b", Defaults: "b", DontStoreDefault: true}
	if a, b := f.Stored("a"), f.Stored("b"); a != "a" || b != "" {
		t.Errorf(`a is stored as %q and b as %q, want "a" and ""`, a, b)
	}
	f.DontStoreDefault = false
	if b := f.Stored("b"); b != "b" {
		t.Errorf(`b is stored as %q, want "b"`, b)
	}
}
