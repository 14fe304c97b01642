package audience

import "context"

// LinkTargets returns the IDs under which links lead to URLs of a Message, as
// they are written in it, and keeps those that are new.
func (s *Service) LinkTargets(ctx context.Context, message MessageID, urls []string) (targets []LinkID, err error) {
	err = s.store.Update(ctx, func(tx Tx) error {
		targets, err = tx.LinkTargets(message, urls)
		return err
	})
	return targets, err
}
