package imports

import (
	"slices"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file decides about values of a row that their Fields do not accept, and about the state of its person.

// parseSent checks the values of a row. It leaves out those that do not fit and that a Contact may be without, and then
// parse refuses the row or not, as the options say. Its error is the first one if the row has no Contact without them.
func (p *rowParser) parseSent(r *importRow) error {
	first := r.parsed.ParseSent(p.sent)
	for err := first; err != nil; {
		n := p.columnOf(r, err)
		if n < 0 || !p.isOptional(p.columns[n].field) {
			return first
		}
		p.leaveOut(r, n, err)
		p.sent = slices.DeleteFunc(p.sent, func(v contacts.SentValue) bool { return v.Field == p.columns[n].field })
		r.parsed = &contacts.ParsedContact{Schema: p.schema, Today: p.today}
		err = r.parsed.ParseSent(p.sent)
	}
	return nil
}

// isOptional reports whether a Contact may be without a value of the Field. Without its email address it would be
// another Contact.
func (p *rowParser) isOptional(f *enlist.Field) bool {
	return f != nil && !f.Mandatory && f.AddressType != enlist.AddressEmail
}

func (p *rowParser) leaveOut(r *importRow, n int, err error) {
	r.leftOut = append(r.leftOut, leftOutValue{n, shorten(textOf(r.cells[n]), maxShownValue), err.Error(), err})
}

// statusOf returns the state of the person of a row, from the first column that says that it must get no mail.
func (p *rowParser) statusOf(cells []any) (s rowStatus) {
	if p.options.As != AsContacts {
		return s
	}
	for n := range min(len(p.columns), len(cells)) {
		if b := &p.columns[n]; b.key == "" {
			if says := b.status.left(cells[n]); says != "" {
				return rowStatus{says, n}
			}
		}
	}
	return s
}

// ofLeaving reports whether the column counts for a person who must get no mail: other cells need not fit.
func (b *boundColumn) ofLeaving() bool {
	return b.key == keyUnsubscribedTime || b.field != nil && b.field.AddressType != enlist.AddressNone
}
