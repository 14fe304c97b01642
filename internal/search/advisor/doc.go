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
// The package contains no SQL. An Advisor is a search.Observer: packages contacts and lists
// report each search, each changed Field and each deleted List to the Advisor. The server
// and its commands call the other methods. The files:
//
//   - advisor.go collects the slow searches that lacked an index, and the uses of indexes.
//   - condition.go finds the keys of a search whose indexes would help.
//   - schedule.go stores an index and its build job, and may drop another index for it.
//   - build.go runs the jobs (search.BuildIndex, search.DropIndex).
//   - reconcile.go compares the catalogue of indexes with the database, every minute.
//   - manual.go has the operator's commands: list, create and drop an index.
//
// An index has these states. First an Update stores its row with the state waiting, and a
// build job. The job sets the state to building, builds the index in the database, and sets
// the state to ready. From then on searches use the index. To drop the index, an Update sets
// the state to dropping, and no later search uses it. Then a second job drops it. Each step
// can be repeated, so a process may crash between two steps.
package advisor
