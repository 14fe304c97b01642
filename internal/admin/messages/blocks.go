package messages

import (
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/admin/images"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file reads and changes the blocks of the editor. The form has all of them: the inputs of a block have names
// such as 2.text, or 2.left.0.text in the left column of the block 2, and 2.left.count is the number of blocks there.
// A button has a value such as up:2.left.0.

// blockKinds are the types of blocks in words, in the order of the select.
var blockKinds = []struct {
	Name messages.BlockType
	Text string
}{{messages.BlockText, "messages.block_text"}, {messages.BlockHeading, "messages.block_heading"}, {messages.BlockImage, "messages.block_image"},
	{messages.BlockButton, "messages.block_button"}, {messages.BlockColumns, "messages.block_columns"}, {messages.BlockCard, "messages.block_card"},
	{messages.BlockVideo, "messages.block_video"}, {messages.BlockTable, "messages.block_table"}, {messages.BlockMenu, "messages.block_menu"},
	{messages.BlockSocial, "messages.block_social"}, {messages.BlockQuote, "messages.block_quote"}, {messages.BlockLine, "messages.block_line"},
	{messages.BlockSpace, "messages.block_space"}, {messages.BlockHTML, "messages.block_html"}, {messages.BlockPreheader, "messages.block_preheader"}}

// readBlocks reads the blocks of a form. prefix is "" or such as "2.left.".
func readBlocks(form url.Values, prefix string) (all []messages.Block) {
	most := int(min(ui.Int(form.Get(prefix+"count")), 200))
	for i := range most {
		at := prefix + strconv.Itoa(i) + "."
		get := func(key string) string { return strings.ReplaceAll(form.Get(at+key), "\r\n", "\n") }
		b := messages.Block{Type: messages.BlockType(get("type")), Text: get("text"), Level: ui.Int(get("level")),
			By: get("by"), File: enlist.FileID(ui.Int(get("file"))), URL: get("url"), Alt: get("alt"),
			Width: ui.Int(get("width")), Height: ui.Int(get("height")), Link: strings.TrimSpace(get("link")), Align: get("align"), HTML: get("html"),
			Title: get("title"), Label: get("label"), Button: get("button"), Place: get("place"), Caption: get("caption"),
			Colour: strings.TrimSpace(get("colour")), Ground: strings.TrimSpace(get("ground")), Padding: ui.Int(get("padding")), Corner: ui.Int(get("corner")),
			Rows: readRows(get("rows")), Head: get("head") != "", Shares: readShares(get("shares"))}
		b.Crop, b.Decor = readCrop(get("crop"), get("part")), get("decor") != "" && get("alt") == ""
		b.Items = readItems(b.Type, get("items"))
		b.ShowIf, b.LeftIf = readCondition(get("show_if")), readCondition(get("left.show_if"))
		b.MiddleIf, b.RightIf = readCondition(get("middle.show_if")), readCondition(get("right.show_if"))
		if form.Has(at+"was") && get("was") != get("file") {
			b.Width, b.Crop = 0, "" // those of the other image
		}
		if b.Type == messages.BlockColumns && prefix == "" {
			b.Left, b.Middle, b.Right = readBlocks(form, at+"left."), readBlocks(form, at+"middle."), readBlocks(form, at+"right.")
			if len(b.Shares) != 3 && len(b.Middle) > 0 { // the author has removed the middle column
				joinColumns(&b)
			}
		}
		all = append(all, b)
	}
	return all
}

// joinColumns makes one column of the middle and the right one, whose blocks get their conditions. If a block has its own,
// there are still three columns.
func joinColumns(b *messages.Block) {
	for _, side := range []struct {
		blocks []messages.Block
		who    *messages.Condition
	}{{b.Middle, b.MiddleIf}, {b.Right, b.RightIf}} {
		isOwn := func(in messages.Block) bool { return in.ShowIf != nil }
		if side.who != nil && slices.ContainsFunc(side.blocks, isOwn) {
			b.Shares = []int64{33, 33, 33}
			return
		}
	}
	for i := range b.Middle {
		b.Middle[i].ShowIf = cmp.Or(b.Middle[i].ShowIf, b.MiddleIf)
	}
	for i := range b.Right {
		b.Right[i].ShowIf = cmp.Or(b.Right[i].ShowIf, b.RightIf)
	}
	b.Right, b.RightIf = append(b.Middle, b.Right...), nil
	b.Middle, b.MiddleIf = nil, nil
}

// readCondition reads a condition, which the form has as JSON.
func readCondition(text string) *messages.Condition {
	c := new(messages.Condition)
	if text == "" || json.Unmarshal([]byte(text), c) != nil {
		return nil
	}
	return c
}

// change does what a button says: up, down, remove or add, which adds saved blocks or a new one.
// It returns the path of the block that the person then sees.
func change(all []messages.Block, do string, form url.Values, saved []messages.Block) (changed []messages.Block, to string) {
	what, path, _ := strings.Cut(do, ":")
	within, number := &all, path
	prefix := ""
	if first, rest, deep := strings.Cut(path, "."); deep {
		i, err := strconv.Atoi(first)
		if err != nil || i < 0 || i >= len(all) {
			return all, ""
		}
		var side string
		side, number, _ = strings.Cut(rest, ".")
		within, prefix = &all[i].Left, first+"."+side+"."
		switch side {
		case "middle":
			within = &all[i].Middle
		case "right":
			within = &all[i].Right
		}
	}
	if what == "add" {
		if saved == nil {
			saved = []messages.Block{{Type: messages.BlockType(form.Get(prefix + "new"))}}
		}
		*within = append(*within, saved...)
		return all, prefix + strconv.Itoa(len(*within)-1)
	}
	i, err := strconv.Atoi(number)
	list := *within
	switch {
	case err != nil || i < 0 || i >= len(list):
	case what == "remove":
		*within = append(list[:i], list[i+1:]...)
		i = max(0, i-1)
	case what == "up" && i > 0:
		list[i-1], list[i] = list[i], list[i-1]
		i--
	case what == "down" && i < len(list)-1:
		list[i+1], list[i] = list[i], list[i+1]
		i++
	}
	return all, prefix + strconv.Itoa(i)
}

// addField puts a merge field at the end of a text of the form. where is subject, content or the path of a block.
func addField(form url.Values) {
	name, fallback := form.Get("field"), strings.TrimSpace(form.Get("fallback"))
	if name == "" {
		return
	}
	text := "{{" + name + "}}"
	if fallback = strings.NewReplacer("{", "", "}", "").Replace(fallback); fallback != "" {
		text = "{{" + name + "|" + fallback + "}}"
	}
	key := form.Get("where")
	switch {
	case key == "subject", key == "content":
	case form.Get(key+".type") == string(messages.BlockHTML):
		key += ".html"
	default:
		key += ".text"
	}
	before := form.Get(key)
	if before != "" && !strings.HasSuffix(before, " ") && !strings.HasSuffix(before, "\n") {
		before += " "
	}
	form.Set(key, before+text)
}

// block is a block of the editor.
type block struct {
	messages.Block
	Path        string // such as 2 or 2.left.0
	Kind        string // in words
	First, Last bool
	Sides       []blockList // of columns
	Images      []images.Image
	Shown       shownIf
}

// shownIf is a condition of a block or a column.
type shownIf struct{ JSON, Text string }

// saidOf returns a condition for the form.
func (d *editData) saidOf(c *messages.Condition) (s shownIf) {
	if c != nil {
		s.JSON = c.Criteria.JSON()
		s.Text = d.said[s.JSON]
	}
	return s
}

// blockList is a row of blocks in the editor.
type blockList struct {
	Prefix string // such as 2.left. or ""
	Title  string
	Shown  shownIf // of a column
	Blocks []block
	New    messages.BlockType // that was chosen for another block
	Saved  []savedOption
	Kinds  []struct {
		Name messages.BlockType
		Text string
	}
}

// newBlockList returns blocks as the editor shows them.
func newBlockList(all []messages.Block, prefix, title string, d *editData, form url.Values) blockList {
	l := blockList{Prefix: prefix, Title: title, Kinds: blockKinds, New: messages.BlockType(form.Get(prefix + "new"))}
	if prefix != "" {
		l.Kinds = nil
		for _, k := range blockKinds {
			if k.Name != messages.BlockColumns && k.Name != messages.BlockPreheader {
				l.Kinds = append(l.Kinds, k)
			}
		}
	}
	for i := range all {
		b := block{Block: all[i], Path: prefix + strconv.Itoa(i), First: i == 0, Last: i == len(all)-1, Images: d.pictures, Shown: d.saidOf(all[i].ShowIf)}
		for _, k := range blockKinds {
			if k.Name == b.Type {
				b.Kind = k.Text
			}
		}
		if b.Type == messages.BlockColumns {
			b.Sides = []blockList{newBlockList(b.Left, b.Path+".left.", "messages.left_column", d, form),
				newBlockList(b.Right, b.Path+".right.", "messages.right_column", d, form)}
			b.Sides[0].Shown, b.Sides[1].Shown = d.saidOf(b.LeftIf), d.saidOf(b.RightIf)
			if len(b.Shares) == 3 {
				middle := newBlockList(b.Middle, b.Path+".middle.", "messages.middle_column", d, form)
				middle.Shown = d.saidOf(b.MiddleIf)
				b.Sides = slices.Insert(b.Sides, 1, middle)
			}
		}
		l.Blocks = append(l.Blocks, b)
	}
	return l
}

// Path is the path of a column.
func (l *blockList) Path() string { return strings.TrimSuffix(l.Prefix, ".") }

// ID is the ID of the block in the page.
func (b *block) ID() string { return "b" + strings.ReplaceAll(b.Path, ".", "-") }

// inputsOf are the inputs of each type of blocks.
var inputsOf = map[messages.BlockType][]string{
	messages.BlockText:    {"text", "align", "looks"},
	messages.BlockHeading: {"line", "level", "align", "looks"},
	messages.BlockImage:   {"image", "width", "caption", "link", "align", "looks"},
	messages.BlockVideo:   {"image", "width", "line", "link", "align", "looks"},
	messages.BlockCard:    {"image", "title", "card", "link", "align", "looks"},
	messages.BlockButton:  {"line", "link", "align", "looks"},
	messages.BlockMenu:    {"items", "align", "looks"},
	messages.BlockSocial:  {"items", "align", "looks"},
	messages.BlockTable:   {"rows", "looks"},
	messages.BlockQuote:   {"text", "by", "align", "looks"},
	messages.BlockHTML:    {"html", "looks"},
	messages.BlockLine:    {"looks"},
	messages.BlockSpace:   {"height"},
	messages.BlockColumns: {"shares", "looks"},

	messages.BlockPreheader: {"line"},
}

// Has reports whether a block of this type has an input.
func (b *block) Has(key string) bool { return slices.Contains(inputsOf[b.Type], key) }

// Lines is the number of lines of a text.
func (b *block) Lines() int {
	return min(14, max(3, len(b.Text+b.HTML)/45+strings.Count(b.Text+b.HTML, "\n")+1))
}

// places returns the blocks that can have a merge field.
func (l blockList) places(r *ui.Request) (all []ui.Option) {
	for i := range l.Blocks {
		b := &l.Blocks[i]
		if b.Has("text") || b.Has("line") || b.Has("card") || b.Has("html") {
			start := []rune(strings.Join(strings.Fields(b.Text+b.HTML), " "))
			all = append(all, ui.Option{Value: b.Path,
				Text: fmt.Sprintf("%s: %s", r.Text(b.Kind), string(start[:min(len(start), 30)]))})
		}
		for _, side := range b.Sides {
			all = append(all, side.places(r)...)
		}
	}
	return all
}

// anchor is where the browser goes after a change of a block.
func anchor(path string) template.URL {
	if path == "" {
		return ""
	}
	return template.URL("#b" + strings.ReplaceAll(path, ".", "-"))
}
