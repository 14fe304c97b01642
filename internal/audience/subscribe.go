package audience

import "context"

// SubscribeRequest is a call of subscribeContact.
type SubscribeRequest struct {
	List    ListID
	Details []Detail
	Consent Consent
}

// Subscribe adds a Contact to a List, or updates the one that is there.
func (s *Service) Subscribe(ctx context.Context, c *Caller, r SubscribeRequest) (ContactID, error) {
	panic("being written")
}
