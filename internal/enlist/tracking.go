package enlist

import (
	"cmp"
	"slices"
	"strings"
)

// This file says whose opens and clicks are recorded. decisions.md: 155

// TrackingConsent is what a person has decided about the recording of opens and clicks.
type TrackingConsent int64

// The decisions. Replies and parameters have their words.
const (
	TrackingUnknown TrackingConsent = iota
	TrackingGranted
	TrackingDenied
)

// TrackingWords are the words of the decisions, in the order of their values.
var TrackingWords = []string{"unknown", "granted", "denied"}

func (c TrackingConsent) String() string { return TrackingWords[c] }

// TrackingOf returns the decision of a word. ok is false if there is no such word.
func TrackingOf(word string) (c TrackingConsent, ok bool) {
	i := slices.Index(TrackingWords, strings.ToLower(strings.TrimSpace(word)))
	return TrackingConsent(max(i, 0)), i >= 0
}

// The keys of a Contact about its decision. The last two are only sent.
const (
	KeyTrackingConsent     = "tracking_consent"
	KeyTrackingTime        = "tracking_time"
	KeyTrackingText        = "tracking_text"
	KeyTrackingTextVersion = "tracking_text_version"
)

// IsTrackingKey reports whether a key of a Contact's details is about a decision.
func IsTrackingKey(name string) bool {
	switch name {
	case KeyTrackingConsent, KeyTrackingTime, KeyTrackingText, KeyTrackingTextVersion:
		return true
	}
	return false
}

// TrackingPolicy says for whom a List records opens or clicks.
type TrackingPolicy string

// The policies.
const (
	TrackByAccount    TrackingPolicy = "" // of a List: the policy of its Account
	TrackNobody       TrackingPolicy = "off"
	TrackWhoAgreed    TrackingPolicy = "ask"
	TrackUnlessDenied TrackingPolicy = "inform"
)

// TrackingPolicies are the policies of an Account.
var TrackingPolicies = []string{string(TrackNobody), string(TrackWhoAgreed), string(TrackUnlessDenied)}

// records reports whether something is recorded for a person with a decision. An Account without a policy, as in a
// database before there were policies, records unless the person has refused.
func (p TrackingPolicy) records(c TrackingConsent) bool {
	switch p {
	case TrackNobody:
		return false
	case TrackWhoAgreed:
		return c == TrackingGranted
	}
	return c != TrackingDenied
}

// TracksOpens reports whether the opens of a person with a decision are recorded. Only this function and TracksClicks
// decide it, for mails that are composed and for requests that mails cause.
func (s *Schema) TracksOpens(c TrackingConsent) bool {
	return s.List.TrackOpens && cmp.Or(s.List.OpenPolicy, s.TrackingPolicy).records(c)
}

// TracksClicks reports whether the clicks of a person with a decision are recorded.
func (s *Schema) TracksClicks(c TrackingConsent) bool {
	return s.List.TrackClicks && cmp.Or(s.List.ClickPolicy, s.TrackingPolicy).records(c)
}

// Tracks reports whether opens or clicks of a person with a decision are recorded.
func (s *Schema) Tracks(c TrackingConsent) bool { return s.TracksOpens(c) || s.TracksClicks(c) }

// Unmeasured says what of a mail is not recorded. Its bits are stored.
type Unmeasured int64

// What a mail lacks.
const (
	UnmeasuredOpens  Unmeasured = 1 << iota // the tracking pixel
	UnmeasuredClicks                        // tracked links
)

// AsksForTracking reports whether the List records only people who have agreed, so that its pages ask.
func (s *Schema) AsksForTracking() bool {
	return s.TracksOpens(TrackingGranted) && !s.TracksOpens(TrackingUnknown) ||
		s.TracksClicks(TrackingGranted) && !s.TracksClicks(TrackingUnknown)
}
