package audience

import "context"

// FirstStart is what a database without any key was given to begin with.
type FirstStart struct {
	Account AccountID
	List    ListID
	Key     string // text of the new key, of level Full; shown once
}

// BeginFirst gives a database that has no key at all what is missing for a
// first call: an Account, a List and a key of level Full, whose text is
// keyText or, when that is "", a new one. It returns nil when there is a key
// already, even if it is revoked: what was revoked stays so.
func (s *Service) BeginFirst(ctx context.Context, keyText string) (*FirstStart, error) {
	if keyText == "" {
		keyText = NewKeyText()
	}
	account, err := s.firstAccount(ctx)
	if err != nil || account == 0 {
		return nil, err
	}
	first := &FirstStart{Account: account, Key: keyText}
	if first.List, err = s.firstList(ctx, account); err != nil {
		return nil, err
	}
	// The key comes last: while there is none, an interrupted start goes on here.
	added, err := s.firstKey(ctx, account, keyText)
	if err != nil || !added {
		return nil, err
	}
	return first, nil
}

// firstAccount returns 0 when the database has a key.
func (s *Service) firstAccount(ctx context.Context) (id AccountID, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		id = 0
		keys, err := tx.Keys()
		if err != nil || len(keys) > 0 {
			return err
		}
		all, err := tx.Accounts()
		if err != nil {
			return err
		}
		if len(all) > 0 {
			id = all[0].ID
			return nil
		}
		a := Account{Name: "First Account", TimeZone: "UTC", ContactLimit: NoContactLimit, CreationTime: s.now().Unix()}
		err = tx.AddAccount(&a)
		id = a.ID
		return err
	})
	return id, err
}

func (s *Service) firstList(ctx context.Context, account AccountID) (ListID, error) {
	c, err := s.Operator(ctx, account)
	if err != nil {
		return 0, err
	}
	lists, err := s.SearchLists(ctx, c, Query{Limit: 1})
	if err != nil {
		return 0, err
	}
	if len(lists) > 0 {
		return lists[0].ID, nil
	}
	return s.AddList(ctx, c, []Detail{{Key: "name", Value: Input{Kind: InputText, Text: "First List"}}})
}

func (s *Service) firstKey(ctx context.Context, account AccountID, text string) (added bool, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		added = false
		keys, err := tx.Keys()
		if err != nil || len(keys) > 0 {
			return err
		}
		added = true
		k := Key{AccountID: account, Name: "first key", Prefix: text[:8], Level: Full, CreationTime: s.now().Unix()}
		return tx.AddKey(&k, HashKey(text))
	})
	return added, err
}
