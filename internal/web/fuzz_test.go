package web

import (
	"testing"

	"enlist/internal/enlist"
)

// FuzzPath reads random paths. If a path is read as a link, it must be exactly the path that this
// link has.
//
// covers: decision 48
func FuzzPath(f *testing.F) {
	key := enlist.LinkKey{1, 2, 3}
	delivery := enlist.DeliveryKey{List: 1, Contact: 2, Time: 1767225600, Cause: "a7"}
	for _, kind := range kinds {
		f.Add(key.Path(enlist.Link{Kind: kind, DeliveryKey: delivery, Target: 9}))
	}
	f.Add(key.Path(enlist.Link{Kind: enlist.LinkClick, DeliveryKey: delivery, Target: 9, Values: key.Fingerprint(delivery, "v")}))
	for _, path := range []string{"/u/1-2-3-c/", "/k/1-2-3-c-/x", "/k/-/", "/u//", "/k/1-2-3-c-9./x", "/k/1-2-3-c-9.a-b/x", "/n/1-2-3-c-9/x", "/o/+1-2-3-c/x"} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		if link, ok := key.Read(path); ok && (key.Path(link) != path || !IsLinkPath(path)) {
			t.Errorf("%q is read as %+v, whose path is %q; want the same path, and IsLinkPath true", path, link, key.Path(link))
		}
	})
}
