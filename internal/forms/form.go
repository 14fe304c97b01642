package forms

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/lists"
)

// This file has the record of a Form, its keys, and the calls about Forms.

// Form asks for the values of a Contact. A text of "" stands for the text of the language, but there is no default for
// the introduction and the consent.
type Form struct {
	ID               enlist.FormID
	AccountID        enlist.AccountID
	ListID           enlist.ListID
	Name             string
	FieldIDs         string // in the order of the inputs, with commas; without the email Field, it comes first
	RequiredIDs      string // those of them that need a value; the email Field always does
	PreferenceIDs    string // for which the Form has ticks, in their order, with commas
	Title            string
	Introduction     string // paragraphs
	Button           string
	Consent          string // what the subscriber agrees to with a tick; "": there is no tick
	Thanks           string // paragraphs
	RedirectURL      string // where the browser goes afterwards; "": a page with the thanks
	Language         string // as of a List
	Translations     string // the texts in further languages; see Translations
	Sites            string // origins, with commas, whose pages may send the Form
	Open             bool
	AsksTracking     bool   // a tick allows to record opens and clicks
	TrackingText     string // of this tick; "": that of the List
	CreationTime     int64
	LastModifiedTime int64

	Shown, Sent, Confirmed int64 // of all days
}

// FormAttributes are the keys of a Form record, in the order of a reply.
var FormAttributes = enlist.WithVersion([]enlist.Attribute[Form]{
	enlist.Searchable(enlist.ReadOnlyInt("id", func(f *Form) enlist.FormID { return f.ID })),
	enlist.ReadOnlyInt("list_id", func(f *Form) enlist.ListID { return f.ListID }),
	enlist.Searchable(enlist.TextKey("name", func(f *Form) *string { return &f.Name }, enlist.ReadName)),
	enlist.TextKey("field_ids", func(f *Form) *string { return &f.FieldIDs }, readIDs),
	enlist.TextKey("required_field_ids", func(f *Form) *string { return &f.RequiredIDs }, readIDs),
	enlist.TextKey("preference_ids", func(f *Form) *string { return &f.PreferenceIDs }, readIDs),
	enlist.TextKey("title", func(f *Form) *string { return &f.Title }, enlist.ReadLine),
	enlist.TextKey("introduction", func(f *Form) *string { return &f.Introduction }, lists.ReadParagraphs),
	enlist.TextKey("button", func(f *Form) *string { return &f.Button }, enlist.ReadLine),
	enlist.TextKey("consent_text", func(f *Form) *string { return &f.Consent }, readConsent),
	enlist.TextKey("thanks", func(f *Form) *string { return &f.Thanks }, lists.ReadParagraphs),
	enlist.TextKey("redirect_url", func(f *Form) *string { return &f.RedirectURL }, readRedirect),
	enlist.TextKey("language", func(f *Form) *string { return &f.Language },
		enlist.OneOf(append([]string{""}, language.Codes()...)...)),
	translationsKey(),
	enlist.TextKey("sites", func(f *Form) *string { return &f.Sites }, readSites),
	enlist.Searchable(enlist.FlagKey("is_open", func(f *Form) *bool { return &f.Open })),
	enlist.Searchable(enlist.ReadOnlyInt("creation_time", func(f *Form) int64 { return f.CreationTime })),
	enlist.Searchable(enlist.ReadOnlyInt("last_modified_time", func(f *Form) int64 { return f.LastModifiedTime })),
	enlist.ReadOnlyInt("shown_count", func(f *Form) int64 { return f.Shown }),
	enlist.ReadOnlyInt("sent_count", func(f *Form) int64 { return f.Sent }),
	enlist.ReadOnlyInt("confirmed_count", func(f *Form) int64 { return f.Confirmed }),
	enlist.FlagKey("asks_for_tracking", func(f *Form) *bool { return &f.AsksTracking }),
	enlist.TextKey("tracking_text", func(f *Form) *string { return &f.TrackingText }, readConsent),
})

// Limits of Forms. reference.md: form.record
const (
	maxForms = 100 // of a List
	maxSites = 20
	maxURL   = 2000 // bytes
)

// readIDs accepts IDs of Fields or preferences with commas between them. SetForm checks that the List has them.
func readIDs(text string) (string, error) {
	var all []string
	for _, item := range enlist.SplitTrimmed(text) {
		if n, err := strconv.ParseInt(item, 10, 64); err != nil || n <= 0 || slices.Contains(all, item) {
			return "", enlist.Expected("different IDs, separated by commas")
		}
		all = append(all, item)
	}
	return strings.Join(all, ","), nil
}

// readConsent accepts a text that fits into the consent ledger.
func readConsent(text string) (string, error) {
	text, err := lists.ReadParagraphs(text)
	if err == nil && utf8.RuneCountInString(text) > contacts.MaxConsentText {
		err = enlist.Expected(fmt.Sprintf("a text of at most %d characters", contacts.MaxConsentText))
	}
	return text, err
}

// readRedirect accepts the URL of a page, or "".
func readRedirect(text string) (string, error) {
	text = strings.TrimSpace(text)
	if text == "" {
		return "", nil
	}
	u, err := url.Parse(text)
	if err != nil || len(text) > maxURL || Origin(u) == "" {
		return "", enlist.Expected("a URL such as https://example.com/thanks")
	}
	return u.String(), nil
}

// readSites accepts the addresses of sites with commas or white space between them, and stores their origins.
func readSites(text string) (string, error) {
	var all []string
	for item := range strings.FieldsSeq(strings.ReplaceAll(text, ",", " ")) {
		u, err := url.Parse(item)
		if err != nil || Origin(u) == "" || strings.Trim(u.Path, "/") != "" || len(all) == maxSites {
			return "", enlist.Expected(fmt.Sprintf("at most %d sites such as https://example.com", maxSites))
		}
		if site := Origin(u); !slices.Contains(all, site) {
			all = append(all, site)
		}
	}
	return strings.Join(all, ","), nil
}

// Origin returns the scheme, host and port of a URL as browsers write them, or "" if the URL is not one of a web site.
// The host has no character that has a meaning in a Content-Security-Policy.
func Origin(u *url.URL) string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789.-:[]"
	host := strings.ToLower(u.Host)
	if u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
		strings.Trim(host, letters) != "" {
		return ""
	}
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}

// Service has the calls about Forms. It is safe for concurrent use.
type Service struct {
	db       *db.DB
	contacts *contacts.Service
}

// New returns a Service over a database.
func New(d *db.DB, c *contacts.Service) *Service { return &Service{db: d, contacts: c} }

// SetForm changes the sent details of a Form, or adds one: that with the ID or, without an ID, that with the name in
// the details. It returns the ID. Errors: NoList, Denied, and InvalidParameters for an unknown ID, a bad value, and a
// name that another Form has. reference.md: form.record
func (s *Service) SetForm(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FormID,
	details []enlist.Detail) (enlist.FormID, error) {
	return db.Update(ctx, s.db, c, func(tx *db.Tx, now int64) (enlist.FormID, error) {
		schema, err := lists.Load(tx, c, list)
		if err != nil {
			return 0, err
		}
		form := Form{ListID: list, AccountID: c.Account.ID, CreationTime: now, Open: true}
		unread := slices.DeleteFunc(slices.Clone(details), func(d enlist.Detail) bool { return d.Key == enlist.IfVersion })
		if err := enlist.Assign(&form, FormAttributes, unread); err != nil {
			return 0, err
		}
		old, err := replaced(tx, list, id, form.Name)
		if err != nil {
			return 0, err
		}
		var before accounts.AuditValues
		if old != nil {
			form, before = *old, accounts.SettableValues(FormAttributes, old)
			form.forget(schema)
			if err := enlist.Assign(&form, FormAttributes, details); err != nil {
				return 0, err
			}
			form.forgetLabels(schema, old) // also of what a caller sends back
		} else {
			form.askByDefault(schema, details)
		}
		if err := form.check(schema); err != nil {
			return 0, err
		}
		form.LastModifiedTime = now
		if old == nil {
			err = formTable.AddDefinition(tx, &form)
		} else {
			err = formTable.SaveDefinition(tx, &form)
		}
		if err != nil {
			return 0, err
		}
		after := accounts.SettableValues(FormAttributes, &form)
		return form.ID, accounts.Audit(tx, c, now, form.audited(), before, after)
	})
}

// askByDefault sets for which Fields a new Form asks, which of them need a value, and whether it asks to record opens and
// clicks, unless the details say it. reference.md: field.show_in_form, field.is_mandatory, form.tracking
func (f *Form) askByDefault(schema *enlist.Schema, details []enlist.Detail) {
	isSent := func(key string) bool {
		return slices.ContainsFunc(details, func(d enlist.Detail) bool {
			return d.Key == key && d.Value.Kind != enlist.InputNull
		})
	}
	if !isSent("asks_for_tracking") {
		f.AsksTracking = schema.AsksForTracking()
	}
	asked := ids[enlist.FieldID](f.FieldIDs)
	if !isSent("field_ids") {
		for i := range schema.Fields { // in display order
			if field := &schema.Fields[i]; field.ShowInForm && field.DisplayOrder >= 0 && field.Type != enlist.File {
				asked = append(asked, field.ID)
			}
		}
		f.FieldIDs = idText(asked)
	}
	if !isSent("required_field_ids") {
		f.RequiredIDs = idText(slices.DeleteFunc(asked, func(id enlist.FieldID) bool {
			field := schema.Field(id)
			return field == nil || !field.Mandatory
		}))
	}
}

// replaced returns the Form that a call changes, or nil if it adds one. name is "" if the call does not change it.
func replaced(tx *db.Tx, list enlist.ListID, id enlist.FormID, name string) (*Form, error) {
	all, err := ofList(tx, list)
	if err != nil {
		return nil, err
	}
	named := slices.IndexFunc(all, func(f Form) bool { return strings.EqualFold(f.Name, name) })
	same := slices.IndexFunc(all, func(f Form) bool { return f.ID == id })
	switch {
	case id != 0 && same < 0:
		return nil, errNoForm
	case id != 0 && named >= 0 && named != same:
		return nil, enlist.Invalid("name", "the List has a Form of this name already")
	case id != 0:
		return &all[same], nil
	case named >= 0:
		return &all[named], nil
	case len(all) >= maxForms:
		return nil, enlist.Invalid("list_id", fmt.Sprintf("the List has %d Forms already, which is the limit",
			maxForms))
	}
	return nil, nil
}

// forget removes the Fields and preferences that the List has no more.
func (f *Form) forget(schema *enlist.Schema) {
	isGone := func(id enlist.FieldID) bool { return schema.Field(id) == nil }
	f.FieldIDs = idText(slices.DeleteFunc(ids[enlist.FieldID](f.FieldIDs), isGone))
	f.RequiredIDs = idText(slices.DeleteFunc(ids[enlist.FieldID](f.RequiredIDs), isGone))
	f.PreferenceIDs = idText(slices.DeleteFunc(ids[enlist.PreferenceID](f.PreferenceIDs),
		func(id enlist.PreferenceID) bool { return schema.PreferenceByID(id) == nil }))
}

// check refuses a Form that does not fit its List.
func (f *Form) check(schema *enlist.Schema) error {
	if f.Name == "" {
		return enlist.Invalid("name", "expected a name")
	}
	shown := ids[enlist.FieldID](f.FieldIDs)
	for _, id := range shown {
		switch field := schema.Field(id); {
		case field == nil:
			return enlist.Invalid("field_ids", fmt.Sprintf("the List has no Field %d", id))
		case field.Type == enlist.File:
			return enlist.Invalid("field_ids", "a Form cannot ask for a file: "+enlist.Quoted(field.Name))
		}
	}
	for _, id := range ids[enlist.FieldID](f.RequiredIDs) {
		if !slices.Contains(shown, id) && id != schema.Email().ID {
			return enlist.Invalid("required_field_ids", fmt.Sprintf("the Form does not ask for the Field %d", id))
		}
	}
	for _, id := range ids[enlist.PreferenceID](f.PreferenceIDs) {
		if schema.PreferenceByID(id) == nil {
			return enlist.Invalid("preference_ids", fmt.Sprintf("the List has no preference %d", id))
		}
	}
	if schema.List.GDPR && f.Consent == "" {
		return enlist.Invalid("consent_text", "the List is GDPR compliant, so its Forms need a consent_text")
	}
	return f.checkTranslations(schema)
}

// DeleteForm removes a Form with its counts. The Contacts stay. Errors: NoList, Denied, and InvalidParameters if the
// List has no Form with the ID.
func (s *Service) DeleteForm(ctx context.Context, c *enlist.Caller, list enlist.ListID, id enlist.FormID) error {
	return db.Change(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		if _, err := lists.Load(tx, c, list); err != nil {
			return err
		}
		old, err := inList(tx, list, id)
		if err != nil {
			return err
		}
		before := accounts.SettableValues(FormAttributes, old)
		if err := accounts.Audit(tx, c, now, old.audited(), before, nil); err != nil {
			return err
		}
		return remove(tx, id)
	})
}

// SearchForms returns the Forms of a List that match. Errors: NoList, Denied, InvalidSearch.
func (s *Service) SearchForms(ctx context.Context, c *enlist.Caller, list enlist.ListID,
	q enlist.Query) ([]Form, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Form, error) {
		if _, err := lists.Load(tx, c, list); err != nil {
			return nil, err
		}
		all, err := ofList(tx, list)
		if err != nil {
			return nil, err
		}
		return enlist.SearchRecords(FormAttributes, all, q)
	})
}

// AllForms returns the Forms of all Lists that the caller may access, in the order of their IDs.
func (s *Service) AllForms(ctx context.Context, c *enlist.Caller) ([]Form, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) ([]Form, error) {
		all, err := withCounts(tx, "IN (SELECT id FROM list WHERE account_id = ? AND hidden = 0)", int64(c.Account.ID))
		return slices.DeleteFunc(all, func(f Form) bool { return !c.Key.Allows(f.ListID) }), err
	})
}

func (f *Form) audited() accounts.AuditObject {
	return accounts.AuditObject{Kind: "Form", ID: int64(f.ID), List: f.ListID}
}

// ids returns the IDs in a stored text.
func ids[ID ~int64](text string) (all []ID) {
	for _, item := range enlist.SplitTrimmed(text) {
		n, _ := strconv.ParseInt(item, 10, 64) // readIDs has checked it
		all = append(all, ID(n))
	}
	return all
}

// idText returns the text of IDs, as it is stored.
func idText[ID ~int64](all []ID) string {
	var texts []string
	for _, id := range all {
		texts = append(texts, strconv.FormatInt(int64(id), 10))
	}
	return strings.Join(texts, ",")
}
