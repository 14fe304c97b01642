// Package keys has the pages about the API keys of an Account, with which programs call the service.
package keys

import (
	"embed"
	"time"

	"enlist/internal/accounts"
	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "keys.html"), ui.Parse(files, "key.html"), ui.Parse(files, "made.html")}
	return []ui.Page{
		{Pattern: "GET /admin/keys", IsForm: true, Needs: enlist.Administer, Serve: p.all},
		{Pattern: "GET /admin/keys/{key}", IsForm: true, Needs: enlist.Administer, Serve: p.edit},
		{Pattern: "POST /admin/keys/{key}/revoke", Needs: enlist.Administer, Serve: p.revoke},
	}
}

type pages struct{ keys, key, made *ui.Template }

// row is a key in words.
type row struct {
	enlist.Key
	May, State, Used, Calls string
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "keys.name_column", func(k *row) string { return k.Name }),
	{Text: "keys.begins_with"}, {Text: "ui.may"}, {Text: "keys.valid"}, {Text: "keys.calls"},
	ui.TimeColumn("used", "keys.last_used", func(k *row) int64 { return k.LastUsedTime }),
}

// allData is the data of the page: the keys that are valid, and the others.
type allData struct {
	Valid, Past ui.Table[row]
	AllPast     int // keys; Past has the first ones
	New         ui.FormCard
}

// maxPast is the number of keys that Past has.
const maxPast = 50

// inputsOf returns the inputs that each form of a key has: its name, its rate, and whether it is strict.
func inputsOf(r *ui.Request, k *enlist.Key) (name, rate, rates, strict ui.Input) {
	name = ui.Input{Name: "name", Label: r.Text("keys.name"), Value: k.Name, Required: true, Most: 255,
		Autocomplete: "off"}
	rate = ui.Input{Name: "rate", Label: r.Text("keys.rate"), Value: k.Rate.String()}
	rates = ui.Input{Kind: ui.InputNote, Label: r.Text("keys.rates")}
	return name, rate, rates, ui.Check("strict", r.Text("keys.strict"), k.IsStrict)
}

// newForm returns the form of a new key.
func newForm(r *ui.Request) (ui.Form, error) {
	name, rate, rates, strict := inputsOf(r, new(enlist.Key))
	lists, err := r.ListsInput(nil)
	expires := ui.Input{Name: "expires", Label: r.Text("keys.expires"), Kind: ui.InputDate}
	return ui.Form{{Kind: ui.InputRow, Parts: ui.Form{name, r.LevelInput(enlist.Standard)}}, lists,
		{Kind: ui.InputRow, Parts: ui.Form{expires, rate}}, rates, strict}, err
}

// all shows all keys, or makes one and shows it once.
func (p *pages) all(r *ui.Request) (*ui.View, error) {
	f, err := newForm(r)
	if err != nil {
		return nil, err
	}
	page := func(problem string) (*ui.View, error) { return p.showAll(r, f, problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		d, wrong := detailsOf(r, f)
		if err := enlist.Together(wrong); err != nil {
			return nil, err
		}
		k, text, err := r.App.Accounts.AddAccountKey(r.Context(), r.Caller, d)
		if err != nil {
			return nil, err
		}
		return &ui.View{Title: r.Text("keys.made"), Sub: k.Name, Place: "/admin/keys", Content: p.made, Data: text}, nil
	})
}

// showAll shows all keys, and the form of a new one.
func (p *pages) showAll(r *ui.Request, f ui.Form, problem string) (*ui.View, error) {
	keys, err := r.App.Accounts.AccountKeys(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := allData{New: ui.FormCard{Heading: r.Text("keys.make"), Form: f, Button: r.Text("keys.make_button"),
		Action: "/admin/keys", After: r.Text("keys.shown_once")}}
	keys, find := ui.FindRows(r, keys, func(k *enlist.Key) string { return k.Name })
	var valid, past []row
	for i := range keys {
		of := &past
		if keys[i].Valid(r.Now.Unix()) {
			of = &valid
		}
		*of = append(*of, rowOf(r, &keys[i], names))
	}
	d.Valid, d.Past = columns.Table(r, "", valid, find), columns.Table(r, "", past, find)
	d.Valid.Roomy, d.Past.Roomy = true, true
	d.Valid.Cut(r)
	d.AllPast = len(past)
	d.Past.Rows = d.Past.Rows[:min(len(d.Past.Rows), maxPast)]
	return &ui.View{Title: r.Text("keys.title"), Sub: r.Text("keys.about", "account", r.Caller.Account.Name),
		Place: "/admin/keys", Content: p.keys, Data: d, Problem: problem}, nil
}

func rowOf(r *ui.Request, k *enlist.Key, names map[enlist.ListID]string) row {
	w := row{Key: *k, May: r.RightsText(r.LevelText(k.Level), k.Lists, names), Used: r.Date(k.LastUsedTime),
		State: r.Text("keys.for_ever"), Calls: rateText(r, k.Rate)}
	switch {
	case k.RevokedTime != 0:
		w.State = r.Text("keys.revoked_on", "time", r.Date(k.RevokedTime))
	case k.ExpiryTime != 0 && !k.Valid(r.Now.Unix()):
		w.State = r.Text("keys.expired_on", "time", r.Date(k.ExpiryTime))
	case k.ExpiryTime != 0:
		w.State = r.Text("keys.until", "time", r.Date(k.ExpiryTime))
	}
	return w
}

func rateText(r *ui.Request, rate enlist.CallRate) string {
	switch text := rate.String(); text {
	case "default":
		return r.Text("keys.rate_default")
	case "none":
		return r.Text("keys.rate_none")
	default:
		return text
	}
}

// detailsOf returns the key that a form describes, and what is wrong with its inputs.
func detailsOf(r *ui.Request, f ui.Form) (d accounts.KeyDetails, wrong []*enlist.Error) {
	d.Strict = f.Value("strict") != ""
	d.Level, _ = enlist.ParseLevel(f.Value("level")) // a wrong level is 0, which no form sends
	d.Level = max(d.Level, enlist.Read)
	d.Name, d.Rate, wrong = read(f)
	var refused *enlist.Error
	if d.Lists, refused = r.ChosenLists(f); refused != nil {
		wrong = append(wrong, refused)
	}
	if day := f.Value("expires"); day != "" {
		at, err := enlist.ParseClock(time.DateOnly, day, r.Now.Location())
		if err != nil {
			wrong = append(wrong, enlist.Invalid("expires", r.Text("keys.bad_day")))
		}
		d.Expiry = at.Unix()
	}
	return d, wrong
}

// read reads the inputs that each form has.
func read(f ui.Form) (name string, rate enlist.CallRate, wrong []*enlist.Error) {
	rate, err := enlist.ParseCallRate(f.Value("rate"))
	if err != nil {
		wrong = append(wrong, enlist.Invalid("rate", err.Error()))
	}
	name = f.Value("name")
	if _, err := enlist.ReadName(name); err != nil {
		wrong = append(wrong, enlist.Invalid("name", err.Error()))
	}
	return name, rate, wrong
}

type oneData struct {
	Key    row
	Edit   ui.FormCard
	Revoke *ui.FormCard // nil: it is revoked
}

// editForm returns the form of what can be changed of a key.
func editForm(r *ui.Request, k *enlist.Key) ui.Form {
	name, rate, rates, strict := inputsOf(r, k)
	return ui.Form{name, rate, rates, strict}
}

// show shows a key with its forms.
func (p *pages) show(r *ui.Request, k *enlist.Key, edit, revoke ui.Form, problem string) (*ui.View, error) {
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	path := "/admin/keys/" + ui.Plain(int64(k.ID))
	d := oneData{Key: rowOf(r, k, names),
		Edit: ui.FormCard{Heading: r.Text("keys.edit"), Form: edit, Button: r.Text("keys.save"), Action: path}}
	if k.RevokedTime == 0 {
		d.Revoke = &ui.FormCard{Heading: r.Text("keys.revoke"), Texts: []string{r.Text("keys.revoke_about")},
			Form:   revoke,
			Button: r.Text("keys.revoke_button"), Danger: true, Action: path + "/revoke"}
	}
	return &ui.View{Title: k.Name, Sub: r.Text("keys.begins", "prefix", k.Prefix), Place: "/admin/keys",
		Content: p.key,
		Data:    d, Problem: problem}, nil
}

// find returns the key of the path. Errors: ui.ErrNotFound.
func find(r *ui.Request) (*enlist.Key, error) {
	k, err := r.App.Accounts.AccountKey(r.Context(), r.Caller, enlist.KeyID(r.ID("key")))
	if enlist.KindOf(err) == enlist.InvalidKey {
		err = ui.ErrNotFound
	}
	return k, err
}

// edit shows a key, or changes it.
func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	k, err := find(r)
	if err != nil {
		return nil, err
	}
	f := editForm(r, k)
	page := func(problem string) (*ui.View, error) { return p.show(r, k, f, ui.Form{ui.Typed(k.Name)}, problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		name, rate, wrong := read(f)
		strict := f.Value("strict") != ""
		err := enlist.Together(wrong)
		if err == nil {
			err = r.App.Accounts.EditAccountKey(r.Context(), r.Caller, k.ID,
				accounts.KeyEdit{Name: &name, Rate: &rate, Strict: &strict})
		}
		return ui.GoTo("/admin/keys/"+r.PathValue("key"), r.Text("keys.saved")), err
	})
}

// revoke revokes a key whose name was typed, because a program may stop working.
func (p *pages) revoke(r *ui.Request) (*ui.View, error) {
	k, err := find(r)
	if err != nil {
		return nil, err
	}
	f := ui.Form{ui.Typed(k.Name)}
	page := func(problem string) (*ui.View, error) { return p.show(r, k, editForm(r, k), f, problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		err := r.App.Accounts.RevokeAccountKey(r.Context(), r.Caller, k.ID)
		return ui.GoTo("/admin/keys", r.Text("keys.revoked")), err
	})
}
