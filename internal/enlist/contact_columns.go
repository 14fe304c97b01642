package enlist

import "slices"

// This file converts the names in returned_fields to the columns of a reply, and says which
// parts of a Contact a search must read for these columns.

// ColumnsOf returns the columns in the reply of a search. Without names it returns all
// columns. It ignores unknown and repeated names. reference.md: searchContacts.rule.1
func ColumnsOf(schema *Schema, returned []string) ([]Column, Columns) {
	if len(returned) == 0 {
		return schema.whole, Columns{System: true, All: true}
	}
	p := newProjection(schema, len(returned))
	for _, name := range returned {
		if name == "all" {
			p.whole()
		}
	}
	for _, name := range returned {
		p.add(name)
	}
	return p.columns, p.needs
}

// wholeContact returns all columns of a List's Contacts. Schema.whole caches the result.
func wholeContact(schema *Schema) []Column {
	p := newProjection(schema, 0)
	p.whole()
	return p.columns
}

// projection collects the columns of one search.
type projection struct {
	schema  *Schema
	seen    map[string]bool // names that were added
	columns []Column
	needs   Columns
}

// newProjection returns an empty projection with space for all columns of the List, or for all
// names that the caller sent if these are more.
func newProjection(schema *Schema, names int) projection {
	size := max(names, len(schema.Fields)+len(ContactAttributes))
	return projection{schema: schema, seen: make(map[string]bool), columns: make([]Column, 0, size)}
}

// whole adds every column: the ID, the Fields in display order, then the other
// system keys.
func (p *projection) whole() {
	if p.needs.All {
		return
	}
	p.needs = Columns{System: true, All: true}
	p.append(Column{Name: "id", System: &ContactAttributes[0]})
	for i := range p.schema.Fields {
		f := &p.schema.Fields[i]
		p.append(Column{Name: f.Name, Field: f})
	}
	for i := range ContactAttributes[1:] {
		a := &ContactAttributes[i+1]
		p.append(Column{Name: a.Name, System: a})
	}
}

// add adds the column of the system key, the Field or the later key with this name. It ignores a name that is
// unknown or that was added before.
func (p *projection) add(name string) {
	if p.seen[name] {
		return
	}
	for i := range ContactAttributes {
		if a := &ContactAttributes[i]; a.Name == name {
			p.needs.System = p.needs.System || i > 0
			p.append(Column{Name: name, System: a})
			return
		}
	}
	if f := p.schema.FieldCalled(name); f != nil {
		p.needs.Fields = append(p.needs.Fields, f.ID)
		p.append(Column{Name: name, Field: f})
		return
	}
	for i := range laterAttributes {
		if a := &laterAttributes[i]; a.Name == name {
			p.needs.Later = true
			p.append(Column{Name: name, System: a})
		}
	}
}

func (p *projection) append(c Column) {
	p.seen[c.Name] = true
	p.columns = append(p.columns, c)
}

// ContactAttributes are the system keys of a Contact record: id first, then
// the others in the order of replies. reference.md: Contacts
var ContactAttributes = []Attribute[Contact]{
	Searchable(ReadOnlyInt("id", func(c *Contact) ContactID { return c.ID })),
	Searchable(ReadOnlyInt("creation_time", func(c *Contact) int64 { return c.Created })),
	Searchable(ReadOnlyInt("webform_id", func(c *Contact) int64 { return c.WebformID })),
	Searchable(ReadOnlyInt("last_modified_time", func(c *Contact) int64 { return c.Modified })),
	Searchable(ReadOnlyText("subscribed_via", func(c *Contact) string { return c.SubscribedVia })),
	Searchable(ReadOnlyFlag("is_unsubscribed", func(c *Contact) bool { return c.IsUnsubscribed })),
	Searchable(ReadOnlyFlag("is_bounce_deactivated", func(c *Contact) bool { return c.IsBounceDeactivated })),
	Searchable(ReadOnlyInt("last_message_time", func(c *Contact) int64 { return c.LastMessageTime })),
	Searchable(ReadOnlyInt("last_open_time", func(c *Contact) int64 { return c.LastOpenTime })),
	Searchable(ReadOnlyInt("last_click_time", func(c *Contact) int64 { return c.LastClickTime })),
	Searchable(ReadOnlyFlag("double_opt_in", func(c *Contact) bool { return c.DoubleOptIn })),
	Searchable(ReadOnlyInt("double_opt_in_time", func(c *Contact) int64 { return c.DoubleOptInTime })),
	Searchable(ReadOnlyFlag("is_active", func(c *Contact) bool { return c.IsActive })),
}

// ContactKeys are the system keys that searches of Contacts may use.
var ContactKeys = slices.Concat(AttributeKeys(ContactAttributes), batchKeys, laterKeys)

// Column is one key of the Contacts that a search returns: a Field or a system key.
type Column struct {
	Name   string // as the caller wrote it
	Field  *Field // nil for a system key
	System *Attribute[Contact]
}
