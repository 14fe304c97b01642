package forms_test

import (
	"fmt"
	"strings"

	"enlist/internal/apptest"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/forms"
)

// This file tests Forms in several languages. The rules are in the table of form_test.go.

// inFrench is a translation with all texts but the introduction.
const inFrench = `{"title":" Notre lettre ","button":"Oui","consent_text":"J'accepte <tout>.","thanks":"Merci"`

func translations(o *apptest.Account) {
	list := o.AddList()
	city := o.AddField(list, "name", "City", "type", "text")
	topic, err := o.App.Lists.AddPreference(o.Context(), o.Caller, list, "Events")
	o.Must(err)
	labels := fmt.Sprintf(`,"labels":{"f%d":"Ville","p%d":"Dates","f%d":" "}}`, city, topic, o.EmailField(list))
	id := newForm(o, list, "language", "en", "title", "News", "introduction", "Monthly.", "consent_text", "Yes.", "field_ids", text(city),
		"preference_ids", text(topic), "translations", `{"fr":`+inFrench+labels+`,"de":null}`)
	p, err := o.App.Forms.Show(o.Context(), id)
	o.Must(err)
	apptest.Same(o.T, "languages", p.AllLanguages, []string{"en", "de", "fr"})
	fr, de, none := p.In("fr"), p.In("de"), p.In("it")
	apptest.Same(o.T, "texts in French", []string{fr.Language, fr.Title, fr.Introduction, fr.Button, fr.Consent, fr.Thanks},
		[]string{"fr", "Notre lettre", "Monthly.", "Oui", "J'accepte <tout>.", "Merci"})
	apptest.Same(o.T, "texts in German", []string{de.Language, de.Title, de.Consent, de.Button}, []string{"de", "News", "Yes.", ""})
	apptest.Same(o.T, "texts in no language of the Form", []string{none.Language, none.Title}, []string{"en", "News"})
	f, t := forms.FieldInput(city), forms.PreferenceInput(topic)
	apptest.Same(o.T, "labels", []string{fr.Label(f, "City"), fr.Label(t, "Events"), fr.Label(forms.FieldInput(o.EmailField(list)), "Email"), de.Label(f, "City")},
		[]string{"Ville", "Dates", "Email", "City"})
	newForm(o, list, "consent_text", "")
	if p, err = o.App.Forms.Show(o.Context(), id); err != nil || p.In("fr").Consent != "" {
		o.Errorf("a Form that asks for no consent asks for %q in French: %v", p.In("fr").Consent, err)
	}
	o.Must(o.App.Lists.DeletePreference(o.Context(), o.Caller, list, topic))
	stored := p.Translations
	newForm(o, list, "translations", stored) // a program that sends what it got, with the label of the deleted preference
	if p, err = o.App.Forms.Show(o.Context(), id); err != nil || len(p.AllLanguages) != 3 ||
		p.In("fr").Label(t, "") != "" || p.In("fr").Label(f, "") != "Ville" {
		o.Errorf("the Form has the translations %s: %v", p.Translations, err)
	}
	_, err = o.App.Forms.SetForm(o.Context(), o.Caller, list, id, apptest.Details("translations", stored))
	o.Refused(err, enlist.InvalidParameters, "translations") // the label is a new one, and its preference is unknown
	later := `{"fr":["of a later version"]}`
	o.Update(func(tx *db.Tx) error { return tx.Do("UPDATE form SET translations = ? WHERE id = ?", later, int64(id)) })
	newForm(o, list, "title", "More news")
	if p, err = o.App.Forms.Show(o.Context(), id); err != nil || p.Translations != later {
		o.Errorf("the Form has the translations %s: %v", p.Translations, err)
	}
	newForm(o, list, "translations", "")
	if p, err = o.App.Forms.Show(o.Context(), id); err != nil || p.Translations != "" || p.AllLanguages != nil || p.Language != "en" {
		o.Errorf("a Form without translations is %+v: %v", p, err)
	}
}

func wrongTranslations(o *apptest.Account) {
	list := o.AddList()
	long := strings.Repeat("x", 5001)
	for _, sent := range []any{true, 5, []any{"fr", "de"}} { // would remove all if it were an empty text
		_, err := o.App.Forms.SetForm(o.Context(), o.Caller, list, 0, apptest.Details("name", "Sign-up", "translations", sent))
		o.Refused(err, enlist.InvalidParameters, "translations")
	}
	for _, c := range []struct{ language, sent, key, want string }{
		{"en", "[1", "translations", "an object of languages"},
		{"en", `{"qaa":{}}`, "translations", `"qaa" is none`},
		{"en", " null", "translations", "an object of languages"}, // would remove all
		{"en", `{"fr":{},"fr":{}}`, "translations", "each language and each text once"},
		{"en", `{"fr":{"title":"x","title":"y"}}`, "translations", "each language and each text once"},
		{"en", `{"fr":{"TITLE":"x"}}`, "translations", "fr: expected an object of title"},
		{"en", `{"fr":{"titel":"x"}}`, "translations", "fr: expected an object of title"},
		{"en", `{"fr":{"title":"a\nb"}}`, "translations", "fr.title: expected a text of at most 255"},
		{"en", `{"fr":{"thanks":"` + long + `"}}`, "translations", "fr.thanks: expected a text of at most 5,000"},
		{"en", `{"fr":{"consent_text":"` + long[:256] + `"}}`, "translations", "fr.consent_text: expected a text of at most 255"},
		{"en", `{"fr":{"labels":{"f1":"a\u0000"}}}`, "translations", "fr.labels.f1: expected"},
		{"en", `{"fr":{"labels":{"f0":"x"}}}`, "translations", `fr.labels: the List has no Field or preference "f0"`},
		{"en", `{"fr":{"labels":{"":"x"}}}`, "translations", "fr.labels: the List has no"},
		{"fr", `{"fr":{}}`, "language", "in fr, which is the language of the Form"},
		{"", `{"fr":{}}`, "language", "needs the language of its own texts"},
	} {
		_, err := o.App.Forms.SetForm(o.Context(), o.Caller, list, 0, apptest.Details("name", "Sign-up", "language", c.language, "translations", c.sent))
		if o.Refused(err, enlist.InvalidParameters, c.key); err != nil && !strings.Contains(err.Error(), c.want) {
			o.Errorf("%.60s with the language %q is answered with %v, want %q", c.sent, c.language, err, c.want)
		}
	}
}

func consentInLanguage(o *apptest.Account) {
	list := o.AddList()
	id := newForm(o, list, "language", "en", "consent_text", "Yes.", "translations", `{"fr":`+inFrench+`}}`)
	for i, c := range []struct{ language, want string }{{"fr", "J'accepte <tout>."}, {"en", "Yes."}} {
		e := &forms.Entry{Values: map[enlist.FieldID][]string{o.EmailField(list): {fmt.Sprintf("a%d@example.com", i)}}, Agreed: true, Language: c.language}
		_, err := o.App.Forms.Send(o.Context(), id, e)
		o.Must(err)
		all := o.All(list)
		o.Update(func(tx *db.Tx) error {
			rows, err := contacts.LedgerRows(tx, list, all[len(all)-1], 0, 0)
			if err == nil && (len(rows) != 1 || rows[0].Text != c.want) {
				o.Errorf("the ledger has %+v, want the text %q", rows, c.want)
			}
			return err
		})
	}
}
