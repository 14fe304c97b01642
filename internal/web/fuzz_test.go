package web

import (
	"log/slog"
	"net/http"
	"net/url"
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
	mux := http.NewServeMux()
	New(nil, nil, nil, nil, key, slog.New(slog.DiscardHandler)).Routes(mux)
	f.Fuzz(func(t *testing.T, path string) {
		link, ok := key.Read(path)
		if !ok {
			return
		}
		_, pattern := mux.Handler(&http.Request{Method: http.MethodGet, URL: &url.URL{Path: path}})
		if key.Path(link) != path || pattern != "/"+string(link.Kind)+"/" {
			t.Errorf("%q is read as %+v, whose path is %q, and served as %q; want the same path, as its kind", path, link, key.Path(link), pattern)
		}
	})
}
