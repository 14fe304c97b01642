package audience

// columnsOf says what the Contacts of a search come back with: nil returned
// means all; unknown names are left out, and a name that is repeated counts
// once. decisions.md: 40
func columnsOf(schema *Schema, returned []string) ([]Column, Columns) {
	if len(returned) == 0 {
		return schema.whole, Columns{System: true, All: true}
	}
	p := projection{schema: schema, seen: make(map[string]bool), columns: make([]Column, 0, max(len(returned), len(schema.Fields)+len(ContactAttributes)))}
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

// wholeContact is all that a List's Contacts have.
func wholeContact(schema *Schema) []Column {
	p := projection{schema: schema, seen: make(map[string]bool), columns: make([]Column, 0, len(schema.Fields)+len(ContactAttributes))}
	p.whole()
	return p.columns
}

type projection struct {
	schema  *Schema
	seen    map[string]bool // names that were added
	columns []Column
	needs   Columns
}

// whole adds all of a Contact: its ID, the Fields in display order, the other
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
	if f := p.schema.fieldCalled(name); f != nil {
		p.needs.Fields = append(p.needs.Fields, f.ID)
		p.append(Column{Name: name, Field: f})
	}
}

func (p *projection) append(c Column) {
	p.seen[c.Name] = true
	p.columns = append(p.columns, c)
}
