package messages

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
)

// This file shows a Message while a user writes it, without storing it: its mail, and what is probably wrong with it, at
// the block where it is.

// The codes of what only a writer is told.
const (
	FindingNoPreheader FindingCode = "no_preheader" // mail programs show the begin of the mail after the subject
	FindingDeadLink    FindingCode = "dead_link"    // the server of a link has no page
	FindingUnfit       FindingCode = "bad_condition"
)

// Typed is a Message as a user has typed it. Details that are nil stand for the stored Message.
type Typed struct {
	Message enlist.MessageID
	Details []enlist.Detail
	List    enlist.ListID
	Contact enlist.ContactID
}

// PreviewTyped returns the mail of a Message that is not stored. Without a Contact, merge fields have their fallbacks.
// Errors: those of EditMessage and PreviewMessage.
func (s *Service) PreviewTyped(ctx context.Context, c *enlist.Caller, t Typed) (*ComposedMail, error) {
	of := func(tx *db.Tx, _ *Message) (*Message, error) { return s.typed(tx, c, &t) }
	if t.Contact == 0 || !seesContacts(c) {
		return s.previewDraft(ctx, c, t.Message, of)
	}
	return s.preview(ctx, c, &t, of)
}

// typed returns the Message.
func (s *Service) typed(tx *db.Tx, c *enlist.Caller, t *Typed) (*Message, error) {
	if t.Details == nil {
		return LoadSeen(tx, c, t.Message, s.sentTo)
	}
	_, m, err := s.edited(tx, c, t.Message, t.Details)
	if err != nil {
		return nil, err
	}
	m.Asks = AsksForTracking(m)
	m.Met = typedEdition
	return m, nil
}

// typedEdition is a value of Message.Met that no stored Message has, so that a Message that is sent and typed at the same
// time is not compiled again and again.
const typedEdition = 1 << 31

// Link is a link of a block to a page of the web.
type PlacedLink struct{ Block, URL string }

// LinkChecker asks whether links lead to a page. Both functions return why links do not, as far as it is known.
type LinkChecker interface {
	Known(urls []string) map[string]string
	Look(ctx context.Context, owner int64, urls []string) map[string]string
}

// SetLinkChecker sets the LinkChecker. Without one, no links are asked.
func (s *Service) SetLinkChecker(l LinkChecker) { s.links = l }

// Checks returns what is probably wrong with a Message, errors first. Findings about a part have its block. If look is
// true, the servers of links are asked that were not asked in the last hour. Errors: those of EditMessage, NoList.
func (s *Service) Checks(ctx context.Context, c *enlist.Caller, t Typed, look bool) (all []Finding, err error) {
	if s.composer == nil {
		return nil, nil
	}
	var m *OutgoingMail
	err = s.db.InView(ctx, c, func(tx *db.Tx) error {
		message, err := s.typed(tx, c, &t)
		if err != nil {
			return err
		}
		m = &OutgoingMail{Message: message.AllShown(), Contact: new(enlist.Contact)}
		if m.Files, err = message.LoadFiles(tx); err != nil {
			return err
		}
		all = nil
		if t.List == 0 {
			m.Schema = enlist.NewSchema(enlist.List{AccountID: c.Account.ID, Name: c.Account.Name}, nil, nil)
			return nil
		}
		if m.Schema, err = lists.Load(tx, c, t.List); err != nil {
			return err
		}
		m.Schema = Untracked(m.Schema)
		all, err = placedInList(tx, m.Schema, s.db.Now().Unix(), message)
		return err
	})
	if err != nil {
		return nil, err
	}
	placed, links, err := s.composer.Places(ctx, m.Message)
	if err != nil {
		return nil, err
	}
	whole, err := s.composer.Check(ctx, m)
	if err != nil {
		return nil, err
	}
	all = append(all, placed...)
	for _, f := range whole {
		isPlaced := slices.ContainsFunc(placed, func(p Finding) bool { return p.Code == f.Code })
		if f.Level != FindingNote && !isPlaced {
			all = append(all, f)
		}
	}
	all = append(all, s.deadLinks(ctx, c.Account.ID, links, look)...)
	if f, ok := m.Message.withoutPreheader(); ok {
		all = append(all, f)
	}
	slices.SortStableFunc(all, func(a, b Finding) int { return a.Rank() - b.Rank() })
	return all[:min(len(all), MaxFindings)], nil
}

// withoutPreheader is the Finding for a mail of blocks without a text for inboxes.
func (m *Message) withoutPreheader() (f Finding, ok bool) {
	if m.EmailType != EmailBlocks || m.Blocks == "" {
		return f, false
	}
	all, err := DecodeBlocks(m.Blocks)
	has := slices.ContainsFunc(all, func(b Block) bool { return b.Type == BlockPreheader && strings.TrimSpace(b.Text) != "" })
	return Finding{Level: FindingNote, Code: FindingNoPreheader,
		Text: "there is no preview text: inboxes show the first words of the email after the subject"}, err == nil && !has
}

// deadLinks are the Findings for links whose servers have no page.
func (s *Service) deadLinks(ctx context.Context, account enlist.AccountID, links []PlacedLink, look bool) (all []Finding) {
	if s.links == nil || len(links) == 0 {
		return nil
	}
	var urls []string
	for _, l := range links {
		if !slices.Contains(urls, l.URL) {
			urls = append(urls, l.URL)
		}
	}
	var why map[string]string
	if look {
		why = s.links.Look(ctx, int64(account), urls)
	} else {
		why = s.links.Known(urls)
	}
	for _, l := range links {
		if because := why[l.URL]; because != "" {
			all = append(all, Finding{Level: FindingWarning, Code: FindingDeadLink, Block: l.Block,
				Text: "the link " + enlist.Quoted(l.URL) + " leads to no page: " + because})
		}
	}
	return all
}

// placedInList returns what does not fit a List: merge fields and conditions of blocks, where they are.
func placedInList(tx *db.Tx, schema *enlist.Schema, now int64, m *Message) (all []Finding, err error) {
	add := func(path string, part *Message) {
		for _, name := range part.UnknownFields(schema) {
			f := UnknownField(schema, name)
			f.Block = path
			all = append(all, f)
		}
	}
	if m.EmailType != EmailBlocks {
		add("", m)
		return all, nil
	}
	head := *m
	head.Blocks = ""
	add("", &head)
	blocks, err := DecodeBlocks(m.Blocks)
	if err != nil {
		return nil, err
	}
	EachPlace(blocks, "", func(path string, b *Block) {
		if b.Type != BlockColumns {
			add(path, &Message{EmailType: EmailBlocks, Blocks: EncodeBlocks([]Block{*b})})
		}
	})
	showing, err := ShowTo(tx, schema, now, m, nil)
	if err != nil {
		return nil, err
	}
	for _, b := range showing.Conditional() {
		if b.why != nil {
			all = append(all, Finding{Level: FindingWarning, Code: FindingUnfit, Block: b.Path,
				Text: "no Contact of the List " + enlist.Quoted(schema.List.Name) + " sees " + b.Name + ": " + b.why.Error()})
		}
	}
	return all, nil
}

// EachPlace calls do for each block with its path, such as 2 or 2.left.0, also for those in columns.
func EachPlace(all []Block, prefix string, do func(path string, b *Block)) {
	for i := range all {
		path := prefix + strconv.Itoa(i)
		do(path, &all[i])
		for _, c := range all[i].columns() {
			EachPlace(*c.blocks, path+"."+c.name+".", do)
		}
	}
}
