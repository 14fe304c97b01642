package enlist

import (
	"fmt"
	"testing"
)

// covers: decision 155
func TestPolicyAndConsentDecideWhoIsRecorded(t *testing.T) {
	consents := []TrackingConsent{TrackingUnknown, TrackingGranted, TrackingDenied}
	for _, c := range []struct {
		account, list TrackingPolicy
		tracks        string // for the three consents
		asks          bool
	}{
		{"", "", "[true true false]", false},
		{"inform", "", "[true true false]", false},
		{"ask", "", "[false true false]", true},
		{"off", "", "[false false false]", false},
		{"off", "inform", "[true true false]", false},
		{"inform", "ask", "[false true false]", true},
		{"inform", "off", "[false false false]", false},
	} {
		t.Run(string("account "+c.account+" list "+c.list), func(t *testing.T) {
			opens := &Schema{TrackingPolicy: c.account, List: List{TrackOpens: true, OpenPolicy: c.list, ClickPolicy: "inform"}}
			clicks := &Schema{TrackingPolicy: c.account, List: List{TrackClicks: true, ClickPolicy: c.list, OpenPolicy: "inform"}}
			var opened, clicked, others []bool
			for _, consent := range consents {
				opened, clicked = append(opened, opens.TracksOpens(consent)), append(clicked, clicks.TracksClicks(consent))
				others = append(others, opens.TracksClicks(consent), clicks.TracksOpens(consent))
			}
			if fmt.Sprint(opened) != c.tracks || fmt.Sprint(clicked) != c.tracks {
				t.Errorf("opens are recorded %v and clicks %v, want %s", opened, clicked, c.tracks)
			}
			if fmt.Sprint(others) != "[false false false false false false]" {
				t.Errorf("what the List does not record is recorded: %v", others)
			}
			if opens.AsksForTracking() != c.asks || clicks.AsksForTracking() != c.asks {
				t.Errorf("the List asks: %t and %t, want %t", opens.AsksForTracking(), clicks.AsksForTracking(), c.asks)
			}
		})
	}
}
