package messages

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file has the pages of saved blocks, and what the script of the editor asks for: it saves blocks, and reads those that
// the user inserts.

// savedRow is a saved block in the table.
type savedRow struct {
	messages.SavedBlock
	Types   string // of its blocks, in words
	Changed string
	MayEdit bool
}

var savedColumns = ui.Columns[savedRow]{
	ui.TextColumn("name", "messages.saved_block", func(s *savedRow) string { return s.Name }),
	{Text: "messages.saved_types"},
	ui.TimeColumn("changed", "messages.changed", func(s *savedRow) int64 { return s.LastModifiedTime }), {},
}

func (p *pages) savedBlocks(r *ui.Request) (*ui.View, error) {
	all, err := r.App.Messages.SavedBlocks(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	rows := make([]savedRow, len(all))
	for i := range all {
		rows[i] = savedRow{all[i], "", r.Day(all[i].LastModifiedTime), r.MayWrite()}
	}
	rows, find := ui.FindRows(r, rows, func(s *savedRow) string { return s.Name })
	table := savedColumns.Table(r, "name", rows, find)
	table.Cut(r)
	for i := range table.Rows {
		s, err := r.App.Messages.SavedBlock(r.Context(), r.Caller, table.Rows[i].ID)
		if enlist.IgnoreKind(enlist.InvalidParameters, err) != nil { // it was deleted meanwhile
			return nil, err
		}
		if err == nil {
			table.Rows[i].Types = typesOf(r, s.Blocks)
		}
	}
	return &ui.View{Title: r.Text("messages.saved_title"), Place: "/admin/messages", Content: p.savedPage, Data: table}, nil
}

// typesOf returns the types of blocks in words.
func typesOf(r *ui.Request, blocks string) string {
	all, err := messages.DecodeBlocks(blocks)
	if err != nil {
		return ""
	}
	var words []string
	for i := range all {
		for _, k := range blockKinds {
			if k.Name == all[i].Type && len(words) < 5 {
				words = append(words, r.Text(k.Text))
			}
		}
	}
	return r.Language.Series(words)
}

// keep saves blocks for the script.
func keep(r *ui.Request) (*ui.View, error) {
	name := strings.TrimSpace(r.FormValue("name"))
	id, err := r.App.Messages.SaveBlocks(r.Context(), r.Caller, name, r.FormValue("blocks"))
	if known, ok := errors.AsType[*enlist.Error](err); ok {
		return nil, r.WriteJSON(http.StatusUnprocessableEntity, map[string]any{"problem": r.Said(known.Detail)})
	}
	if err != nil {
		return nil, err
	}
	return nil, r.WriteJSON(http.StatusOK, map[string]any{"id": id, "name": name})
}

// savedContent sends blocks to the script, with the HTML of their texts.
func savedContent(r *ui.Request) (*ui.View, error) {
	s, err := saved(r)
	if err != nil {
		return nil, err
	}
	made, err := r.App.Messages.Canvas(r.Context(), &messages.Message{Blocks: s.Blocks})
	if err != nil || made == nil {
		return nil, errors.Join(err, ui.ErrNotFound)
	}
	r.Writer.Header().Set("Content-Disposition", "attachment") // only the script reads it
	contents := append([]string{}, made.Contents...)
	return nil, r.WriteJSON(http.StatusOK, map[string]any{"blocks": json.RawMessage(s.Blocks), "contents": contents})
}

// saved returns the saved block of the path. One that does not exist is answered like an unknown page.
func saved(r *ui.Request) (*messages.SavedBlock, error) {
	s, err := r.App.Messages.SavedBlock(r.Context(), r.Caller, r.ID("saved"))
	if enlist.KindOf(err) == enlist.InvalidParameters {
		err = ui.ErrNotFound
	}
	return s, err
}

func renameSaved(r *ui.Request) (*ui.View, error) {
	s, err := saved(r)
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Form: ui.Form{{Name: "name", Label: r.Text("messages.saved_name"), Value: s.Name, Required: true}}, Button: r.Text("messages.save"),
		Back: ui.Action{Text: r.Text("messages.keep"), Path: "/admin/blocks"}}
	return r.FormPage(r.Text("messages.saved_rename", "name", s.Name), "/admin/messages", &c, func() (*ui.View, error) {
		err := r.App.Messages.RenameSaved(r.Context(), r.Caller, s.ID, c.Form.In("name").Value)
		return ui.GoTo("/admin/blocks", r.Text("messages.saved")), err
	})
}

func deleteSaved(r *ui.Request) (*ui.View, error) {
	s, err := saved(r)
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Texts: []string{r.Text("messages.saved_delete_note")}, Button: r.Text("messages.saved_delete_button"), Danger: true,
		Back: ui.Action{Text: r.Text("messages.keep"), Path: "/admin/blocks"}}
	return r.FormPage(r.Text("messages.delete_title", "name", s.Name), "/admin/messages", &c, func() (*ui.View, error) {
		err := r.App.Messages.DeleteSaved(r.Context(), r.Caller, s.ID)
		return ui.GoTo("/admin/blocks", r.Text("messages.saved_deleted")), err
	})
}

// savedOption is a saved block in the editor.
type savedOption struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

// keepBlock saves the block of a button of the form, under its first words, and returns its path, or to for another button.
func keepBlock(r *ui.Request, blocks, do, to string) (string, error) {
	path, ok := strings.CutPrefix(do, "keep:")
	if !ok {
		return to, nil
	}
	all, err := messages.DecodeBlocks(blocks)
	if err != nil {
		return "", err
	}
	for _, b := range newBlockList(all, "", "", new(editData), nil).each() {
		if b.Path != path {
			continue
		}
		words := []rune(strings.Join(strings.Fields(b.Title+" "+b.Text+" "+b.Alt), " "))
		name := strings.TrimSpace(r.Text(b.Kind) + ": " + string(words[:min(len(words), 40)]))
		if len(words) == 0 {
			name = r.Text(b.Kind)
		}
		_, err := r.App.Messages.SaveBlocksAlike(r.Context(), r.Caller, name, messages.EncodeBlocks([]messages.Block{b.Block}))
		return path, err
	}
	return path, nil
}

// each returns the blocks of the list and of its columns.
func (l blockList) each() (all []block) {
	for i := range l.Blocks {
		all = append(all, l.Blocks[i])
		for _, side := range l.Blocks[i].Sides {
			all = append(all, side.each()...)
		}
	}
	return all
}

// setSaved adds the saved blocks to the select of the list and of its columns.
func (l *blockList) setSaved(all []savedOption) {
	l.Saved = all
	for i := range l.Blocks {
		for j := range l.Blocks[i].Sides {
			l.Blocks[i].Sides[j].setSaved(all)
		}
	}
}

// addSaved adds the saved blocks that the user can insert.
func (d *editData) addSaved(r *ui.Request) error {
	all, err := r.App.Messages.SavedBlocks(r.Context(), r.Caller)
	for i := range all {
		d.saved = append(d.saved, savedOption{all[i].ID, all[i].Name})
	}
	return err
}

// isOutside reports whether blocks do not fit into a column.
func isOutside(text string) bool {
	all, err := messages.DecodeBlocks(text)
	for i := range all {
		if all[i].Type == messages.BlockColumns || all[i].Type == messages.BlockPreheader {
			return true
		}
	}
	return err != nil
}

const savedStart = "saved:" // of the value of a saved block in the select of types

// insertSaved returns the blocks of a saved block, if the button of the form adds one. problem says why it cannot be added.
func insertSaved(r *ui.Request, do string) (all []messages.Block, problem string, _ error) {
	prefix, isAdd := strings.CutPrefix(do, "add:")
	id, isSaved := strings.CutPrefix(r.PostForm.Get(prefix+"new"), savedStart)
	if !isAdd || !isSaved {
		return nil, "", nil
	}
	s, err := r.App.Messages.SavedBlock(r.Context(), r.Caller, ui.Int(id))
	if enlist.KindOf(err) == enlist.InvalidParameters {
		return nil, r.Text("messages.saved_not_there"), nil
	}
	if err != nil {
		return nil, "", err
	}
	if prefix != "" && isOutside(s.Blocks) {
		return nil, r.Text("messages.saved_no_column"), nil
	}
	all, err = messages.DecodeBlocks(s.Blocks)
	return all, "", err
}
