package contacts

import (
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/language"
)

// This file has the language in which a person subscribed, and gets mails and pages. decisions.md: 170

// parseLanguage reads the language of details, if no Field has its key. Errors: InvalidParameters.
// reference.md: contact.language
func (p *ParsedContact) parseLanguage(details []enlist.Detail) error {
	for i := range details {
		if details[i].Key != enlist.KeyLanguage {
			continue
		}
		if field, _ := FieldOfKey(p.Schema, enlist.KeyLanguage); field != nil {
			return nil
		}
		text, ok := details[i].Value.ScalarText()
		if !ok {
			return errLanguage()
		}
		if err := p.readLanguage(text); err != nil {
			return err
		}
	}
	return nil
}

// readLanguage reads a language: "" means that none was sent, and UnknownLanguage that it is not known any more. Errors:
// InvalidParameters.
func (p *ParsedContact) readLanguage(text string) error {
	p.Language, p.forgets = "", text == enlist.UnknownLanguage
	if text == "" || p.forgets {
		return nil
	}
	code, ok := language.Code(text)
	if !ok {
		return errLanguage()
	}
	p.Language = code
	return nil
}

func errLanguage() error {
	return enlist.Invalid(enlist.KeyLanguage, "expected one of "+strings.Join(language.Codes(), ", ")+" or "+enlist.UnknownLanguage)
}

// speak sets the language that was sent in an existing Contact, and reports whether this changes it.
func (p *ParsedContact) speak(contact *enlist.Contact) bool {
	if p.Language == "" && !p.forgets || contact.Language == p.Language {
		return false
	}
	contact.Language = p.Language
	return true
}

// speaks sets the language of an existing Contact to that of the page on which the person subscribes, and returns whether
// this changes it. A subscriber who has one keeps it, because anyone can send a Form with the address.
func (sub *subscription) speaks(contact *enlist.Contact) bool {
	waits := contact.IsUnsubscribed || sub.Schema.List.DoubleOptIn && !contact.DoubleOptIn
	if sub.language == "" || contact.Language == sub.language || contact.Language != "" && !waits {
		return false
	}
	contact.Language = sub.language
	return true
}
