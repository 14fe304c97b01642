// Package planner chooses how a search reads Contacts: which index it scans, and how it
// tests the rest of its condition. It has no SQL and no database: sqlstore describes the
// search (Query), answers questions about the data (Statistics), and writes the statement
// of the chosen Plan.
//
// SQLite needs it. It has no statistics for one List, so its own planner cannot tell a
// selective index from an unselective one. Choose therefore makes the plan, and the
// statement names its index. PostgreSQL has statistics: Delegate leaves the choice to it.
//
// The rules:
//
//  1. Addresses and IDs: their index, at once.
//  2. Nothing is left to test on the index in the requested order: that index, at once.
//  3. Otherwise count the matches of each predicate, up to a limit, and sample the
//     predicates that have no index (estimate.go).
//  4. List the access paths (path.go): the index of the smallest predicate, the index
//     in the requested order, an index that holds all that one predicate needs (a covering
//     filter), and the whole List.
//  5. Take the path that costs least (cost.go). The unit is one index entry. A look-up
//     costs as much as 8 entries, a row as much as 20, or 40 in another order than the
//     table's.
//
// Example: a List has 1,000,000 Contacts. A search wants the first 100 by creation_time
// with State = NSW and City = Albury. The index of City has 4,000 entries with this value.
// Of State, 20,000 were counted and there are more, so a quarter of the List is assumed:
// 1,000 Contacts match both.
//
//   - The index of City costs 4,000 entries, 4,000 look-ups in the index of State, and
//     1,000 rows that are read and sorted: 4,000 + 8 · 4,000 + (40 + 8) · 1,000 = 84,000.
//   - The index of creation_time yields 100 of the 1,000 matches after 100,000 entries. The
//     planner assumes twice as many, so this costs over 200,000.
//
// The plan is the index of City. With Member = yes in place of City, of which there are
// more than 20,000 too, 62,500 are assumed to match. The index of creation_time then fills
// the page after 1,600 entries, or 3,200 with the same caution. With two look-ups for each
// entry this costs 3,200 + 8 · 6,400 = 54,400. The index of State would cost over 2,000,000.
package planner
