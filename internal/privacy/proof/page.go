// Package proof makes pages that prove the consent of one Contact. A page is one HTML file without scripts and without
// links to other files. Its last line is a signature of everything before it, so that an operator can show later that
// the page was made by this installation and was not changed. The page has the public key, with which anyone can check
// it.
//
// page.go has the page, and sign.go the signature. Package privacy collects the content. decisions.md: 100
package proof

import (
	"bytes"
	"crypto/ed25519"
	_ "embed" // for page.html
	"html/template"
	"slices"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/privacy"
)

//go:embed page.html
var page string

// Page returns a signed page in a language.
func Page(in *language.Language, p *privacy.ConsentProof, version string, key ed25519.PrivateKey) ([]byte, error) {
	var b bytes.Buffer
	t, err := template.New("").Funcs(template.FuncMap{
		"t":    in.T,
		"time": func(unix int64) string { return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05 UTC") },
		"act":  func(r enlist.LedgerRow) string { return Act(in, &r) },
		"type": func(t enlist.ConsentType) string { return in.Text(typeText(t)) },
		"series": func(addresses ...string) string {
			return in.Series(slices.DeleteFunc(addresses, func(a string) bool { return a == "" }))
		},
		"answers": func(all []enlist.PreferenceChoice) string { return answers(in, all) },
	}).Parse(page)
	if err == nil {
		err = t.Execute(&b, struct {
			*privacy.ConsentProof
			Version, Key, Language string
		}{p, version, KeyText(key.Public().(ed25519.PublicKey)), in.Code})
	}
	return sign(b.Bytes(), key), err
}

func answers(in *language.Language, all []enlist.PreferenceChoice) string {
	texts := make([]string, len(all))
	for i, p := range all {
		key := "proof.answer_no"
		if p.Agree {
			key = "proof.answer_yes"
		}
		texts[i] = in.Text(key, "preference", p.Name)
	}
	return in.Series(texts)
}

// acts are the keys of what the methods of ledger rows are.
var acts = map[string]string{
	"subscribeContact":             "proof.act_subscribe",
	"resubscribeContact":           "proof.act_subscribe_again",
	"addContacts":                  "proof.act_add",
	"import":                       "proof.act_import",
	"unsubscribeContact":           "proof.act_unsubscribe",
	"unsubscribeContactById":       "proof.act_unsubscribe",
	"confirmContact":               "proof.act_confirm",
	contacts.MethodForm:            "proof.act_form",
	contacts.MethodPreferences:     "proof.act_preferences",
	contacts.MethodConfirmLink:     "proof.act_confirm_link",
	contacts.MethodStatement:       "proof.act_statement",
	contacts.MethodUnsubscribeLink: "proof.act_unsubscribe_link",
	contacts.MethodUnsubscribeAll:  "proof.act_unsubscribe_all",
	contacts.MethodComplaint:       "proof.act_complaint",
	contacts.MethodErasure:         "proof.act_erasure",
}

// Act says in words what happened in a row of the ledger.
func Act(in *language.Language, r *enlist.LedgerRow) string {
	text := acts[r.Method]
	switch {
	case r.Method == contacts.MethodTick:
		text = "proof.act_tracking_tick"
	case r.Tracking == enlist.TrackingGranted:
		text = "proof.act_tracking_granted"
	case r.Tracking == enlist.TrackingDenied:
		text = "proof.act_tracking_denied"
	case IsImportedDeparture(r):
		text = "proof.act_import_unsubscribed"
	case text == "":
		return r.Method
	}
	return in.Text(text, "method", r.Method)
}

// IsImportedDeparture reports whether an import unsubscribed the person.
func IsImportedDeparture(r *enlist.LedgerRow) bool {
	return r.Method == "import" && r.Type == "" && r.Tracking == enlist.TrackingUnknown
}

// typeText returns the key of the type of a consent.
func typeText(t enlist.ConsentType) string {
	switch t {
	case enlist.ConsentGDPR:
		return "proof.gdpr"
	case contacts.ConsentDirect:
		return "proof.direct"
	case contacts.ConsentNotRecorded:
		return "proof.not_recorded"
	}
	return "proof.no_consent"
}
