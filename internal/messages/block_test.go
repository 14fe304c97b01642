package messages_test

import (
	"fmt"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/messages"
)

// This file tests the blocks of Messages and the theme of an Account.

// covers: spec message.blocks, setTheme, files.used, decision 134
func TestBlocksAndThemes(t *testing.T) {
	apptest.Run(t, apptest.Shared, newImages, []apptest.Rule[*images]{
		{Name: "blocks are stored as JSON, and an image gets the width of its file", Test: (*images).stored},
		{Name: "blocks that no mail can show are refused", Test: (*images).refused},
		{Name: "a link of a block begins with http, https, mailto, tel or a merge field", Test: (*images).links},
		{Name: "a Message with another link, stored by an older version, is read and changed", Test: (*images).oldLinks},
		{Name: "merge fields are found in blocks", Test: (*images).mergeFields},
		{Name: "a block of each type is stored as it is", Test: (*images).eachType},
		{Name: "a file that blocks or the theme show is not deleted, and stays an image", Test: (*images).used},
		{Name: "a theme keeps what is not changed, and its values are checked", Test: (*images).theme},
	})
}

// images is an Account with an image and a file that is none.
type images struct {
	*apptest.Account
	folder        enlist.FolderID
	image, letter enlist.FileID
}

// onePixel is a PNG of one pixel.
const onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

func newImages(t *testing.T, store db.Engine) *images {
	f := &images{Account: apptest.NewAccount(t, store)}
	f.folder = f.AddFileFolder("Pictures")
	f.image, f.letter = f.upload("rose.png", onePixel), f.upload("letter.pdf", "JVBERg==")
	return f
}

func (f *images) upload(name, data string) enlist.FileID {
	stored, err := f.App.Files.UploadFile(f.Context(), f.Caller, files.UploadRequest{Folder: f.folder,
		Details: apptest.Details("name", name, "data", data)})
	f.Must(err)
	return stored.ID
}

func (f *images) add(blocks any) (enlist.MessageID, error) {
	return f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "News", "subject", "News", "email_type", "blocks",
		"blocks", blocks))
}

func (f *images) stored() {
	id, err := f.add(fmt.Sprintf(` [{"text":"a <b> & \"file\":1,","type":"heading"},{"type":"columns","left":[{"type":"image","file":%d}]}]`, f.image))
	f.Must(err)
	m, err := f.App.Messages.Message(f.Context(), f.Caller, id)
	f.Must(err)
	want := fmt.Sprintf(`[{"type":"heading","text":"a <b> & \"file\":1,"},{"type":"columns","left":[{"type":"image","file":%d,"width":1}]}]`, f.image)
	if m.Blocks != want || !m.HasContent() || m.Size() != int64(len(want)) {
		f.Errorf("the blocks are %s with the size %d, want %s", m.Blocks, m.Size(), want)
	}
	for _, text := range []any{"", "[]", nil} {
		_, err = f.App.Messages.EditMessage(f.Context(), f.Caller, id, apptest.Details("blocks", text))
		f.Must(err)
		m, err = f.App.Messages.Message(f.Context(), f.Caller, id)
		f.Must(err)
		if m.Blocks != "" || m.HasContent() {
			f.Errorf("blocks %v leave %q", text, m.Blocks)
		}
	}
}

func (f *images) refused() {
	for blocks, about := range map[string]string{
		`{"type":"line"}`: "expected an array", `[{"type":"line","txet":"x"}]`: "keys of the reference", `[1]`: "an array",
		`[{"type":"film"}]`:                                   "is none",
		`[{"type":"text","left":[{"type":"line"}]}]`:          "only in a block of the type columns",
		`[{"type":"columns","left":[{"type":"columns"}]}]`:    "without columns in them",
		`[{"type":"columns","right":[{"type":"preheader"}]}]`: "without a preheader",
		`[{"type":"columns","shares":[40]}]`:                  "shares of 2 columns, or of 3", `[{"type":"columns","shares":[10,90]}]`: "percentages from 15",
		`[{"type":"columns","shares":[50,51]}]`: "with the sum 100", `[{"type":"columns","shares":[50,50],"middle":[{"type":"line"}]}]`: "of 3 with a middle one",
		`[{"type":"columns","middle":[{"type":"columns"}]}]`: "without columns in them", `[{"type":"text","shares":[50,50]}]`: "only in a block of the type columns",
		`[{"type":"text","caption":"x"}]`: "a caption only in a block of the type image", `[{"type":"image","title":"x"}]`: "only in a block of the type card",
		`[{"type":"card","place":"above"}]`: "place left or right", `[{"type":"card","items":[{"text":"x"}]}]`: "items only in a block of the type menu or social",
		`[{"type":"menu","items":[{"network":"x","link":""}]}]`: "a network only in", `[{"type":"social","items":[{"network":"myspace","link":""}]}]`: "facebook, instagram",
		`[{"type":"social","items":[{"link":"javascript:x"}]}]`: "begins with javascript:", `[{"type":"menu","items":[{"href":"x"}]}]`: "keys of the reference",
		`[{"type":"menu","items":[` + strings.Repeat(`{"link":""},`, 20) + `{"link":""}]}]`: "at most 20 items", `[{"type":"table","rows":[["a","b"],["c"]]}]`: "the same number of cells",
		`[{"type":"table","rows":[[]]}]`: "the same number of cells", `[{"type":"table","rows":[` + strings.Repeat(`["x"],`, 100) + `["x"]]}]`: "at most 100 rows", `[{"type":"text","head":true}]`: "of the type table",
		`[{"type":"table","rows":[["1","2","3","4","5","6","7","8","9"]]}]`: "cells, 1 to 8", `[{"type":"text","colour":"red"}]`: "a colour such as", `[{"type":"text","ground":"#12"}]`: "a colour such as",
		`[{"type":"text","padding":101}]`: "a padding from 0 to 100", `[{"type":"text","corner":-1}]`: "a corner from 0 to 60", `[{"type":"preheader","ground":"#ffffff"}]`: "that the email shows",
		`[{"type":"space","height":301}]`:                                  "a height from 0 to 300",
		`[{"type":"heading","level":4}]`:                                   "a level from 1 to 3",
		`[{"type":"image","width":-1}]`:                                    "a width from 0",
		`[{"type":"text","align":"middle"}]`:                               "align center",
		`[{"type":"text","file":1}]`:                                       "a file only",
		"[" + strings.Repeat(`{"type":"line"},`, 200) + `{"type":"line"}]`: "at most 200 blocks",
		fmt.Sprintf(`[{"type":"image","file":%d}]`, f.letter):              "is no PNG",
	} {
		_, err := f.add(blocks)
		f.Refused(err, enlist.InvalidParameters, about)
	}
	_, err := f.add(7)
	f.Refused(err, enlist.InvalidParameters, "expected an array of blocks")
	for _, c := range []*enlist.Caller{f.Caller, f.NewCaller()} {
		id := f.image
		if c == f.Caller {
			id = 99999
		}
		_, err = f.App.Messages.AddMessage(f.Context(), c, apptest.Details("name", "x", "subject", "x", "email_type", "blocks",
			"blocks", fmt.Sprintf(`[{"type":"image","file":%d}]`, id)))
		f.Refused(err, enlist.NoFile, "no file with the ID")
	}
	_, err = f.App.Messages.AddMessage(f.Context(), f.Caller, apptest.Details("name", "x", "subject", "x", "email_type", "blocks", "html_content", "x"))
	f.Refused(err, enlist.InvalidParameters, "has its content here")
}

func (f *images) eachType() {
	picture := fmt.Sprintf(`"file":%d,"alt":"A rose"`, f.image)
	blocks := `[{"type":"image",` + picture + `,"width":1,"caption":"Our rose"},{"type":"video","text":"Watch",` + picture + `,"width":1,"link":"https://v.example"},` +
		`{"type":"card","title":"Rose","text":"*red*","label":"5 €","button":"Buy",` + picture + `,"width":1,"place":"left","link":"https://c.example"},` +
		`{"type":"menu","items":[{"text":"Shop {{id}}","link":"https://m.example"},{"text":"","link":""}]},` +
		`{"type":"social","items":[{"link":"https://instagram.com/x"},{"network":"mastodon","text":"us","link":"https://fosstodon.org/@x"}]},` +
		`{"type":"table","rows":[["a","{{City}}"],["c",""]],"head":true},{"type":"columns","left":[{"type":"line"}],"middle":[{"type":"text","text":"{{Name}}"}],"right":[{"type":"line"}],"shares":[33,33,33]},` +
		`{"type":"text","text":"x","align":"right","colour":"#ffffff","ground":"#146c4f","padding":30,"corner":8}]`
	id, err := f.add(strings.ReplaceAll(blocks, `"text":"","link":""`, `"link":""`))
	f.Must(err)
	m, err := f.App.Messages.Message(f.Context(), f.Caller, id)
	f.Must(err)
	if want := strings.ReplaceAll(blocks, `"text":"","link":""`, `"link":""`); m.Blocks != want {
		f.Errorf("the blocks are stored as\n%s, want\n%s", m.Blocks, want)
	}
	got := ""
	for _, p := range m.MergeFields() {
		got += p.Name + ";"
	}
	if got != "id;City;Name;" {
		f.Errorf("the merge fields are %q", got)
	}
	words, pictures := m.Words()
	if len(pictures) != 3 || !strings.Contains(words, "Shop {{id}}\nhttps://m.example") || !strings.Contains(words, "5 €\nBuy") {
		f.Errorf("the words are %q with the pictures %v", words, pictures)
	}
}

func (f *images) links() {
	block := func(kind, link string) string { return fmt.Sprintf(`[{"type":%q,"link":%q}]`, kind, link) }
	for _, link := range []string{"", "https://x.example/{{id}}", " HTTP://x.example ", "mailto:a@x.example", "mailto:?subject=Look", "tel:+31", "{{Website}}", "#place",
		"{{unsubscribe_url}}", "/f/12/x"} {
		id, err := f.add(block("button", link))
		f.Must(err)
		m, err := f.App.Messages.Message(f.Context(), f.Caller, id)
		f.Must(err)
		if trimmed := strings.TrimSpace(link); trimmed != "" && m.Blocks != block("button", trimmed) {
			f.Errorf("the link %q is stored as %s", link, m.Blocks)
		}
	}
	for link, about := range map[string]string{"javascript:alert(1)": "begins with javascript:", " JavaScript:{{x}}": "begins with javascript:", "java\tscript:x": "no URL",
		"data:text/html,x": "begins with data:", "vbscript:x": "begins with", "file:///x": "begins with", "www.x.example": "no complete URL",
		"//x.example": "no complete URL", "https://": "no host", "mailto:": "no address", "#": "nowhere", "java{{x}}script:y": "begins with"} {
		for _, kind := range []string{"button", "image"} {
			_, err := f.add(block(kind, link))
			f.Refused(err, enlist.InvalidParameters, about)
		}
		_, err := f.add(`[{"type":"columns","right":` + block("button", link) + "}]")
		f.Refused(err, enlist.InvalidParameters, about)
	}
}

func (f *images) oldLinks() {
	id, err := f.add(`[{"type":"text","text":"x"}]`)
	f.Must(err)
	old := `[{"type":"button","text":"x","link":"javascript:x"}]`
	f.Update(func(tx *db.Tx) error { return tx.Do("UPDATE message SET blocks = ? WHERE id = ?", old, int64(id)) })
	_, err = f.App.Messages.EditMessage(f.Context(), f.Caller, id, apptest.Details("subject", "Other"))
	f.Must(err)
	m, err := f.App.Messages.Message(f.Context(), f.Caller, id)
	f.Must(err)
	if m.Blocks != old || m.Subject != "Other" {
		f.Errorf("the Message has the blocks %s and the subject %s", m.Blocks, m.Subject)
	}
	_, err = f.App.Messages.EditMessage(f.Context(), f.Caller, id, apptest.Details("blocks", old))
	f.Refused(err, enlist.InvalidParameters, "begins with javascript:")
}

func (f *images) mergeFields() {
	m := messages.Message{EmailType: messages.EmailBlocks, Text: "{{not this}}", Blocks: messages.EncodeBlocks([]messages.Block{
		{Type: messages.BlockText, Text: `{{First Name|a "friend"}}`}, {Type: messages.BlockColumns, Right: []messages.Block{
			{Type: messages.BlockHTML, HTML: "<p>{{Tom&amp;Co}}</p>"}, {Type: messages.BlockButton, Link: "https://x.example/{{id}}"}}}})}
	got := ""
	for _, p := range m.MergeFields() {
		got += p.Name + "|" + p.Fallback + ";"
	}
	if want := `First Name|a "friend";Tom&Co|;id|;`; got != want {
		f.Errorf("the merge fields are %q, want %q", got, want)
	}
}

func (f *images) used() {
	image := f.upload("used.png", onePixel)
	id, err := f.App.Messages.AddMessage(f.Context(), f.Caller, append(apptest.Details("name", "x", "subject", "x", "email_type", "blocks"),
		enlist.Detail{Key: "blocks", Value: enlist.Input{Kind: enlist.InputArray, Items: []enlist.Input{{Kind: enlist.InputObject, Items: []enlist.Input{
			{Name: "type", Kind: enlist.InputText, Text: "image"}, {Name: "file", Kind: enlist.InputNumber, Text: fmt.Sprint(image)}}}}}}))
	f.Must(err)
	overwrite := func(data string) error {
		_, err := f.App.Files.UploadFile(f.Context(), f.Caller, files.UploadRequest{Folder: f.folder, OnDuplicate: files.DuplicateOverwrite,
			Details: apptest.Details("name", "used.png", "data", data)})
		return err
	}
	f.Refused(f.App.Files.DeleteFile(f.Context(), f.Caller, image), enlist.InvalidParameters, fmt.Sprintf("the Message %d shows the file", id))
	f.Refused(overwrite("JVBERg=="), enlist.InvalidParameters, "shows the file")
	f.Must(overwrite(onePixel))
	f.Must(f.App.Messages.SetTheme(f.Context(), f.Caller, apptest.Details("logo_file_id", int(image))))
	f.Must(f.App.Messages.DeleteMessage(f.Context(), f.Caller, id))
	f.Refused(f.App.Files.DeleteFile(f.Context(), f.Caller, image), enlist.InvalidParameters, "logo of the theme")
	f.Must(f.App.Messages.SetTheme(f.Context(), f.Caller, apptest.Details("logo_file_id", 0)))
	f.Must(f.App.Files.DeleteFile(f.Context(), f.Caller, image))
}

func (f *images) theme() {
	f.Must(f.App.Messages.SetTheme(f.Context(), f.Caller, apptest.Details("accent_colour", "#ABCDEF", "imprint", "The Club\r\nNorth Street\n")))
	f.Must(f.App.Messages.SetTheme(f.Context(), f.Caller, apptest.Details("width", 700)))
	got, err := f.App.Messages.Theme(f.Context(), f.Caller)
	f.Must(err)
	want := messages.DefaultTheme()
	want.Accent, want.Imprint, want.Width = "#abcdef", "The Club\nNorth Street", 700
	apptest.Same(f.T, "theme", *got, want)
	for _, c := range []struct {
		key   string
		value any
		about string
	}{{"accent_colour", "red", "a colour such as"}, {"font", "comic", "one of system"}, {"width", 100, "an integer from"},
		{"logo_file_id", int(f.letter), "is no PNG"}, {"imprint", strings.Repeat("x", 2001), "at most 2000"}} {
		f.Refused(f.App.Messages.SetTheme(f.Context(), f.Caller, apptest.Details(c.key, c.value)), enlist.InvalidParameters, c.about)
	}
	f.Refused(f.App.Messages.SetTheme(f.Context(), f.NewCaller(), apptest.Details("logo_file_id", int(f.image))), enlist.NoFile, "no file")
	_, err = f.App.Messages.Theme(f.Context(), f.Restricted(f.AddList("name", "One")))
	f.Refused(err, enlist.Denied, "")
	id, err := f.add(`[{"type":"line"}]`)
	f.Must(err)
	m, err := f.App.Messages.Message(f.Context(), f.Caller, id)
	f.Must(err)
	apptest.Same(f.T, "theme of a Message", messages.DecodeTheme(m.Theme), want)
}
