package files

import (
	"bytes"
	"image"
	"sync"
	"sync/atomic"
)

// decodings counts how often images were decoded, by the size of their file.
var decodings sync.Map

func init() {
	for mediaType, decode := range decoders {
		decoders[mediaType] = func(r *bytes.Reader) (image.Image, error) {
			n, _ := decodings.LoadOrStore(r.Size(), new(atomic.Int64))
			n.(*atomic.Int64).Add(1)
			return decode(r)
		}
	}
}

// Decodings returns how often an image of a number of bytes was decoded.
func Decodings(size int64) int64 {
	n, ok := decodings.Load(size)
	if !ok {
		return 0
	}
	return n.(*atomic.Int64).Load()
}
