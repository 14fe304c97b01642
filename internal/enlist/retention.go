package enlist

// Hour and Day are lengths of time in seconds. A day on which a clock changes has another length.
const (
	Hour = 60 * 60
	Day  = 24 * Hour
)

// Retention says after how many days data is removed. 0 keeps it for ever.
type Retention struct {
	Events     int64 // opens and clicks of the mails of autoresponders, and of Batches that have ended
	Deliveries int64 // addresses, subjects and replies of mail servers in the records of mails
	Audit      int64 // rows of the audit log
}

// minRetention is the smallest number of days of a Retention. Reports of bounces, and confirmations, need the
// records of younger mails.
const minRetention = 30

// minAuditRetention is the smallest number of days for the audit log. Triggers refuse to delete a row of the last 365
// days. The day between allows for a clock of the database that differs from that of the server.
const minAuditRetention = 366

// maxRetention is the largest number of days of a Retention: 100 years.
const maxRetention = 36500

// RetentionKind is a kind of data that a Retention removes.
type RetentionKind string

// The kinds. The consent ledger and the Unsubscriber List are proofs and are never removed.
const (
	RetainEvents     RetentionKind = "events"
	RetainDeliveries RetentionKind = "deliveries"
	RetainAudit      RetentionKind = "audit"
)

func (r Retention) Check() error {
	for _, setting := range []struct{ days, least int64 }{
		{r.Events, minRetention}, {r.Deliveries, minRetention}, {r.Audit, minAuditRetention},
	} {
		if setting.days != 0 && (setting.days < setting.least || setting.days > maxRetention) {
			return Refuse(InvalidParameters, "expected %d to %d days, or the word forever", setting.least, maxRetention)
		}
	}
	return nil
}

func (r Retention) days(kind RetentionKind) int64 {
	switch kind {
	case RetainEvents:
		return r.Events
	case RetainDeliveries:
		return r.Deliveries
	}
	return r.Audit
}

// Before returns the time before which data of a kind is removed, or 0 if it is kept for ever.
func (r Retention) Before(kind RetentionKind, now int64) int64 {
	days := r.days(kind)
	if days == 0 {
		return 0
	}
	return now - days*Day
}
