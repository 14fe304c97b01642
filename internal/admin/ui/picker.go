package ui

import (
	"cmp"
	"slices"
	"strings"
)

// This file draws an input with many Options as a picker: the chosen ones, a search, and the first ones that match.
// Without script, the button of the search sends the form, and its page shows it again with all values. picker.js sends it
// while a user types, and shows the Options of the answer.

const (
	fewOptions = 30 // up to which all Options are shown
	matches    = 12 // that a picker shows
)

// IsPicker reports whether an input is drawn as a picker.
func (in Input) IsPicker() bool { return in.Picker && len(in.Options) > fewOptions }

// PickerKey names a picker in its form.
func (in Input) PickerKey() string { return cmp.Or(in.ID, in.Name) }

// FindName is the name of the search of a picker.
func (in Input) FindName() string { return "find." + in.PickerKey() }

// IsPicking reports whether a form was sent for the search of a picker: its page is to be shown again, and nothing else
// is to be done.
func (r *Request) IsPicking() bool { return r.FormValue("pick") != "" }

// Picks are the Options that a picker shows.
type Picks struct {
	Input
	Chosen, Matches []Pick
	More            int // others that match
}

// Pick is an Option of a picker.
type Pick struct {
	Option
	In       *Input
	IsChosen bool
}

// IsOne reports whether only one of the Options can be chosen.
func (p Pick) IsOne() bool { return p.In.Kind != InputBoxes }

// Picks returns the Options that a picker shows.
func (in Input) Picks() Picks {
	p := Picks{Input: in}
	text := strings.ToLower(strings.TrimSpace(in.Find))
	isChosen := in.Is
	if in.Kind != InputBoxes && !slices.ContainsFunc(in.Options, in.Is) { // as in a menu, the first one is chosen
		isChosen = func(o Option) bool { return o.Value == in.Options[0].Value }
	}
	for _, o := range in.Options {
		switch {
		case isChosen(o):
			p.Chosen = append(p.Chosen, Pick{o, &in, true})
		case !strings.Contains(strings.ToLower(o.Text+" "+o.Help), text):
		case len(p.Matches) < matches:
			p.Matches = append(p.Matches, Pick{o, &in, false})
		default:
			p.More++
		}
	}
	return p
}
