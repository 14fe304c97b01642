package demo

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/messages"
)

// This file has the Lists of the club, and who joins and leaves them.

var accountDetails = accounts.AccountDetails{Name: accountName, TimeZone: timeZone, ContactLimit: enlist.NoContactLimit}

func keyDetails(account enlist.AccountID) accounts.KeyDetails {
	return accounts.KeyDetails{Account: account, Name: "club website", Level: enlist.Full}
}

// The Lists, by their index in builder.lists.
const (
	news = iota
	shop
	volunteers
	press
)

// list is a List of the club.
type list struct {
	name       string
	attributes []string // alternating keys and values
	fields     []fieldOf
	preference []string
	first      int     // Contacts at the beginning of the year
	most       int     // Contacts at the end of the year; 0: as many as join
	joins      float64 // a day
	website    int     // of so many who join, one uses the form of the website
	leaves     float64 // a day, by a call of the API
	consent    string  // what people agree to on the website
	translated forms.Translations

	id     enlist.ListID
	form   enlist.FormID // of the website; 0: it has none
	joined int
	mails  []string // addresses of the Contacts; a Contact that leaves by a call is removed
}

// fieldOf is a Field with the value of a person.
type fieldOf struct {
	name, kind, values string
	of                 func(b *builder, p *person) string
}

var (
	firstName = fieldOf{"First Name", "text", "", func(_ *builder, p *person) string { return p.first }}
	lastName  = fieldOf{"Last Name", "text", "", func(_ *builder, p *person) string { return p.last }}
	homeState = fieldOf{"State", "dropdown", "VIC,NSW,QLD,SA,WA,TAS,ACT,NT",
		func(_ *builder, p *person) string { return p.state }}
	postcode = fieldOf{"Postcode", "text", "", func(_ *builder, p *person) string { return p.postcode }}
	likes    = fieldOf{"Interests", "checkbox", strings.Join(interests, ","),
		func(_ *builder, p *person) string { return strings.Join(p.interests, ",") }}
	spent = fieldOf{"Spent", "decimal", "", func(b *builder, _ *person) string {
		return fmt.Sprintf("%.2f", 8+b.random.ExpFloat64()*70)
	}}
	help = fieldOf{"Helps with", "checkbox", "Planting days,Seed library,Open gardens,Cake stall",
		func(b *builder, _ *person) string {
			return pick(b.random, []string{"Planting days", "Seed library", "Open gardens", "Planting days,Cake stall"})
		}}
	birthday = fieldOf{"Birthday", "date", "", func(b *builder, _ *person) string {
		return fmt.Sprintf("%d-%02d-%02d", 1940+b.random.IntN(65), 1+b.random.IntN(12), 1+b.random.IntN(28))
	}}
	outlet = fieldOf{"Outlet", "text", "", func(b *builder, _ *person) string {
		return pick(b.random, []string{"Valley Courier", "Radio Fern", "The Weekend Gardener", "Soil & Seed",
			"Green Thumb Podcast"})
	}}
)

// newLists returns the Lists in the order of their indexes.
func newLists() []*list {
	common := []string{"from_name", accountName, "from_address", sender, "disallow_duplicate_contacts", "true",
		"track_opens", "true", "track_clicks", "true",
		"imprint", imprint}
	with := func(more ...string) []string { return slices.Concat(common, more) }
	return []*list{
		{name: "Garden News", attributes: with("is_public", "true", "description",
			"News from the garden, once a month, and what to sow now."), first: 19_500, joins: 31, website: 15, leaves: 0.9,
			consent:    "Yes, send me the Garden News by email. I can unsubscribe at any time.",
			translated: newsForm,
			fields:     []fieldOf{firstName, lastName, homeState, postcode, likes},
			preference: []string{"Monthly newsletter", "Events near me"}},
		{name: "Shop customers", attributes: with("from_name", "Fern Valley Shop"), first: 5_400, joins: 4, leaves: 0.4,
			fields:     []fieldOf{firstName, lastName, homeState, postcode, likes, spent},
			preference: []string{"Offers", "New seeds"}},
		{name: "Volunteers", first: 190, most: 412, joins: 0.7, website: 1, leaves: 0.04, consent: consentText,
			attributes: with("double_opt_in_required", "true", "consent_text", consentText,
				"confirmation_subject", "Please confirm: volunteering with the garden club"),
			fields: []fieldOf{firstName, lastName, postcode, birthday, help}, preference: []string{"Roster reminders"}},
		{name: "Press", attributes: with(), first: 80, most: 96, joins: 0.06, fields: []fieldOf{firstName, lastName, outlet}},
	}
}

// newsForm has the texts of the Form of the Garden News in the languages that many readers speak.
var newsForm = forms.Translations{
	"it": {Title: "Iscriviti a Garden News", Introduction: "Per i soci e gli amici del club di giardinaggio.",
		Consent: "Sì, inviatemi Garden News per email. Posso annullare l’iscrizione in qualsiasi momento."},
	"vi": {Title: "Đăng ký nhận Garden News", Introduction: "Dành cho hội viên và bạn bè của câu lạc bộ làm vườn.",
		Consent: "Vâng, hãy gửi Garden News cho tôi qua email. Tôi có thể hủy đăng ký bất cứ lúc nào."},
	"zh": {Title: "订阅 Garden News", Introduction: "欢迎园艺俱乐部的会员和朋友订阅。",
		Consent: "好的，请通过电子邮件给我发送 Garden News。我可以随时退订。"},
}

const consentText = "I would like to help the Fern Valley Garden Club, and to get e-mails about it."

func (b *builder) addLists(ctx context.Context) error {
	b.lists = newLists()
	for _, l := range b.lists {
		var err error
		l.id, err = b.app.Lists.AddList(ctx, b.caller, append(details("name", l.name), details(l.attributes...)...))
		if err != nil {
			return err
		}
		for _, f := range l.fields {
			attributes := details("name", f.name, "type", f.kind)
			if f.values != "" {
				attributes = append(attributes, detail("values_array", f.values))
			}
			if _, err := b.app.Lists.AddField(ctx, b.caller, l.id, attributes); err != nil {
				return err
			}
		}
		for _, name := range l.preference {
			if _, err := b.app.Lists.AddPreference(ctx, b.caller, l.id, name); err != nil {
				return err
			}
		}
		if l.website > 0 {
			if err := b.addForm(ctx, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// addForm adds the Form of the website, which asks for the name and one more value.
func (b *builder) addForm(ctx context.Context, l *list) error {
	all, err := b.app.Lists.SearchFields(ctx, b.caller, l.id, enlist.Query{})
	if err != nil {
		return err
	}
	ask := map[string]bool{"Email": true, firstName.name: true, likes.name: true, help.name: true}
	var shown []string
	for i := range all {
		if ask[all[i].Name] {
			shown = append(shown, strconv.FormatInt(int64(all[i].ID), 10))
		}
	}
	l.form, err = b.app.Forms.SetForm(ctx, b.caller, l.id, 0, details("name", "Website", "field_ids",
		strings.Join(shown, ","), "title", "Join "+l.name, "introduction", "For members and friends of the garden club.",
		"consent_text", l.consent, "sites", "https://www.fern-valley.example", "language", "en", "translations", l.translated.Encode()))
	return err
}

// addFirstContacts adds the Contacts that the club has at the beginning of the year.
func (b *builder) addFirstContacts(ctx context.Context) error {
	for i, l := range b.lists {
		all := make([]person, b.scaled(l.first))
		for k := range all {
			all[k] = b.crowd.next()
			if i == shop && k%6 == 0 { // some customers read the news too
				all[k].email = pick(b.random, b.lists[news].mails)
			}
		}
		if err := b.join(ctx, l, all); err != nil {
			return err
		}
		b.say("%s: %d Contacts", l.name, len(l.mails))
	}
	return nil
}

// join adds Contacts to a List. Those of a List with double opt-in subscribe and confirm.
func (b *builder) join(ctx context.Context, l *list, all []person) error {
	l.joined += len(all)
	for part := range slices.Chunk(all, contacts.MaxRows) {
		rows := make([][]enlist.Detail, 0, len(part))
		for i := range part {
			if l.website > 0 && (l.website == 1 || len(all) < 100 && b.random.IntN(l.website) == 0) {
				if err := b.subscribe(ctx, l, &part[i]); err != nil {
					return err
				}
			} else {
				rows = append(rows, b.row(l, &part[i]))
			}
			l.mails = append(l.mails, part[i].email)
		}
		if len(rows) == 0 {
			continue
		}
		r := contacts.AddRequest{List: l.id, Contacts: rows}
		if _, err := b.app.Contacts.AddContacts(ctx, b.caller, r); err != nil {
			return err
		}
	}
	return nil
}

// row returns the values of a person's Contact.
func (b *builder) row(l *list, p *person) []enlist.Detail {
	row := []enlist.Detail{detail("Email", p.email)}
	if p.language != "" {
		row = append(row, detail(enlist.KeyLanguage, p.language))
	}
	for _, f := range l.fields {
		row = append(row, detail(f.name, f.of(b, p)))
	}
	return row
}

// subscribe subscribes a person who uses the form of the website. Nine of ten confirm, if the List asks for it.
func (b *builder) subscribe(ctx context.Context, l *list, p *person) error {
	consent := contacts.Consent{Type: contacts.ConsentDirect, Text: l.consent,
		IP: fmt.Sprintf("203.0.113.%d", 1+b.random.IntN(250))}
	for _, name := range l.preference {
		consent.Preferences = append(consent.Preferences,
			enlist.PreferenceChoice{Name: name, Agree: b.random.IntN(3) > 0})
	}
	r := contacts.SubscribeRequest{List: l.id, Details: b.row(l, p), Consent: consent, Form: l.form}
	now := b.seconds.Load()
	form, err := b.app.Forms.Show(ctx, l.form)
	if err != nil {
		return err
	}
	for range 2 + (now+int64(len(p.email)))%12 { // most who look at a form go away
		if err := b.app.Forms.CountView(ctx, form); err != nil {
			return err
		}
	}
	id, err := b.app.Contacts.Subscribe(ctx, b.caller, r)
	if err != nil || l != b.lists[volunteers] || b.random.IntN(10) == 0 {
		return err
	}
	mail := enlist.DeliveryKey{List: l.id, Contact: id, Time: now, Cause: messages.CauseConfirmation}
	_, err = b.app.Sending.ConfirmByLink(ctx, mail, r.Consent.IP, nil)
	return err
}

// planJoins adds the joins and departures of each day to the timeline. Most people join in spring.
func (b *builder) planJoins(l *list) {
	var joins, leaves float64
	for days := 364; days >= 0; days-- {
		season := 0.55
		if days < 110 {
			season = 1.9
		}
		joins += l.joins * season * (0.4 + 1.2*b.random.Float64()) / float64(b.Scale)
		leaves += l.leaves * 2 * b.random.Float64() / float64(b.Scale)
		joining, leaving := int(joins), int(leaves)
		joins, leaves = joins-float64(joining), leaves-float64(leaving)
		if joining+leaving == 0 {
			continue
		}
		at := b.daysAgo(days, 7) + b.random.Int64N(12*enlist.Hour)
		b.add(at, enlist.PersonKey{}, func(ctx context.Context) error { return b.day(ctx, l, joining, leaving) })
	}
}

// day lets people join and leave a List.
func (b *builder) day(ctx context.Context, l *list, joining, leaving int) error {
	if l.most > 0 {
		joining = min(joining, b.scaled(l.most)-l.joined)
	}
	all := make([]person, joining)
	for i := range all {
		all[i] = b.crowd.next()
	}
	if err := b.join(ctx, l, all); err != nil {
		return err
	}
	for range min(leaving, len(l.mails)-1) {
		i := b.random.IntN(len(l.mails))
		r := contacts.UnsubscribeRequest{List: l.id, Address: l.mails[i]}
		if _, err := b.app.Contacts.Unsubscribe(ctx, b.caller, r); err != nil {
			return err
		}
		l.mails = slices.Delete(l.mails, i, i+1)
	}
	return nil
}
