// Package pace says how many mails may be sent when. It does not send them and stores nothing: package sending
// locks the buckets in the database and takes the tokens.
//
//	limits.go      rates for groups of receiving domains, which buckets a mail needs, and a token bucket
//	pace.go        what an operator sets for all mails (Settings); a rate that falls when a mail server defers mails, and rises again
//	warmup.go      the mails of a day while an address warms up
//	calendar.go    the hours in which mails are sent
//	forecast.go    when the mails of a Batch will leave, and what slows them
//	agent.go       devices and mail programs, by User-Agent
package pace
