package enlist

// This file has the keys of a Contact that the published API did not have at first: the decision about the recording of
// opens and clicks, and the language. A Field with such a name takes precedence, and replies have the keys only if the
// caller names them: published clients do not know them. decisions.md: 155, 170

// KeyLanguage is the key of the language in which a Contact gets mails and reads pages: a code of package language. It is
// not called language, because many Lists have a Field of that name.
const KeyLanguage = "contact_language"

// UnknownLanguage is the value of KeyLanguage in details that removes the language: "" means that none was sent.
const UnknownLanguage = "unknown"

// IsLaterKey reports whether a key of a Contact's details is one of these.
func IsLaterKey(name string) bool { return name == KeyLanguage || IsTrackingKey(name) }

// LaterNames are the names of the keys in replies.
func LaterNames() (names []string) {
	for i := range laterAttributes {
		names = append(names, laterAttributes[i].Name)
	}
	return names
}

// laterAttributes are the keys of replies.
var laterAttributes = []Attribute[Contact]{
	ReadOnlyText(KeyTrackingConsent, func(c *Contact) string { return c.TrackingConsent.String() }),
	ReadOnlyInt(KeyTrackingTime, func(c *Contact) int64 { return c.TrackingTime }),
	ReadOnlyText(KeyLanguage, func(c *Contact) string { return c.Language }),
}

// laterKeys are the keys of searches.
var laterKeys = []SearchKey{
	{Name: KeyTrackingConsent, Type: KeyTracking, Searchable: true, AfterField: true},
	{Name: KeyTrackingTime, Type: KeyInt, Searchable: true, AfterField: true},
	{Name: KeyLanguage, Type: KeyCode, Searchable: true, AfterField: true},
}
