package imports

import (
	"slices"
	"testing"
)

// A Speed has at most 60 periods however long an Import takes, and none of its rows is lost.
func TestSpeedHasFewPeriods(t *testing.T) {
	var s Speed
	for second := range int64(60) {
		s.add(second, 10)
	}
	if s.Every != 1 || len(s.Rows) != 60 || slices.Max(s.Rows) != 10 {
		t.Errorf("after a minute: %+v", s)
	}
	s.add(60, 10)
	if s.Every != 2 || len(s.Rows) != 31 || s.Rows[0] != 20 || s.Rows[30] != 10 {
		t.Errorf("after a minute and a second: %+v", s)
	}
	if all := s.PerSecond(61); all[0] != 10 || all[30] != 10 {
		t.Errorf("the rows a second are %v", all)
	}
	s.add(-5, 0)        // the clock was set back
	s.add(1000*60, 640) // a pause
	var sum int64
	for _, rows := range s.Rows {
		sum += rows
	}
	if s.Every != 1024 || len(s.Rows) != 59 || sum != 610+640 || s.Rows[0] != 610 || s.Rows[30] != 0 {
		t.Errorf("after a pause: %+v", s)
	}
}
