package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file has the blocks of a Message of the email type blocks: how a caller sends them, and which files they show.
// Package mail makes HTML of them. decisions.md: 134

// Block is a part of a mail. Which keys have a meaning depends on the type.
type Block struct {
	Type   BlockType     `json:"type"`
	Title  string        `json:"title,omitempty"`  // of a card
	Text   string        `json:"text,omitempty"`   // of a heading, a button or a video; of a text, a quote or a card in Markdown
	Level  int64         `json:"level,omitempty"`  // of a heading: 1 to 3
	By     string        `json:"by,omitempty"`     // who says the quote
	Label  string        `json:"label,omitempty"`  // of a card: such as a price
	Button string        `json:"button,omitempty"` // of a card: the text of its button
	File   enlist.FileID `json:"file,omitempty"`   // of an image, a video or a card: a file of the Account
	URL    string        `json:"url,omitempty"`    // of an image elsewhere, in place of a file
	Alt    string        `json:"alt,omitempty"`    // what an image shows, in words
	Width  int64         `json:"width,omitempty"`  // of an image in pixels; 0: as wide as there is room
	Height int64         `json:"height,omitempty"` // of a space in pixels; 0: DefaultSpace

	Crop    string     `json:"crop,omitempty"`    // the part of the file that is shown, for enlist.ReadCrop
	Caption string     `json:"caption,omitempty"` // below an image
	Place   string     `json:"place,omitempty"`   // of the picture of a card: "left", "right"; "": above the text
	Link    string     `json:"link,omitempty"`    // to which an image, a button, a video or a card leads
	Items   []Item     `json:"items,omitempty"`   // of a menu or social
	Rows    [][]string `json:"rows,omitempty"`    // of a table: the cells of each row
	Head    bool       `json:"head,omitempty"`    // of a table: its first row says what is below
	HTML    string     `json:"html,omitempty"`

	Decor bool `json:"decoration,omitempty"` // an image, a video or a card whose picture needs no words: its author has decided it

	Left   []Block `json:"left,omitempty"` // of columns, which have no columns in them
	Middle []Block `json:"middle,omitempty"`
	Right  []Block `json:"right,omitempty"`
	Shares []int64 `json:"shares,omitempty"` // of columns: their widths in percent; three if there is a middle one; none: two equal ones

	Align   string `json:"align,omitempty"`   // "center" or "right"; "": at the begin of the line
	Colour  string `json:"colour,omitempty"`  // of the text, as #rrggbb; "": that of the theme
	Ground  string `json:"ground,omitempty"`  // below the text; of a button or a video: its own colour
	Padding int64  `json:"padding,omitempty"` // above and below the content, in pixels; 0: as usual
	Corner  int64  `json:"corner,omitempty"`  // radius in pixels

	ShowIf   *Condition `json:"show_if,omitempty"`   // nil: each Contact sees the block
	LeftIf   *Condition `json:"left_if,omitempty"`   // of columns: who sees the left one
	MiddleIf *Condition `json:"middle_if,omitempty"` // the middle one
	RightIf  *Condition `json:"right_if,omitempty"`  // and the right one
}

// Item is a link of a menu or of social.
type Item struct {
	Network string `json:"network,omitempty"` // of social: a name of package social; "": that of the link
	Text    string `json:"text,omitempty"`    // of a menu; of social the alternative text, or "" for the name of the network
	Link    string `json:"link"`
}

// BlockType is a kind of Block.
type BlockType string

// The types of blocks.
const (
	BlockHeading BlockType = "heading"
	BlockText    BlockType = "text"
	BlockImage   BlockType = "image"
	BlockVideo   BlockType = "video" // a picture that leads to a video
	BlockCard    BlockType = "card"  // a product or an article
	BlockButton  BlockType = "button"
	BlockMenu    BlockType = "menu"
	BlockSocial  BlockType = "social"
	BlockColumns BlockType = "columns"
	BlockTable   BlockType = "table"
	BlockLine    BlockType = "line"
	BlockQuote   BlockType = "quote"
	BlockHTML    BlockType = "html"

	// BlockPreheader is a text that mail programs show beside the subject, and the mail itself does not show.
	BlockPreheader BlockType = "preheader"
	BlockSpace     BlockType = "space"
)

// DecodeBlocks returns the blocks that a Message has stored.
func DecodeBlocks(text string) (all []Block, err error) {
	if text == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields() // a misspelled key would be lost
	if err := d.Decode(&all); err != nil {
		return nil, fmt.Errorf("read blocks: %w", err)
	}
	return all, nil
}

// EncodeBlocks returns blocks as a Message stores them. blocksWithFile depends on this form.
func EncodeBlocks(all []Block) string {
	if len(all) == 0 {
		return ""
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(all); err != nil {
		panic(err) // texts and numbers have a form in JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// blocksKey is the key of the blocks: a JSON array, or a text with one.
func blocksKey() enlist.Attribute[Message] {
	a := enlist.ReadOnlyText("blocks", func(m *Message) string { return m.Blocks })
	a.Set = func(m *Message, in enlist.Input) error {
		if in.Kind != enlist.InputText && in.Omitted() {
			return nil
		}
		text := in.Text
		switch in.Kind {
		case enlist.InputText:
		case enlist.InputObject: // of an array with one block
			text = "[" + in.JSON() + "]"
		case enlist.InputArray:
			text = in.JSON()
		default:
			return enlist.Expected("an array of blocks")
		}
		if len(text) > maxContent {
			return enlist.Expected(fmt.Sprintf("blocks of at most %d bytes", maxContent))
		}
		all, err := DecodeBlocks(text)
		if bad, ok := errors.AsType[badCondition](err); ok {
			return enlist.Expected("conditions of blocks with criteria as searches have them: " + bad.Error())
		}
		if err != nil {
			return enlist.Expected("an array of blocks with the keys of the reference")
		}
		if n := countBlocks(all); n > maxBlocks {
			return enlist.Expected(fmt.Sprintf("at most %d blocks", maxBlocks))
		}
		if err := eachBlock(all, (*Block).check); err != nil {
			return err
		}
		if len(distinct(all)) > maxConditions {
			return enlist.Expected(fmt.Sprintf("blocks with at most %d different conditions", maxConditions))
		}
		m.Blocks = EncodeBlocks(all)
		return nil
	}
	return a
}

func countBlocks(all []Block) (n int) {
	_ = eachBlock(all, func(*Block) error {
		n++
		return nil
	})
	return n
}

// SetImages checks the files of the blocks. An image without a width gets the one of its file.
func (m *Message) SetImages(tx *db.Tx) error {
	all, err := DecodeBlocks(m.Blocks)
	if err != nil || m.Blocks == "" {
		return err
	}
	if err := files.LockFiles(tx, m.AccountID); err != nil {
		return err
	}
	err = eachBlock(all, func(b *Block) error {
		if b.File == 0 {
			return nil
		}
		f, err := loadImage(tx, m.AccountID, b.File, "blocks")
		if err == nil && b.Width == 0 {
			b.Width = min(f.ImageWidth, maxWidth)
		}
		return err
	})
	m.Blocks = EncodeBlocks(all)
	return err
}

// loadImage returns a file of an Account that browsers and mail programs show as an image. key is what the error
// names.
func loadImage(tx *db.Tx, account enlist.AccountID, id enlist.FileID, key string) (*files.StoredFile, error) {
	f, err := files.LoadFile(tx, account, id)
	if enlist.KindOf(err) == enlist.NoFile {
		return nil, &enlist.Error{Kind: enlist.NoFile, Field: key,
			Detail: fmt.Sprintf("the Account has no file with the ID %d", id)}
	}
	if err == nil && !files.ImageTypes[f.Type] {
		err = enlist.Invalid(key, enlist.Quoted(f.Name)+" is no PNG, JPEG, GIF or WebP image")
	}
	if err != nil {
		return nil, err
	}
	return f, nil
}

// blockTexts returns the texts of blocks, which can have merge fields.
func blockTexts(text string) string {
	all, err := DecodeBlocks(text)
	if err != nil {
		return ""
	}
	var b strings.Builder
	_ = eachBlock(all, func(one *Block) error {
		for _, t := range append(one.words(), one.URL, one.Alt, one.HTML) {
			b.WriteString(t + "\n")
		}
		return nil
	})
	return b.String()
}

// blocksWithFile returns a Message of an Account whose blocks show a file, or 0.
func blocksWithFile(tx *db.Tx, account enlist.AccountID, id enlist.FileID) (enlist.MessageID, error) {
	n, err := tx.Number("SELECT id FROM message WHERE account_id = ? AND "+blocksShow+" ORDER BY id LIMIT 1",
		append([]any{int64(account)}, blocksShowing(id)...)...)
	return enlist.MessageID(n), err
}

// blocksShow is the condition that stored blocks show a file. EncodeBlocks escapes quotes in texts, so only the key of a
// block has this form.
const blocksShow = "(blocks LIKE ? OR blocks LIKE ?)"

// blocksShowing returns the arguments of blocksShow.
func blocksShowing(id enlist.FileID) []any {
	key := fmt.Sprintf(`%%"file":%d`, id)
	return []any{key + ",%", key + "}%"}
}
