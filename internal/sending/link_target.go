package sending

import (
	"context"
	"strings"

	"enlist/internal/batches"
	"enlist/internal/contacts"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/messages/merge"
	"enlist/internal/pace"
)

// This file handles the tracked links of Messages. Package mail replaces each URL of a Message
// by a LinkClick with the URL's ID. If a reader follows this link, the server records the click
// and redirects to the URL.

// LinkTargets returns the IDs of URLs, which are written as in the Message. It stores the URLs
// that are new. edited is the LastModifiedTime of the Message.
func (s *Service) LinkTargets(ctx context.Context, message enlist.MessageID, edited int64,
	urls []string) ([]enlist.LinkID, error) {
	return db.OwnUpdate(ctx, s.db, func(tx *db.Tx, _ int64) ([]enlist.LinkID, error) {
		return messages.LinkTargets(tx, message, edited, urls)
	})
}

// LinkURL returns the URL to which a LinkClick leads. Its merge fields have the values of the Contact
// that the mail had. If one of them has changed since, or the Contact is gone, they are empty. The error is of kind
// NoLink if the Message is gone, or if the filled URL does not begin with http:// or https://. key has signed the link.
// decisions.md: 49, 156
func (s *Service) LinkURL(ctx context.Context, key *enlist.LinkKey, l enlist.Link) (string, error) {
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (string, error) {
		url, message, err := messages.TrackedLink(tx, l.Target)
		if err != nil {
			return "", err
		}
		v, err := loadLinkView(tx, l.DeliveryKey)
		if err != nil {
			return "", err
		}
		if v.Schema == nil {
			v.Schema = enlist.NewSchema(enlist.List{}, nil, nil)
		}
		if v.Contact == nil {
			v.Contact = new(enlist.Contact)
		}
		target, values := merge.Parse(url), messages.MailValues(v.Schema, v.Contact)
		if key.Fingerprint(l.DeliveryKey, target.Used(values)) != l.Values {
			values = messages.MailValues(v.Schema, new(enlist.Contact))
		}
		merged, ok := target.URL(values)
		if !ok || !isWebURL(merged) {
			return "", enlist.ErrNoLink
		}
		if s.messages.LinkTag(message, "", "", key) == nil {
			return merged, nil
		}
		campaign, err := batches.NameOf(tx, l.DeliveryKey.Batch())
		return s.messages.LinkTag(message, v.Schema.List.Name, campaign, key).Add(merged), err
	})
}

// isWebURL reports whether a URL begins with http:// or https:// and has text after that.
func isWebURL(url string) bool {
	scheme, rest, ok := strings.Cut(url, "://")
	return ok && rest != "" && (strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https"))
}

// Opened records that a mail was opened, if the List tracks opens. userAgent is the header of the
// request. decisions.md: 49, 60
func (s *Service) Opened(ctx context.Context, l enlist.Link, userAgent string) error {
	return s.track(ctx, l, pace.ReadAgent(userAgent))
}

// Clicked records that a link was followed, if the List tracks clicks. A reader who follows a
// link has also opened the mail. decisions.md: 49, 60
func (s *Service) Clicked(ctx context.Context, l enlist.Link, userAgent string) error {
	return s.track(ctx, l, pace.ReadAgent(userAgent))
}

// recordAccess raises the Contact's last_open_time and last_click_time. It writes only if a
// time changes, because mail programs request images often, and a client may request a link in
// a loop.
func (s *Service) recordAccess(ctx context.Context, d enlist.DeliveryKey, clicked bool) error {
	now := s.db.Now().Unix()
	var open, click int64
	err := s.db.View(ctx, func(tx *db.Tx) error {
		open, click = 0, 0
		v, err := loadLinkView(tx, d)
		if err != nil || v.Contact == nil {
			return err
		}
		if v.Schema.TracksOpens(v.Contact.TrackingConsent) && v.Contact.LastOpenTime < now {
			open = now
		}
		if clicked && v.Schema.TracksClicks(v.Contact.TrackingConsent) && v.Contact.LastClickTime < now {
			click = now
		}
		return nil
	})
	if err != nil || open == 0 && click == 0 {
		return err
	}
	return s.db.Update(ctx, func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, d.List)
		if err != nil {
			return enlist.IgnoreKind(enlist.NoList, err)
		}
		consent, err := contacts.Tracking(tx, d.List, d.Contact, d.Time)
		if err != nil {
			return err
		}
		return contacts.RaiseTimes(tx, d.List, d.Contact, 0, open*db.Bit(schema.TracksOpens(consent)),
			click*db.Bit(schema.TracksClicks(consent)))
	})
}
