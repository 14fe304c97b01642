package messages

import (
	"strconv"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file removes files from a Version that its Message could not get. A draft can have the ID of any file, and the mail
// of a Version has a link to each of its files, which a browser opens without a session.

// withoutForbidden returns a Message without the files that the caller cannot put into it: those of other Accounts, those
// that are no image, and those of Messages that the caller does not see. old is the Message as it is stored.
func (s *Service) withoutForbidden(tx *db.Tx, c *enlist.Caller, old, m *Message) (*Message, error) {
	if len(m.allFiles()) == 0 {
		return m, nil
	}
	allows, err := s.allowedFiles(tx, c, old, m)
	if err != nil {
		return nil, err
	}
	clean := *m
	blocks, err := DecodeBlocks(m.Blocks)
	if err != nil {
		return nil, err
	}
	err = eachBlock(blocks, func(b *Block) error {
		if b.File == 0 {
			return nil
		}
		_, err := loadImage(tx, old.AccountID, b.File, "blocks")
		if why := enlist.KindOf(err); why == enlist.NoFile || why == enlist.InvalidParameters || !allows(b.File) {
			b.File, err = 0, nil
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	clean.Blocks = EncodeBlocks(blocks)
	for _, list := range []*string{&clean.Attachments, &clean.InlineImages} {
		var kept []string
		for _, id := range splitIDs(*list) {
			_, err := files.LoadFile(tx, old.AccountID, id)
			if enlist.IgnoreKind(enlist.NoFile, err) != nil {
				return nil, err
			}
			if err == nil && allows(id) {
				kept = append(kept, strconv.FormatInt(int64(id), 10))
			}
		}
		*list = strings.Join(kept, ",")
	}
	return &clean, nil
}

// draftContent returns the texts of a draft: those that a page has sent in place of those of the Message, also wrong ones,
// but without files that the caller cannot put into the Message.
func (s *Service) draftContent(tx *db.Tx, c *enlist.Caller, old *Message, details []enlist.Detail) (string, error) {
	content, err := contentOf(old)
	if err != nil {
		return "", err
	}
	if content, err = withTexts(content, details); err != nil {
		return "", err
	}
	draft := Version{content: content}
	typed, err := draft.In(old)
	if err != nil {
		return "", err
	}
	clean, err := s.withoutForbidden(tx, c, old, typed)
	if err != nil || *clean == *typed {
		return content, err
	}
	return withTexts(content, []enlist.Detail{{Key: "blocks", Value: enlist.TextInput(clean.Blocks)},
		{Key: "attachments", Value: enlist.TextInput(clean.Attachments)}, {Key: "inline_images", Value: enlist.TextInput(clean.InlineImages)}})
}
