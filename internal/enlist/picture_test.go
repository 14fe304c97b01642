package enlist

import "testing"

// covers: decision 164
func TestCropIsAShapeOrFourNumbers(t *testing.T) {
	for text, want := range map[string]string{"": "", "16:9": "16:9", " 0, 12.5 ,100,75": "0,12.5,100,75", "0,0,100,100": "",
		"10.004,0,50,50": "10,0,50,50", "33.33,0,66.67,100": "33.33,0,66.67,100"} {
		if got, err := ReadCrop(text); err != nil || got != want {
			t.Errorf("%q is read as %q, error %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"17:9", "0,0,50", "0,0,101,50", "60,0,50,50", "0,0,0.5,50", "-1,0,50,50", "a,0,50,50", "NaN,0,50,50", "0,0,Inf,5"} {
		if got, err := ReadCrop(text); err == nil {
			t.Errorf("%q is read as %q, want an error", text, got)
		}
	}
	for _, c := range []struct {
		crop string
		want [4]int
	}{{"", [4]int{0, 0, 400, 200}}, {"1:1", [4]int{100, 0, 200, 200}}, {"16:9", [4]int{22, 0, 355, 200}}, {"3:4", [4]int{125, 0, 150, 200}},
		{"25,50,50,50", [4]int{100, 100, 200, 100}}, {"99,99,1,1", [4]int{396, 198, 4, 2}}} {
		if x, y, w, h := CropOf(c.crop, 400, 200); [4]int{x, y, w, h} != c.want {
			t.Errorf("%s of 400 × 200 is %v, want %v", c.crop, [4]int{x, y, w, h}, c.want)
		}
	}
	if x, y, w, h := CropOf("16:9", 1, 1); w < 1 || h < 1 || x+w > 1 || y+h > 1 {
		t.Errorf("a part of one pixel is %d,%d %d × %d", x, y, w, h)
	}
}
