// Package sending has the pages about the health of sending: the mail server, senders and domains, rates, bounces and
// complaints, and the mails that wait.
//
//	sending.go   the page, and what the process knows of its mail server
//	limits.go    rates, warm-up, bounces and complaints
//	domains.go   senders and domains with their DNS records, and their check
//	queue.go     mails that wait or failed, and how long the oldest waited in the last day
//	mails.go     the mails that are only written into a folder
package sending

import (
	"context"
	"embed"
	"net"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/address"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/jobs"
)

//go:embed *.html
var files embed.FS

// Server is what only the process that serves the pages knows.
type Server struct {
	MailDir  string // folder into which mails are written in place of sending them; "": none
	Provider string // email provider of the mail server; "": none
	// SendTest sends a test mail and returns what the mail server answered. nil: there is no mail server.
	SendTest func(ctx context.Context, to string) (string, error)
	Queue    jobs.Queue    // nil: the queue cannot be read
	Resolver *net.Resolver // for checks of DNS records; nil: that of the system
}

// Pages returns the pages.
func Pages(s Server) []ui.Page {
	p := &pages{s, ui.Parse(files, "sending.html"), ui.Parse(files, "domains.html"), ui.Parse(files, "mails.html"),
		ui.Parse(files, "mail.html")}
	return []ui.Page{
		{Pattern: "GET /admin/sending", Needs: enlist.See, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.show(r, testForm(r), "")
		}},
		{Pattern: "POST /admin/sending/test", Needs: enlist.Administer | enlist.Send, Serve: p.test},
		{Pattern: "POST /admin/sending/hold", Needs: enlist.Administer | enlist.Send, Serve: p.hold},
		{Pattern: "POST /admin/sending/release", Needs: enlist.Administer | enlist.Send, Serve: p.release},
		{Pattern: "POST /admin/sending/queue/{job}", Needs: enlist.Administer | enlist.Send, Serve: p.retry},
		{Pattern: "GET /admin/sending/domains", Needs: enlist.See, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.showDomains(r, false)
		}},
		{Pattern: "POST /admin/sending/domains", Needs: enlist.SeeContacts, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.showDomains(r, true)
		}},
		{Pattern: "GET /admin/sending/mails", Needs: enlist.Administer | enlist.Send, Serve: p.mails},
		{Pattern: "GET /admin/sending/mails/{name}", Needs: enlist.Administer | enlist.Send, Serve: p.mail},
		{Pattern: "GET /admin/sending/mails/{name}/body", Needs: enlist.Administer | enlist.Send, Serve: p.body},
	}
}

type pages struct {
	Server
	main, domainsPage, mailsPage, mailPage *ui.Template
}

// data is the data of the page.
type data struct {
	Mode       string // where mails go, in words
	MailsPath  string // of the mails in the folder; "": there are none, or the person may not see them
	HeldReason string
	HeldSince  string
	MayHold    bool
	Test       ui.Form // of a test mail; nil: the person may send none
	Settings   []limit
	Slowed     []setting // domain groups that asked for fewer mails
	Bounces    string    // how bounces come back
	Warmup     *ui.Plot
	WarmupText string
	Complaints *ui.Plot // nil: nothing was sent
	Bounced    *ui.Plot
	Domains    int
	Queue      *queue // nil: it cannot be read
	Failing    int    // webhooks to which no more events are posted
}

// setting is something with its value, in words.
type setting struct{ Name, Value string }

// limit is a setting of the operator.
type limit struct {
	setting
	Declared string // where it is declared; "": it is not
}

// testForm returns the form of a test mail.
func testForm(r *ui.Request) ui.Form {
	return ui.Form{{Name: "to", Label: r.Text("sending.test_mail"), Kind: ui.InputEmail, Value: r.User.Email,
		Required: true}}
}

// show shows the page with a form of a test mail.
func (p *pages) show(r *ui.Request, test ui.Form, problem string) (*ui.View, error) {
	d := &data{}
	if p.SendTest != nil && mayOperate(r) {
		d.Test = test
	}
	alone, err := r.IsAlone()
	if err != nil {
		return nil, err
	}
	for _, read := range []func(*ui.Request, *data, bool) error{p.readMode, p.readLimits, p.readRates, p.readQueue,
		p.readAges, p.readCounts} {
		if err := read(r, d, alone); err != nil {
			return nil, err
		}
	}
	return &ui.View{Title: r.Text("sending.sending_health"), Place: "/admin/sending", Content: p.main, Data: d,
		Problem: problem}, nil
}

// mayOperate reports whether the person may do what is about all mails of the Account.
func mayOperate(r *ui.Request) bool {
	return r.Caller.MayInAll(enlist.Administer | enlist.Send)
}

// readMode sets where mails go.
func (p *pages) readMode(r *ui.Request, d *data, alone bool) error {
	held, err := r.App.Sending.Held(r.Context())
	if err != nil {
		return err
	}
	if held != nil {
		d.HeldReason, d.HeldSince = r.Language.Said(held.Reason), r.Date(held.Time)
	}
	d.MayHold = alone && mayOperate(r) && (held == nil || !held.Restored())
	limits, err := r.App.Sending.Limits(r.Context())
	if err != nil {
		return err
	}
	switch {
	case p.MailDir != "":
		d.Mode = r.Text("sending.no_mail_leaves_server_each")
		if alone && mayOperate(r) {
			d.MailsPath = "/admin/sending/mails"
		}
	case limits.Relay != "":
		d.Mode = r.Text("sending.through", "server", limits.Relay)
	default:
		d.Mode = r.Text("sending.process_sends_no_mail")
	}
	settings := r.App.Accounts.Settings().Of(r.Caller.Account.ID)
	switch {
	case p.MailDir != "":
		d.Bounces = r.Text("sending.nothing_bounces")
	case p.Provider != "":
		d.Bounces = r.Text("sending.provider_reports", "provider", p.Provider)
	case settings.Bounces.Domain != "":
		back := settings.Bounces.Local + "@" + settings.Bounces.Domain
		d.Bounces = r.Text("sending.bounces_come_to", "address", back)
		if where := declaredBy(r, "bounce-address", alone); where != "" {
			d.Bounces = r.Text("sending.bounces_declared", "address", back, "where", where)
		}
	default:
		d.Bounces = r.Text("sending.no_bounces")
	}
	return p.readSender(r, d, settings, alone)
}

// readSender sets the sender of mails without one.
func (p *pages) readSender(r *ui.Request, d *data, settings *accounts.Settings, alone bool) error {
	if settings.From == "" {
		return nil
	}
	row, err := accounts.FindSetting("mail-from")
	if err != nil {
		return err
	}
	stored, err := r.App.Accounts.StoredSettings(r.Context())
	sender := limit{setting: setting{r.Text("sending.default_sender"),
		strings.TrimSpace(settings.FromName + " <" + settings.From + ">")}}
	if r.App.Accounts.ValueOf(row, stored, r.Caller.Account.ID).Declared != nil {
		sender.Declared = declaredBy(r, "mail-from", alone)
	}
	d.Settings = append(d.Settings, sender)
	return err
}

// declaredBy returns where a setting is declared, or "". Members of one Account of several do not see the paths of the
// server.
func declaredBy(r *ui.Request, name string, alone bool) string {
	d := r.App.Accounts.Declared(name)
	switch {
	case d == nil:
		return ""
	case !alone && !r.User.AllAccounts:
		return r.Text("sending.operator")
	}
	return d.Where
}

// test sends a test mail.
func (p *pages) test(r *ui.Request) (*ui.View, error) {
	if p.SendTest == nil || !mayOperate(r) {
		return nil, ui.ErrNotFound
	}
	f := testForm(r)
	f.Read(r)
	to := strings.TrimSpace(f.Value("to"))
	answer, err := "", error(enlist.Invalid("to", r.Text("sending.not_e_mail_address")))
	if spelling, _, ok := address.ParseEmail(to); ok {
		answer, err = p.SendTest(r.Context(), spelling)
	}
	if err != nil {
		f.Refused("to", err.Error())
		return p.show(r, f, r.Text("sending.test_mail_was_not_sent"))
	}
	return ui.GoTo("/admin/sending", r.Text("sending.test_sent", "address", to, "answer", answer)), nil
}

// hold stops all mails.
func (p *pages) hold(r *ui.Request) (*ui.View, error) {
	if err := p.requireHold(r); err != nil {
		return nil, err
	}
	reason := strings.TrimSpace(r.PostForm.Get("reason"))
	if reason == "" {
		reason = r.Text("sending.person_stopped_all_mails")
	}
	if err := r.App.Sending.HoldMails(accounts.WithActor(r.Context(), r.Caller.Actor), reason); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/sending", r.Text("sending.no_mail_sent_from_now")), nil
}

// requireHold refuses a person who may not stop all mails of the server.
func (p *pages) requireHold(r *ui.Request) error {
	alone, err := r.IsAlone()
	if err != nil {
		return err
	}
	held, err := r.App.Sending.Held(r.Context())
	if err == nil && (!alone || !mayOperate(r) || held != nil && held.Restored()) {
		err = ui.ErrNotFound
	}
	return err
}

// release lets all mails go.
func (p *pages) release(r *ui.Request) (*ui.View, error) {
	if err := p.requireHold(r); err != nil {
		return nil, err
	}
	if _, err := r.App.Sending.ReleaseMails(accounts.WithActor(r.Context(), r.Caller.Actor)); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/sending", r.Text("sending.mails_not_held_any_more")), nil
}
