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
	"embed"
	"html/template"
	"time"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
)

//go:embed page.html
var files embed.FS

var page = template.Must(template.New("page.html").Funcs(template.FuncMap{
	"time": func(unix int64) string { return time.Unix(unix, 0).UTC().Format("2006-01-02 15:04:05 UTC") },
	"act":  act, "type": typeName,
}).ParseFS(files, "page.html"))

// Page returns a signed page.
func Page(p *privacy.ConsentProof, version string, key ed25519.PrivateKey) ([]byte, error) {
	var b bytes.Buffer
	err := page.Execute(&b, struct {
		*privacy.ConsentProof
		Version, Key string
	}{p, version, KeyText(key.Public().(ed25519.PublicKey))})
	if err != nil {
		return nil, err
	}
	return sign(b.Bytes(), key), nil
}

// acts says in words what the methods of ledger rows are.
var acts = map[string]string{
	"subscribeContact":             "subscribed, by a program of the Account",
	"resubscribeContact":           "subscribed again, by a program of the Account",
	"addContacts":                  "added by a program of the Account",
	"import":                       "added or changed by an import of a file",
	"unsubscribeContact":           "unsubscribed, by a program of the Account",
	"unsubscribeContactById":       "unsubscribed, by a program of the Account",
	"confirmContact":               "subscription confirmed, by a program of the Account",
	contacts.MethodForm:            "subscribed with a form",
	contacts.MethodPreferences:     "changed on the page with the subscriber's settings",
	contacts.MethodConfirmLink:     "subscription confirmed with the link in a mail",
	contacts.MethodStatement:       "confirmed by a statement of the sender, with the text",
	contacts.MethodUnsubscribeLink: "unsubscribed with the link in a mail",
	contacts.MethodUnsubscribeAll:  "no mail of the Account any more, by a program of the Account; the List keeps the Contact as it is",
	contacts.MethodComplaint:       "unsubscribed, because the recipient reported a mail as spam",
	contacts.MethodErasure:         "the person was erased: the texts and IP addresses of the rows above were removed",
}

// act says in words what happened in a row of the ledger.
func act(r enlist.LedgerRow) string {
	text := acts[r.Method]
	if r.Method == "import" && r.Type == "" {
		text = "unsubscribed by an import of a file"
	}
	if text != "" {
		return text + " (" + r.Method + ")"
	}
	return r.Method
}

// typeName returns the type of a consent in words.
func typeName(t enlist.ConsentType) string {
	switch t {
	case enlist.ConsentGDPR:
		return "gdpr: accepted the text and agreed that personal details are stored"
	case contacts.ConsentDirect:
		return "direct: agreed directly, outside of a form"
	case contacts.ConsentNotRecorded:
		return "not_recorded: the program sent no consent"
	}
	return "no consent: a change of the subscription"
}
