package users

import (
	"context"
	"strconv"

	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file tells the users who may approve a Batch that it waits. Package batches has the approvals.

// MailApproval does a job of batches.AskApproval: it adds one for each user who may approve the Batch, or mails to one.
// It does nothing if the approval was decided meanwhile, or was asked for again.
func (s *Service) MailApproval(ctx context.Context, _ db.Job, e batches.AskApproval) error {
	if !s.SendsMail() {
		return nil
	}
	var to *User
	var mail LinkMail
	err := s.db.Update(ctx, func(tx *db.Tx) error {
		to = nil
		b, err := batches.ByID(tx, e.Batch)
		if err != nil {
			return enlist.IgnoreKind(enlist.NoBatch, err)
		}
		a, err := batches.LoadApproval(tx, e.Batch)
		if err != nil || a.State != batches.ApprovalWaits || a.Asked != e.Asked || b.Ended() {
			return enlist.IgnoreKind(enlist.NotFound, err)
		}
		if e.User == 0 {
			return s.askAll(tx, b, a)
		}
		lists, err := batches.BatchLists(tx, b.ID)
		if err != nil {
			return err
		}
		m, err := memberIn(tx, b.AccountID, UserID(e.User))
		if err != nil || !batches.MaySend(m.key(&m.User), lists) {
			return enlist.IgnoreKind(enlist.Denied, err)
		}
		account, err := accounts.ByID(tx, b.AccountID)
		if err != nil {
			return err
		}
		name, err := b.NameIn(tx)
		to = &m.User
		mail = LinkMail{Kind: MailApproval, To: m.Email, By: a.ByName, Account: account.Name, About: name,
			URL: s.pagesURL() + "/admin/sends/" + strconv.FormatInt(int64(b.ID), 10) + "/approve"}
		return err
	})
	if err != nil || to == nil {
		return err
	}
	return s.mailOwn(ctx, to, mail)
}

// askAll adds a job for each user who may approve a Batch.
func (s *Service) askAll(tx *db.Tx, b *batches.Batch, a *batches.Approval) error {
	all, err := allIn(tx, b.AccountID)
	if err != nil {
		return err
	}
	lists, err := batches.BatchLists(tx, b.ID)
	if err != nil {
		return err
	}
	for i := range all {
		m := &all[i]
		if !batches.MaySend(&enlist.Key{Role: m.Role, Lists: m.Lists}, lists) || !a.MayDecide(int64(m.User)) {
			continue
		}
		if err := tx.Enqueue(batches.AskApproval{Batch: b.ID, Asked: a.Asked, User: int64(m.User)}); err != nil {
			return err
		}
	}
	return nil
}
