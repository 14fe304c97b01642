package ui

// This file writes the rates of opens and clicks. They are of the mails that could be measured, and a page says how many
// these are wherever a rate stands. decisions.md: 162

// Rate is a rate, and of how many mails it is if not all could be measured.
type Rate struct{ Text, Of string }

// Rate returns which part of the measured mails n are. arrived are all mails. It is never 0 % of nothing.
func (r *Request) Rate(n, measured, arrived int64) Rate {
	measured = max(measured, n)
	switch {
	case arrived > 0 && measured == 0:
		return Rate{Text: r.Text("ui.not_measured")}
	case measured < arrived:
		return Rate{r.Language.Percent(n, measured), r.Text("ui.measured", "measured", measured, "all", arrived)}
	}
	return Rate{Text: r.Language.Percent(n, measured)}
}

// String returns both in one line.
func (r Rate) String() string {
	if r.Of == "" {
		return r.Text
	}
	return r.Text + " · " + r.Of
}
