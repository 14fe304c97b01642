package social_test

import (
	"bytes"
	"image/png"
	"testing"

	"enlist/internal/social"
)

func TestEachNetworkHasAnIconInAnyColour(t *testing.T) {
	seen := make(map[string]string)
	for i := range social.Networks {
		n := &social.Networks[i]
		data := social.Icon(n.IconPath("#146c4f"))
		icon, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatalf("%s: %v", n.Name, err)
		}
		if b := icon.Bounds(); b.Dx() != social.Size || b.Dy() != social.Size || len(data) > 6000 {
			t.Errorf("%s has %v pixels and %d bytes", n.Name, b, len(data))
		}
		if other := seen[string(data)]; other != "" {
			t.Errorf("%s and %s have the same icon", n.Name, other)
		}
		seen[string(data)] = n.Name
		if _, _, _, a := icon.At(0, 0).RGBA(); a != 0 {
			t.Errorf("%s has a corner", n.Name)
		}
		if r, g, b, a := icon.At(32, 3).RGBA(); r>>8 != 0x14 || g>>8 != 0x6c || b>>8 != 0x4f || a>>8 != 255 {
			t.Errorf("%s has another colour", n.Name)
		}
	}
	for _, path := range []string{"/f/icons/x-146c4.png", "/f/icons/x-146C4F.png", "/f/icons/x-gggggg.png", "/f/icons/none-146c4f.png", "/f/icons/x-146c4f.gif", "/f/icons/x", "/f/1/x", "/f/icons/x-146c4f.png.png", ""} {
		if social.Icon(path) != nil {
			t.Errorf("%s has an icon", path)
		}
	}
}

func TestNetworkOfALinkIsThatOfItsHost(t *testing.T) {
	for link, want := range map[string]string{"https://www.instagram.com/club": "instagram", "HTTPS://M.Facebook.com/x": "facebook", "https://youtu.be/1": "youtube", "https://x.com/a": "x",
		"https://notx.com/a": "website", "mailto:a@example.com": "email", "tel:+31": "phone", "https://mastodon.social/@club": "mastodon", "{{Website}}": "website", "": "website", "https://%zz": "website"} {
		if got := social.Of(link); got.Name != want {
			t.Errorf("the link %s leads to %s, want %s", link, got.Name, want)
		}
	}
}

func BenchmarkIcon(b *testing.B) {
	for b.Loop() {
		social.Icon("/f/icons/instagram-146c4f.png")
	}
}
