package messages

import "context"

// This file has what the editor shows of a Message of blocks.

// Canvas is a Message of blocks as the editor shows it.
type Canvas struct {
	Theme    Theme
	Sheet    string   // rules of a style sheet for an element of the class canvas
	Contents []string // HTML of the blocks of the types text and quote, with merge fields, in the order of the blocks
	Room     int64    // width of the text in pixels
	Wrong    []string // of each block: what LinkProblem says
}

// Canvas returns what the editor shows of a Message, which need not be stored. It returns nil if this process composes no
// mails. The error says what the author can do.
func (s *Service) Canvas(ctx context.Context, m *Message) (*Canvas, error) {
	if s.composer == nil {
		return nil, nil
	}
	return s.composer.Canvas(ctx, m)
}

// EachBlock calls do for each block, also for those in columns.
func EachBlock(all []Block, do func(*Block)) {
	_ = eachBlock(all, func(b *Block) error {
		do(b)
		return nil
	})
}
