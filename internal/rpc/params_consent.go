// This file reads the four parameters of consent, which stand in a row.

package rpc

import "enlist/internal/audience"

// consent reads consent_type, consent_text, list_preferences and ip_address.
// specification: Consent
func (p *params) consent(i int) audience.Consent {
	return audience.Consent{
		Type:        consentType(p.at(i)),
		Text:        p.text(i + 1),
		Preferences: p.preferences(i + 2),
		IP:          p.text(i + 3),
	}
}

// consentType passes any value on, even one of another kind: the domain refuses
// it with 334, after it has looked at the List. decisions.md: 27
func consentType(v *audience.Input) audience.ConsentType {
	switch {
	case v.IsBlank():
		return ""
	case v.Kind == audience.InputText:
		return audience.ConsentType(v.Text)
	}
	return audience.ConsentType(describe(v))
}

// preferences reads an object of booleans. A null value counts as not sent. decisions.md: 28
func (p *params) preferences(i int) []audience.PreferenceChoice {
	v := p.at(i)
	switch {
	case v.Omitted():
		return nil
	case v.Kind != audience.InputObject:
		p.refuse(i, "an object of booleans")
		return nil
	}
	choices := make([]audience.PreferenceChoice, 0, len(v.Items))
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
		choices = append(choices, audience.PreferenceChoice{Name: item.Name, Agree: agree})
	}
	return choices
}
