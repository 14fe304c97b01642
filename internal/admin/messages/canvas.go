package messages

import (
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
	"enlist/internal/social"
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
	MaxUpload int64             `json:"max_upload"` // bytes of an image
	Fields    []mergeField      `json:"fields"`
	Texts     map[string]string `json:"texts"`
	Logo      enlist.FileID     `json:"logo"`
	LogoText  string            `json:"logo_text"`
	LogoWidth int64             `json:"logo_width"`
	Room      int64             `json:"room"` // width of the text in pixels
	Sender    string            `json:"sender"`
	Foot      []string          `json:"foot"` // lines at the end of the mail
	Theme     themeColours      `json:"theme"`
	Networks  []network         `json:"networks"`
	Saved     []savedOption     `json:"saved"`
	MaySave   bool              `json:"may_save"`

	Conditions map[string]string `json:"conditions"` // of blocks in words, by their JSON
}

// themeColours are those that the script needs to find readable ones.
type themeColours struct {
	Accent string `json:"accent"`
	Card   string `json:"card"`
	Text   string `json:"text"`
}

type network struct {
	Name  string   `json:"name"`
	Title string   `json:"title"`
	Path  string   `json:"path"`
	Hosts []string `json:"hosts"`
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
	made, err := r.App.Messages.Canvas(r.Context(), d.Message)
	if err != nil || made == nil {
		return r.Context().Err()
	}
	c := canvas{MayUpload: r.MayWrite(), MaxUpload: r.App.Accounts.Settings().Of(r.Caller.Account.ID).MaxFile, Blocks: all, Contents: made.Contents, Wrong: made.Wrong, Texts: make(map[string]string),
		Logo: made.Theme.Logo, LogoText: made.Theme.LogoText, LogoWidth: min(made.Theme.LogoWidth, made.Theme.Width), Room: made.Room, Sender: r.Caller.Account.Name, Conditions: d.said,
		Foot: strings.Split(cmp.Or(strings.TrimSpace(d.PostalAddress), made.Theme.Imprint), "\n")}
	c.Saved, c.MaySave = d.saved, r.MayWrite()
	c.Theme = themeColours{made.Theme.Accent, made.Theme.Card, made.Theme.Text}
	for i := range social.Networks {
		n := &social.Networks[i]
		c.Networks = append(c.Networks, network{n.Name, n.Title, n.Path, append([]string{}, n.Hosts...)})
	}
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
	c.Texts["count"] = r.Text("messages.canvas_count", "count", "\ue000")
	c.Texts["some"] = r.Text("messages.shown_if", "who", "\ue000") // the script replaces it
	text, err := json.Marshal(c)
	d.Canvas = string(text)
	return err
}

// addWriting adds what the script needs for a Message without blocks: it counts, shows the mail and checks it.
func (d *editData) addWriting(r *ui.Request) error {
	text, err := json.Marshal(struct {
		Sender string            `json:"sender"`
		Texts  map[string]string `json:"texts"`
	}{r.Caller.Account.Name, map[string]string{"check": r.Text("messages.check"), "emoji": r.Text("messages.canvas_emoji"),
		"count": r.Text("messages.canvas_count", "count", "\ue000")}})
	d.Writing = string(text)
	return err
}

// Phone returns what a phone shows of the mail in its list: sender, subject and preview text.
func (d *editData) Phone() (lines [3]string) {
	lines = [3]string{cmp.Or(d.FromName, d.account), d.Subject, ""}
	all, err := messages.DecodeBlocks(d.Blocks)
	if err != nil {
		return lines
	}
	for i := range all {
		if all[i].Type == messages.BlockPreheader {
			lines[2] = cmp.Or(lines[2], all[i].Text)
		}
	}
	for i := range lines {
		lines[i] = withoutFields.ReplaceAllString(lines[i], "$1$2")
	}
	return lines
}

// withoutFields finds merge fields: a name alone, or a fallback.
var withoutFields = regexp.MustCompile(`\{\{(?:[^{}|]*\|([^{}]*)|([^{}|]*))\}\}`)

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
	"crop": "messages.image_crop", "crop_whole": "messages.crop_whole", "crop_own": "messages.crop_own", "decoration": "messages.decoration",
	"crop_left": "messages.crop_left", "crop_top": "messages.crop_top", "crop_width": "messages.crop_width", "crop_height": "messages.crop_height",
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
	"preheader_note": "messages.canvas_preheader_note", "emoji": "messages.canvas_emoji",
	"card": "messages.block_card", "video": "messages.block_video", "table": "messages.block_table", "menu": "messages.block_menu",
	"social": "messages.block_social", "columns3": "messages.block_columns3",
	"group_words": "messages.group_words", "group_pictures": "messages.group_pictures", "group_links": "messages.group_links", "group_layout": "messages.group_layout",
	"about_text": "messages.about_text", "about_heading": "messages.about_heading", "about_quote": "messages.about_quote", "about_table": "messages.about_table",
	"about_image": "messages.about_image", "about_video": "messages.about_video", "about_card": "messages.about_card", "about_button": "messages.about_button",
	"about_menu": "messages.about_menu", "about_social": "messages.about_social", "about_columns": "messages.about_columns", "about_columns3": "messages.about_columns3",
	"about_line": "messages.about_line", "about_space": "messages.about_space", "about_html": "messages.about_html",
	"right": "messages.canvas_right", "caption": "messages.caption", "video_note": "messages.video_note", "hint_video": "messages.canvas_hint_video",
	"hint_title": "messages.card_title", "hint_label": "messages.card_label", "place": "messages.card_place", "place_above": "messages.place_above",
	"place_left": "messages.place_left", "place_right": "messages.place_right", "head": "messages.table_head", "row_add": "messages.row_add", "row_remove": "messages.row_remove",
	"column_add": "messages.column_add", "column_remove": "messages.column_remove", "network": "messages.network", "link_text": "messages.link_text", "add_link": "messages.add_link",
	"looks": "messages.looks", "as_theme": "messages.as_theme", "colour": "messages.colour_text", "ground": "messages.colour_ground", "padding": "messages.padding", "corner": "messages.corner",
	"saved_blocks": "messages.saved_title", "save_name": "messages.saved_name", "save_block": "messages.save", "save_title": "messages.save_block",
	"save_done": "messages.save_done", "save_failed": "messages.save_failed", "saved_gone": "messages.saved_gone",
	"no_links": "messages.canvas_no_links",
	"shares":   "messages.column_widths", "columns_kept": "messages.columns_kept",
	"no_link": "messages.canvas_no_link", "no_alt": "messages.canvas_no_alt",
	"who": "messages.condition_add", "who_column": "messages.condition_column", "check": "messages.check",
	"hint_by": "messages.who_says", "hint_html": "messages.canvas_hint_html",
}
