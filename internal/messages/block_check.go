package messages

import (
	"fmt"
	"slices"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/messages/merge"
	"enlist/internal/social"
)

// This file says which blocks a mail can show.

// Limits of blocks.
const (
	maxBlocks  = 200 // of a Message, with those in columns
	maxWidth   = 2000
	maxHeight  = 300 // of a space
	maxItems   = 20
	maxRows    = 100
	maxCells   = 8 // of a row
	maxPadding = 100
	maxCorner  = 60
	minShare   = 15 // percent

	// DefaultSpace is the height of a space that has none, in pixels.
	DefaultSpace = 24
)

// keysOf are the keys that only blocks of some types have.
var keysOf = []struct {
	name  string
	isSet func(*Block) bool
	types []BlockType
}{
	{"left, middle, right and shares", func(b *Block) bool { return len(b.Left)+len(b.Middle)+len(b.Right)+len(b.Shares) > 0 }, []BlockType{BlockColumns}},
	{"a file", func(b *Block) bool { return b.File != 0 }, []BlockType{BlockImage, BlockVideo, BlockCard}},
	{"a crop and a decoration", func(b *Block) bool { return b.Crop != "" || b.Decor }, []BlockType{BlockImage, BlockVideo, BlockCard}},
	{"a caption", func(b *Block) bool { return b.Caption != "" }, []BlockType{BlockImage}},
	{"items", func(b *Block) bool { return len(b.Items) > 0 }, []BlockType{BlockMenu, BlockSocial}},
	{"rows and head", func(b *Block) bool { return len(b.Rows) > 0 || b.Head }, []BlockType{BlockTable}},
	{"title, label, button and place", func(b *Block) bool { return b.Title+b.Label+b.Button+b.Place != "" }, []BlockType{BlockCard}},
}

// blockTypes are all types, in the order of an error.
var blockTypes = []BlockType{BlockHeading, BlockText, BlockImage, BlockVideo, BlockCard, BlockButton, BlockMenu, BlockSocial, BlockColumns,
	BlockTable, BlockLine, BlockQuote, BlockHTML, BlockPreheader, BlockSpace}

// check refuses a block that no mail can show.
func (b *Block) check() error {
	if !slices.Contains(blockTypes, b.Type) {
		return enlist.Expected("blocks with a type: " + typeNames(blockTypes) + "; " + enlist.Quoted(string(b.Type)) + " is none")
	}
	for _, k := range keysOf {
		if k.isSet(b) && !slices.Contains(k.types, b.Type) {
			return enlist.Expected(k.name + " only in a block of the type " + typeNames(k.types))
		}
	}
	switch {
	case b.Level < 0 || b.Level > 3:
		return enlist.Expected("a level from 1 to 3")
	case b.Height < 0 || b.Height > maxHeight:
		return enlist.Expected(fmt.Sprintf("a height from 0 to %d", maxHeight))
	case b.Width < 0 || b.Width > maxWidth:
		return enlist.Expected(fmt.Sprintf("a width from 0 to %d", maxWidth))
	case b.Align != "" && b.Align != "center" && b.Align != "right":
		return enlist.Expected("align center or right, or none")
	case b.Place != "" && b.Place != "left" && b.Place != "right":
		return enlist.Expected("place left or right, or none")
	}
	for _, check := range []func(*Block) error{(*Block).checkColumns, (*Block).checkItems, (*Block).checkRows, (*Block).checkLooks} {
		if err := check(b); err != nil {
			return err
		}
	}
	if err := b.checkConditions(); err != nil {
		return err
	}
	crop, err := enlist.ReadCrop(b.Crop)
	if err != nil {
		return err
	}
	b.Crop, b.Link = crop, strings.TrimSpace(b.Link)
	if link, why := b.wrongLink(); why != "" {
		return enlist.Expected("links that begin with http, https, mailto, tel, # or a merge field; " + enlist.Quoted(link) + " " + why)
	}
	return nil
}

func typeNames(all []BlockType) string {
	names := make([]string, len(all))
	for i := range all {
		names[i] = string(all[i])
	}
	if last := len(names) - 1; last > 0 {
		return strings.Join(names[:last], ", ") + " or " + names[last]
	}
	return names[0]
}

func (b *Block) checkColumns() error {
	isOutside := func(inside Block) bool { return inside.Type == BlockColumns || inside.Type == BlockPreheader }
	for _, column := range [][]Block{b.Left, b.Middle, b.Right} {
		if slices.ContainsFunc(column, isOutside) {
			return enlist.Expected("columns without columns in them, and without a preheader")
		}
	}
	if len(b.Shares) == 0 && len(b.Middle) == 0 {
		return nil
	}
	sum, least := int64(0), int64(100)
	for _, share := range b.Shares {
		sum, least = sum+share, min(least, share)
	}
	isTwo := len(b.Shares) == 2 && len(b.Middle) == 0
	if !isTwo && len(b.Shares) != 3 || least < minShare || sum != 99 && sum != 100 {
		return enlist.Expected(fmt.Sprintf("shares of 2 columns, or of 3 with a middle one: percentages from %d with the sum 100", minShare))
	}
	return nil
}

func (b *Block) checkItems() error {
	if len(b.Items) > maxItems {
		return enlist.Expected(fmt.Sprintf("at most %d items", maxItems))
	}
	for i := range b.Items {
		item := &b.Items[i]
		item.Link = strings.TrimSpace(item.Link)
		switch {
		case item.Network != "" && b.Type != BlockSocial:
			return enlist.Expected("a network only in a block of the type social")
		case item.Network != "" && social.Called(item.Network) == nil:
			var names []string
			for i := range social.Networks {
				names = append(names, social.Networks[i].Name)
			}
			return enlist.Expected("a network of " + strings.Join(names, ", ") + "; " + enlist.Quoted(item.Network) + " is none")
		}
	}
	return nil
}

func (b *Block) checkRows() error {
	if len(b.Rows) > maxRows {
		return enlist.Expected(fmt.Sprintf("at most %d rows", maxRows))
	}
	for _, row := range b.Rows {
		if len(row) == 0 || len(row) > maxCells || len(row) != len(b.Rows[0]) {
			return enlist.Expected(fmt.Sprintf("rows that have all the same number of cells, 1 to %d", maxCells))
		}
	}
	return nil
}

// checkLooks checks what a block has in place of the theme.
func (b *Block) checkLooks() (err error) {
	for _, c := range []*string{&b.Colour, &b.Ground} {
		if *c == "" {
			continue
		}
		if *c, err = readColour(*c); err != nil {
			return err
		}
	}
	switch {
	case b.Padding < 0 || b.Padding > maxPadding:
		return enlist.Expected(fmt.Sprintf("a padding from 0 to %d", maxPadding))
	case b.Corner < 0 || b.Corner > maxCorner:
		return enlist.Expected(fmt.Sprintf("a corner from 0 to %d", maxCorner))
	case b.Type == BlockPreheader && (b.Colour+b.Ground != "" || b.Padding+b.Corner > 0):
		return enlist.Expected("colours, padding and corner in a block that the email shows")
	}
	return nil
}

// showColumns replaces the columns of a block by those that are left. They share the whole width.
func (b *Block) showColumns(columns [][]Block, shares []int64) {
	b.Left, b.Middle, b.Right = columns[0], nil, columns[len(columns)-1]
	switch len(columns) {
	case 3:
		b.Middle = columns[1]
		return
	case len(b.Shares):
		return
	}
	first := max(minShare, min(100-minShare, shares[0]*100/(shares[0]+shares[1])))
	if b.Shares = []int64{first, 100 - first}; shares[0] == shares[1] {
		b.Shares = nil
	}
}

// Columns returns the blocks of each column, and the widths of the columns in percent.
func (b *Block) Columns() (columns [][]Block, shares []int64) {
	switch len(b.Shares) {
	case 3:
		return [][]Block{b.Left, b.Middle, b.Right}, b.Shares
	case 2:
		return [][]Block{b.Left, b.Right}, b.Shares
	}
	return [][]Block{b.Left, b.Right}, []int64{50, 50}
}

// HasMarkdown reports whether the text of a block is Markdown.
func (b *Block) HasMarkdown() bool {
	return b.Type == BlockText || b.Type == BlockQuote || b.Type == BlockCard
}

// HasPicture reports whether the block shows a picture, and the author has chosen one.
func (b *Block) HasPicture() bool { return b.File != 0 || b.URL != "" }

// NetworkOf returns the network of an item of social.
func (i *Item) NetworkOf() *social.Network {
	if n := social.Called(i.Network); n != nil {
		return n
	}
	return social.Of(i.Link)
}

// LinkProblem says what is wrong with a link of the block, such as "leads nowhere", or returns "". A block
// without a link is a draft. A Message of a version before 1.0.0 may have a wrong one: it can be read and sent.
func (b *Block) LinkProblem() string {
	_, why := b.wrongLink()
	return why
}

// wrongLink returns the first link that leads nowhere.
func (b *Block) wrongLink() (link, why string) {
	links := []string{b.Link}
	for i := range b.Items {
		links = append(links, b.Items[i].Link)
	}
	for _, link := range links {
		if link == "" || strings.HasPrefix(link, "/"+string(enlist.LinkFile)+"/") { // a file: it gets its URL in the mail
			continue
		}
		if why := merge.LinkProblem(link); why != "" {
			return link, why
		}
	}
	return "", ""
}

// words returns the texts that a reader sees, in their order, and the links.
func (b *Block) words() []string {
	all := []string{b.Title, b.Text, b.By, b.Caption, b.Label, b.Button, b.Link}
	for _, item := range b.Items {
		all = append(all, item.Text, item.Link)
	}
	for _, row := range b.Rows {
		all = append(all, row...)
	}
	return all
}

// eachBlock calls do for each block, also for those in columns.
func eachBlock(all []Block, do func(*Block) error) error {
	for i := range all {
		b := &all[i]
		if err := do(b); err != nil {
			return err
		}
		for _, column := range [][]Block{b.Left, b.Middle, b.Right} {
			if err := eachBlock(column, do); err != nil {
				return err
			}
		}
	}
	return nil
}

// Paragraphs returns the lines of all texts of blocks, without spaces around them.
func Paragraphs(all []Block) (lines []string) {
	_ = eachBlock(all, func(b *Block) error {
		for _, text := range b.words() {
			for line := range strings.Lines(text) {
				if line = strings.TrimSpace(line); line != "" {
					lines = append(lines, line)
				}
			}
		}
		return nil
	})
	return lines
}
