package messages

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/messages/merge"
)

// This file has the blocks of a Message of the email type blocks: how a caller sends them, and which files they show.
// Package mail makes HTML of them. decisions.md: 134

// Block is a part of a mail. Which keys have a meaning depends on the type.
type Block struct {
	Type   BlockType     `json:"type"`
	Text   string        `json:"text,omitempty"`   // of a heading or a button; of a text or a quote in Markdown
	Level  int64         `json:"level,omitempty"`  // of a heading: 1 to 3
	By     string        `json:"by,omitempty"`     // who says the quote
	File   enlist.FileID `json:"file,omitempty"`   // of an image: a file of the Account
	URL    string        `json:"url,omitempty"`    // of an image elsewhere, in place of a file
	Alt    string        `json:"alt,omitempty"`    // what an image shows, in words
	Width  int64         `json:"width,omitempty"`  // of an image in pixels; 0: as wide as there is room
	Height int64         `json:"height,omitempty"` // of a space in pixels; 0: DefaultSpace
	Link   string        `json:"link,omitempty"`   // to which an image or a button leads
	Align  string        `json:"align,omitempty"`  // "center"; "": at the begin of the line
	HTML   string        `json:"html,omitempty"`
	Left   []Block       `json:"left,omitempty"` // of columns, which have no columns in them
	Right  []Block       `json:"right,omitempty"`
	Share  int64         `json:"share,omitempty"` // of columns: the width of the left one in percent, 33 or 67; 0: both are equal

	ShowIf  *Condition `json:"show_if,omitempty"`  // nil: each Contact sees the block
	LeftIf  *Condition `json:"left_if,omitempty"`  // of columns: who sees the left one
	RightIf *Condition `json:"right_if,omitempty"` // and the right one
}

// BlockType is a kind of Block.
type BlockType string

// The types of blocks.
const (
	BlockHeading BlockType = "heading"
	BlockText    BlockType = "text"
	BlockImage   BlockType = "image"
	BlockButton  BlockType = "button"
	BlockColumns BlockType = "columns"
	BlockLine    BlockType = "line"
	BlockQuote   BlockType = "quote"
	BlockHTML    BlockType = "html"

	// BlockPreheader is a text that mail programs show beside the subject, and the mail itself does not show.
	BlockPreheader BlockType = "preheader"
	BlockSpace     BlockType = "space"
)

// Limits of blocks.
const (
	maxBlocks = 200 // of a Message, with those in columns
	maxWidth  = 2000
	maxHeight = 300 // of a space

	// DefaultSpace is the height of a space that has none, in pixels.
	DefaultSpace = 24
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

// check refuses a block that no mail can show.
func (b *Block) check() error {
	switch b.Type {
	case BlockHeading, BlockText, BlockImage, BlockButton, BlockLine, BlockQuote, BlockHTML, BlockPreheader, BlockSpace:
		if len(b.Left)+len(b.Right) > 0 {
			return enlist.Expected("left and right only in a block of the type columns")
		}
	case BlockColumns:
		isOutside := func(inside Block) bool { return inside.Type == BlockColumns || inside.Type == BlockPreheader }
		if slices.ContainsFunc(b.Left, isOutside) || slices.ContainsFunc(b.Right, isOutside) {
			return enlist.Expected("columns without columns in them, and without a preheader")
		}
	default:
		return enlist.Expected("blocks with a type: heading, text, image, button, columns, line, quote, html, preheader or space; " +
			enlist.Quoted(string(b.Type)) + " is none")
	}
	switch {
	case b.Level < 0 || b.Level > 3:
		return enlist.Expected("a level from 1 to 3")
	case b.Height < 0 || b.Height > maxHeight:
		return enlist.Expected(fmt.Sprintf("a height from 0 to %d", maxHeight))
	case b.Share != 0 && b.Share != 33 && b.Share != 67:
		return enlist.Expected("a share of 33 or 67, or none")
	case b.Width < 0 || b.Width > maxWidth:
		return enlist.Expected(fmt.Sprintf("a width from 0 to %d", maxWidth))
	case b.Align != "" && b.Align != "center":
		return enlist.Expected("align center, or none")
	case b.File != 0 && b.Type != BlockImage:
		return enlist.Expected("a file only in a block of the type image")
	}
	if err := b.checkConditions(); err != nil {
		return err
	}
	b.Link = strings.TrimSpace(b.Link)
	if why := b.LinkProblem(); why != "" {
		return enlist.Expected("links that begin with http, https, mailto, tel, # or a merge field; " +
			enlist.Quoted(b.Link) + " " + why)
	}
	return nil
}

// Shares returns the widths of the columns in percent.
func (b *Block) Shares() (left, right int64) {
	if b.Share == 0 {
		return 50, 50
	}
	return b.Share, 100 - b.Share
}

// LinkProblem says what is wrong with the link of an image or a button, such as "leads nowhere", or returns "". A block
// without a link is a draft. A Message of a version before 1.0.0 may have a wrong one: it can be read and sent.
func (b *Block) LinkProblem() string {
	if b.Link == "" || strings.HasPrefix(b.Link, "/"+string(enlist.LinkFile)+"/") { // a file: it gets its URL in the mail
		return ""
	}
	return merge.LinkProblem(b.Link)
}

// eachBlock calls do for each block, also for those in columns.
func eachBlock(all []Block, do func(*Block) error) error {
	for i := range all {
		b := &all[i]
		if err := do(b); err != nil {
			return err
		}
		if err := eachBlock(b.Left, do); err != nil {
			return err
		}
		if err := eachBlock(b.Right, do); err != nil {
			return err
		}
	}
	return nil
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
		for _, t := range []string{one.Text, one.By, one.URL, one.Alt, one.Link, one.HTML} {
			b.WriteString(t + "\n")
		}
		return nil
	})
	return b.String()
}

// blocksWithFile returns a Message of an Account whose blocks show a file, or 0. EncodeBlocks escapes quotes in
// texts, so only the key of a block has this form.
func blocksWithFile(tx *db.Tx, account enlist.AccountID, id enlist.FileID) (enlist.MessageID, error) {
	key := fmt.Sprintf(`%%"file":%d`, id)
	n, err := tx.Number(`SELECT id FROM message WHERE account_id = ? AND (blocks LIKE ? OR blocks LIKE ?) ORDER BY id
		LIMIT 1`, int64(account), key+",%", key+"}%")
	return enlist.MessageID(n), err
}
