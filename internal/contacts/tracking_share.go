package contacts

import (
	"context"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file changes whose opens and clicks an Account records. From when a decision holds for all its Lists, a job gives
// it to the Contacts that have the address already.

// TrackingSettings are what an Account says about the recording of opens and clicks.
type TrackingSettings struct {
	Policy enlist.TrackingPolicy // not TrackByAccount
	Shares bool                  // a decision holds for all Lists
}

// SetTracking stores the TrackingSettings of the caller's Account. Errors: Denied, InvalidParameters.
func (s *Service) SetTracking(ctx context.Context, c *enlist.Caller, t TrackingSettings) error {
	if err := accounts.RequireAdministrator(c); err != nil {
		return err
	}
	policy, err := enlist.OneOf(enlist.TrackingPolicies...)(string(t.Policy))
	if err != nil {
		return enlist.Invalid("tracking_policy", err.Error())
	}
	return s.accounts.EditAccountAnd(accounts.WithActor(ctx, c.Actor), c.Account.ID, func(a *enlist.Account) {
		a.TrackingPolicy, a.SharesTracking, a.ChoseTracking = enlist.TrackingPolicy(policy), t.Shares, true
	}, func(tx *db.Tx, before *enlist.Account) error {
		if before.SharesTracking || !t.Shares {
			return nil
		}
		return tx.Enqueue(ShareTracking{Account: c.Account.ID})
	})
}

// ShareTracking gives each decision of an Account to the other Contacts with its address, from the List and above the
// Contact where the last step has ended.
type ShareTracking struct {
	Account enlist.AccountID `json:"account_id"`
	List    enlist.ListID    `json:"list_id"`
	After   enlist.ContactID `json:"after"`
}

// Kind implements db.Effect.
func (ShareTracking) Kind() string { return "share_tracking" }

// shareStep is the largest number of Contacts whose decision one transaction shares.
const shareStep = 100

// ShareTracking does the next step. A step that runs twice changes nothing the second time.
func (s *Service) ShareTracking(ctx context.Context, e ShareTracking) (rest ShareTracking, done bool, err error) {
	var ids []enlist.ContactID
	err = s.db.ViewPrimary(ctx, func(tx *db.Tx) (err error) {
		ids, err = db.IDsOf[enlist.ContactID](tx, "SELECT id FROM contact WHERE "+tx.SQL.NoIndex+
			"list_id = ? AND id > ? AND tracking_consent <> 0 ORDER BY id"+db.Limited, int64(e.List), int64(e.After), int64(shareStep))
		return err
	})
	if err != nil {
		return e, false, err
	}
	err = s.db.Update(ctx, func(tx *db.Tx) error {
		rest, done = e, false
		return s.shareThese(tx, &rest, &done, ids)
	})
	return rest, done, err
}

func (s *Service) shareThese(tx *db.Tx, e *ShareTracking, done *bool, ids []enlist.ContactID) error {
	account, err := accounts.FindAccount(tx, e.Account)
	if err != nil || !account.SharesTracking {
		*done = true
		return enlist.IgnoreKind(enlist.InvalidParameters, err)
	}
	for _, id := range ids {
		e.After = id
		if err := shareOne(tx, e, id, s.db.Now().Unix()); err != nil {
			return err
		}
	}
	if len(ids) == shareStep {
		return nil
	}
	all, err := definedIDs(tx, e.Account)
	if err != nil {
		return err
	}
	for _, list := range all { // in the order of their IDs
		if list > e.List {
			e.List, e.After = list, 0
			return nil
		}
	}
	*done = true
	return nil
}

// shareOne gives the decision of a Contact to the others with its address that have none; a refusal also to those that
// have agreed.
func shareOne(tx *db.Tx, e *ShareTracking, id enlist.ContactID, now int64) error {
	from, err := ByID(tx, e.List, id)
	if err != nil || from.TrackingConsent == enlist.TrackingUnknown {
		return enlist.IgnoreKind(enlist.NoContact, err)
	}
	row, err := lastOfPerson(tx, from)
	if err != nil || row == nil {
		return err
	}
	among, err := listsWithAddress(tx, e.Account, from.Key)
	if err != nil {
		return err
	}
	return eachWithAddress(tx, among, from.Key, func(to *enlist.Contact) error {
		if to.TrackingConsent != enlist.TrackingUnknown && (to.TrackingConsent == from.TrackingConsent || !wins(from, to)) {
			return nil
		}
		return takeOver(tx, to, from, *row, now)
	})
}
