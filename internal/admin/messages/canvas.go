package messages

import (
	"cmp"
	"encoding/json"
	"errors"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has what the script of the editor (package editor) needs: the blocks, how the mail looks, and the texts of its
// buttons. The page without the script does not use it.

// canvas is the data of the script.
type canvas struct {
	Blocks    []messages.Block  `json:"blocks"`
	Contents  []string          `json:"contents"`
	Wrong     []string          `json:"wrong"`
	Images    []picture         `json:"images"`
	MayUpload bool              `json:"may_upload"`
	Fields    []mergeField      `json:"fields"`
	Texts     map[string]string `json:"texts"`
	Logo      enlist.FileID     `json:"logo"`
	LogoText  string            `json:"logo_text"`
	LogoWidth int64             `json:"logo_width"`
	Room      int64             `json:"room"` // width of the text in pixels
	Sender    string            `json:"sender"`
	Foot      []string          `json:"foot"` // lines at the end of the mail
}

type picture struct {
	ID    enlist.FileID `json:"id"`
	Name  string        `json:"name"`
	Width int64         `json:"width"`
}

type mergeField struct {
	Value string `json:"value"`
	Text  string `json:"text"`
}

// addCanvas adds the data of the script. Texts that goldmark refuses have none: the person shortens them in the form.
func (d *editData) addCanvas(r *ui.Request) error {
	all, err := messages.DecodeBlocks(d.Blocks)
	if err != nil {
		return err
	}
	if !isInCanvas(all) {
		return nil
	}
	made, err := r.App.Messages.Canvas(r.Context(), d.Message)
	if err != nil || made == nil {
		return r.Context().Err()
	}
	c := canvas{MayUpload: r.MayUpload(), Blocks: all, Contents: made.Contents, Wrong: made.Wrong, Texts: make(map[string]string),
		Logo: made.Theme.Logo, LogoText: made.Theme.LogoText, LogoWidth: min(made.Theme.LogoWidth, made.Theme.Width), Room: made.Room, Sender: r.Caller.Account.Name,
		Foot: strings.Split(cmp.Or(strings.TrimSpace(d.PostalAddress), made.Theme.Imprint), "\n")}
	for i := range d.pictures {
		f := &d.pictures[i]
		c.Images = append(c.Images, picture{f.ID, f.Name, f.ImageWidth})
	}
	if field := d.Field.In("field"); field != nil {
		for _, o := range field.Options {
			c.Fields = append(c.Fields, mergeField{o.Value, o.Text})
		}
	}
	for name, key := range canvasTexts {
		c.Texts[name] = r.Text(key)
	}
	text, err := json.Marshal(c)
	d.Canvas = string(text)
	return err
}

// isInCanvas reports whether the script knows all blocks.
func isInCanvas(all []messages.Block) bool {
	is := true
	messages.EachBlock(all, func(b *messages.Block) {
		switch b.Type {
		case messages.BlockCard, messages.BlockVideo, messages.BlockMenu, messages.BlockSocial, messages.BlockTable:
			is = false
		}
		is = is && len(b.Shares) == 0
	})
	return is
}

// theme sends the rules of the Account's theme, which the script of the editor shows the mail with.
func theme(r *ui.Request) (*ui.View, error) {
	m, err := r.App.Messages.Message(r.Context(), r.Caller, enlist.MessageID(r.ID("message")))
	if err != nil {
		return nil, err
	}
	made, err := r.App.Messages.Canvas(r.Context(), &messages.Message{Theme: m.Theme})
	if err != nil || made == nil {
		return nil, errors.Join(err, ui.ErrNotFound)
	}
	r.Writer.Header().Set("Content-Type", "text/css; charset=utf-8")
	r.Writer.Write([]byte(made.Sheet)) // an error means that the client has disconnected
	return nil, nil
}

// canvasTexts are the keys of the texts of the script.
var canvasTexts = map[string]string{
	"text": "messages.block_text", "heading": "messages.block_heading", "image": "messages.block_image",
	"button": "messages.block_button", "columns": "messages.block_columns", "line": "messages.block_line",
	"quote": "messages.block_quote", "html": "messages.block_html", "markdown": "messages.canvas_markdown",
	"mail": "messages.canvas_mail", "toolbar": "messages.canvas_toolbar", "panel": "messages.canvas_panel",
	"undo": "messages.canvas_undo", "redo": "messages.canvas_redo", "style": "messages.canvas_style",
	"style_text": "messages.canvas_style_text", "style_1": "messages.canvas_style_1",
	"style_2": "messages.canvas_style_2", "style_3": "messages.canvas_style_3", "bold": "messages.canvas_bold",
	"italic": "messages.canvas_italic", "strike": "messages.canvas_strike", "link": "messages.canvas_link",
	"unlink": "messages.canvas_unlink", "apply": "messages.canvas_apply", "bullets": "messages.canvas_bullets",
	"numbers": "messages.canvas_numbers", "quoted": "messages.canvas_quoted", "left": "messages.canvas_left",
	"centred": "messages.canvas_centred", "field": "messages.insert_merge_field",
	"field_title": "messages.canvas_field", "fallback": "messages.or_else", "fallback_note": "messages.fallback_note",
	"up": "messages.canvas_up", "down": "messages.canvas_down", "copy": "messages.canvas_copy",
	"remove": "messages.canvas_remove", "add": "messages.canvas_add", "drag": "messages.canvas_drag",
	"no_block": "messages.canvas_no_block", "no_image": "messages.canvas_no_image",
	"markdown_note": "messages.canvas_markdown_note", "leads": "messages.leads", "example_link": "messages.example_link",
	"alt": "messages.alternative_text", "width": "messages.width_pixels_0_as_wide", "url": "messages.address_image",
	"size": "messages.size", "phone": "messages.canvas_phone",
	"dark": "messages.canvas_dark", "hint_text": "messages.canvas_hint_text",
	"hint_heading": "messages.canvas_hint_heading", "hint_button": "messages.canvas_hint_button",
	"upload": "messages.canvas_upload", "uploading": "messages.canvas_uploading", "uploaded": "messages.canvas_uploaded",
	"not_uploaded": "messages.canvas_not_uploaded",
	"space":        "messages.block_space", "height": "messages.height_pixels", "preheader": "messages.block_preheader",
	"preheader_note": "messages.canvas_preheader_note", "letters": "messages.canvas_letters", "on_phone": "messages.canvas_on_phone",
	"shares":  "messages.column_widths",
	"no_link": "messages.canvas_no_link", "no_alt": "messages.canvas_no_alt",
	"hint_by": "messages.who_says", "hint_html": "messages.canvas_hint_html",
}
