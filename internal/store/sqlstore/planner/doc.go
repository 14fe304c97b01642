// Package planner chooses how a search reads Contacts: which index the search scans, and how
// it tests the other parts of the condition. The package contains no SQL and reads no
// database. Package sqlstore describes the search (Query), estimates how many Contacts match
// (Statistics), and writes the statement of the chosen Plan.
//
// The package exists for SQLite. SQLite has no statistics for one List, so SQLite's own planner
// cannot tell a selective index from an unselective one. The function Choose chooses the index, and
// the statement names this index. PostgreSQL has statistics, so the function Delegate leaves the
// choice of indexes to PostgreSQL.
//
// The rules:
//
//  1. If a predicate tests addresses or IDs, use its index. No estimate is needed.
//  2. If all predicates bound the scan of the index in the requested order, use this index.
//     No estimate is needed.
//  3. If rule 4 lists only one access path, use it. Otherwise count the matches of
//     each predicate up to a limit. Sample the predicates that have no index (estimate.go).
//  4. List the access paths (path.go):
//     - the index of the predicate with the fewest matches
//     - a covering filter: an index whose entries contain the value that a predicate tests
//     - the index in the requested order
//     - a scan of all Contacts of the List: of the table, if the List has at least a quarter
//     of the rows between its first and its last ID, otherwise of the index of the IDs
//  5. Use the path with the lowest cost (cost.go). The unit is one index entry. A look-up
//     costs 8 entries. A row costs 20 entries if rows are read in the order of the table,
//     otherwise 40.
//
// Example: a List has 1,000,000 Contacts. A search asks for the first 100 Contacts in the order of
// creation_time with State = NSW and City = Albury. The index of City has 4,000 entries for Albury.
// For State, the planner stops counting after 20,000 entries and assumes that a quarter of the List
// matches. So it assumes that a quarter of the 4,000 Contacts match both predicates: 1,000
// Contacts.
//
//   - The index of City costs 4,000 entries, 4,000 look-ups in the index of State, and
//     1,000 rows to read and sort: 4,000 + 8 · 4,000 + (40 + 8) · 1,000 = 84,000.
//   - The index of creation_time finds 100 of the 1,000 matches after 100,000 entries. The
//     planner assumes twice as many entries, so this path costs over 200,000.
//
// The planner chooses the index of City.
//
// A second search has Member = yes instead of City = Albury, and more than 20,000 Contacts match
// Member = yes. The planner assumes that a quarter of the List matches each of the two predicates,
// so 62,500 Contacts match both. The index of creation_time then fills the page after 1,600
// entries, and the planner assumes 3,200. Each entry needs two look-ups, so this path costs
// 3,200 + 8 · 6,400 = 54,400. The index of State would cost over 2,000,000.
package planner
