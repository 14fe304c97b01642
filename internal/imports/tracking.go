package imports

import (
	"cmp"
	"slices"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file imports what people have decided about the recording of their opens and clicks. reference.md: import.tracking

// trackingHeadings are headings of such a column, as headingKey writes them, in the languages of internal/language. Brevo
// and others call it a consent to tracking by pixels.
var trackingHeadings = []string{"trackingconsent", "emailtrackingconsent", "pixeltrackingconsent",
	"contactpixeltrackingconsent", "consenttotracking", "openandclicktracking",
	"einwilligungtracking", "trackingeinwilligung", "zustimmungtracking",
	"consentimientodeseguimiento", "consentimientoseguimiento",
	"consentementtracking", "consentementausuivi", "consentementsuivi", "consentementpixel", "consentementauxpixels",
	"consensotracciamento", "consensoaltracciamento",
	"toestemmingtracking", "toestemmingvoortracking",
	"consentimentorastreamento", "consentimentoderastreamento", "consentimentoderastreio",
	"đồngýtheodõi", "跟踪同意", "追踪同意", "同意跟踪"}

func isTrackingHeading(name string) bool { return slices.Contains(trackingHeadings, headingKey(name)) }

// decisionWords are words for an agreement and for a refusal besides those of TickOf, as plain writes them.
var decisionWords = map[enlist.TrackingConsent]string{
	enlist.TrackingGranted: "granted,given,agreed,accepted,allowed,opted in,opt in,ja,oui,sí,si,sì,sim,có,是,同意",
	enlist.TrackingDenied: "denied,refused,declined,withdrawn,revoked,not allowed,opted out,opt out,nein,non,nee,não,nao," +
		"không,否,拒绝",
}

// trackingOf reads a decision. Errors: InvalidParameters.
func trackingOf(text string) (enlist.TrackingConsent, error) {
	word := plain(text)
	for consent, words := range decisionWords {
		if slices.Contains(strings.Split(words, ","), word) {
			return consent, nil
		}
	}
	if agreed, ok := TickOf(word); ok {
		if agreed {
			return enlist.TrackingGranted, nil
		}
		return enlist.TrackingDenied, nil
	}
	if word == enlist.TrackingUnknown.String() {
		return enlist.TrackingUnknown, nil
	}
	return enlist.TrackingUnknown, enlist.Invalid(keyTracking, "expected granted, denied, yes or no")
}

// decides reports whether a row changes the decision of a Contact. An agreement in a file can be older than a refusal.
func (s *importTx) decides(row *importRow, c *enlist.Contact) bool {
	to := row.system.tracking
	return to != enlist.TrackingUnknown && to != c.TrackingConsent &&
		(c.TrackingConsent != enlist.TrackingDenied || s.i.Options.OverruleRefusals)
}

// decideTracking stores the decisions of the rows, after those that the addresses of new Contacts have.
func (s *importTx) decideTracking() error {
	if s.schema.SharesTracking {
		var added []*enlist.Contact
		for _, d := range s.stored {
			if d.outcome == RowAdded {
				added = append(added, d.contact)
			}
		}
		if err := contacts.InheritTrackings(s.tx, s.schema, added, s.now); err != nil {
			return err
		}
	}
	for _, d := range s.stored {
		if d.contact == nil || d.outcome == RowSkipped || d.reason == reasonExists || !s.decides(d.row, d.contact) {
			continue
		}
		system := &d.row.system
		decision := contacts.TrackingDecision{Consent: system.tracking, Version: system.textVersion, Import: s.i.ID,
			ImportRow: d.row.number, Published: s.i.ListID, By: contacts.Origin{Method: "import", Key: s.caller.Key.ID,
				IP: d.row.ledger.IP, Text: cmp.Or(system.trackingText, d.row.ledger.Text)}}
		if err := contacts.DecideTracking(s.tx, s.schema, d.contact, &decision, s.now); err != nil {
			return err
		}
	}
	return nil
}
