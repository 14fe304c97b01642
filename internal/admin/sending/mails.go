package sending

import (
	"bytes"
	"encoding/base64"
	"html"
	"io"
	"io/fs"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"os"
	"slices"
	"strings"

	"enlist/internal/admin/ui"
)

// This file shows the mails that are written into a folder in place of being sent. The folder has the mails of all
// Accounts, so only a server with one Account shows them.

const (
	mostMails = 50
	maxMail   = 32 << 20 // largest file that is read, in bytes
)

// stored is a mail in the folder.
type stored struct {
	Name, From, To, Subject, Date string
	at                            int64
}

var mailColumns = ui.Columns[stored]{
	ui.TextColumn("subject", "sending.subject", func(m *stored) string { return m.Subject }),
	ui.TextColumn("to", "sending.to", func(m *stored) string { return m.To }),
	ui.TextColumn("from", "sending.from", func(m *stored) string { return m.From }),
	ui.TimeColumn("time", "sending.when", func(m *stored) int64 { return m.at }),
}

// folder opens the folder of mails. Errors: ui.ErrNotFound for a person who may not see them.
func (p *pages) folder(r *ui.Request) (*os.Root, error) {
	alone, err := r.IsAlone()
	if err != nil {
		return nil, err
	}
	if p.MailDir == "" || !alone || !mayOperate(r) {
		return nil, ui.ErrNotFound
	}
	return os.OpenRoot(p.MailDir)
}

// mails lists the newest mails.
func (p *pages) mails(r *ui.Request) (*ui.View, error) {
	dir, err := p.folder(r)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	entries, err := fs.ReadDir(dir.FS(), ".") // in the order of the names, which begin with the time
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return !strings.HasSuffix(e.Name(), ".eml") })
	var all []stored
	for _, e := range slices.Backward(entries) {
		if len(all) == mostMails {
			break
		}
		m, err := open(dir, e.Name())
		if err != nil {
			continue // it was removed meanwhile
		}
		all = append(all, headOf(r, e.Name(), m))
	}
	return &ui.View{Title: r.Text("sending.mails_folder"), Place: "/admin/sending", Content: p.mailsPage,
		Data: mailColumns.Table(r, "", all, ui.Find{}), Sub: r.Text("sending.newest", "n", len(all), "all", len(entries))}, nil
}

// open reads a mail of the folder.
func open(dir *os.Root, name string) (*mail.Message, error) {
	f, err := dir.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, maxMail))
	if err != nil {
		return nil, err
	}
	return mail.ReadMessage(bytes.NewReader(content))
}

// headOf returns the header of a mail as people read it.
func headOf(r *ui.Request, name string, m *mail.Message) stored {
	text := func(field string) string {
		decoded, err := new(mime.WordDecoder).DecodeHeader(m.Header.Get(field))
		if err != nil {
			return m.Header.Get(field)
		}
		return decoded
	}
	address := func(field string) string {
		one, isBare := strings.CutPrefix(text(field), "<") // an address without a name needs no brackets
		if isBare {
			one = strings.TrimSuffix(one, ">")
		}
		return one
	}
	s := stored{Name: name, From: address("from"), To: address("to"), Subject: text("subject")}
	if at, err := m.Header.Date(); err == nil {
		s.at, s.Date = at.Unix(), r.Date(at.Unix())
	}
	return s
}

// load returns the mail in the path. Errors: ui.ErrNotFound.
func (p *pages) load(r *ui.Request) (string, *mail.Message, error) {
	dir, err := p.folder(r)
	if err != nil {
		return "", nil, err
	}
	defer dir.Close()
	name := r.PathValue("name")
	if !strings.HasSuffix(name, ".eml") || strings.ContainsAny(name, `/\`) {
		return "", nil, ui.ErrNotFound
	}
	m, err := open(dir, name)
	if err != nil {
		return "", nil, ui.ErrNotFound
	}
	return name, m, nil
}

// mail shows a mail with its header. Its body is in a frame that runs nothing.
func (p *pages) mail(r *ui.Request) (*ui.View, error) {
	name, m, err := p.load(r)
	if err != nil {
		return nil, err
	}
	head := headOf(r, name, m)
	return &ui.View{Title: head.Subject, Place: "/admin/sending", Content: p.mailPage, Data: head,
		Actions: []ui.Action{{Text: r.Text("sending.all_mails"), Path: "/admin/sending/mails"}}}, nil
}

// body is the content of the frame: the HTML part of a mail, or else its text.
func (p *pages) body(r *ui.Request) (*ui.View, error) {
	_, m, err := p.load(r)
	if err != nil {
		return nil, err
	}
	page, text := partsOf(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), m.Body)
	if page == "" {
		page = "<pre style=\"white-space: pre-wrap\">" + html.EscapeString(text) + "</pre>"
	}
	return &ui.View{Mail: page}, nil
}

// partsOf returns the first HTML part and the first text part of a mail. "" stands for a part that is missing.
func partsOf(contentType, encoding string, body io.Reader) (page, text string) {
	kind, parameters, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind = "text/plain"
	}
	if !strings.HasPrefix(kind, "multipart/") {
		content, _ := io.ReadAll(decoded(encoding, body)) // what can be read of a damaged part
		switch kind {
		case "text/html":
			return string(content), ""
		case "text/plain":
			return "", string(content)
		}
		return "", ""
	}
	parts := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return page, text
		}
		p, t := partsOf(part.Header.Get("Content-Type"), part.Header.Get("Content-Transfer-Encoding"), part)
		if page == "" {
			page = p
		}
		if text == "" {
			text = t
		}
	}
}

func decoded(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(encoding) {
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	}
	return body
}
