// Package keys has the pages about the API keys of an Account, with which programs call the service.
package keys

import (
	"embed"
	"strings"
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
		{Pattern: "GET /admin/keys", Level: enlist.Full, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.showAll(r, form{Level: enlist.Standard, Rate: "default"})
		}},
		{Pattern: "POST /admin/keys", Level: enlist.Full, Serve: p.add},
		{Pattern: "GET /admin/keys/{key}", Level: enlist.Full, Serve: p.one},
		{Pattern: "POST /admin/keys/{key}", Level: enlist.Full, Serve: p.edit},
		{Pattern: "POST /admin/keys/{key}/revoke", Level: enlist.Full, Serve: p.revoke},
	}
}

type pages struct{ all, key, made *ui.Template }

// form has the fields of a form about a key.
type form struct {
	Name    string
	Level   enlist.Level
	Lists   []enlist.ListID
	Only    bool
	Expires string // a day, or ""
	Rate    string // as enlist.ParseCallRate reads it
	Strict  bool
	Confirm string // the name of the key to revoke, as it was typed

	Wrong map[string]string // what is wrong, by input
}

// row is a key in words.
type row struct {
	enlist.Key
	May, State, Used, Calls string
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "Name", func(k *row) string { return k.Name }),
	{Text: "Begins with"}, {Text: "May"}, {Text: "Valid"}, {Text: "Calls"},
	ui.TimeColumn("used", "Last used", func(k *row) int64 { return k.LastUsedTime }),
}

// table is the keys that are valid, or the others.
type table struct {
	Rows  []row
	Order ui.Order
}

type allData struct {
	form
	Levels      []ui.LevelChoice
	ListChoices []ui.ListChoice
	Find        ui.Find
	Valid, Past table
}

func (p *pages) showAll(r *ui.Request, f form) (*ui.View, error) {
	all, err := r.App.Accounts.AccountKeys(r.Context(), r.Caller)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := allData{form: f, Levels: ui.LevelChoices(f.Level)}
	if d.ListChoices, err = r.ListChoices(f.Lists); err != nil {
		return nil, err
	}
	q := r.URL.Query()
	all, d.Find = ui.FindRows(q, all, func(k *enlist.Key) string { return k.Name })
	for i := range all {
		of := &d.Past
		if all[i].Valid(r.Now.Unix()) {
			of = &d.Valid
		}
		of.Rows = append(of.Rows, rowOf(r, &all[i], names))
	}
	d.Valid.Order, d.Past.Order = columns.Sort(q, "", d.Valid.Rows), columns.Sort(q, "", d.Past.Rows)
	view := &ui.View{Title: "Keys", Sub: "A program uses " + r.Caller.Account.Name + " with a key", Place: "/admin/keys",
		Content: p.all, Data: d}
	if f.Wrong != nil {
		view.Problem = "No key was made."
	}
	return view, nil
}

func rowOf(r *ui.Request, k *enlist.Key, names map[enlist.ListID]string) row {
	w := row{Key: *k, May: ui.LevelText(k.Level) + "; all Lists", Used: r.Date(k.LastUsedTime), State: "for ever",
		Calls: rateText(k.Rate)}
	if k.Lists != nil {
		var lists []string
		for _, id := range k.Lists {
			if names[id] != "" {
				lists = append(lists, names[id])
			}
		}
		w.May = ui.LevelText(k.Level) + "; only " + strings.Join(lists, ", ")
	}
	switch {
	case k.RevokedTime != 0:
		w.State = "revoked on " + r.Date(k.RevokedTime)
	case k.ExpiryTime != 0 && !k.Valid(r.Now.Unix()):
		w.State = "expired on " + r.Date(k.ExpiryTime)
	case k.ExpiryTime != 0:
		w.State = "until " + r.Date(k.ExpiryTime)
	}
	return w
}

func rateText(rate enlist.CallRate) string {
	switch text := rate.String(); text {
	case "default":
		return "as the server limits all"
	case "none":
		return "without limit"
	default:
		return text
	}
}

func (p *pages) add(r *ui.Request) (*ui.View, error) {
	f := form{Name: r.FormValue("name"), Only: r.FormValue("only") == "1", Expires: r.FormValue("expires"),
		Rate: r.FormValue("rate"), Strict: r.FormValue("strict") != ""}
	d := accounts.KeyDetails{Name: f.Name, Strict: f.Strict}
	d.Level, _ = enlist.ParseLevel(r.FormValue("level")) // a wrong level is 0, which no form sends
	d.Level = max(d.Level, enlist.Read)
	lists, ok := r.ChosenLists()
	d.Lists, f.Level, f.Lists = lists, d.Level, lists
	var wrong []*enlist.Error
	if !ok {
		wrong = append(wrong, ui.NoListChosen)
	}
	if f.Expires != "" {
		day, err := enlist.ParseClock(time.DateOnly, f.Expires, r.Now.Location())
		if err != nil {
			wrong = append(wrong, enlist.Invalid("expires", "Write the day as 2027-01-31."))
		}
		d.Expiry = day.Unix()
	}
	var err error
	if d.Rate, err = enlist.ParseCallRate(f.Rate); err != nil {
		wrong = append(wrong, enlist.Invalid("rate", err.Error()))
	}
	if _, err := enlist.ReadName(f.Name); err != nil {
		wrong = append(wrong, enlist.Invalid("name", err.Error()))
	}
	var k *enlist.Key
	var text string
	if err = enlist.Together(wrong); err == nil {
		k, text, err = r.App.Accounts.AddAccountKey(r.Context(), r.Caller, d)
	}
	if f.Wrong, err = ui.WrongInputs(err); f.Wrong != nil {
		return p.showAll(r, f)
	}
	if err != nil {
		return nil, err
	}
	return &ui.View{Title: "Key made", Sub: k.Name, Place: "/admin/keys", Content: p.made, Data: text}, nil
}

type oneData struct {
	form
	Key row
}

func (p *pages) one(r *ui.Request) (*ui.View, error) { return p.show(r, nil) }

// show shows a key, with the values of a form that was refused, or else the stored ones.
func (p *pages) show(r *ui.Request, f *form) (*ui.View, error) {
	k, err := find(r)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	if f == nil {
		f = &form{Name: k.Name, Rate: k.Rate.String(), Strict: k.IsStrict}
	}
	view := &ui.View{Title: k.Name, Sub: "Begins with " + k.Prefix, Place: "/admin/keys", Content: p.key,
		Data: oneData{*f, rowOf(r, k, names)}}
	if f.Wrong != nil {
		view.Problem = "Nothing was changed."
	}
	return view, nil
}

// find returns the key of the path.
func find(r *ui.Request) (*enlist.Key, error) {
	all, err := r.App.Accounts.AccountKeys(r.Context(), r.Caller)
	for i := range all {
		if all[i].ID == keyID(r) {
			return &all[i], err
		}
	}
	if err == nil {
		err = ui.ErrNotFound
	}
	return nil, err
}

func keyID(r *ui.Request) enlist.KeyID { return enlist.KeyID(r.ID("key")) }

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	f := form{Name: r.FormValue("name"), Rate: r.FormValue("rate"), Strict: r.FormValue("strict") != ""}
	rate, err := enlist.ParseCallRate(f.Rate)
	var wrong []*enlist.Error
	if err != nil {
		wrong = append(wrong, enlist.Invalid("rate", err.Error()))
	}
	if _, err := enlist.ReadName(f.Name); err != nil {
		wrong = append(wrong, enlist.Invalid("name", err.Error()))
	}
	if err = enlist.Together(wrong); err == nil {
		err = r.App.Accounts.EditAccountKey(r.Context(), r.Caller, keyID(r),
			accounts.KeyEdit{Name: &f.Name, Rate: &rate, Strict: &f.Strict})
	}
	switch f.Wrong, err = ui.WrongInputs(err); {
	case f.Wrong != nil:
		return p.show(r, &f)
	case enlist.KindOf(err) == enlist.InvalidKey:
		return nil, ui.ErrNotFound
	case err != nil:
		return nil, err
	}
	return ui.GoTo("/admin/keys/"+r.PathValue("key"), "Saved. It counts from the next call on."), nil
}

// revoke revokes a key whose name was typed, because a program may stop working.
func (p *pages) revoke(r *ui.Request) (*ui.View, error) {
	k, err := find(r)
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(r.FormValue("confirm")) != k.Name {
		return p.show(r, &form{Name: k.Name, Rate: k.Rate.String(), Strict: k.IsStrict, Confirm: r.FormValue("confirm"),
			Wrong: map[string]string{"confirm": "Type the name of the key: " + k.Name}})
	}
	if err := r.App.Accounts.RevokeAccountKey(r.Context(), r.Caller, k.ID); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/keys", "The key is revoked."), nil
}
