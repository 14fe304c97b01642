package internal_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// Files get their names by package durable. A rename without syncs can lose a file, or leave an incomplete one.
func TestOnlyPackageDurableRenamesFiles(t *testing.T) {
	eachFile(t, func(path, text string) {
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "../internal/durable/") {
			return
		}
		for _, call := range []string{"os.Rename(", "Cache: autocert.DirCache("} {
			if strings.Contains(text, call) {
				t.Errorf("%s calls %s…: use a function of package durable", path, call)
			}
		}
	})
}
