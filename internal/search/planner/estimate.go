package planner

// This file estimates how many Contacts match each predicate.

// statistics answers the questions of the planner about the data of one search.
type statistics interface {
	// Contacts returns the number of the List's Contacts.
	Contacts() (int64, error)
	// Span returns the first and the last ID of the List.
	Span() (Span, error)
	// Count counts the Contacts that the scans of a predicate find. It stops counting when the
	// number is above most. If exact is false, at least n Contacts match. The result can be up to a
	// minute old.
	Count(p *Predicate, most int64) (n int64, exact bool, err error)
	// Sample tests a predicate on a sample of the List's rows and returns the share of the rows
	// that match.
	Sample(p *Predicate) (share float64, err error)
}

// The largest numbers of index entries that the first and the second count read. The first count
// takes 0.03 ms and finds a selective predicate. The second count takes 0.5 ms. This time is worth
// it, because a wrong choice between two paths can make the search 500 times slower.
const (
	firstCount  = 1000
	secondCount = 20_000
)

// few reports whether a predicate matches at most firstCount Contacts.
func (p *Predicate) few() bool { return p.exact && p.count <= firstCount }

// estimate counts the matches of the predicates, with a higher limit in each step. It stops when it
// has found a selective predicate. It also stops when the cheapest path costs less than the next
// count would cost.
func (p *planner) estimate() error {
	if err := p.countContacts(); err != nil {
		return err
	}
	selective, err := p.count(firstCount)
	if err != nil || selective {
		return err
	}
	if _, err := p.count(secondCount); err != nil {
		return err
	}
	if err := p.sample(); err != nil || p.cost(p.cheapest()) < float64(p.contacts) {
		return err
	}
	_, err = p.count(p.contacts / 2) // all paths are slow, so the time for a better estimate is worth it
	return err
}

// countContacts reads the number of the List's Contacts, unless it has read the number before.
func (p *planner) countContacts() (err error) {
	if p.contacts == 0 {
		p.contacts, err = p.db.Contacts()
	}
	return err
}

// count counts the matches of each predicate that has scans and no exact count yet. The argument
// most is the limit of each count. The result states whether at least one predicate has no more
// than most matches.
func (p *planner) count(most int64) (selective bool, err error) {
	for i := range p.Predicates {
		pred := &p.Predicates[i]
		if pred.Scans == nil {
			continue
		}
		if !pred.exact && pred.count <= most {
			pred.count, pred.exact, err = p.db.Count(pred, most)
			if err != nil {
				return false, err
			}
		}
		selective = selective || pred.exact && pred.count <= most
	}
	return selective, nil
}

// sample estimates the matches of the predicates that have no index, for at most maxEstimated of
// these predicates.
func (p *planner) sample() error {
	sampled := 0
	for i := range p.Predicates {
		pred := &p.Predicates[i]
		if pred.Scans != nil || sampled == maxEstimated {
			continue
		}
		sampled++
		share, err := p.db.Sample(pred)
		if err != nil {
			return err
		}
		// If the sample has no match, perhaps the List has no match either. A scan of another
		// index could then read the whole List to fill a page. The estimate of one match makes
		// such a scan expensive.
		pred.count, pred.exact = max(1, int64(share*float64(p.contacts))), true
	}
	return nil
}

// matching estimates how many Contacts match predicate i.
func (p *planner) matching(i int) float64 { return p.share(i) * float64(p.contacts) }

// The share of the List that the planner assumes to match a predicate.
const (
	uncountedShare = 0.25 // if the count of the predicate ended at its limit
	unsampledShare = 0.1  // if the predicate has no index and was not sampled
)

// share estimates the share of the List's Contacts that match predicate i.
func (p *planner) share(i int) float64 {
	pred := &p.Predicates[i]
	counted := float64(pred.count) / float64(max(p.contacts, 1))
	switch {
	case pred.exact:
		return counted
	case pred.Scans != nil:
		return min(1, max(uncountedShare, 2*counted))
	}
	return unsampledShare
}
