package rpc

import (
	"strconv"

	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/messages"
)

// This file has the methods of Messages and files that have a shape of their own, and reads and writes what only one of
// them has.

// getMessageByID returns an array of one Message. It returns the contents only if the caller asks
// for them, because they can be several MiB long.
func getMessageByID(c *call) error {
	id, withContents := enlist.MessageID(c.id(1)), c.flag(2)
	if c.err != nil {
		return c.err
	}
	attributes := messages.MessageAttributes
	if withContents {
		attributes = messages.WholeMessageAttributes
	}
	message, err := c.service.Messages.Message(c.ctx, c.caller, id)
	return writeOne(attributes)(c, message, err)
}

// appendPreview appends the mail that a Contact would get. reference.md: previewMessage
func appendPreview(b []byte, m *messages.ComposedMail) []byte {
	b = append(b, '{')
	for _, member := range []struct{ name, text string }{{"subject", m.Subject}, {"from", m.From}, {"to", m.To},
		{"reply_to", m.ReplyTo}, {"headers", m.Headers}, {"html", m.HTML}, {"text", m.Text}} {
		b = append(appendString(append(appendString(b, member.name), ':'), member.text), ',')
	}
	b = strconv.AppendInt(append(b, `"size":`...), m.Size, 10)
	return append(appendStrings(append(b, `,"findings":`...), m.Findings), '}')
}

// readSaved reads the parameters of setSavedBlock. Without a saved_block_id, the one with the name is replaced or added.
// reference.md: message.saved
func readSaved(p *params, i int) messages.SavedRequest {
	r := messages.SavedRequest{Name: p.requiredText(i), Blocks: *p.at(i + 1)}
	if !p.at(i + 2).IsBlank() {
		r.ID = p.id(i + 2)
	}
	return r
}

// readTest reads the parameters of sendTestMessage. reference.md: sendTestMessage
func readTest(p *params, i int) messages.TestRequest {
	r := messages.TestRequest{Message: enlist.MessageID(p.id(i)), Addresses: p.addresses(i + 1),
		List: p.optionalList(i + 2)}
	if !p.at(i+3).IsBlank() && p.id(i+3) != 0 {
		r.Contact = p.contact(i + 3)
	}
	return r
}

// addresses reads an array of email addresses, or one address.
func (p *params) addresses(i int) (all []string) {
	v := p.at(i)
	items := v.Items
	if v.IsScalar() && !v.IsBlank() {
		items = []enlist.Input{*v}
	}
	for j := range items {
		if items[j].Kind != enlist.InputText {
			p.refusePart(i, "an array of strings", &items[j])
			return nil
		}
		all = append(all, items[j].Text)
	}
	return all
}

// readUpload reads the parameters of uploadBase64FileData. reference.md: uploadBase64FileData
func readUpload(p *params, i int) files.UploadRequest {
	return files.UploadRequest{Details: p.recordDetails(i), Folder: enlist.FolderID(p.id(i + 1)),
		OnDuplicate: p.text(i + 2)}
}

// appendUpload appends the ID and the URL of a stored file.
func appendUpload(b []byte, f *files.StoredFile) []byte {
	b = strconv.AppendInt(append(b, `{"id":`...), int64(f.ID), 10)
	return append(appendString(append(b, `,"url":`...), f.URL), '}')
}
