package contacts

import (
	"net/url"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/privacy"
	"enlist/internal/privacy/proof"
	"enlist/internal/rpc"
)

// This file has what a person may ask for: all data as a file, the proof of consent, and the erasure.

// exportPerson sends all data about an address as JSON.
func exportPerson(r *ui.Request) (*ui.View, error) {
	file := r.Download("application/json", "person.json")
	write := func(part []byte) error { _, err := file.Write(part); return err }
	w := &rpc.PersonWriter{Write: write, Line: "\n", Restart: func() error {
		if err := file.Restart(); err != nil {
			return err
		}
		return write([]byte("{"))
	}}
	err := w.End(r.App.Privacy.ExportPerson(r.Context(), r.Caller, r.FormValue("address"), w))
	if err == nil {
		err = write([]byte("\n"))
	}
	return file.End(err)
}

// proofOfConsent sends a signed page with what was recorded about the consent of a Contact.
func proofOfConsent(r *ui.Request) (*ui.View, error) {
	list, id := enlist.ListID(ui.Int(r.FormValue("list"))), enlist.ContactID(ui.Int(r.FormValue("contact")))
	found, err := r.App.Privacy.ConsentProof(r.Context(), r.Caller, list, id)
	if err != nil {
		return nil, err
	}
	key, err := r.App.Privacy.ProofKey(r.Context())
	if err != nil {
		return nil, err
	}
	page, err := proof.Page(r.Language, found, r.Version, key)
	if err != nil {
		return nil, err
	}
	w := r.Download("text/html; charset=utf-8", "consent-"+ui.Plain(int64(list))+"-"+ui.Plain(int64(id))+".html")
	_, err = w.Write(page)
	return w.End(err)
}

// eraseData is the data of the page that asks before an erasure.
type eraseData struct {
	Rows []named
	Left string // places that mention the address
	Card ui.FormCard
}

// sectionNames are the keys of what the sections of an export are called.
var sectionNames = map[privacy.PersonSection]string{
	privacy.PersonContacts:      "contacts.erased_contacts",
	privacy.PersonConsents:      "contacts.erased_consents",
	privacy.PersonUnsubscribed:  "contacts.erased_unsubscribed",
	privacy.PersonMails:         "contacts.erased_mails",
	privacy.PersonBatchMails:    "contacts.erased_batch_mails",
	privacy.PersonBatchEvents:   "contacts.erased_batch_events",
	privacy.PersonWebhookEvents: "contacts.erased_webhook_events",
	privacy.PersonJobs:          "contacts.erased_jobs",
	privacy.PersonImports:       "contacts.erased_imports",
	privacy.PersonSavedResults:  "contacts.erased_saved_results",
	privacy.PersonAudit:         "contacts.erased_audit",
}

func (p *pages) erase(r *ui.Request) (*ui.View, error) {
	address := r.FormValue("address")
	plan, err := r.App.Privacy.PlanErasure(r.Context(), r.Caller, address)
	if err != nil {
		return nil, err
	}
	left := make([]string, len(plan.Left))
	for i, place := range plan.Left {
		left[i] = r.Language.Said(place)
	}
	d := eraseData{Left: r.Language.Series(left), Card: ui.FormCard{Form: ui.Form{ui.Typed(address)},
		Button: r.Text("contacts.erase_person"), Danger: true, Back: ui.Action{Text: r.Text("contacts.keep_link"),
			Path: "/admin/contacts/person?" + url.Values{"address": {address}}.Encode()}}}
	for _, s := range plan.Rows {
		if s.Rows > 0 {
			d.Rows = append(d.Rows, named{r.Text(sectionNames[s.Section]), r.Language.Number(s.Rows)})
		}
	}
	return r.Submit(d.Card.Form, func(problem string) (*ui.View, error) {
		return &ui.View{Title: r.Text("contacts.erase_title", "address", address), Place: "/admin/contacts",
			Content: p.erasePage, Data: &d, Problem: problem}, nil
	}, func() (*ui.View, error) {
		_, err := r.App.Privacy.ErasePerson(r.Context(), r.Caller, address)
		return ui.GoTo("/admin/contacts", r.Text("contacts.erased")), err
	})
}
