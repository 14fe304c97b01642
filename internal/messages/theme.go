package messages

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/accounts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
)

// This file has the theme of an Account: how the mails look that are made of Markdown or blocks. The Account stores
// it as JSON, and each Message is read together with it. So a mail has the theme of the time when it is sent.
// decisions.md: 134

// Theme is how mails of an Account look.
type Theme struct {
	Logo       enlist.FileID `json:"logo,omitempty"` // at the top of each mail; 0: none
	LogoText   string        `json:"logo_text,omitempty"`
	LogoWidth  int64         `json:"logo_width"`
	Background string        `json:"background"` // around the mail, as #rrggbb, like the other colours
	Card       string        `json:"card"`       // below the text
	Text       string        `json:"text"`
	Accent     string        `json:"accent"` // of links and buttons
	Font       string        `json:"font"`   // one of Fonts
	Width      int64         `json:"width"`  // in pixels
	Imprint    string        `json:"imprint,omitempty"`
}

// fonts are the names of the fonts that a theme can have.
var fonts = []string{"system", "arial", "verdana", "georgia", "times", "courier"}

// fontStacks are the fonts of each name, as style sheets have them. Each mail program and browser has one of them.
var fontStacks = map[string]string{
	"system":  `-apple-system, 'Segoe UI', Roboto, Helvetica, Arial, sans-serif`,
	"arial":   `Arial, Helvetica, sans-serif`,
	"verdana": `Verdana, Geneva, sans-serif`,
	"georgia": `Georgia, 'Times New Roman', serif`,
	"times":   `'Times New Roman', Times, serif`,
	"courier": `'Courier New', Courier, monospace`,
}

// FontStack returns the fonts of the Theme as a value of font-family.
func (t *Theme) FontStack() string { return cmp.Or(fontStacks[t.Font], fontStacks["system"]) }

// Limits of a Theme.
const (
	minMailWidth = 400
	maxMailWidth = 900
	maxImprint   = 2000 // characters
)

// DefaultTheme returns the Theme of an Account that has set none.
func DefaultTheme() Theme {
	return Theme{LogoWidth: 160, Background: "#ffffff", Card: "#ffffff", Text: "#22252a", Accent: "#146c4f",
		Font: "system", Width: 600}
}

// DecodeTheme returns the Theme that an Account has stored.
func DecodeTheme(text string) Theme {
	t := DefaultTheme()
	if text == "" {
		return t
	}
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		return DefaultTheme() // a later version may store another form
	}
	return t
}

// Encode returns the Theme as an Account stores it.
func (t Theme) Encode() string {
	var b bytes.Buffer
	if err := json.NewEncoder(&b).Encode(t); err != nil {
		panic(err) // texts and numbers have a form in JSON
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// ThemeAttributes are the keys of a Theme, in the order of a reply.
var ThemeAttributes = enlist.WithVersion([]enlist.Attribute[Theme]{
	enlist.RefKey("logo_file_id", func(t *Theme) *enlist.FileID { return &t.Logo }),
	enlist.TextKey("logo_text", func(t *Theme) *string { return &t.LogoText }, enlist.ReadLine),
	enlist.IntKey("logo_width", func(t *Theme) *int64 { return &t.LogoWidth }, 16, maxMailWidth),
	enlist.TextKey("background_colour", func(t *Theme) *string { return &t.Background }, readColour),
	enlist.TextKey("card_colour", func(t *Theme) *string { return &t.Card }, readColour),
	enlist.TextKey("text_colour", func(t *Theme) *string { return &t.Text }, readColour),
	enlist.TextKey("accent_colour", func(t *Theme) *string { return &t.Accent }, readColour),
	enlist.EnumKey("font", func(t *Theme) *string { return &t.Font }, fonts...),
	enlist.IntKey("width", func(t *Theme) *int64 { return &t.Width }, minMailWidth, maxMailWidth),
	enlist.TextKey("imprint", func(t *Theme) *string { return &t.Imprint }, readImprint),
})

// readColour reads a colour as #rrggbb.
func readColour(text string) (string, error) {
	text = strings.ToLower(strings.TrimSpace(text))
	if len(text) != 7 || text[0] != '#' || strings.Trim(text[1:], "0123456789abcdef") != "" {
		return "", enlist.Expected("a colour such as #146c4f")
	}
	return text, nil
}

// readImprint reads lines of text.
func readImprint(text string) (string, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	refused := func(r rune) bool { return unicode.IsControl(r) && r != '\n' }
	if utf8.RuneCountInString(text) > maxImprint || strings.ContainsFunc(text, refused) {
		return "", enlist.Expected(fmt.Sprintf("lines of together at most %d characters without control characters",
			maxImprint))
	}
	return strings.TrimSpace(text), nil
}

// Theme returns the Theme of the caller's Account. Errors: Denied.
func (s *Service) Theme(ctx context.Context, c *enlist.Caller) (*Theme, error) {
	return db.ViewUnrestricted(ctx, s.db, c, func(tx *db.Tx) (*Theme, error) {
		text, err := accounts.Theme(tx, c.Account.ID)
		t := DecodeTheme(text)
		return &t, err
	})
}

// PageTheme returns the Theme of an Account for its pages for subscribers, or nil if the Account has set none.
func (s *Service) PageTheme(ctx context.Context, account enlist.AccountID) (*Theme, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*Theme, error) {
		text, err := accounts.Theme(tx, account)
		if err != nil || text == "" {
			return nil, err
		}
		t := DecodeTheme(text)
		return &t, nil
	})
}

// SetTheme changes the keys of the Theme that details contain. Mails that are not sent yet get the new Theme. Errors:
// Denied, InvalidParameters, NoFile.
func (s *Service) SetTheme(ctx context.Context, c *enlist.Caller, details []enlist.Detail) error {
	return db.ChangeUnrestricted(ctx, s.db, c, func(tx *db.Tx, now int64) error {
		if err := files.LockFiles(tx, c.Account.ID); err != nil {
			return err
		}
		text, err := accounts.Theme(tx, c.Account.ID)
		if err != nil {
			return err
		}
		old := DecodeTheme(text)
		t := old
		if err := t.set(tx, c.Account.ID, details); err != nil {
			return err
		}
		before, after := accounts.SettableValues(ThemeAttributes, &old), accounts.SettableValues(ThemeAttributes, &t)
		on := accounts.AuditObject{Kind: "Theme", ID: int64(c.Account.ID)}
		if err := accounts.Audit(tx, c, now, on, before, after); err != nil {
			return err
		}
		return accounts.SetTheme(tx, c.Account.ID, t.Encode())
	})
}

// set changes the keys that details contain, and checks the logo.
func (t *Theme) set(tx *db.Tx, account enlist.AccountID, details []enlist.Detail) error {
	if err := enlist.Assign(t, ThemeAttributes, details); err != nil || t.Logo == 0 {
		return err
	}
	_, err := loadImage(tx, account, t.Logo, "logo_file_id")
	return err
}

// PreviewTheme returns a mail of blocks with a Theme that is not stored. It belongs to no Contact. Errors: Denied,
// InvalidParameters, NoFile.
func (s *Service) PreviewTheme(ctx context.Context, c *enlist.Caller, details []enlist.Detail,
	blocks []Block) (*ComposedMail, error) {
	mail, err := db.ViewUnrestricted(ctx, s.db, c, func(tx *db.Tx) (*OutgoingMail, error) {
		text, err := accounts.Theme(tx, c.Account.ID)
		if err != nil {
			return nil, err
		}
		t := DecodeTheme(text)
		if err := t.set(tx, c.Account.ID, details); err != nil {
			return nil, err
		}
		return s.sampleMail(tx, c, t, blocks)
	})
	if err != nil {
		return nil, err
	}
	return s.composeTrial(ctx, mail)
}

// PreviewSample returns a mail that make makes for the Theme of the Account. It is not stored, and belongs to no Contact.
func (s *Service) PreviewSample(ctx context.Context, c *enlist.Caller, make func(Theme) []Block) (*ComposedMail, error) {
	mail, err := db.View(ctx, s.db, c, func(tx *db.Tx) (*OutgoingMail, error) {
		text, err := accounts.Theme(tx, c.Account.ID)
		if err != nil {
			return nil, err
		}
		t := DecodeTheme(text)
		return s.sampleMail(tx, c, t, make(t))
	})
	if err != nil {
		return nil, err
	}
	return s.composeTrial(ctx, mail)
}

// ThemeOfMails returns the Theme that mails of the Account have, for all users: each mail shows it.
func (s *Service) ThemeOfMails(ctx context.Context, c *enlist.Caller) (Theme, error) {
	return db.View(ctx, s.db, c, func(tx *db.Tx) (Theme, error) {
		text, err := accounts.Theme(tx, c.Account.ID)
		return DecodeTheme(text), err
	})
}

func (s *Service) sampleMail(tx *db.Tx, c *enlist.Caller, t Theme, blocks []Block) (*OutgoingMail, error) {
	m := &OutgoingMail{Message: &Message{AccountID: c.Account.ID, Type: MessageEmail, EmailType: EmailBlocks,
		Subject: c.Account.Name, Blocks: EncodeBlocks(blocks), FromAddress: trialAddress, Theme: t.Encode()},
		Address: trialAddress}
	m.Delivery = enlist.DeliveryKey{Time: s.db.Now().Unix(), Cause: causeTrial}
	var err error
	m.Schema, m.Contact, err = trialContact(tx, c, 0, 0)
	return m, err
}

// trialAddress is the address of a preview that belongs to no Contact. RFC 2606, 2
const trialAddress = "reader@example.com"
