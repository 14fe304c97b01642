package movein

import "enlist/internal/enlist"

// This file reads the values of a record of another service. A value that the rules refuse is left out and reported.

// Record is a record as the other service sent it. It is an object of the API, such as a List or a Contact.
type Record []enlist.Detail

// ID returns the value of the key id, or 0 if the record has no valid one.
func (r Record) ID() int64 { return r.Int("id") }

// Int returns an integer, or 0 if the record has no valid integer under the key.
func (r Record) Int(key string) int64 {
	n, _ := r.value(key).AsInt()
	return n
}

// Text returns a value as text, or "".
func (r Record) Text(key string) string {
	text, _ := r.value(key).AsText()
	return text
}

// value returns the value of a key without arrays around it, or null.
func (r Record) value(key string) enlist.Input {
	for i := range r {
		if r[i].Key == key {
			return r[i].Value.Unbox()
		}
	}
	return enlist.Input{}
}

// reader reads one record and collects the values that are refused.
type reader struct {
	record   Record
	about    Problem // without Key, Value and Reason
	problems *[]Problem
}

// refuse reports a value of the record.
func (r *reader) refuse(key, reason string) { r.refuseValue(key, r.record.value(key), reason) }

// refuseValue reports a value of the record that has another key there, such as field_12.
func (r *reader) refuseValue(key string, value enlist.Input, reason string) {
	p := r.about
	p.Key, p.Reason = key, reason
	text, _ := value.Unbox().AsText()
	p.Value = beginning(text)
	*r.problems = append(*r.problems, p)
}

// refuseError reports a value with the text of a refusal. It returns any other error.
func (r *reader) refuseError(key string, err error) error {
	if enlist.KindOf(err) == enlist.Internal {
		return err
	}
	r.refuse(key, err.Error())
	return nil
}

// beginning returns the beginning of a value, for a report.
func beginning(text string) string {
	const most = 100
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	return string(runes[:most]) + "…"
}

// int reads an integer that is not negative. A missing one is 0.
func (r *reader) int(key string) int64 {
	in := r.record.value(key)
	if in.Omitted() || in.Kind == enlist.InputFalse {
		return 0
	}
	n, ok := in.AsInt()
	if !ok || n < 0 {
		r.refuse(key, "expected an integer from 0 on")
		return 0
	}
	return n
}

// flag reads a boolean.
func (r *reader) flag(key string, missing bool) bool {
	in := r.record.value(key)
	if in.Omitted() {
		return missing
	}
	b, ok := in.AsBool()
	if !ok {
		r.refuse(key, "expected true or false")
		return missing
	}
	return b
}

// line reads one line of text.
func (r *reader) line(key string) string {
	text, err := enlist.ReadLine(r.record.Text(key))
	if err != nil {
		r.refuse(key, err.Error())
	}
	return text
}

// setEach sets the attributes of a record that callers may set, one by one.
func setEach[T any](r *reader, to *T, attributes []enlist.Attribute[T], details []enlist.Detail) {
	for i := range details {
		if err := enlist.Assign(to, attributes, details[i:i+1]); err != nil {
			r.refuse(details[i].Key, err.Error())
		}
	}
}
