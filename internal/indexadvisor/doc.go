// Package indexadvisor decides which indexes searches need, and lets the database build
// and drop them. The results of searches are the same with and without an index. Only the
// speed differs. decisions.md: 56
//
// The package contains no SQL. An Advisor is an audience.SearchObserver: package audience
// reports each search, each changed Field and each deleted List to the Advisor. The server
// and its commands call the other methods. The files:
//
//   - advisor.go adds up the time that searches need because an index is missing.
//   - condition.go finds the keys of a search whose indexes would help.
//   - schedule.go stores an index and its build job, and may evict another index for it.
//   - build.go runs the jobs (audience.BuildIndex, audience.DropIndex).
//   - reconcile.go compares the catalogue of indexes with the database, every minute.
//   - manual.go has the operator's commands: list, create and drop an index.
//   - metrics.go has the metrics of indexes and builds for Prometheus.
//
// An index has these states. First an Update stores its row with the state waiting, and a
// build job. The job sets the state to building, builds the index in the database, and sets
// the state to ready. From then on searches use the index. To drop the index, an Update sets
// the state to dropping, and no later search uses it. Then a second job drops it. Each step
// can be repeated, so a process may crash between two steps.
package indexadvisor
