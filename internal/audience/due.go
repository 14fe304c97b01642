package audience

// Due returns when an autoresponder sends its Message for an event at now, and
// false when it sends none. accountZone counts where it has no zone of its own.
// decisions.md: 45
func (a *Autoresponder) Due(now int64, accountZone string) (due int64, ok bool) {
	return now, true
}
