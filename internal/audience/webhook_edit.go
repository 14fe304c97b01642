package audience

import (
	"context"
	"errors"
	"slices"
)

// WebhookAttributes are the keys of a webhook's record as a search shows it:
// without the secret. decisions.md: 52
var WebhookAttributes = []Attribute[Webhook]{
	searchable(shownInt("id", func(w *Webhook) WebhookID { return w.ID })),
	searchable(intKey("list_id", func(w *Webhook) *ListID { return &w.ListID }, 0, maxID)),
	searchable(textKey("object", func(w *Webhook) *WebhookObject { return &w.Object }, oneOf(string(AboutList), string(AboutContact)))),
	searchable(textKey("event", func(w *Webhook) *WebhookEventType { return &w.Event }, readWebhookEvent)),
	searchable(textKey("url", func(w *Webhook) *string { return &w.URL }, readWebhookURL)),
	searchable(shownInt("creation_time", func(w *Webhook) int64 { return w.CreationTime })),
	searchable(shownInt("last_modified_time", func(w *Webhook) int64 { return w.LastModifiedTime })),
	{Name: "is_failing", Type: KeyBool, Searchable: true, Get: func(w *Webhook) Value { return BoolValue(w.IsFailing) }},
	shownText("last_error", func(w *Webhook) string { return w.LastError }),
}

// WholeWebhook are the keys of a webhook's record with the secret.
var WholeWebhook = append(slices.Clip(WebhookAttributes), textKey("secret", func(w *Webhook) *string { return &w.Secret }, readWebhookSecret))

// maxWebhooks bounds the webhooks of one List, and those of all Lists: each
// event is stored once for every webhook, together with what it is about.
const maxWebhooks = 100

// forgetStep is how many events one Update moves or removes with their webhook.
const forgetStep = 2000

// AddWebhook has events of a List, or of all, posted to a URL and returns the
// webhook's ID. Errors: NoList, Denied, InvalidParameters. decisions.md: 52
func (s *Service) AddWebhook(ctx context.Context, c *Caller, details []Detail) (WebhookID, error) {
	fresh := newWebhookSecret()
	return change(ctx, s, c, func(tx Tx, now int64) (WebhookID, error) {
		w := Webhook{AccountID: c.Account.ID, CreationTime: now, LastModifiedTime: now}
		if err := assign(&w, WholeWebhook, details); err != nil {
			return 0, err
		}
		if err := w.define(tx, c, fresh); err != nil {
			return 0, err
		}
		if err := tx.AddWebhook(&w); err != nil {
			return 0, err
		}
		// Somebody who adds one to a URL expects that it works now.
		return w.ID, resume(tx, w.Target, false)
	})
}

// EditWebhook changes what details name. What waits for a webhook goes where it
// posts to from now on, and is tried at once. Errors: NoList, Denied,
// InvalidParameters, also for an ID of no webhook.
func (s *Service) EditWebhook(ctx context.Context, c *Caller, id WebhookID, details []Detail) (WebhookID, error) {
	edit := webhookEdit{caller: c, id: id, details: details, fresh: newWebhookSecret()}
	for {
		result, err := change(ctx, s, c, edit.run)
		if !errors.Is(err, errMany) {
			return result, err
		}
		// Very many events wait: the oldest ones go ahead.
		if err := s.store.Update(ctx, confirmed(c, edit.begin)); err != nil {
			return 0, err
		}
	}
}

// webhookEdit is an edit of a webhook being carried out.
type webhookEdit struct {
	caller  *Caller
	id      WebhookID
	details []Detail
	fresh   string
}

// read returns the webhook as it is and as it is to be.
func (e *webhookEdit) read(tx Tx) (old, edited *Webhook, err error) {
	if old, err = loadWebhook(tx, e.caller, e.id); err != nil {
		return nil, nil, err
	}
	w := *old
	if err := assign(&w, WholeWebhook, e.details); err != nil {
		return nil, nil, err
	}
	return old, &w, w.define(tx, e.caller, e.fresh)
}

func (e *webhookEdit) run(tx Tx, now int64) (WebhookID, error) {
	old, w, err := e.read(tx)
	if err != nil {
		return 0, err
	}
	w.LastModifiedTime = now
	if err := tx.UpdateWebhook(w); err != nil {
		return 0, err
	}
	more, err := moveEvents(tx, old, w)
	if more {
		err = errMany
	}
	return w.ID, err
}

// begin moves the oldest events and leaves the webhook as it is.
func (e *webhookEdit) begin(tx Tx) error {
	old, w, err := e.read(tx)
	if err != nil {
		return err
	}
	if err := tx.FindWebhookTarget(w); err != nil {
		return err
	}
	_, err = moveEvents(tx, old, w)
	return err
}

// moveEvents has what waits for a webhook wait for its new target, and has
// that called.
func moveEvents(tx Tx, old, w *Webhook) (more bool, err error) {
	if w.Target == old.Target {
		return false, resume(tx, w.Target, false)
	}
	moved, err := tx.MoveWebhookEvents(w.ID, old.Target, w.Target, forgetStep)
	if err != nil {
		return false, err
	}
	if err := tx.DropWebhookTarget(old.Target); err != nil {
		return false, err
	}
	return moved == forgetStep, resume(tx, w.Target, moved > 0)
}

// revive has a target called now that has failed. When others have come among
// its events, they are no batch that was tried before.
func resume(tx Tx, id WebhookTargetID, mixed bool) error {
	t, err := tx.WebhookTarget(id)
	if err != nil || t.Failures == 0 && !t.IsFailing && !mixed {
		return err
	}
	t.Failures, t.NextTime = 0, 0
	if mixed {
		t.Batch, t.BatchUpto = "", 0
	}
	if err := tx.UpdateWebhookTarget(t); err != nil {
		return err
	}
	if t.IsFailing {
		if err := tx.SetWebhookFailing(id, false); err != nil {
			return err
		}
	}
	return tx.Enqueue(DeliverWebhook{id})
}

// DeleteWebhook removes a webhook and what waits for it. Errors: Denied,
// InvalidParameters for an ID of no webhook.
func (s *Service) DeleteWebhook(ctx context.Context, c *Caller, id WebhookID) error {
	target, err := change(ctx, s, c, func(tx Tx, _ int64) (WebhookTargetID, error) {
		w, err := loadWebhook(tx, c, id)
		if err != nil {
			return 0, err
		}
		return w.Target, tx.DeleteWebhook(id)
	})
	for removed := forgetStep; err == nil && removed == forgetStep; {
		err = s.store.Update(ctx, func(tx Tx) (err error) {
			if removed, err = tx.DeleteWebhookEvents(target, id, forgetStep); err != nil {
				return err
			}
			return tx.DropWebhookTarget(target)
		})
	}
	return err
}

// Webhook returns one webhook. Errors: Denied, InvalidParameters for an ID of none.
func (s *Service) Webhook(ctx context.Context, c *Caller, id WebhookID) (w *Webhook, err error) {
	err = s.view(ctx, c, func(tx Tx) error {
		w, err = loadWebhook(tx, c, id)
		return err
	})
	return w, err
}

// SearchWebhooks returns the Account's webhooks that match, of those that the
// key may see. Errors: InvalidSearch.
func (s *Service) SearchWebhooks(ctx context.Context, c *Caller, q Query) (found []Webhook, err error) {
	err = s.view(ctx, c, func(tx Tx) error {
		webhooks, err := visibleWebhooks(tx, c)
		if err != nil {
			return err
		}
		found, err = searchRecords(WebhookAttributes, webhooks, q)
		return err
	})
	return found, err
}

// visibleWebhooks returns those that a key may name: a restricted one those of its Lists.
func visibleWebhooks(tx Tx, c *Caller) ([]Webhook, error) {
	all, err := tx.Webhooks(c.Account.ID)
	return slices.DeleteFunc(slices.Clone(all), func(w Webhook) bool { return !c.Key.Allows(w.ListID) }), err
}

// loadWebhook returns a webhook that the caller may name. decisions.md: 11, 52
func loadWebhook(tx Tx, c *Caller, id WebhookID) (*Webhook, error) {
	all, err := tx.Webhooks(c.Account.ID)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(all, func(w Webhook) bool { return w.ID == id })
	if i < 0 {
		return nil, &Error{Kind: InvalidParameters, Detail: "the Account has no webhook with this ID"}
	}
	return &all[i], mayName(tx, c, all[i].ListID)
}

// mayName refuses a List that the caller may not name; 0 means all.
func mayName(tx Tx, c *Caller, list ListID) error {
	if list == 0 {
		return wholeAccount(c)
	}
	_, err := loadList(tx, c, list)
	return err
}

// define checks a webhook as a whole. One without a secret gets that of another
// of the same URL, so that they arrive together, or a fresh one.
func (w *Webhook) define(tx Tx, c *Caller, fresh string) error {
	if err := w.check(); err != nil {
		return err
	}
	if err := mayName(tx, c, w.ListID); err != nil {
		return err
	}
	others, err := visibleWebhooks(tx, c)
	if err != nil {
		return err
	}
	secret, count := fresh, 0
	for i := range others {
		o := &others[i]
		if o.ID != w.ID && o.URL == w.URL {
			secret = o.Secret
		}
		if o.ID != w.ID && o.ListID == w.ListID {
			count++
		}
	}
	if count >= maxWebhooks {
		return Refuse(InvalidParameters, "there are 100 webhooks of the List, or of all Lists, already")
	}
	if w.Secret == "" {
		w.Secret = secret
	}
	return nil
}

// check refuses what belongs to no webhook.
func (w *Webhook) check() error {
	switch {
	case w.Object == "":
		return &Error{Kind: InvalidParameters, Field: "object", Detail: "object: list or contact was expected"}
	case w.URL == "":
		return &Error{Kind: InvalidParameters, Field: "url", Detail: "url: where to post to was expected"}
	case !slices.Contains(webhookEvents[w.Object], w.Event):
		return &Error{Kind: InvalidParameters, Field: "event", Detail: "event: one of " + joined(webhookEvents[w.Object]) +
			" was expected, for the object " + string(w.Object)}
	}
	return nil
}

// WebhookTx reads and changes webhooks, in a transaction. A Schema holds those
// that listen to its List.
type WebhookTx interface {
	// Webhooks returns the webhooks of an Account by ID, without those of deleted Lists.
	Webhooks(account AccountID) ([]Webhook, error)
	// AddWebhook inserts a webhook, sets its ID, and its Target as FindWebhookTarget does.
	AddWebhook(w *Webhook) error
	// UpdateWebhook stores everything but the ID, the Account and the time of
	// creation. It sets Target as FindWebhookTarget does.
	UpdateWebhook(w *Webhook) error
	// DeleteWebhook removes a webhook. Its events stay.
	DeleteWebhook(id WebhookID) error
}
