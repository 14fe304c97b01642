package enlist

// Preference is a named choice that Contacts of a List agree to or decline.
type Preference struct {
	ID     PreferenceID
	ListID ListID
	Name   string
}

// PreferenceAttributes are the keys of a preference record, in the order of a reply.
var PreferenceAttributes = []Attribute[Preference]{
	Searchable(ReadOnlyInt("id", func(p *Preference) PreferenceID { return p.ID })),
	ReadOnlyInt("list_id", func(p *Preference) ListID { return p.ListID }),
	Searchable(ReadOnlyText("name", func(p *Preference) string { return p.Name })),
}
