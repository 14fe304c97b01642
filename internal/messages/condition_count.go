package messages

import (
	"strconv"
	"strings"

	"enlist/internal/enlist"
)

// This file counts who sees the blocks with a condition, for checkBatch.

// ConditionalBlock is a block or a column with a condition.
type ConditionalBlock struct {
	Path  string // such as 2 or 2.left.0, and 2.left for a column
	Name  string // for people, such as: block 3 "Dear members"
	needs uint32 // conditions, with those of the blocks around it
	why   error
}

// Conditional returns the blocks and columns with a condition, in their order.
func (s *Showing) Conditional() (all []ConditionalBlock) {
	if s.conditions == nil {
		return nil
	}
	return s.conditional(s.blocks, "", "block ", 0)
}

func (s *Showing) conditional(blocks []Block, prefix, name string, around uint32) (all []ConditionalBlock) {
	add := func(c *Condition, path, name string, needs uint32) uint32 {
		if c == nil {
			return needs
		}
		needs |= s.bit(c)
		one := ConditionalBlock{Path: path, Name: name, needs: needs}
		for i, why := range s.Wrong {
			if s.bit(c) == 1<<i {
				one.why = why
			}
		}
		all = append(all, one)
		return needs
	}
	for i := range blocks {
		b, path := &blocks[i], prefix+strconv.Itoa(i)
		of := name + strconv.Itoa(i+1)
		needs := add(b.ShowIf, path, of+b.begin(), around)
		for _, side := range b.columns() {
			inside := add(*side.condition, path+"."+side.name, of+", "+side.name+" column", needs)
			all = append(all, s.conditional(*side.blocks, path+"."+side.name+".", of+", "+side.name+" column, block ", inside)...)
		}
	}
	return all
}

// begin returns the first words of a block in quotes after a space, or "". A bold beginning is usual, so its stars go.
func (b *Block) begin() string {
	words := []rune(strings.Join(strings.Fields(strings.ReplaceAll(b.Text, "**", "")+" "+b.Alt), " "))
	if len(words) == 0 {
		return ""
	}
	if len(words) > 30 {
		words = append(words[:30], '…')
	}
	return " " + enlist.Quoted(string(words))
}

// Wrong returns why no Contact of the List meets the condition, or nil.
func (b *ConditionalBlock) Wrong() error { return b.why }

// Sees reports whether a Contact sees a block with a condition.
func (s *Showing) Sees(id enlist.ContactID, b *ConditionalBlock) bool {
	return s.met[id]&b.needs == b.needs
}

// IsEmptyFor reports whether a Contact sees no block with a content.
func (s *Showing) IsEmptyFor(id enlist.ContactID) bool {
	if s.conditions == nil {
		return false
	}
	all, err := DecodeBlocks(s.For(id).Blocks)
	isEmpty := err == nil
	_ = eachBlock(all, func(b *Block) error {
		switch b.Type {
		case BlockPreheader, BlockLine, BlockSpace, BlockColumns:
		default:
			isEmpty = false
		}
		return nil
	})
	return isEmpty
}
