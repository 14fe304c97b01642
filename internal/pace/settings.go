package pace

// Settings has the operator's settings for the mails of Batches.
type Settings struct {
	Relay string      // name of the mail server; processes with the same name share its buckets
	From  string      // sender of a mail if neither its Message nor its List has a sender
	Rates *RateLimits // nil: no limit

	MailRate float64 // mails a second of each process, which package mail keeps; 0: no limit; only for forecasts

	Calendar *Calendar // when mails are sent; nil: always
	Warmup   *Warmup   // nil: no plan
}
