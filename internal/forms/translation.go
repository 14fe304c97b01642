package forms

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/lists"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// This file has the texts of a Form in further languages. The Form stores them as JSON. Its own texts are in its
// language, and stand for those that a translation does not have.

// Translation has the texts of a Form in another language. A text of "" stands for that of the Form.
type Translation struct {
	Title        string            `json:"title,omitempty"`
	Introduction string            `json:"introduction,omitempty"`
	Button       string            `json:"button,omitempty"`
	Consent      string            `json:"consent_text,omitempty"` // has no effect if the Form asks for no consent
	Thanks       string            `json:"thanks,omitempty"`
	Tracking     string            `json:"tracking_text,omitempty"`
	Labels       map[string]string `json:"labels,omitempty"` // by the input: f12 of a Field, p3 of a preference
}

// Translations are the further languages of a Form, by their codes.
type Translations map[string]Translation

// DecodeTranslations returns the Translations that a Form has stored.
func DecodeTranslations(text string) Translations {
	all := make(Translations)
	if text == "" {
		return all
	}
	if err := json.Unmarshal([]byte(text), &all); err != nil {
		return make(Translations) // a later version may store another form
	}
	return all
}

// Encode returns the Translations as a Form stores them.
func (all Translations) Encode() string {
	if len(all) == 0 {
		return ""
	}
	b, err := json.Marshal(all, json.Deterministic(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err) // texts have a form in JSON
	}
	return string(b)
}

// translationsKey is the key of the Translations: a JSON object, or a text with one. "" and {} remove all.
func translationsKey() enlist.Attribute[Form] {
	a := enlist.ReadOnlyText("translations", func(f *Form) string { return f.Translations })
	a.Set = func(f *Form, in enlist.Input) error {
		if in.Kind != enlist.InputText && in.Omitted() {
			return nil
		}
		text := in.JSON()
		if in.Kind == enlist.InputText {
			text = cmp.Or(in.Text, "{}")
		}
		all, err := readTranslations(text)
		if err == nil {
			f.Translations = all.Encode()
		}
		return err
	}
	return a
}

// readTranslations reads what a caller sends. Its errors name the language and the text, such as "fr.title".
func readTranslations(text string) (Translations, error) {
	var sent map[string]jsontext.Value
	err := json.Unmarshal([]byte(text), &sent)
	if errors.Is(err, jsontext.ErrDuplicateName) {
		return nil, enlist.Expected("each language and each text once")
	}
	if err != nil || sent == nil { // nil: null
		return nil, enlist.Expected(`an object of languages, such as {"fr":{"title":"Notre lettre"}}`)
	}
	all := make(Translations)
	for _, code := range slices.Sorted(maps.Keys(sent)) {
		if !slices.Contains(language.Codes(), code) {
			return nil, enlist.Expected("languages of " + strings.Join(language.Codes(), ", ") + "; " +
				enlist.Quoted(code) + " is none")
		}
		var t Translation
		err := json.Unmarshal(sent[code], &t, json.RejectUnknownMembers(true)) // a misspelled key would be lost
		if err != nil {
			return nil, fmt.Errorf("%s: %w", code,
				enlist.Expected("an object of title, introduction, button, consent_text, thanks, tracking_text, and "+
					"the object labels"))
		}
		if err := t.read(code + "."); err != nil {
			return nil, err
		}
		all[code] = t
	}
	return all, nil
}

// read checks the texts as those of the Form. in is the beginning of their names in errors.
func (t *Translation) read(in string) error {
	for _, one := range []struct {
		key  string
		at   *string
		read func(string) (string, error)
	}{{"title", &t.Title, enlist.ReadLine}, {"introduction", &t.Introduction, lists.ReadParagraphs},
		{"button", &t.Button, enlist.ReadLine}, {"consent_text", &t.Consent, readConsent},
		{"thanks", &t.Thanks, lists.ReadParagraphs}, {"tracking_text", &t.Tracking, readConsent}} {
		text, err := one.read(*one.at)
		if err != nil {
			return fmt.Errorf("%s%s: %w", in, one.key, err)
		}
		*one.at = text
	}
	for _, input := range slices.Sorted(maps.Keys(t.Labels)) {
		label, err := enlist.ReadLine(t.Labels[input])
		if err != nil {
			return fmt.Errorf("%slabels.%s: %w", in, input, err)
		}
		if t.Labels[input] = label; label == "" {
			delete(t.Labels, input)
		}
	}
	return nil
}

// asks reports whether a List has the Field or the preference of an input, such as f12 or p3.
func asks(schema *enlist.Schema, input string) bool {
	if input == "" {
		return false
	}
	id, err := strconv.ParseInt(input[1:], 10, 64)
	switch {
	case err != nil:
		return false
	case input == FieldInput(enlist.FieldID(id)):
		return schema.Field(enlist.FieldID(id)) != nil
	}
	return input == PreferenceInput(enlist.PreferenceID(id)) && schema.PreferenceByID(enlist.PreferenceID(id)) != nil
}

// FieldInput returns the name of the input for a Field.
func FieldInput(id enlist.FieldID) string { return "f" + strconv.FormatInt(int64(id), 10) }

// PreferenceInput returns the name of the tick for a preference.
func PreferenceInput(id enlist.PreferenceID) string { return "p" + strconv.FormatInt(int64(id), 10) }

// forgetLabels removes the labels that the old Form had too, of Fields and preferences that the List has no more.
// It leaves Translations that it cannot read, see DecodeTranslations.
func (f *Form) forgetLabels(schema *enlist.Schema, old *Form) {
	all, before := DecodeTranslations(f.Translations), DecodeTranslations(old.Translations)
	isChanged := false
	for code, t := range all {
		for input := range before[code].Labels {
			if _, ok := t.Labels[input]; ok && !asks(schema, input) {
				delete(t.Labels, input)
				isChanged = true
			}
		}
	}
	if isChanged {
		f.Translations = all.Encode()
	}
}

// checkTranslations refuses Translations that do not fit the Form and its List.
func (f *Form) checkTranslations(schema *enlist.Schema) error {
	all := DecodeTranslations(f.Translations)
	if _, own := all[f.Language]; own {
		return enlist.Invalid("language", "translations has texts in "+f.Language+", which is the language of the Form")
	}
	if len(all) > 0 && f.Language == "" {
		return enlist.Invalid("language", "a Form with translations needs the language of its own texts")
	}
	for _, code := range slices.Sorted(maps.Keys(all)) {
		for _, input := range slices.Sorted(maps.Keys(all[code].Labels)) {
			if !asks(schema, input) {
				return enlist.Invalid("translations", code+".labels: the List has no Field or preference "+
					enlist.Quoted(input))
			}
		}
	}
	return nil
}

// Languages returns the codes of the languages of a Form, its own first; nil if it has only its own texts.
func (f *Form) Languages() []string {
	if f.Translations == "" {
		return nil
	}
	return append([]string{f.Language}, slices.Sorted(maps.Keys(DecodeTranslations(f.Translations)))...)
}

// In returns the Form with the texts of a language, and the labels that are not the names of Fields and preferences.
// It is the Form itself if it has no texts in the language.
func (f *Form) In(code string) (*Form, map[string]string) {
	t, ok := DecodeTranslations(f.Translations)[code]
	if !ok {
		return f, nil
	}
	in := *f
	in.Language = code
	in.Title, in.Introduction = cmp.Or(t.Title, f.Title), cmp.Or(t.Introduction, f.Introduction)
	in.Button, in.Thanks = cmp.Or(t.Button, f.Button), cmp.Or(t.Thanks, f.Thanks)
	in.TrackingText = cmp.Or(t.Tracking, f.TrackingText)
	if f.Consent != "" {
		in.Consent = cmp.Or(t.Consent, f.Consent)
	}
	return &in, t.Labels
}

// In is Form.In for what a visitor sees.
func (p *Public) In(code string) *Public {
	in := *p
	form, labels := p.Form.In(code)
	in.Form, in.labels = *form, labels
	return &in
}

// Label returns the text beside an input. name is that of the Field or the preference.
func (p *Public) Label(input, name string) string { return cmp.Or(p.labels[input], name) }
