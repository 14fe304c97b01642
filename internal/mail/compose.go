package mail

import (
	"context"
	"fmt"
	"time"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// composer gives messages their form.
type composer struct {
	from      string // address of what has no sender of its own
	publicURL string
	key       audience.LinkKey
	links     Linker
	now       func() time.Time
	templates templates
}

func newComposer(o Options) (*composer, error) {
	if _, _, ok := parseAddress(o.From); !ok && o.From != "" {
		return nil, fmt.Errorf("mail from %q: an address like name@example.com was expected", o.From)
	}
	return &composer{from: o.From, publicURL: o.PublicURL, key: o.Key, links: o.Links, now: time.Now}, nil
}

// link returns the URL of a link.
func (c *composer) link(kind audience.LinkKind, about audience.DeliveryKey) string {
	return c.publicURL + c.key.Path(audience.Link{Kind: kind, DeliveryKey: about})
}

// listSender is who sends what a List sends.
func (c *composer) listSender(list *audience.List) envelope {
	return envelope{list: list.ID, fromName: first(list.FromName, list.Name), from: first(list.FromAddress, c.from)}
}

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// letter makes the message of a letter and returns its subject.
func (c *composer) letter(ctx context.Context, l *audience.OutgoingMail) (*gomail.Msg, string, error) {
	if l.Message == nil {
		return c.confirmation(l)
	}
	list := &l.Schema.List
	t := c.templates.of(l.Message)
	r := rendering{
		letter:      l,
		unsubscribe: c.link(audience.LinkUnsubscribe, l.Delivery),
		confirm:     c.link(audience.LinkConfirm, l.Delivery),
	}
	if list.TrackOpens {
		r.open = c.link(audience.LinkOpen, l.Delivery)
	}
	if list.TrackClicks {
		targets, err := t.linkTargets(ctx, l.Message.ID, c.links)
		if err != nil {
			return nil, "", fmt.Errorf("keep the targets of links: %w", err)
		}
		r.click = func(i int) string {
			return c.publicURL + c.key.Path(audience.Link{Kind: audience.LinkClick, DeliveryKey: l.Delivery, Target: targets[i]})
		}
	}
	e := c.listSender(list)
	e.fromName, e.from = first(l.Message.FromName, e.fromName), first(l.Message.FromAddress, e.from)
	e.to, e.replyTo, e.key = l.Address, l.Message.ReplyTo, "d/"+l.Delivery.String()
	e.subject, e.unsubscribe = r.subject(t), r.unsubscribe
	m, err := c.message(e)
	if err != nil {
		return nil, "", err
	}
	m.SetBodyString(gomail.TypeTextPlain, r.text(t))
	if t.html != nil {
		m.AddAlternativeString(gomail.TypeTextHTML, r.html(t))
	}
	if r.tooLong {
		return nil, "", &audience.Undelivered{Permanent: true, Detail: "the Contact's values make this mail too long"}
	}
	return m, e.subject, nil
}

// confirmation asks a Contact to confirm the subscription. decisions.md: 47
func (c *composer) confirmation(l *audience.OutgoingMail) (*gomail.Msg, string, error) {
	list := &l.Schema.List
	b := &builtIn{
		List:    list.Name,
		Title:   "Please confirm: " + list.Name,
		Heading: "Please confirm your subscription",
		Before:  "Someone has subscribed this address. If it was you, please confirm it: mails are sent to you only then.",
		Button:  "Confirm the subscription",
		Link:    c.link(audience.LinkConfirm, l.Delivery),
		After:   "If it was not you, ignore this mail. Without your confirmation you are sent nothing else.",
	}
	e := c.listSender(list)
	e.to, e.key, e.subject = l.Address, "d/"+l.Delivery.String(), oneLine(b.Title)
	m, err := c.message(e)
	if err != nil {
		return nil, "", err
	}
	m.SetBodyString(gomail.TypeTextPlain, b.text())
	m.AddAlternativeString(gomail.TypeTextHTML, b.html())
	return m, e.subject, nil
}
