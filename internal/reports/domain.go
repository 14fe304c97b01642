package reports

import (
	"context"
	"slices"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/db"
	"enlist/internal/enlist"
)

// This file has the numbers of a Batch by group of domains and by reason, and the numbers of several Batches.

// ByDomain returns the numbers of each group of domains, in order of its name.
func (r *BatchReport) ByDomain() []batches.DomainSums {
	return together(r.Domains, func(s *batches.DomainSums) batches.DomainSums {
		return batches.DomainSums{Group: s.Group}
	})
}

// ByReason returns the numbers of mails that were refused, bounced or deferred by reason, in order of its name.
func (r *BatchReport) ByReason() []batches.DomainSums {
	failed := slices.DeleteFunc(slices.Clone(r.Domains), func(s batches.DomainSums) bool { return s.Reason == "" })
	all := together(failed, func(s *batches.DomainSums) batches.DomainSums {
		return batches.DomainSums{Reason: s.Reason}
	})
	slices.SortFunc(all, func(a, b batches.DomainSums) int { return strings.Compare(string(a.Reason), string(b.Reason)) })
	return all
}

// together adds up the numbers that have the same key, in the order in which keys appear.
func together(all []batches.DomainSums, key func(*batches.DomainSums) batches.DomainSums) (sums []batches.DomainSums) {
	for i := range all {
		k := key(&all[i])
		at := slices.IndexFunc(sums, func(s batches.DomainSums) bool {
			return s.Group == k.Group && s.Reason == k.Reason
		})
		if at < 0 {
			at, sums = len(sums), append(sums, k)
		}
		sums[at].Add(&all[i])
	}
	return sums
}

// CountedByDomain returns how many of the mails with an outcome are in Domains: a mail is not, if an earlier version of
// the program stored its outcome.
func (r *BatchReport) CountedByDomain() (counted, of int64) {
	for i := range r.Domains {
		counted += r.Domains[i].Sent + r.Domains[i].Refused
	}
	of = r.Sent + r.Refused
	return min(counted, of), of
}

// SumsOfBatches returns the sums of Batches of the Account, by one statement. A Batch without events, or which the
// caller may not access, has none.
func (s *Service) SumsOfBatches(ctx context.Context, c *enlist.Caller, ids []enlist.BatchID) (
	map[enlist.BatchID]batches.BatchSums, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (map[enlist.BatchID]batches.BatchSums, error) {
		return batches.SumsOfBatches(tx, c, ids)
	})
}
