// Package advisor decides which indexes searches need, and lets the database build
// and drop them. The results of searches are the same with and without an index. Only the
// speed differs. The rules (decisions.md: 56):
//
//   - Two searches within a day are slow (20 ms) and lack an index of the same key: the
//     index is built. The List must have more than 20,000 Contacts.
//   - No search uses an index for 30 days: it is dropped.
//   - A List has at most 16 indexes, because a write to the List maintains each of them. A
//     database, or a partition on PostgreSQL, has at most 64, because a write to another List
//     checks the condition of each of them. At the limit, the least recently used index is
//     dropped to make room. If all were used within a day, no index is built: otherwise
//     indexes that searches use in turn would replace each other again and again.
//   - A failed build is repeated after a day, if searches are slow again.
//   - An index that the operator created is manual: only the operator drops it.
//
// The package contains no SQL. Package contacts reports each search to the Advisor. The server
// and its commands call the other methods. The files:
//
//   - advisor.go collects the slow searches that lacked an index, and the uses of indexes.
//   - condition.go finds the keys of a search whose indexes would help.
//   - tend.go applies the rules, and makes the indexes of the database those of the table.
//   - manual.go has the operator's commands: list, create and drop an index.
//
// The table search_index says which indexes the database should have. An Update stores a row
// with the state waiting. Then the index is built in the database, and only then the state is
// ready, and searches use the index. To drop an index, an Update deletes its row, so no later
// search uses it. Then the index is dropped in the database. No ID is used twice, so an index
// in the database that has no row is not needed. So a process may crash at any time: each
// process compares the table with the database within 10 seconds of a commit, and does what is left.
package advisor
