package imports

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"enlist/internal/enlist"
)

// This file knows the files that other services export: what their columns mean, and what their rows are.

// Preset describes the files of one service. Names of columns, states and files are in lower case. decisions.md: 68
type Preset struct {
	// columns are targets of an import, by the name of the column. "" leaves a column out that would be no use here. A
	// column that is not listed is for the Field with its name.
	columns map[string]string
	// files says what the rows of a file are, by the beginning of its name. "" leaves the file out.
	files map[string]string
	// state is a column that says what each row is, and states are its values.
	state  string
	states map[string]string
}

// leftOut adds columns that are left out.
func leftOut(columns map[string]string, names ...string) map[string]string {
	for _, name := range names {
		columns[name] = ""
	}
	return columns
}

// presets are the presets by name. Their facts:
//
// Mailchimp exports a .zip file with a file for each status. Older exports are named *_members_export_*, newer ones
// *_email_audience_export_*. Persons who are not subscribed never agreed to mails. OPTIN_TIME and OPTIN_IP belong to
// the form in which a person signed up, and CONFIRM_TIME is when the person became a subscriber.
//
// Brevo writes ADDED_TIME with day and month in the order of the account's settings, so the operator names the order.
// EMAIL_BLACKLISTED is only in the file if it was chosen.
//
// Keila has the state in the column Status, which old versions do not write, and its custom data as JSON in Data.
// Mailtrain has the state in the column status, and a column for each merge tag.
var presets = map[string]Preset{
	"mailchimp": {
		files: map[string]string{"subscribed_": AsContacts, "unsubscribed_": AsUnsubscribers,
			"cleaned_": AsBounced, "nonsubscribed_": ""},
		columns: leftOut(map[string]string{"confirm_time": "creation_time", "optin_time": "consent_time",
			"optin_ip": "consent_ip", "unsub_time": "unsubscribed_time"},
			"confirm_ip", "member_rating", "latitude", "longitude", "gmtoff", "dstoff", "timezone", "cc", "region",
			"last_changed", "leid", "euid", "unsub_campaign_title", "unsub_campaign_id", "unsub_reason",
			"unsub_reason_other", "clean_time", "clean_campaign_title", "clean_campaign_id"),
	},
	"brevo": {
		columns: leftOut(map[string]string{"added_time": "creation_time"}, "contact id", "modified_time", "opt_in",
			"double_opt-in", "sms_blacklisted", "contact_timezone"),
		state: "email_blacklisted",
		states: map[string]string{"yes": AsUnsubscribers, "true": AsUnsubscribers,
			"1": AsUnsubscribers, "no": AsContacts, "false": AsContacts,
			"0": AsContacts, "": AsContacts},
	},
	"keila": {
		columns: map[string]string{},
		state:   "status",
		states: map[string]string{"active": AsContacts, "unsubscribed": AsUnsubscribers,
			"unreachable": AsBounced},
	},
	"mailtrain": {
		columns: leftOut(map[string]string{}, "cid", "hash_email"),
		state:   "status",
		states: map[string]string{"subscribed": AsContacts, "unsubscribed": AsUnsubscribers,
			"bounced": AsBounced, "complained": AsComplained},
	},
}

// PresetNamed returns the preset of a service. Errors: InvalidParameters.
func PresetNamed(name string) (*Preset, error) {
	p, ok := presets[strings.ToLower(name)]
	if !ok {
		known := strings.Join(slices.Sorted(maps.Keys(presets)), ", ")
		return nil, enlist.Refuse(enlist.InvalidParameters, "there is no preset %q: choose one of %s", name, known)
	}
	return &p, nil
}

// kindOf returns what the rows of a file are. Errors: InvalidParameters if the service writes no file with this name.
func (p *Preset) kindOf(name string) (kind string, err error) {
	if p.files == nil {
		return AsContacts, nil
	}
	for begin, kind := range p.files {
		if strings.HasPrefix(strings.ToLower(name), begin) {
			return kind, nil
		}
	}
	begins := strings.Join(slices.Sorted(maps.Keys(p.files)), ", ")
	return "", enlist.Refuse(enlist.InvalidParameters,
		"the name of the file %q says not what its rows are: it must begin with one of %s", name, begins)
}

// mapping returns the meaning of the columns that the preset knows. The mappings of the operator win. A column of times
// whose order of day and month is not known is left out.
func (p *Preset) mapping(columns []string, o *ImportOptions) []ImportMapping {
	all := slices.Clone(o.Map)
	names := func(list []ImportMapping, column string) bool {
		return slices.ContainsFunc(list, func(m ImportMapping) bool {
			return strings.EqualFold(strings.TrimSpace(m.Column), column)
		})
	}
	for _, column := range columns {
		lower := strings.ToLower(column)
		target, known := p.columns[lower]
		switch {
		case names(o.Map, column):
			continue
		case lower == p.state:
			target, known = "", true
		case lower == "added_time" && !names(o.Dates, column):
			target = ""
		}
		if known {
			all = append(all, ImportMapping{Column: column, Target: target})
		}
	}
	return all
}

// kindOfRow returns what a row is, by the value of its column state. Errors: InvalidParameters.
func (p *Preset) kindOfRow(number int64, state any) (string, error) {
	text := strings.ToLower(strings.TrimSpace(fmt.Sprint(state)))
	kind, known := p.states[text]
	if !known {
		return "", enlist.Refuse(enlist.InvalidParameters, "row %d has the unknown state %q in the column %s",
			number, text, p.state)
	}
	return kind, nil
}
