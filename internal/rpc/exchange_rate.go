package rpc

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/limiter"
)

// This file limits the rate of the calls of a key in this process. decisions.md: 107

// LimitRate counts a call of a key. Over the rate of the key it returns an error with code 399 and sets the header
// Retry-After. If the key has a rate, it sets the headers RateLimit and RateLimit-Policy of the Internet-Draft
// draft-ietf-httpapi-ratelimit-headers-11. A key without a rate costs nothing.
func (h *Handler) LimitRate(header http.Header, key *enlist.Key) error {
	rate, policy := key.Rate, `"key"`
	if rate == (enlist.CallRate{}) {
		rate, policy = h.service.Accounts.Settings().Of(key.AccountID).KeyRate, `"default"`
	}
	if rate.Calls <= 0 {
		return nil
	}
	left, next, ok := h.rates.Take(int64(key.ID), limiter.Rate{Interval: rate.Interval(), Burst: rate.Burst},
		h.options.Now())
	header.Set("RateLimit-Policy", policy+";q="+strconv.FormatInt(rate.Burst, 10)+
		";w="+seconds(time.Duration(rate.Burst)*rate.Interval()))
	header.Set("RateLimit", policy+";r="+strconv.FormatInt(left, 10)+";t="+seconds(next))
	if ok {
		return nil
	}
	header.Set("Retry-After", seconds(next))
	return enlist.Refuse(enlist.Busy, "the rate of this key is %s; send the call again in %s s", rate, seconds(next))
}

// seconds returns a duration in whole seconds, rounded up.
func seconds(d time.Duration) string { return strconv.Itoa(int(math.Ceil(d.Seconds()))) }
