package reports

import "math"

// This file has the interval of a rate.

// Interval returns the range in which the true rate of n events in of mails lies with a probability of 95 % (Wilson's
// interval), in thousandths of a percent. Without mails it is 0 to 100 %.
func Interval(n, of int64) (low, high int64) {
	const z, whole = 1.96, 100_000
	if of <= 0 {
		return 0, whole
	}
	total, rate := float64(of), float64(min(n, of))/float64(of)
	middle := rate + z*z/(2*total)
	half := z * math.Sqrt(rate*(1-rate)/total+z*z/(4*total*total))
	scale := whole / (1 + z*z/total)
	return max(0, int64(math.Round((middle-half)*scale))), min(whole, int64(math.Round((middle+half)*scale)))
}
