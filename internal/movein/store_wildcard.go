package movein

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file finds wildcards of the other service, such as [$First Name$], in the texts of a Message. They are not
// translated: the author must see each one, because a mail with a wrong name is worse than one that is not sent.

// wildcard is a wildcard, with its name.
var wildcard = regexp.MustCompile(`\[\$\s*([^\[\]$<>]+?)\s*\$\]`)

// maxWildcards is the largest number of wildcards that are reported of one Message.
const maxWildcards = 50

// wildcardKeys are the keys of a Message whose texts can have wildcards.
var wildcardKeys = []string{"subject", "from_name", "from_address", "reply_to", "html_content", "text_content",
	"sms_content"}

// wildcards reports each wildcard of a Message once for each of its texts, and says what to write in its place.
func (r *reader) wildcards(tx *db.Tx, account enlist.AccountID) error {
	var names []string
	reported := make(map[string]bool)
	for _, key := range wildcardKeys {
		for _, found := range wildcard.FindAllStringSubmatch(r.record.Text(key), -1) {
			if reported[key+found[0]] || len(reported) == maxWildcards {
				continue
			}
			reported[key+found[0]] = true
			if names == nil {
				var err error
				names, err = mergeNames(tx, account)
				if err != nil {
					return err
				}
			}
			p := r.about
			p.Key, p.Value = key, beginning(found[0])
			p.Reason = "no wildcard is filled here: " + advice(names, key, html.UnescapeString(found[1]))
			*r.problems = append(*r.problems, p)
		}
	}
	return nil
}

// mergeNames returns the names of all Fields of an Account, which are names of merge fields.
func mergeNames(tx *db.Tx, account enlist.AccountID) (names []string, err error) {
	all, err := lists.Defined(tx, account)
	if err != nil {
		return nil, err
	}
	for i := range all {
		schema, err := lists.Schema(tx, all[i].ID)
		if err != nil {
			return nil, err
		}
		for j := range schema.Fields {
			names = append(names, schema.Fields[j].Name)
		}
	}
	return names, nil
}

// advice says what to write in place of a wildcard with a name. fields are the names of Fields.
func advice(fields []string, key, name string) string {
	if key == "from_name" {
		return "write a name without merge fields"
	}
	if strings.Contains(plainName(name), "unsubscribe") {
		return "write {{unsubscribe_url}} in the link"
	}
	for _, same := range []func(string) bool{
		func(field string) bool { return field == name },
		func(field string) bool { return plainName(field) == plainName(name) },
	} {
		if i := slices.IndexFunc(fields, same); i >= 0 {
			return "write {{" + fields[i] + "}}"
		}
	}
	if _, known := messages.MergeValue(new(enlist.Schema), new(enlist.Contact), name); known {
		return "write {{" + name + "}}"
	}
	return "no List has a Field with this name; write a Field's name in {{ and }}, or remove it"
}

// plainName returns a name for a comparison without letter case, spaces and marks between words.
func plainName(name string) string {
	return strings.NewReplacer(" ", "", "_", "", "-", "").Replace(strings.ToLower(name))
}
