package messages

import (
	"slices"
	"strconv"
	"strings"

	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/search"
)

// This file has the conditions of blocks: criteria of a search, which a Contact must meet to see the block. The search
// itself decides, once for all Contacts of a transaction, so a block is shown to the Contacts that
// searchContacts finds. Keys are names, as in merge fields, so a Message fits every List that has them. A mail that is
// composed without this decision has only the blocks without a condition. decisions.md: 165

// maxConditions is the largest number of different conditions of a Message.
const maxConditions = 20

// Condition is the condition of a block or a column. In JSON it is an array of triples, as the parameter search_criteria.
type Condition struct{ Criteria *enlist.Criteria }

// MarshalJSON implements json.Marshaler.
func (c *Condition) MarshalJSON() ([]byte, error) {
	if c.Criteria == nil {
		return []byte("null"), nil
	}
	return []byte(c.Criteria.JSON()), nil
}

// UnmarshalJSON implements json.Unmarshaler. The error is a badCondition.
func (c *Condition) UnmarshalJSON(text []byte) error {
	in, err := enlist.InputOfJSON(text)
	if err == nil {
		c.Criteria, err = enlist.ReadCriteria(&in)
	}
	if err == nil {
		err = c.Criteria.Check()
	}
	if err != nil {
		return badCondition{err}
	}
	return nil
}

// badCondition is the error of criteria that no List could search.
type badCondition struct{ error }

// conditions returns the conditions of a block and of its columns.
func (b *Block) conditions() []**Condition {
	return []**Condition{&b.ShowIf, &b.LeftIf, &b.MiddleIf, &b.RightIf}
}

// columnConditions returns the condition of each column.
func (b *Block) columnConditions() []*Condition {
	if len(b.Shares) == 3 {
		return []*Condition{b.LeftIf, b.MiddleIf, b.RightIf}
	}
	return []*Condition{b.LeftIf, b.RightIf}
}

// checkConditions removes conditions without a test, and refuses conditions of columns in a block that has none.
func (b *Block) checkConditions() error {
	for _, c := range b.conditions() {
		if *c != nil && (*c).Criteria == nil {
			*c = nil
		}
	}
	switch {
	case b.Type != BlockColumns && (b.LeftIf != nil || b.RightIf != nil):
		return enlist.Expected("left_if and right_if only in a block of the type columns")
	case b.MiddleIf != nil && len(b.Shares) != 3:
		return enlist.Expected("middle_if only in a block of three columns")
	case b.Type == BlockPreheader && b.ShowIf != nil:
		return enlist.Expected("a preheader without show_if")
	}
	return nil
}

// distinct returns the different conditions of blocks as JSON, in their order.
func distinct(all []Block) (conditions []string) {
	_ = eachBlock(all, func(b *Block) error {
		for _, c := range b.conditions() {
			if *c == nil {
				continue
			}
			if text := (*c).Criteria.JSON(); !slices.Contains(conditions, text) {
				conditions = append(conditions, text)
			}
		}
		return nil
	})
	return conditions
}

// Conditions returns the different conditions of blocks, in their order.
func Conditions(all []Block) (conditions []*Condition) {
	texts := distinct(all)
	_ = eachBlock(all, func(b *Block) error {
		for _, c := range b.conditions() {
			if *c != nil && len(conditions) < len(texts) && (*c).Criteria.JSON() == texts[len(conditions)] {
				conditions = append(conditions, *c)
			}
		}
		return nil
	})
	return conditions
}

// HasConditions reports whether stored blocks can have conditions, without reading them. EncodeBlocks escapes quotes in
// texts, so only a key has this form.
func (m *Message) HasConditions() bool {
	return m.EmailType == EmailBlocks && strings.Contains(m.Blocks, `_if":[`)
}

// SegmentsNamed returns the Segments that conditions of the Message name.
func (m *Message) SegmentsNamed() (ids []enlist.SegmentID, err error) {
	if !m.HasConditions() {
		return nil, nil
	}
	blocks, err := DecodeBlocks(m.Blocks)
	for _, c := range Conditions(blocks) {
		ids = append(ids, c.Criteria.SegmentsNamed()...)
	}
	return ids, err
}

// Showing says which blocks of a Message the Contacts of a List see.
type Showing struct {
	message    *Message
	blocks     []Block
	conditions []string                    // the different ones
	met        map[enlist.ContactID]uint32 // a bit for each of these
	made       map[uint32]*Message         // by the conditions that are met
	Wrong      map[int]error               // InvalidSearch of the conditions that do not fit the List: no Contact meets them
}

// ShowTo decides at the Unix time now about the blocks of a Message for Contacts of a List, by one search for all
// conditions.
func ShowTo(tx *db.Tx, schema *enlist.Schema, now int64, m *Message, ids []enlist.ContactID) (*Showing, error) {
	s := &Showing{message: m}
	if !m.HasConditions() {
		return s, nil
	}
	var err error
	if s.blocks, err = DecodeBlocks(m.Blocks); err != nil {
		return nil, err
	}
	s.conditions, s.made = distinct(s.blocks), make(map[uint32]*Message)
	s.Wrong = make(map[int]error)
	conditions := Conditions(s.blocks)
	wanted := make([]*enlist.Condition, len(conditions))
	for i, c := range conditions {
		query, err := contacts.TypeSearch(tx, schema, now, enlist.Query{Criteria: c.Criteria})
		switch {
		case enlist.KindOf(err) == enlist.InvalidSearch:
			s.Wrong[i] = err
		case err != nil:
			return nil, err
		default:
			wanted[i] = query.Where
		}
	}
	s.met, err = search.Met(tx, schema, wanted, ids)
	return s, err
}

// For returns the Message with the blocks that a Contact sees.
func (s *Showing) For(id enlist.ContactID) *Message {
	if s.conditions == nil {
		return s.message
	}
	met := s.met[id]
	if s.made[met] == nil {
		m := *s.message
		m.Met |= met
		m.Blocks = EncodeBlocks(shownBlocks(s.blocks, func(c *Condition) bool { return met&s.bit(c) != 0 }))
		s.made[met] = &m
	}
	return s.made[met]
}

func (s *Showing) bit(c *Condition) uint32 { return 1 << slices.Index(s.conditions, c.Criteria.JSON()) }

// AllShown returns the Message with all blocks, as no single Contact may see it.
func (m *Message) AllShown() *Message {
	if !m.HasConditions() {
		return m
	}
	blocks, err := DecodeBlocks(m.Blocks)
	if err != nil {
		return m
	}
	shown := *m
	shown.Blocks = EncodeBlocks(shownBlocks(blocks, func(*Condition) bool { return true }))
	return &shown
}

// Unconditional returns the blocks without a condition.
func Unconditional(all []Block) []Block {
	if distinct(all) == nil {
		return all
	}
	return shownBlocks(all, func(*Condition) bool { return false })
}

// shownBlocks returns the blocks whose conditions are met, without them. The blocks of a column whose neighbour is left
// out, or has lost all its blocks, take its room.
func shownBlocks(all []Block, meets func(*Condition) bool) (shown []Block) {
	isMet := func(c *Condition) bool { return c == nil || meets(c) }
	for _, b := range all {
		if !isMet(b.ShowIf) {
			continue
		}
		b.ShowIf = nil
		if b.Type != BlockColumns {
			shown = append(shown, b)
			continue
		}
		var kept [][]Block
		var shares []int64
		columns, widths := b.Columns()
		for i, c := range b.columnConditions() {
			if blocks := shownBlocks(columns[i], meets); isMet(c) && (blocks != nil || columns[i] == nil) {
				kept, shares = append(kept, blocks), append(shares, widths[i])
			}
		}
		b.LeftIf, b.MiddleIf, b.RightIf = nil, nil, nil
		switch len(kept) {
		case 0:
		case 1:
			shown = append(shown, kept[0]...)
		default:
			b.showColumns(kept, shares)
			shown = append(shown, b)
		}
	}
	return shown
}

// NamesSegment reports whether a condition of the Message names a Segment.
func (m *Message) NamesSegment(id enlist.SegmentID) bool {
	if !m.HasConditions() {
		return false
	}
	all, err := DecodeBlocks(m.Blocks)
	names := false
	_ = eachBlock(all, func(b *Block) error {
		for _, c := range b.conditions() {
			names = names || *c != nil && (*c).Criteria.NamesSegment(id)
		}
		return nil
	})
	return names || err != nil
}

// ConditionAt returns the place of the condition of a block, such as 2 or 2.left.0, or of a column, such as 2.left. It
// returns nil if there is no such block, or a preheader.
func ConditionAt(all []Block, path string) **Condition {
	first, rest, isDeep := strings.Cut(path, ".")
	i, err := strconv.Atoi(first)
	if err != nil || i < 0 || i >= len(all) || all[i].Type == BlockPreheader {
		return nil
	}
	if !isDeep {
		return &all[i].ShowIf
	}
	side, inside, isDeep := strings.Cut(rest, ".")
	for _, column := range all[i].columns() {
		switch {
		case column.name != side || all[i].Type != BlockColumns:
		case isDeep:
			return ConditionAt(*column.blocks, inside)
		default:
			return column.condition
		}
	}
	return nil
}

// column is a column of a block.
type column struct {
	name      string
	blocks    *[]Block
	condition **Condition
}

// columns returns the columns of a block of the type columns.
func (b *Block) columns() []column {
	return []column{{"left", &b.Left, &b.LeftIf}, {"middle", &b.Middle, &b.MiddleIf}, {"right", &b.Right, &b.RightIf}}
}
