package rpc

import (
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file reads the four parameters of consent. They have the same order in each method, with no
// other parameter between them.

// consent reads consent_type, consent_text, list_preferences and ip_address. i is the position of
// consent_type. reference.md: Consent
func (p *params) consent(i int) contacts.Consent {
	return contacts.Consent{
		Type:        consentType(p.at(i)),
		Text:        p.text(i + 1),
		Preferences: p.preferences(i + 2),
		IP:          p.text(i + 3),
	}
}

// consentType accepts any value, even a value that is not a string. The service refuses an invalid
// consent type with 334, but only after it has checked the List. reference.md: errors.order
func consentType(v *enlist.Input) enlist.ConsentType {
	switch {
	case v.IsBlank():
		return ""
	case v.Kind == enlist.InputText:
		return enlist.ConsentType(v.Text)
	}
	return enlist.ConsentType(describe(v))
}

// preferences reads an object of booleans. A null value is ignored. reference.md: preferences.unknown
func (p *params) preferences(i int) []enlist.PreferenceChoice {
	v := p.at(i)
	switch {
	case v.Omitted():
		return nil
	case v.Kind != enlist.InputObject:
		p.refuse(i, "an object of booleans")
		return nil
	}
	choices := make([]enlist.PreferenceChoice, 0, len(v.Items))
	for j := range v.Items {
		item := &v.Items[j]
		if item.IsBlank() {
			continue
		}
		agree, ok := item.AsBool()
		if !ok {
			p.refusePart(i, "true or false for each preference", item)
			return nil
		}
		choices = append(choices, enlist.PreferenceChoice{Name: item.Name, Agree: agree})
	}
	return choices
}

// tracking reads tracking_consent, tracking_text and tracking_text_version. i is the position of tracking_consent. It
// returns nil if the person has decided nothing. reference.md: contact.tracking
func (p *params) tracking(i int) *contacts.TrackingDecision {
	word := p.text(i)
	d := &contacts.TrackingDecision{Version: p.text(i + 2), By: contacts.Origin{Text: p.text(i + 1)}}
	known := true
	d.Consent, known = enlist.TrackingOf(word)
	switch {
	case !known && word != "":
		p.refuse(i, "granted, denied or unknown")
		return nil
	case d.Consent == enlist.TrackingUnknown:
		return nil
	}
	return d
}
