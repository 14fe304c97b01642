package mail

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/limiter"
	"enlist/internal/messages"
	"enlist/internal/starters"
)

// This file composes the mails to Contacts: Messages and requests to confirm a
// subscription. compose_cache.go compiles a Message, and compose_render.go inserts the
// values of a Contact. compose_header.go writes the headers.

type composer struct {
	from      string // sender of a mail if neither its Message, its List nor the settings have one
	settings  func() *accounts.Settings
	publicURL string
	key       enlist.LinkKey
	links     Linker
	files     Files
	domains   Domains // nil: senders are not checked
	now       func() time.Time
	templates templateCache
	texts     *language.Texts
	senderID  string                 // for Feedback-ID
	examples  func() map[string]bool // words of starting templates
}

func newComposer(o Options) (*composer, error) {
	if _, _, ok := parseAddress(o.From); !ok && o.From != "" {
		return nil, fmt.Errorf("sender %q is not an address such as name@example.com", o.From)
	}
	if o.Settings == nil {
		o.Settings = noSettings
	}
	c := &composer{from: o.From, settings: o.Settings, publicURL: o.PublicURL, key: o.Key, links: o.Links,
		files: o.Files, domains: o.Transport.Domains, now: time.Now, texts: language.New(), senderID: o.Key.SenderID()}
	c.examples = sync.OnceValue(func() map[string]bool { return starters.Examples(c.texts) })
	c.templates.compiling = limiter.NewShared(compiling, 1, 0)
	c.templates.urls = urls{c.publicURL, &c.key}
	return c, nil
}

// noSettings returns settings without a sender, a limit and a key.
func noSettings() *accounts.Settings { return new(accounts.Settings) }

// link returns the URL of a page of this service, with a signature.
func (c *composer) link(kind enlist.LinkKind, about enlist.DeliveryKey) string {
	return c.publicURL + c.key.Path(enlist.Link{Kind: kind, DeliveryKey: about})
}

// tracked returns the function for the tracked links of a mail. id returns the ID of the link with an index. The link has
// a fingerprint of its values, so that it never leads to later ones. decisions.md: 49
func (c *composer) tracked(about enlist.DeliveryKey, id func(int) enlist.LinkID) trackedLink {
	return func(i int, used string) string {
		return c.publicURL + c.key.Path(enlist.Link{Kind: enlist.LinkClick, DeliveryKey: about, Target: id(i),
			Values: c.key.Fingerprint(about, used)})
	}
}

// rendering returns the rendering of a mail whose opens and clicks are not tracked.
func (c *composer) rendering(l *messages.OutgoingMail) rendering {
	return rendering{mail: l, unsubscribe: c.link(enlist.LinkUnsubscribe, l.Delivery),
		link:   func(kind enlist.LinkKind) string { return c.link(kind, l.Delivery) },
		values: messages.MailValues(l.Schema, l.Contact)}
}

// tag returns the UTM parameters of a mail, or nil.
func (c *composer) tag(l *messages.OutgoingMail, t *compiled) *enlist.LinkTag {
	account := c.settings().Of(l.Message.AccountID).UTM
	if l.Message.UTM == "" && !account.IsOn() {
		return nil
	}
	return t.utm.Tag(account, l.Schema.List.Name, cmp.Or(l.Campaign, l.Message.Name), &c.key)
}

// languageOf returns the language in which the Contact of a mail subscribed, or else that of the List.
func (c *composer) languageOf(l *messages.OutgoingMail) *language.Language {
	return c.texts.For(cmp.Or(l.Contact.Language, l.Schema.List.Language), "")
}

// linksOfAll returns the link to unsubscribe and the others of a mail as a page. None is of one person: the page is that
// of an archive if the mail is to no Contact, and a reader asks there for a mail with the own links.
func (c *composer) linksOfAll(about enlist.DeliveryKey) (unsubscribe string, others linkTo) {
	at := c.publicURL + enlist.ArchivePath(about.List, about.Batch())
	if about.Contact != 0 {
		at = c.link(enlist.LinkMail, about)
	}
	ask := at + "?" + enlist.AskForLink
	return ask, func(kind enlist.LinkKind) string {
		switch kind {
		case enlist.LinkPreferences, enlist.LinkTracking:
			return ask
		case enlist.LinkMail:
			return at
		}
		return ""
	}
}

// listHeader returns a header with the List's ID and the sender of the Message, of the List or of the server. m is
// nil for a mail without a Message.
func (c *composer) listHeader(list *enlist.List, m *messages.Message) header {
	name, from := list.FromName, list.FromAddress
	if m != nil {
		name, from = cmp.Or(m.FromName, name), cmp.Or(m.FromAddress, from)
	}
	h := header{list: list.ID, account: list.AccountID, from: from}
	if from == "" {
		of := c.settings().Of(list.AccountID)
		name, h.from, h.isDefault = cmp.Or(name, of.FromName), cmp.Or(of.From, c.from), true
	}
	h.fromName = cmp.Or(name, list.Name)
	return h
}

// outgoing composes a mail to a Contact. It also returns the subject with its merge fields
// filled.
func (c *composer) outgoing(ctx context.Context, l *messages.OutgoingMail) (*composed, string, error) {
	switch {
	case l.Message == nil && l.Delivery.Cause == messages.CauseLink:
		return c.preferences(l)
	case l.Message == nil:
		return c.confirmation(l)
	}
	list := &l.Schema.List
	t, err := c.templates.get(ctx, l.Message, l.Files)
	if err != nil {
		return nil, "", err
	}
	if t.refused != nil {
		return nil, "", &messages.Undelivered{Permanent: true, Detail: t.refused.Error()}
	}
	r := c.rendering(l)
	r.tag = c.tag(l, t)
	r.leave = oneLine(c.languageOf(l).Text("web.unsubscribe.heading", "list", list.Name))
	if l.Archived {
		r.unsubscribe, r.link = c.linksOfAll(l.Delivery)
	}
	if err := c.record(ctx, &r, t); err != nil {
		return nil, "", err
	}
	h := c.listHeader(list, l.Message)
	if err := c.fillSender(ctx, l, &h); err != nil {
		return nil, "", err
	}
	h.to, h.key, h.about = l.Address, "d/"+l.Delivery.String(), l.Delivery
	h.subject, h.unsubscribe = r.subject(t), r.unsubscribe
	m, err := c.message(h)
	if err != nil {
		return nil, "", err
	}
	m.files, err = t.encodedFiles(ctx, c.files)
	if err != nil {
		return nil, "", err
	}
	m.text = r.text(t)
	if t.html != nil {
		m.html = r.html(t)
	}
	if r.tooLong {
		return nil, "", &messages.Undelivered{Permanent: true, Detail: "the Contact's values make this email too long"}
	}
	return m, h.subject, nil
}

// record adds what records opens and clicks, if the Contact may be recorded, and then the link to the page about it.
// Only HTML can be recorded. decisions.md: 155, 160
func (c *composer) record(ctx context.Context, r *rendering, t *compiled) error {
	l, lacks := r.mail, r.mail.Unmeasured()
	if t.html == nil {
		return nil
	}
	isRecorded := l.Recorded
	if lacks&enlist.UnmeasuredOpens == 0 {
		r.open, isRecorded = c.link(enlist.LinkOpen, l.Delivery), true
	}
	if lacks&enlist.UnmeasuredClicks == 0 {
		targets, err := t.linkTargets(ctx, l.Message, c.links)
		if err != nil {
			return fmt.Errorf("store the targets of links: %w", err)
		}
		r.click = c.tracked(l.Delivery, func(i int) enlist.LinkID { return targets[i] })
		isRecorded = isRecorded || len(targets) > 0
	}
	if isRecorded {
		c.linkTracking(r)
	}
	return nil
}

// linkTracking adds the link to the page about the recording of opens and clicks.
func (c *composer) linkTracking(r *rendering) {
	r.tracking, r.about = r.link(enlist.LinkTracking), c.languageOf(r.mail).Text("web.tracking.title")
}

// preferences composes the mail with the link to the settings of a subscriber, and returns its subject.
func (c *composer) preferences(l *messages.OutgoingMail) (*composed, string, error) {
	in := c.languageOf(l)
	return c.toContact(l, &builtIn{
		Title:   in.Text("mail.link.subject", "list", l.Schema.List.Name),
		Heading: in.Text("mail.link.heading"), Before: in.Text("mail.link.before"), Button: in.Text("mail.link.button"),
		Link: c.link(enlist.LinkPreferences, l.Delivery), After: in.Text("mail.link.after")})
}

// confirmation composes the request to confirm a subscription, and returns its subject.
// reference.md: event.confirm
func (c *composer) confirmation(l *messages.OutgoingMail) (*composed, string, error) {
	list := &l.Schema.List
	in := c.languageOf(l)
	subject, text := list.ConfirmSubject, list.ConfirmText
	if !list.HasTextsIn(l.Contact.Language) {
		subject, text = "", ""
	}
	return c.toContact(l, &builtIn{
		Title:   cmp.Or(subject, in.Text("mail.confirm.subject", "list", list.Name)),
		Heading: in.Text("mail.confirm.heading"), Before: cmp.Or(text, in.Text("mail.confirm.before")),
		Consent: list.ConsentText, Button: in.Text("mail.confirm.button"), Link: c.link(enlist.LinkConfirm, l.Delivery),
		After: in.Text("mail.confirm.after")})
}

// toContact composes a mail to a Contact without a Message, and returns its subject.
func (c *composer) toContact(l *messages.OutgoingMail, b *builtIn) (*composed, string, error) {
	list := &l.Schema.List
	b.Language, b.List, b.Imprint = c.languageOf(l).Code, list.Name, list.Imprint
	h := c.listHeader(list, nil)
	h.to, h.key = l.Address, "d/"+l.Delivery.String()
	m, err := c.builtIn(h, b)
	return m, oneLine(b.Title), err
}
