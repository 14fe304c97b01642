package httpapi

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/imports"
)

// This file reads the options of an import from the query of its URL. The options have the names of doc/reference.md.

// badOption is the refusal of an option.
func badOption(name, detail string) error {
	return &enlist.Error{Kind: enlist.InvalidParameters, Field: name, Detail: detail}
}

// readImportOptions returns the options of an import. Unknown options are refused, because a misspelled dry_run would
// store the rows.
func readImportOptions(query url.Values) (o imports.ImportOptions, follow bool, err error) {
	follow = true
	texts := map[string]*string{"file_name": &o.FileName, "format": &o.Format, "encoding": &o.Encoding,
		"delimiter": &o.Delimiter, "as": &o.As, "existing": &o.Existing, "skip": &o.Skip,
		"consent_type": &o.ConsentType, "consent_text": &o.ConsentText, "status": &o.Status,
		"confirm": &o.Confirm, "bad_values": &o.BadValues}
	flags := map[string]*bool{"no_header": &o.NoHeader, "decimal_comma": &o.DecimalComma, "add_fields": &o.AddFields,
		"dry_run": &o.DryRun, "autoresponders": &o.Autoresponders, "notifications": &o.Notifications,
		"webhooks": &o.Webhooks, "follow": &follow}
	pairs := map[string]*[]imports.ImportMapping{"map": &o.Map, "date": &o.Dates, "decimal": &o.Decimals}
	for name, values := range query {
		last := values[len(values)-1]
		switch {
		case name == "list_id":
			id, err := strconv.ParseInt(last, 10, 64)
			if err != nil {
				return o, false, badOption(name, "expected the ID of a List")
			}
			o.List = enlist.ListID(id)
		case texts[name] != nil:
			*texts[name] = last
		case flags[name] != nil:
			if !slices.Contains([]string{"0", "1", "true", "false"}, last) {
				return o, false, badOption(name, "expected 1 or 0")
			}
			*flags[name] = last == "1" || last == "true"
		case pairs[name] != nil:
			for _, pair := range values {
				column, target, ok := strings.Cut(pair, "=")
				if !ok {
					return o, false, badOption(name, "expected COLUMN=VALUE")
				}
				*pairs[name] = append(*pairs[name], imports.ImportMapping{Column: column, Target: target})
			}
		default:
			return o, false, badOption(name, "there is no such option")
		}
	}
	if !query.Has("list_id") {
		return o, false, badOption("list_id", "expected the ID of a List")
	}
	return o, follow, nil
}
