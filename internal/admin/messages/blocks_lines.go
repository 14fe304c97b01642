package messages

import (
	"slices"
	"strconv"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/social"
)

// This file has the inputs of blocks in which one text stands for several values: links and cells, a line each.

// ItemLines are the links of a menu, such as "Shop | https://example.com", or the addresses of social.
func (b *block) ItemLines() string {
	var lines []string
	for _, i := range b.Items {
		switch {
		case b.Type == messages.BlockMenu:
			lines = append(lines, i.Text+" | "+i.Link)
		case i.Text != "":
			lines = append(lines, strings.TrimSpace(i.Network+" "+i.Link)+" | "+i.Text)
		default:
			lines = append(lines, strings.TrimSpace(i.Network+" "+i.Link))
		}
	}
	return strings.Join(lines, "\n")
}

func readItems(kind messages.BlockType, text string) (all []messages.Item) {
	if kind != messages.BlockMenu && kind != messages.BlockSocial {
		return nil
	}
	for line := range strings.Lines(text) {
		parts := cells(strings.TrimSpace(line))
		first, second := parts[0], ""
		if len(parts) > 1 {
			second = parts[1]
		}
		switch {
		case first == "" && second == "":
		case kind == messages.BlockMenu:
			all = append(all, messages.Item{Text: first, Link: second})
		default:
			network, link, ok := strings.Cut(first, " ")
			if !ok || social.Called(network) == nil {
				network, link = "", first
			}
			all = append(all, messages.Item{Network: network, Link: strings.TrimSpace(link), Text: second})
		}
	}
	return all
}

// RowLines are the rows of a table: cells with bars between them.
func (b *block) RowLines() string {
	var lines []string
	for _, row := range b.Block.Rows {
		escaped := make([]string, len(row))
		for i, text := range row {
			escaped[i] = escapeBars(strings.ReplaceAll(text, "\n", " "))
		}
		lines = append(lines, strings.Join(escaped, " | "))
	}
	return strings.Join(lines, "\n")
}

// readRows reads the rows of a table. All get as many cells as the longest one.
func readRows(text string) (rows [][]string) {
	if strings.TrimSpace(text) == "" {
		return nil
	}
	most := 0
	for line := range strings.Lines(strings.Trim(text, "\n")) {
		row := cells(strings.TrimSpace(line))
		rows, most = append(rows, row), max(most, len(row))
	}
	for i := range rows {
		rows[i] = append(rows[i], make([]string, most-len(rows[i]))...)
	}
	return rows
}

// cells divides a line at its bars. Those of merge fields, and those after a backslash, stay.
func cells(line string) (all []string) {
	var cell strings.Builder
	for i := 0; i < len(line); i++ {
		rest := line[i:]
		switch end := strings.Index(rest, "}}"); {
		case strings.HasPrefix(rest, "{{") && end > 0:
			cell.WriteString(rest[:end+2])
			i += end + 1
		case strings.HasPrefix(rest, `\|`):
			cell.WriteByte('|')
			i++
		case line[i] == '|':
			all = append(all, strings.TrimSpace(cell.String()))
			cell.Reset()
		default:
			cell.WriteByte(line[i])
		}
	}
	return append(all, strings.TrimSpace(cell.String()))
}

// escapeBars puts a backslash before bars outside of merge fields.
func escapeBars(text string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(text, "{{")
		b.WriteString(strings.ReplaceAll(before, "|", `\|`))
		field, after, closed := strings.Cut(rest, "}}")
		switch {
		case !ok:
			return b.String()
		case !closed:
			return b.String() + "{{" + strings.ReplaceAll(rest, "|", `\|`)
		}
		b.WriteString("{{" + field + "}}")
		text = after
	}
}

// widths are the widths of columns that a form offers, in percent.
var widths = [][]int64{{50, 50}, {33, 67}, {67, 33}, {25, 75}, {75, 25}, {33, 33, 33}, {25, 50, 25}}

// widthOption is an entry of the select of widths.
type widthOption struct {
	Value, Text string
	Is          bool
}

// Widths are the entries of the select, with the widths of the block if it has others.
func (b *block) Widths() (all []widthOption) {
	_, own := b.Columns()
	list := widths
	if !slices.ContainsFunc(list, func(w []int64) bool { return slices.Equal(w, own) }) {
		list = append(slices.Clone(list), own)
	}
	for _, w := range list {
		all = append(all, widthOption{sharesText(w, ","), sharesText(w, " : "), slices.Equal(w, own)})
	}
	return all
}

func sharesText(shares []int64, between string) string {
	texts := make([]string, len(shares))
	for i := range shares {
		texts[i] = strconv.FormatInt(shares[i], 10)
	}
	return strings.Join(texts, between)
}

// readShares reads the widths of columns. Two equal ones are none.
func readShares(text string) (shares []int64) {
	if text == "" || text == "50,50" {
		return nil
	}
	for part := range strings.SplitSeq(text, ",") {
		shares = append(shares, ui.Int(part))
	}
	return shares
}

// HasLooks reports whether a block has looks in place of those of the theme.
func (b *block) HasLooks() bool { return b.Colour+b.Ground != "" || b.Padding+b.Corner > 0 }

// crop is a part of an image that the form offers.
type crop struct {
	Value, Text string
	Is          bool
}

// Crops are the parts of an image that the form offers.
func (b *block) Crops() []crop {
	all := []crop{{"", "messages.crop_whole", b.Crop == ""}}
	for _, shape := range enlist.CropShapes {
		all = append(all, crop{shape, "", b.Crop == shape})
	}
	return all
}

// CropPart is a part with numbers.
func (b *block) CropPart() string {
	if strings.Contains(b.Crop, ",") {
		return strings.ReplaceAll(b.Crop, ",", ", ")
	}
	return ""
}

// readCrop reads the part of an image. Numbers count, unless the author chooses a shape.
func readCrop(shape, part string) string {
	if shape != "" || strings.TrimSpace(part) == "" {
		return shape
	}
	return part
}
