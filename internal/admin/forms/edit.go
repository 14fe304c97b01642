package forms

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/forms"
	"enlist/internal/language"
)

// This file has the editor of a Form, with its counts, its preview and the HTML for other sites.

// shownDays is the number of days of the chart.
const shownDays = 30

// editData is the data of the editor.
type editData struct {
	*forms.Form
	List      *enlist.List
	Fields    []fieldRow
	Topics    []topic
	Languages []choice
	MayEdit   bool
	Wrong     map[string]string // what is wrong, by the key of the input
	Plot      ui.Plot
	All       forms.Day // sums of the days of the chart
	Shown     shown
	SiteLines string
	Further   []choice // that the Form has besides its own
	Addable   []choice
	OfList    string // name of the language of the List
	Seen      string // hash of the stored Form
}

// shown is how visitors see a Form in one of its languages.
type shown struct {
	Page, Script string // URLs for people and for scripts
	Preview      string // path of the page for the frame
	Snippet      string
	Sites        string
}

// topic is a preference of the List in the editor.
type topic struct {
	enlist.Preference
	Chosen bool
}

// fieldRow is a Field of the List in the editor.
type fieldRow struct {
	enlist.Field
	Order    string // position on the Form; "": the Form does not ask for it
	Required bool
	Fixed    bool // the email Field, which each Form needs
}

func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	f, err := find(r)
	if err != nil {
		return nil, err
	}
	return p.editView(r, f, nil, nil)
}

// editView shows the editor. rows are the Fields as they were typed, or nil.
func (p *pages) editView(r *ui.Request, f *forms.Form, rows []fieldRow, wrong map[string]string) (*ui.View, error) {
	list, schema, err := schemaOf(r, f.ListID)
	if err != nil {
		return nil, err
	}
	d := &editData{Form: f, List: list, Fields: rows, Languages: languages(r, f.Language), Wrong: wrong,
		MayEdit: r.Caller.Key.Level >= enlist.Full, SiteLines: strings.ReplaceAll(f.Sites, ",", "\n")}
	if rows == nil {
		d.Fields = rowsOf(f, schema.Fields)
	}
	asked := forms.Preferences(f, schema)
	for _, one := range schema.Preferences {
		d.Topics = append(d.Topics, topic{one, slices.Contains(asked, one)})
	}
	if err := d.count(r); err != nil {
		return nil, err
	}
	d.setLanguages(r)
	stored, err := find(r)
	if err != nil {
		return nil, err
	}
	d.Seen = ui.SeenOf(forms.FormAttributes, stored)
	if d.Shown, err = p.shownOf(r, f, f.Language, schema); err != nil {
		return nil, err
	}
	view := &ui.View{Title: f.Name, Place: "/admin/forms", Content: p.form, Data: d,
		Sub: list.Name + " · " + r.Text(map[bool]string{true: "forms.is_open", false: "forms.closed"}[f.Open])}
	if len(wrong) > 0 {
		view.Problem = r.Text("forms.not_saved")
	}
	return view, nil
}

// schemaOf returns a List with its Fields and preferences.
func schemaOf(r *ui.Request, id enlist.ListID) (*enlist.List, *enlist.Schema, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, id)
	if err != nil {
		return nil, nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, id, enlist.Query{})
	if err != nil {
		return nil, nil, err
	}
	preferences, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, id, enlist.Query{})
	return list, enlist.NewSchema(*list, fields, preferences), err
}

// setLanguages sets the further languages of the Form, and those that it can get.
func (d *editData) setLanguages(r *ui.Request) {
	d.OfList = nameOf(d.List.Language)
	has := forms.DecodeTranslations(d.Translations)
	for _, one := range d.Languages {
		if _, ok := has[one.Code]; ok {
			d.Further = append(d.Further, one)
		} else if one.Code != "" && one.Code != d.Language {
			d.Addable = append(d.Addable, one)
		}
	}
}

// shownOf returns how visitors see the Form in a language. In the URLs, a Form of one language has none.
func (p *pages) shownOf(r *ui.Request, f *forms.Form, code string, schema *enlist.Schema) (d shown, err error) {
	path, query := "/s/"+ui.Plain(int64(f.ID)), ""
	d.Preview = path + "?preview"
	if f.Translations != "" {
		query = "?lang=" + code
		d.Preview += "&lang=" + code
	}
	d.Page, d.Script, d.Sites = r.PublicURL+path+query, r.PublicURL+path+".json"+query, f.Sites
	d.Snippet, err = p.snippetOf(f, code, schema, d.Page)
	return d, err
}

// count reads the counts of the last days.
func (d *editData) count(r *ui.Request) error {
	from := r.Now.AddDate(0, 0, 1-shownDays).Format(time.DateOnly)
	days, err := r.App.Forms.FormDays(r.Context(), r.Caller, d.ListID, d.ID, from, "")
	if err != nil {
		return err
	}
	c := &ui.Chart{Title: r.Text("forms.chart"),
		Series: []string{r.Text("forms.series_shown"), r.Text("forms.series_sent"), r.Text("forms.series_confirmed")}}
	for i := range days {
		day := &days[i]
		d.All.Shown += day.Shown
		d.All.Sent += day.Sent
		d.All.Confirmed += day.Confirmed
		c.Points = append(c.Points, ui.Point{Label: r.Language.Time("day", day.Day),
			Values: []int64{day.Shown, day.Sent, day.Confirmed}})
	}
	d.Plot = c.Plot((*ui.Chart).Lines)
	return nil
}

// rowsOf returns the Fields in the order of the Form, and then those that it does not ask for.
func rowsOf(f *forms.Form, fields []enlist.Field) (rows []fieldRow) {
	schema := enlist.NewSchema(enlist.List{ID: f.ListID}, fields, nil)
	for i, in := range forms.Inputs(f, schema) {
		rows = append(rows, fieldRow{*in.Field, strconv.Itoa(i + 1), in.Required,
			in.AddressType == enlist.AddressEmail})
	}
	for i := range fields {
		one := &fields[i]
		isSame := func(r fieldRow) bool { return r.ID == one.ID }
		if one.Type != enlist.File && !slices.ContainsFunc(rows, isSame) {
			rows = append(rows, fieldRow{Field: *one})
		}
	}
	return rows
}

// snippetOf returns the HTML with which a page of another site shows the Form in a language.
func (p *pages) snippetOf(f *forms.Form, code string, schema *enlist.Schema, url string) (string, error) {
	type input struct {
		forms.Input
		Label   string
		Choices []string

		Kind, Auto string // of an input of one line
	}
	type tick struct{ Input, Label string }
	form, labels := f.In(code)
	d := struct {
		*forms.Form
		URL    string
		Inputs []input
		Topics []tick
		Press  string // text of the button
	}{Form: form, URL: url}
	shown := p.texts.For(cmp.Or(form.Language, schema.List.Language), "")
	d.Press = cmp.Or(form.Button, shown.Text("web.form.button"))
	for _, in := range forms.Inputs(f, schema) {
		label := cmp.Or(labels[forms.FieldInput(in.ID)], shown.FieldName(in.Name))
		d.Inputs = append(d.Inputs, input{in, label, enlist.SplitTrimmed(in.Values),
			forms.InputType(in.Field), forms.Autocomplete(in.Field)})
	}
	for _, one := range forms.Preferences(f, schema) {
		name := forms.PreferenceInput(one.ID)
		d.Topics = append(d.Topics, tick{name, cmp.Or(labels[name], one.Name)})
	}
	var b strings.Builder
	err := p.snippet.ExecuteTemplate(&b, "snippet.html", d)
	return b.String(), err
}

// save stores the editor.
func (p *pages) save(r *ui.Request) (*ui.View, error) {
	f, err := find(r)
	if err != nil {
		return nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, f.ListID, enlist.Query{})
	if err != nil {
		return nil, err
	}
	typed := *f
	posted := r.PostForm
	typed.Name, typed.Title, typed.Introduction = posted.Get("name"), posted.Get("title"), posted.Get("introduction")
	typed.Button, typed.Consent, typed.Thanks = posted.Get("button"), posted.Get("consent_text"), posted.Get("thanks")
	typed.RedirectURL, typed.Language = posted.Get("redirect_url"), posted.Get("language")
	typed.Sites, typed.Open = posted.Get("sites"), posted.Get("is_open") == "1"
	typed.PreferenceIDs = inOrder(f.PreferenceIDs, posted["preference"])
	rows := typedRows(r, fields)
	var shown, required []string
	for _, row := range rows {
		if row.Order != "" && !row.Fixed { // it always comes first
			shown = append(shown, ui.Plain(int64(row.ID)))
			if row.Required {
				required = append(required, ui.Plain(int64(row.ID)))
			}
		}
	}
	details := []enlist.Detail{ui.Text("field_ids", strings.Join(shown, ",")),
		ui.Text("required_field_ids", strings.Join(required, ",")), ui.Text("preference_ids", typed.PreferenceIDs),
		ui.Text("is_open", cmp.Or(posted.Get("is_open"), "0"))}
	for _, key := range []string{"name", "title", "introduction", "button", "consent_text", "thanks", "redirect_url",
		"language", "sites"} {
		details = append(details, ui.Text(key, posted.Get(key)))
	}
	if ui.Overwrites(r, forms.FormAttributes, f, details) {
		view, err := p.editView(r, &typed, rows, nil)
		if err == nil {
			view.Problem = ui.Changed
		}
		return view, err
	}
	_, err = r.App.Forms.SetForm(r.Context(), r.Caller, f.ListID, f.ID, details)
	wrong, err := wrongInputs(err)
	if wrong != nil {
		return p.editView(r, &typed, rows, wrong)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo(path(f.ListID, f.ID), r.Text("forms.saved")), nil
}

// typedRows returns the Fields as they were typed, in the order of their numbers.
func typedRows(r *ui.Request, fields []enlist.Field) (rows []fieldRow) {
	for _, row := range rowsOf(&forms.Form{}, fields) {
		id := ui.Plain(int64(row.ID))
		row.Order, row.Required = strings.TrimSpace(r.PostForm.Get("order"+id)), r.PostForm.Get("required"+id) != ""
		rows = append(rows, row)
	}
	slices.SortStableFunc(rows, func(a, b fieldRow) int {
		if empty := cmp.Compare(min(len(b.Order), 1), min(len(a.Order), 1)); empty != 0 {
			return empty
		}
		return cmp.Compare(ui.Int(a.Order), ui.Int(b.Order))
	})
	return rows
}

// wrongInputs is ui.WrongInputs without a List that does not exist.
func wrongInputs(err error) (map[string]string, error) {
	wrong, other := ui.WrongInputs(err)
	if wrong["list_id"] != "" {
		return nil, err
	}
	return wrong, other
}

// choice is a language of the texts for subscribers.
type choice struct {
	Code, Name string
	Chosen     bool
}

func languages(r *ui.Request, chosen string) []choice {
	all := []choice{{Name: r.Text("forms.of_list_or_browser")}}
	for _, l := range language.New().All() {
		all = append(all, choice{l.Code, l.EnglishName(), l.Code == chosen})
	}
	return all
}

// nameOf returns the name of a language, or "" for no language.
func nameOf(code string) string {
	if code == "" {
		return ""
	}
	return language.New().For(code, "").EnglishName()
}

// inOrder returns the chosen IDs with commas: those of the Form in its order, and then the others.
func inOrder(old string, chosen []string) string {
	all := slices.DeleteFunc(enlist.SplitTrimmed(old), func(id string) bool { return !slices.Contains(chosen, id) })
	for _, id := range chosen {
		if !slices.Contains(all, id) {
			all = append(all, id)
		}
	}
	return strings.Join(all, ",")
}
