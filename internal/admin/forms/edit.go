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
	Above, Below ui.Form // inputs above and below the Fields
	List         *enlist.List
	Fields       []fieldRow
	Card         ui.FormCard // what is around the inputs
	MayEdit      bool
	Seen         string // version of the Form
	Plot         ui.Plot
	All          forms.Day // sums of the days of the chart
	Shown        shown
	Further      []ui.Option // languages that the Form has besides its own
	Addable      []ui.Option
	OfList       string // name of the language of the List
}

// shown is how visitors see a Form in one of its languages.
type shown struct {
	Page, Script string // URLs for people and for scripts
	Preview      string // path of the page for the frame
	Snippet      string
	Sites        string
}

// fieldRow is a Field of the List in the editor.
type fieldRow struct {
	enlist.Field
	Order    string // position on the Form; "": the Form does not ask for it
	Required bool
	Fixed    bool // the email Field, which each Form needs
}

// aboveFields is the number of inputs above the Fields.
const aboveFields = 3

// formOf returns the form of a Form, but for its Fields. Its preferences come first, in their order.
func formOf(r *ui.Request, f *forms.Form, schema *enlist.Schema) ui.Form {
	preferences := ui.Input{Name: "preference_ids", Kind: ui.InputBoxes, Label: r.Text("forms.preferences")}
	asked := forms.Preferences(f, schema)
	for _, one := range asked {
		preferences.Chosen = append(preferences.Chosen, ui.Plain(int64(one.ID)))
	}
	for _, one := range schema.Preferences {
		if !slices.Contains(asked, one) {
			asked = append(asked, one)
		}
	}
	for _, one := range asked {
		preferences.Options = append(preferences.Options, ui.Option{Value: ui.Plain(int64(one.ID)), Text: one.Name})
	}
	usual, _ := forms.TrackingText(&schema.List, language.New().For(cmp.Or(f.Language, schema.List.Language), ""), f.Language)
	form := ui.Form{
		{Name: "name", Label: r.Text("forms.name"), Required: true, Most: 255},
		{Name: "title", Label: r.Text("forms.title_input", "list", schema.List.Name), Most: 255},
		{Name: "introduction", Label: r.Text("forms.introduction"), Kind: ui.InputArea, Rows: 3},
		{Name: "field_ids", Also: []string{"required_field_ids"}, Kind: ui.InputNote, Label: r.Text("forms.fields_about")},
		{Name: "consent_text", Label: r.Text("forms.consent"), Kind: ui.InputArea, Rows: 2, Most: 255},
		ui.Check("asks_for_tracking", r.Text("forms.asks_for_tracking"), f.AsksTracking),
		{Name: "tracking_text", Label: r.Text("forms.tracking_text"), Kind: ui.InputArea, Rows: 4, Most: 255,
			Example: usual},
		{Name: "button", Label: r.Text("forms.button"), Most: 255},
		{Name: "thanks", Label: r.Text("forms.thanks"), Kind: ui.InputArea, Rows: 2},
		{Name: "redirect_url", Label: r.Text("forms.redirect"), Example: "https://www.example.com/thanks"},
		{Name: "language", Label: r.Text("forms.language"), Kind: ui.InputChoice,
			Options: languages(r.Text("forms.of_list_or_browser"))},
		{Name: "sites", Label: r.Text("forms.sites"), Kind: ui.InputArea, Rows: 2, Example: "https://www.example.com"},
		ui.Check("is_open", r.Text("forms.open_box"), f.Open),
	}
	if len(preferences.Options) > 0 {
		form = slices.Insert(form, aboveFields+1, preferences)
	}
	ui.Fill(form, forms.FormAttributes, f)
	form.In("sites").Value = strings.ReplaceAll(f.Sites, ",", "\n")
	return form
}

// edit shows the editor, or stores the Form.
func (p *pages) edit(r *ui.Request) (*ui.View, error) {
	f, err := find(r)
	if err != nil {
		return nil, err
	}
	schema, err := schemaOf(r, f.ListID)
	if err != nil {
		return nil, err
	}
	form, rows := formOf(r, f, schema), rowsOf(f, schema.Fields)
	page := func(problem string) (*ui.View, error) { return p.showEditor(r, f, schema, form, rows, problem) }
	return r.Submit(form, page, func() (*ui.View, error) {
		rows = typedRows(r, schema.Fields)
		var shown, required []string
		for _, row := range rows {
			if row.Order != "" && !row.Fixed { // it always comes first
				shown = append(shown, ui.Plain(int64(row.ID)))
				if row.Required {
					required = append(required, ui.Plain(int64(row.ID)))
				}
			}
		}
		details := append(form.Details(), ui.Text("field_ids", strings.Join(shown, ",")),
			ui.Text("required_field_ids", strings.Join(required, ",")))
		if ui.Overwrites(r, forms.FormAttributes, f, details) {
			form.ShowStored(r)
			return page(ui.Changed)
		}
		_, err := r.App.Forms.SetForm(r.Context(), r.Caller, f.ListID, f.ID, details)
		return ui.GoTo(path(f.ListID, f.ID), r.Text("forms.saved")), err
	})
}

// showEditor shows the editor with what is stored, or with a form that was refused. rows are its Fields.
func (p *pages) showEditor(r *ui.Request, f *forms.Form, schema *enlist.Schema, form ui.Form, rows []fieldRow,
	problem string) (*ui.View, error) {
	d := &editData{Form: f, Seen: enlist.VersionOf(forms.FormAttributes, f), Above: form[:aboveFields], Below: form[aboveFields:], List: &schema.List, Fields: rows,
		MayEdit: r.Caller.May(enlist.Manage),
		Card:    save(r, ui.FormCard{})}
	if d.MayEdit {
		d.Card.Links = []ui.Action{{Text: r.Text("forms.delete"), Path: path(f.ListID, f.ID) + "/delete"}}
	}
	if err := d.count(r); err != nil {
		return nil, err
	}
	d.setLanguages(form.In("language").Options)
	var err error
	d.Shown, err = p.shownOf(r, f, f.Language, schema)
	return &ui.View{Title: f.Name, Place: "/admin/forms", Content: p.form, Data: d, Problem: problem,
		Sub: r.Text(map[bool]string{true: "forms.list_open", false: "forms.list_closed"}[f.Open], "list", schema.List.Name)}, err
}

// schemaOf returns a List with its Fields and preferences.
func schemaOf(r *ui.Request, id enlist.ListID) (*enlist.Schema, error) {
	list, err := r.App.Lists.List(r.Context(), r.Caller, id)
	if err != nil {
		return nil, err
	}
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, id, enlist.Query{})
	if err != nil {
		return nil, err
	}
	preferences, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, id, enlist.Query{})
	return enlist.NewSchema(*list, fields, preferences), err
}

// setLanguages sets the further languages of the Form, and those that it can get.
func (d *editData) setLanguages(all []ui.Option) {
	d.OfList = nameOf(d.List.Language)
	has := forms.DecodeTranslations(d.Translations)
	for _, one := range all {
		if _, ok := has[one.Value]; ok {
			d.Further = append(d.Further, one)
		} else if one.Value != "" && one.Value != d.Language {
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
	c := &ui.Chart{Language: r.Language, Title: r.Text("forms.chart"),
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

		Tracking string // beside the tick for the recording of opens and clicks
	}{Form: form, URL: url}
	shown := p.texts.For(cmp.Or(form.Language, schema.List.Language), "")
	d.Tracking, _ = form.TrackingTick(schema, shown)
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

// languages returns the languages of texts for subscribers. none is what holds without one.
func languages(none string) []ui.Option {
	all := ui.Choices("", none)
	for _, l := range language.New().All() {
		all = append(all, ui.Option{Value: l.Code, Text: l.EnglishName()})
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
