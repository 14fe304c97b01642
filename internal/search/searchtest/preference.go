package searchtest

import (
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"

	"pgregory.net/rapid"
)

// This file draws preferences of a List, the answers of its Contacts, and criteria about them.

const preferencePrefix = "preference:"

// preferenceNames are names of preferences. A Field may have the name of one.
var preferenceNames = []string{"Recipes", `Quo"te'd`, "Price", "%_"}

// drawAnswers draws the answers of a Contact. The ID of a preference is its index in preferenceNames plus 1.
func drawAnswers(t *rapid.T) map[enlist.PreferenceID]bool {
	answers := make(map[enlist.PreferenceID]bool)
	for i := range preferenceNames {
		switch rapid.IntRange(0, 2).Draw(t, "answer") {
		case 0:
			answers[enlist.PreferenceID(i+1)] = true
		case 1:
			answers[enlist.PreferenceID(i+1)] = false
		}
	}
	return answers
}

// addPreferences stores the preferences of the List and returns their IDs, by their index plus 1.
func (l *list) addPreferences(tx *db.Tx) (map[enlist.PreferenceID]enlist.PreferenceID, error) {
	ids := make(map[enlist.PreferenceID]enlist.PreferenceID)
	for i, name := range preferenceNames {
		p := enlist.Preference{ListID: l.id, Name: name}
		if err := lists.AddPreference(tx, &p); err != nil {
			return nil, err
		}
		ids[enlist.PreferenceID(i+1)] = p.ID
	}
	return ids, nil
}

// preferenceTest draws a criterion about an answer.
func (l *list) preferenceTest(t *rapid.T) enlist.Criteria {
	answer := func() enlist.Input {
		return rapid.SampledFrom([]enlist.Input{{Kind: enlist.InputTrue}, {Kind: enlist.InputFalse}, {},
			{Kind: enlist.InputText, Text: "1"}, {Kind: enlist.InputNumber, Text: "0"}, {Kind: enlist.InputText}}).
			Draw(t, "answer")
	}
	c := enlist.Criteria{Key: preferencePrefix + rapid.SampledFrom(preferenceNames).Draw(t, "preference"),
		Operator: rapid.SampledFrom([]string{"exactly", "equals", "not", "in"}).Draw(t, "operator"), Value: answer()}
	if c.Operator == "in" {
		c.Value = enlist.Input{Kind: enlist.InputArray}
		for range rapid.IntRange(0, 2).Draw(t, "answers") {
			c.Value.Items = append(c.Value.Items, answer())
		}
	}
	return c
}
