// Package samples has the pictures of the starting templates: drawn for them, small, and served by each server of this
// program, so that a mail shows them before its author has chosen others. It knows nothing of Messages.
//
// drawn has each picture as a drawing, and as the PNG of 64 colours that a mail shows.
package samples

import (
	"embed"
	"strings"
)

//go:embed drawn/*.png
var drawn embed.FS

// PathStart is the begin of the path of each picture. Proxies already forward what begins with /f/.
const PathStart = "/f/samples/"

// Path returns the path at which the server has a picture.
func Path(name string) string { return PathStart + name + ".png" }

// Is reports whether the address of an image is the path of a picture of a starting template.
func Is(address string) bool { return strings.HasPrefix(address, PathStart) }

// Picture returns the PNG of a path that Path has returned, or nil.
func Picture(path string) []byte {
	name, ok := strings.CutPrefix(path, PathStart)
	if !ok {
		return nil
	}
	data, err := drawn.ReadFile("drawn/" + name)
	if err != nil {
		return nil // there is none
	}
	return data
}
