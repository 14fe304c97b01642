package admin_test

import (
	"strings"
	"testing"

	"enlist/internal/admin/ui"
	"enlist/internal/language"
)

// A line through one point has no length, so a browser would not show it.
func TestChartWithOnePointHasAStroke(t *testing.T) {
	c := &ui.Chart{Language: language.New().For(language.English, ""), Title: "Opens", Series: []string{"opened"}, Points: []ui.Point{{Label: "Mon 09:00", Values: []int64{4}}}}
	if drawn := string(c.Lines()); !strings.Contains(drawn, "m-20 0h40") {
		t.Errorf("the chart is %s, want a stroke", drawn)
	}
	c.Points = append(c.Points, ui.Point{Label: "Mon 10:00", Values: []int64{2}})
	if drawn := string(c.Lines()); strings.Contains(drawn, "m-20 0h40") {
		t.Errorf("the chart of two points is %s, want a line", drawn)
	}
}
