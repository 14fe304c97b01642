package accounts

import (
	"context"

	"enlist/internal/enlist"
)

// This file has the UTM parameters of an Account, which are a setting.

// SetUTM changes the UTM parameters of the links in mails of the caller's Account. Errors: Denied, and InvalidParameters
// with all mistakes.
func (s *Service) SetUTM(ctx context.Context, c *enlist.Caller, details []enlist.Detail) error {
	if err := RequireAdministrator(c); err != nil {
		return err
	}
	u := s.Settings().Of(c.Account.ID).UTM
	if err := enlist.Assign(&u, enlist.UTMAttributes, details); err != nil {
		return err
	}
	if u == s.Settings().Of(c.Account.ID).UTM {
		return nil
	}
	ctx = WithActor(ctx, c.Actor)
	if err := s.ChangeSettings(ctx, c.Account.ID, map[string]string{"utm": u.String()}); err != nil {
		return err
	}
	return s.ReadSettings(ctx) // the page shows it at once, other servers use it in a second
}
