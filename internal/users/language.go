package users

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/language"
)

// This file has the language in which a user reads the pages, and gets the mails of the program.

// ChooseLanguage sets the visitor's language: its code, or "" for that of the browser. Errors: InvalidParameters.
func (s *Service) ChooseLanguage(ctx context.Context, v *Visit, code string) error {
	return s.SetLanguage(accounts.WithActor(ctx, v.Caller.Actor), v.User.Email, code)
}

// SetLanguage is ChooseLanguage for the user with an address.
func (s *Service) SetLanguage(ctx context.Context, email, code string) error {
	code, err := enlist.OneOf(append([]string{""}, language.Codes()...)...)(code)
	if err != nil {
		return enlist.Invalid("language", err.Error())
	}
	return db.OwnChange(ctx, s.db, func(tx *db.Tx, now int64) error {
		p, err := findUser(tx, email)
		if err != nil || p.Language == code {
			return err
		}
		before := accounts.AuditValues{"language": p.Language}
		p.Language = code
		if err := userTable.Save(tx, p); err != nil {
			return err
		}
		of, err := membershipsOf(tx, p)
		for i := range of {
			if err == nil {
				err = accounts.Audit(tx, accounts.OperatorIn(ctx, &enlist.Account{ID: of[i].Account}), now,
					auditObject(p.ID), before, accounts.AuditValues{"language": code})
			}
		}
		return err
	})
}
