package enlist

import (
	"crypto/hmac"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// This file has how a mail shows an image: its width, and the part of it. The link of the image says both in its query. A
// program of a version that does not know the query sends the whole image. decisions.md: 164

// Picture is an image as a mail shows it.
type Picture struct {
	File  FileID
	Width int64  // of the image that is sent, in pixels; a narrower image stays as it is
	Crop  string // the part that is shown, for ReadCrop; "": all of it
}

// CropShapes are the values of a Crop that name a shape: the largest part of this shape in the middle of the image.
var CropShapes = []string{"1:1", "4:3", "3:2", "16:9", "3:4"}

// ReadCrop reads a part of an image: a shape, or four numbers such as 0,12.5,100,75. They are the left and the top edge, the
// width and the height, in percent of the image. It returns "" for the whole image.
func ReadCrop(text string) (string, error) {
	text = strings.ReplaceAll(text, " ", "")
	if text == "" || slices.Contains(CropShapes, text) {
		return text, nil
	}
	part, ok := parseCrop(text)
	if !ok {
		return "", Expected("a part such as 16:9, or left edge, top edge, width and height in percent, such as 0,12.5,100,75")
	}
	if part == [4]float64{0, 0, 100, 100} {
		return "", nil
	}
	texts := make([]string, len(part))
	for i, n := range part {
		texts[i] = strconv.FormatFloat(n, 'f', -1, 64)
	}
	return strings.Join(texts, ","), nil
}

// parseCrop returns the numbers of a part, rounded to hundredths.
func parseCrop(text string) (part [4]float64, ok bool) {
	numbers := strings.Split(text, ",")
	if len(numbers) != len(part) {
		return part, false
	}
	for i, text := range numbers {
		n, err := strconv.ParseFloat(text, 64)
		if err != nil || !(n >= 0 && n <= 100) {
			return part, false
		}
		part[i] = math.Round(n*100) / 100
	}
	return part, part[2] >= 1 && part[3] >= 1 && part[0]+part[2] <= 100.005 && part[1]+part[3] <= 100.005
}

// CropOf returns the part of an image of a size that a Crop means, in pixels.
func CropOf(crop string, width, height int) (x, y, w, h int) {
	if across, down, isShape := strings.Cut(crop, ":"); isShape {
		a, _ := strconv.Atoi(across)
		d, _ := strconv.Atoi(down)
		if a == 0 || d == 0 {
			return 0, 0, width, height
		}
		w, h = width, max(1, width*d/a)
		if h > height {
			w, h = max(1, height*a/d), height
		}
		return (width - w) / 2, (height - h) / 2, w, h
	}
	part, ok := parseCrop(crop)
	if !ok {
		return 0, 0, width, height
	}
	of := func(percent float64, all int) int { return int(math.Round(percent * float64(all) / 100)) }
	x, y = min(of(part[0], width), width-1), min(of(part[1], height), height-1)
	return x, y, max(1, min(of(part[2], width), width-x)), max(1, min(of(part[3], height), height-y))
}

// pictureQuery begins the query of a link to a Picture.
const pictureQuery = "p="

// As returns the width and the part as one text: such as 1200 or 1200-16:9.
func (p Picture) As() string {
	if p.Crop == "" {
		return strconv.FormatInt(p.Width, 10)
	}
	return fmt.Sprintf("%d-%s", p.Width, p.Crop)
}

// PicturePath returns the path and the query of the link to a Picture, such as /f/12/SIGNATURE?p=1200~SIGNATURE. Only
// a Picture that was signed is made, so that visitors cannot ask for thousands of widths.
func (k *LinkKey) PicturePath(p Picture) string {
	path, as := k.FilePath(p.File), p.As()
	sum := k.sign("picture", path+"?"+as)
	return path + "?" + pictureQuery + as + "~" + base64.RawURLEncoding.EncodeToString(sum[:linkSignature])
}

// ReadPicture returns the Picture of a file that the query of a link asks for. ok is false for any query that PicturePath
// would not return.
func (k *LinkKey) ReadPicture(id FileID, query string) (p Picture, ok bool) {
	as, isPicture := strings.CutPrefix(query, pictureQuery)
	as, _, _ = strings.Cut(as, "~")
	width, crop, _ := strings.Cut(as, "-")
	n, err := strconv.ParseInt(width, 10, 64)
	if !isPicture || err != nil {
		return p, false
	}
	p = Picture{File: id, Width: n, Crop: crop}
	return p, hmac.Equal([]byte(k.PicturePath(p)), []byte(k.FilePath(id)+"?"+query))
}
