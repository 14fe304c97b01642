// Package indexadvisor decides which indexes searches need, and has the database
// build and drop them. Answers are the same with and without an index: the package
// is about speed alone. decisions.md: 56
//
// It knows no SQL. An Advisor is an audience.SearchObserver: audience reports each
// search, each changed Field and each deleted List to it. The program calls the rest:
//
//   - advisor.go counts how much time searches spend for want of an index.
//   - condition.go finds the keys of a search whose indexes would help.
//   - schedule.go stores an index and its build job, and evicts another one for it.
//   - build.go carries out these jobs (audience.BuildIndex, audience.DropIndex).
//   - reconcile.go compares the catalogue of indexes with the database, every minute.
//   - manual.go reports the indexes, and creates and drops them by hand.
//   - metrics.go counts them for Prometheus.
//
// The life of an index: an Update stores its row, waiting, with a build job. The job
// sets it to building, builds the database's index, and sets it to ready; from then
// on searches use it. To drop it, an Update sets it to dropping, after which no
// search uses it, and a second job drops it. Each step can be repeated, so that a
// process may crash between any two of them.
package indexadvisor
