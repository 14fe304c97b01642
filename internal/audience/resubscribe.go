package audience

import "context"

// ResubscribeRequest is a call of resubscribeContact.
type ResubscribeRequest struct {
	List    ListID
	Contact ContactID
	Consent Consent
}

// Resubscribe clears a Contact's unsubscribe flag.
func (s *Service) Resubscribe(ctx context.Context, c *Caller, r ResubscribeRequest) (ContactID, error) {
	panic("being written")
}
