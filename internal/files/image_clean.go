package files

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"slices"
)

// This file removes from an image what its pixels do not need, such as the place of a photograph, its time, the camera and a
// preview. The pixels, the colours and the orientation stay as they are, byte for byte.

// anatomy is what the structure of an image says.
type anatomy struct {
	clean       []byte  // the image without metadata
	orientation int     // as of EXIF: 1 to 8; 1: as it is stored
	frames      int     // of an image that moves; else 1
	moved       int64   // pixels of all frames of a GIF
	colours     []byte  // the segments of a JPEG, or the chunk of a PNG, with its colour profile
	isSlow      bool    // a progressive JPEG or an interlaced PNG, whose decoder needs more memory
	isClear     bool    // a PNG that says which colour is transparent
	samples     float64 // of a JPEG, for each pixel: 1.5 of most photographs, and 3 if the colours are as fine as the light
}

// errDamaged means that an image ends too early, or has another structure than its type.
var errDamaged = errors.New("the image is damaged")

// dissect reads the structure of an image. It decodes no pixels.
func dissect(mediaType string, data []byte) (*anatomy, error) {
	a := &anatomy{clean: make([]byte, 0, len(data)), orientation: 1, frames: 1}
	var err error
	switch mediaType {
	case "image/jpeg":
		err = a.jpeg(data)
	case "image/png":
		err = a.png(data)
	case "image/gif":
		err = a.gif(data)
	case "image/webp":
		err = a.webp(data)
	default:
		err = errDamaged
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// The markers of a JPEG. ITU T.81, table B.1
const (
	markerSOI  = 0xd8
	markerEOI  = 0xd9
	markerSOS  = 0xda
	markerSOF0 = 0xc0
	markerSOF2 = 0xc2 // progressive
	markerAPP0 = 0xe0
	markerAPPF = 0xef
	markerCOM  = 0xfe
)

// jpeg copies the segments. What follows the end of the image is left out: some cameras store another image there.
func (a *anatomy) jpeg(data []byte) error {
	if len(data) < 4 || data[0] != 0xff || data[1] != markerSOI {
		return errDamaged
	}
	a.clean = append(a.clean, data[:2]...)
	for rest := data[2:]; ; {
		if len(rest) < 2 || rest[0] != 0xff {
			return errDamaged
		}
		marker := rest[1]
		switch {
		case marker == 0xff: // a byte that fills
			rest = rest[1:]
			continue
		case marker == markerEOI:
			a.clean = append(a.clean, 0xff, markerEOI)
			return nil
		case len(rest) < 4:
			return errDamaged
		}
		size := 2 + int(binary.BigEndian.Uint16(rest[2:]))
		if size > len(rest) || size < 4 {
			return errDamaged
		}
		a.jpegSegment(marker, rest[:size])
		if rest = rest[size:]; marker != markerSOS {
			continue
		}
		end := 0 // of the pixels: the next marker that is none of theirs
		for ; ; end++ {
			at := bytes.IndexByte(rest[end:], 0xff)
			if at < 0 || end+at+1 >= len(rest) {
				return errDamaged
			}
			end += at
			if next := rest[end+1]; next != 0 && next != 0xff && (next < 0xd0 || next > 0xd7) {
				break
			}
		}
		a.clean, rest = append(a.clean, rest[:end]...), rest[end:]
	}
}

func (a *anatomy) jpegSegment(marker byte, segment []byte) {
	content := segment[4:]
	isProfile := bytes.HasPrefix(content, []byte("ICC_PROFILE\x00"))
	switch {
	case marker == markerAPP0+1 && bytes.HasPrefix(content, []byte("Exif\x00\x00")):
		if a.orientation = exifOrientation(content[6:]); a.orientation > 1 {
			exif := append([]byte("Exif\x00\x00"), onlyOrientation(a.orientation)...)
			a.clean = append(a.clean, 0xff, marker, 0, byte(len(exif)+2))
			a.clean = append(a.clean, exif...)
		}
	case marker == markerCOM, markerAPP0 <= marker && marker <= markerAPPF && !isProfile &&
		!bytes.HasPrefix(content, []byte("JFIF\x00")) && !bytes.HasPrefix(content, []byte("Adobe\x00")):
	default:
		a.clean = append(a.clean, segment...)
	}
	if isProfile {
		a.colours = append(a.colours, segment...)
	}
	a.isSlow = a.isSlow || marker == markerSOF2
	if markerSOF0 <= marker && marker <= markerSOF2 && a.samples == 0 && len(content) > 7 {
		most := float64(content[7]>>4) * float64(content[7]&15) // of the first component, which has the most
		for at := 7; at < len(content) && most > 0; at += 3 {
			a.samples += float64(content[at]>>4) * float64(content[at]&15) / most
		}
	}
}

// pngChunks are the chunks of a PNG that its pixels and colours need. The last ones are those of one that moves.
var pngChunks = []string{"IHDR", "PLTE", "IDAT", "IEND", "tRNS", "gAMA", "cHRM", "sRGB", "iCCP", "cICP", "sBIT", "bKGD", "pHYs",
	"acTL", "fcTL", "fdAT"}

func (a *anatomy) png(data []byte) error {
	const signature = 8
	if len(data) < signature {
		return errDamaged
	}
	a.clean = append(a.clean, data[:signature]...)
	for rest := data[signature:]; ; {
		if len(rest) < 12 {
			return errDamaged
		}
		size := int64(binary.BigEndian.Uint32(rest)) + 12
		if size > int64(len(rest)) {
			return errDamaged
		}
		chunk, kind := rest[:size], string(rest[4:8])
		rest = rest[size:]
		switch content := chunk[8 : size-4]; {
		case slices.Contains(pngChunks, kind):
			a.clean = append(a.clean, chunk...)
		case kind == "eXIf":
			if a.orientation = exifOrientation(content); a.orientation > 1 {
				a.clean = append(a.clean, pngChunk(kind, onlyOrientation(a.orientation))...)
			}
		}
		switch content := chunk[8 : size-4]; {
		case kind == "IEND":
			return nil
		case kind == "iCCP":
			a.colours = chunk
		case kind == "tRNS":
			a.isClear = true
		case kind == "IHDR":
			a.isSlow = len(content) == 13 && content[12] != 0
		case kind == "acTL" && len(content) == 8:
			a.frames = int(binary.BigEndian.Uint32(content))
		}
	}
}

func pngChunk(kind string, content []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

// gif copies the blocks, and counts the frames. GIF89a, appendix A
func (a *anatomy) gif(data []byte) error {
	const head = 13
	table := func(flags byte) int { // size of a table of colours
		if flags&0x80 == 0 {
			return 0
		}
		return 3 << (flags&7 + 1)
	}
	if len(data) < head {
		return errDamaged
	}
	at := head + table(data[10])
	if at > len(data) {
		return errDamaged
	}
	a.clean, a.frames = append(a.clean, data[:at]...), 0
	for {
		start, isKept := at, true
		rest := data[at:]
		switch {
		case len(rest) > 0 && rest[0] == 0x3b: // the end
			a.clean, a.frames = append(a.clean, 0x3b), max(1, a.frames)
			return nil
		case len(rest) > 10 && rest[0] == 0x2c:
			a.frames++
			a.moved += int64(binary.LittleEndian.Uint16(rest[5:])) * int64(binary.LittleEndian.Uint16(rest[7:]))
			at += 10 + table(rest[9]) + 1
		case len(rest) > 2 && rest[0] == 0x21:
			loops := bytes.HasPrefix(rest[2:], []byte("\x0bNETSCAPE2.0")) || bytes.HasPrefix(rest[2:], []byte("\x0bANIMEXTS1.0"))
			isKept = rest[1] == 0xf9 || rest[1] == 0x01 || rest[1] == 0xff && loops
			at += 2
		default:
			return errDamaged
		}
		for size := -1; size != 0; at += 1 + size { // the blocks of bytes, to the one without bytes
			if at >= len(data) {
				return errDamaged
			}
			size = int(data[at])
		}
		if at > len(data) {
			return errDamaged
		}
		if isKept {
			a.clean = append(a.clean, data[start:at]...)
		}
	}
}

// webp copies the chunks. RFC 9649
func (a *anatomy) webp(data []byte) error {
	const head, hasEXIF, hasXMP = 12, 1 << 3, 1 << 2
	if len(data) < head+8 || string(data[:4]) != "RIFF" || string(data[8:head]) != "WEBP" {
		return errDamaged
	}
	end := 8 + int64(binary.LittleEndian.Uint32(data[4:]))
	if end > int64(len(data)) {
		return errDamaged
	}
	a.clean = append(a.clean, data[:head]...)
	flags := -1 // where they are
	for rest := data[head:end]; len(rest) > 0; {
		if len(rest) < 8 {
			return errDamaged
		}
		size := int64(binary.LittleEndian.Uint32(rest[4:])) + 8
		padded := size + size%2
		if size > int64(len(rest)) {
			return errDamaged
		}
		kind, chunk := string(rest[:4]), rest[:size]
		rest = rest[min(padded, int64(len(rest))):]
		switch kind {
		case "EXIF":
			a.orientation = exifOrientation(bytes.TrimPrefix(chunk[8:], []byte("Exif\x00\x00")))
			continue
		case "VP8X":
			flags = len(a.clean) + 8
		case "ANMF":
			a.frames++
		case "VP8 ", "VP8L", "ALPH", "ANIM", "ICCP":
		default:
			continue
		}
		a.clean = append(a.clean, chunk...)
		if size%2 == 1 {
			a.clean = append(a.clean, 0)
		}
	}
	if flags >= 0 && flags < len(a.clean) {
		a.clean[flags] &^= hasEXIF | hasXMP
		if a.orientation > 1 {
			a.clean[flags] |= hasEXIF
			exif := onlyOrientation(a.orientation)
			a.clean = append(append(a.clean, "EXIF"...), byte(len(exif)), 0, 0, 0)
			a.clean = append(a.clean, exif...)
		}
	}
	binary.LittleEndian.PutUint32(a.clean[4:], uint32(len(a.clean)-8))
	return nil
}

// The tag of the orientation in EXIF. JEITA CP-3451, 4.6.4
const tagOrientation = 0x0112

// exifOrientation returns the orientation that EXIF says, or 1.
func exifOrientation(exif []byte) int {
	if len(exif) < 8 {
		return 1
	}
	var order binary.ByteOrder = binary.BigEndian
	if exif[0] == 'I' {
		order = binary.LittleEndian
	}
	at := int64(order.Uint32(exif[4:]))
	if at+2 > int64(len(exif)) {
		return 1
	}
	for n, entry := int(order.Uint16(exif[at:])), at+2; n > 0 && entry+12 <= int64(len(exif)); n, entry = n-1, entry+12 {
		if order.Uint16(exif[entry:]) != tagOrientation {
			continue
		}
		if is := int(order.Uint16(exif[entry+8:])); is >= 1 && is <= 8 {
			return is
		}
	}
	return 1
}

// onlyOrientation returns EXIF with nothing but the orientation.
func onlyOrientation(is int) []byte {
	return []byte{'M', 'M', 0, 42, 0, 0, 0, 8, 0, 1, tagOrientation >> 8, tagOrientation & 0xff, 0, 3, 0, 0, 0, 1, 0, byte(is), 0, 0, 0, 0, 0, 0}
}
