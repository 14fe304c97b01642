package reports

import (
	"enlist/internal/pace"
	"enlist/internal/recipients"
)

// This file limits rows to the people behind a number by group of domains or by reason. Both are computed from the
// recipient, as they were when it was counted, so they need no column and no index.

// Part says which of the recipients a caller wants. Its zero value means all.
type Part struct {
	Group  string                  // of pace.Provider
	Reason recipients.BounceReason // that the text of the mail server names; for EventBounced
}

// has reports whether a recipient belongs to the part.
func (p *Part) has(r *recipients.Recipient) bool {
	return (p.Group == "" || pace.Provider(r.Address) == p.Group) &&
		(p.Reason == "" || recipients.ReasonOf(r.Detail) == p.Reason)
}
