package reports

import (
	"cmp"
	"context"
	"slices"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/recipients"
)

// This file has the numbers of a Batch by group of domains and by reason, and the numbers of several Batches.

// ByDomain returns the numbers of each group of domains, in order of its name.
func (r *BatchReport) ByDomain() []recipients.DomainSums {
	return together(r.Domains, func(s *recipients.DomainSums) recipients.DomainSums {
		return recipients.DomainSums{Group: s.Group}
	})
}

// ByReason returns the numbers of mails that were refused, bounced, deferred or failed by reason, in order of its name.
func (r *BatchReport) ByReason() []recipients.DomainSums {
	failed := slices.DeleteFunc(slices.Clone(r.Domains), func(s recipients.DomainSums) bool { return s.Reason == "" })
	reasons := slices.DeleteFunc(together(failed, func(s *recipients.DomainSums) recipients.DomainSums {
		return recipients.DomainSums{Reason: s.Reason}
	}), func(s recipients.DomainSums) bool { // a report has given the mails another reason
		return s == recipients.DomainSums{Reason: s.Reason}
	})
	slices.SortFunc(reasons, func(a, b recipients.DomainSums) int { return cmp.Compare(a.Reason, b.Reason) })
	return reasons
}

// together adds up the numbers that have the same key, in the order in which keys appear.
func together(parts []recipients.DomainSums,
	key func(*recipients.DomainSums) recipients.DomainSums) (sums []recipients.DomainSums) {
	for i := range parts {
		k := key(&parts[i])
		at := slices.IndexFunc(sums, func(s recipients.DomainSums) bool {
			return s.Group == k.Group && s.Reason == k.Reason
		})
		if at < 0 {
			at, sums = len(sums), append(sums, k)
		}
		sums[at].Add(&parts[i])
	}
	return sums
}

// SumsOfBatches returns the sums of Batches of the Account, by one statement. A Batch without events, or which the
// caller may not access, has none.
func (s *Service) SumsOfBatches(ctx context.Context, c *enlist.Caller, ids []enlist.BatchID) (
	map[enlist.BatchID]recipients.Sums, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.BatchID]recipients.Sums, error) {
		return batches.SumsOfBatches(tx, c, ids)
	})
}
