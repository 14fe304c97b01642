// Package account has the page about an Account: its name, its time zone, its limit, and whose opens and clicks it records.
// It makes and removes none.
package account

import (
	"embed"
	"slices"

	"enlist/internal/accounts"
	"enlist/internal/admin/ui"
	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

//go:embed account.html
var files embed.FS

// Pages returns the page.
func Pages() []ui.Page {
	p := &page{ui.Parse(files, "account.html")}
	return []ui.Page{
		{Pattern: "GET /admin/account", Needs: enlist.Administer, Serve: p.edit},
		{Pattern: "POST /admin/account/edit", Needs: enlist.Administer, Serve: p.edit},
		{Pattern: "POST /admin/account/tracking", Needs: enlist.Administer, Serve: p.tracking},
		{Pattern: "POST /admin/account/utm", Needs: enlist.Administer, Serve: p.utm},
	}
}

type page struct{ content *ui.Template }

// data is the data of the page.
type data struct {
	*accounts.OwnAccount
	Card       ui.FormCard
	Tracking   ui.FormCard
	UTM        ui.FormCard
	HasLimit   bool
	HeldReason string // "": mails are not held
	IntoFolder bool   // no mail leaves the server
	HeldSince  string
}

func formOf(r *ui.Request, a *enlist.Account) ui.Form {
	settings := r.App.Accounts.Settings().Of(a.ID)
	zone := ui.TimeZone(r.Text("account.zone"), a.TimeZone)
	zone.Zone = !r.HasCountry()
	return ui.Form{
		{Name: "name", Label: r.Text("account.name"), Value: a.Name, Required: true},
		zone,
		r.Country(r.Text("account.country"), r.NewCountry()),
		{Name: "send_delay", Label: r.Text("account.send_delay"), Kind: ui.InputNumber, Required: true,
			Value: ui.Plain(settings.SendDelay)},
		{Name: "approve_above", Label: r.Text("account.approve_above"), Help: r.Text("account.approve_above_help"),
			Kind: ui.InputNumber, Required: true, Value: ui.Plain(settings.ApproveAbove)},
		ui.Check("approve_keys", r.Text("account.approve_keys"), settings.ApproveKeys),
	}
}

// view shows the page.
func (p *page) view(r *ui.Request, a *accounts.OwnAccount, form ui.Form, problem string) (*ui.View, error) {
	held, err := r.App.Sending.Held(r.Context())
	if err != nil {
		return nil, err
	}
	d := data{OwnAccount: a, IntoFolder: r.MailDir != "", HasLimit: a.ContactLimit != enlist.NoContactLimit,
		Card: ui.FormCard{Heading: r.Text("account.edit"), Form: form, Action: "/admin/account/edit",
			Button: r.Text("account.save"), After: r.Text("account.zone_about")}}
	if !r.HasCountry() { // no user has chosen it yet
		d.Card.Heading, d.Card.Texts = r.Text("account.where"), []string{r.Text("account.suggested")}
	}
	d.Tracking, d.UTM = trackingCard(r, &a.Account), utmCard(r, &a.Account)
	if held != nil {
		d.HeldReason, d.HeldSince = held.Reason, r.Date(held.Time)
	}
	return &ui.View{Title: r.Text("account.title"), Place: "/admin/account", Problem: problem, Content: p.content,
		Data: &d}, nil
}

// edit shows the page, or changes the Account.
func (p *page) edit(r *ui.Request) (*ui.View, error) {
	a, err := r.App.Accounts.OwnAccount(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	isNew := !r.HasCountry() && r.PostForm.Get("country_code") != ""
	form := formOf(r, &a.Account)
	if typed := r.PostForm.Get("timezone"); typed != "" { // which the choice has then, also if it is wrong
		zone := form.In("timezone")
		if !slices.ContainsFunc(zone.Options, func(o ui.Option) bool { return o.Value == typed }) {
			zone.Options = append(zone.Options, ui.Option{Value: typed, Text: typed})
		}
	}
	page := func(problem string) (*ui.View, error) { return p.view(r, a, form, problem) }
	return r.Submit(form, page, func() (*ui.View, error) {
		err := r.App.Accounts.EditOwnAccount(r.Context(), r.Caller, accounts.OwnAccountChange{Name: form.Value("name"),
			TimeZone: form.Value("timezone"), CountryCode: form.Value("country_code"), SendDelay: form.Value("send_delay"),
			ApproveAbove: form.Value("approve_above"), ApproveKeys: form.Value("approve_keys") != ""})
		if err == nil && isNew {
			err = r.App.Lists.ChooseCountry(r.Context(), r.Caller, form.Value("country_code"))
			return ui.GoTo("/admin/", r.Text("account.saved")), err
		}
		return ui.GoTo("/admin/account", r.Text("account.saved_times")), err
	})
}

// trackingCard returns the form about whose opens and clicks are recorded.
func trackingCard(r *ui.Request, a *enlist.Account) ui.FormCard {
	shares := ui.Input{Name: "shares_tracking", Label: r.Text("account.shares_tracking"),
		Help: r.Text("account.shares_tracking_help"), Kind: ui.InputCheck}
	if a.SharesTracking {
		shares.Value = "1"
	}
	return ui.FormCard{Heading: r.Text("account.tracking"), Texts: []string{r.Text("account.tracking_about")},
		Form: ui.Form{{Name: "tracking_policy", Label: r.Text("account.tracking_policy"), Kind: ui.InputRadio,
			Value: string(a.TrackingPolicy), Options: r.TrackingOptions()}, shares},
		Action: "/admin/account/tracking", Button: r.Text("account.save")}
}

// tracking changes whose opens and clicks are recorded.
func (p *page) tracking(r *ui.Request) (*ui.View, error) {
	a, err := r.App.Accounts.OwnAccount(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	c := trackingCard(r, &a.Account)
	page := func(problem string) (*ui.View, error) {
		v, err := p.view(r, a, formOf(r, &a.Account), problem)
		if err == nil {
			v.Data.(*data).Tracking = c
		}
		return v, err
	}
	return r.Submit(c.Form, page, func() (*ui.View, error) {
		err := r.App.Contacts.SetTracking(r.Context(), r.Caller, contacts.TrackingSettings{
			Policy: enlist.TrackingPolicy(c.Form.Value("tracking_policy")), Shares: c.Form.Value("shares_tracking") != ""})
		return ui.GoTo("/admin/account", r.Text("account.saved")), err
	})
}

// utmCard returns the form of the UTM parameters.
func utmCard(r *ui.Request, a *enlist.Account) ui.FormCard {
	u := r.App.Accounts.Settings().Of(a.ID).UTM
	is := ui.Check("utm", r.Text("account.utm_on"), u.IsOn())
	return ui.FormCard{Heading: r.Text("account.utm"), Texts: []string{r.Text("account.utm_about")},
		Form: append(ui.Form{is}, ui.UTM(r, &u)...), Action: "/admin/account/utm", Button: r.Text("account.save")}
}

// utm changes the UTM parameters of the links in mails.
func (p *page) utm(r *ui.Request) (*ui.View, error) {
	a, err := r.App.Accounts.OwnAccount(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	c := utmCard(r, &a.Account)
	page := func(problem string) (*ui.View, error) {
		v, err := p.view(r, a, formOf(r, &a.Account), problem)
		if err == nil {
			v.Data.(*data).UTM = c
		}
		return v, err
	}
	return r.Submit(c.Form, page, func() (*ui.View, error) {
		use := enlist.UTMOff
		if c.Form.Value("utm") != "" {
			use = enlist.UTMOn
		}
		details := append(c.Form[1:].Details(), ui.Text("utm", string(use)))
		return ui.GoTo("/admin/account", r.Text("account.saved")), r.App.Accounts.SetUTM(r.Context(), r.Caller, details)
	})
}
