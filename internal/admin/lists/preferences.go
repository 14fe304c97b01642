package lists

import (
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the pages of preferences.

func preferenceForm(r *ui.Request, name string) ui.Form {
	return ui.Form{{Name: "name", Label: r.Text("lists.name_search"), Help: r.Text("lists.preference_name_help"),
		Value: name, Required: true}}
}

// loadPreference returns the List and the preference in the path.
func loadPreference(r *ui.Request) (*enlist.List, *enlist.Preference, error) {
	list, err := load(r)
	if err != nil {
		return nil, nil, err
	}
	all, err := r.App.Lists.SearchPreferences(r.Context(), r.Caller, list.ID, enlist.Query{})
	i := slices.IndexFunc(all, func(p enlist.Preference) bool { return int64(p.ID) == r.ID("preference") })
	if err == nil && i < 0 {
		err = ui.ErrNotFound
	}
	if err != nil {
		return nil, nil, err
	}
	return list, &all[i], nil
}

func (p *pages) newPreference(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	return p.showPreference(r, list, nil, preferenceForm(r, ""), ""), nil
}

// showPreference shows the form of a preference, or of a new one if it is nil.
func (p *pages) showPreference(r *ui.Request, l *enlist.List, one *enlist.Preference, f ui.Form, problem string) *ui.View {
	d := formData{Form: f, Button: r.Text("lists.add_preference_button"), Action: path(l.ID) + "/preferences",
		Back: path(l.ID)}
	v := &ui.View{Title: r.Text("lists.new_preference", "list", l.Name), Place: "/admin/lists", Content: p.form,
		Problem: problem}
	if one != nil {
		d.Button, v.Title = r.Text("lists.save"), r.Text("lists.of_list", "name", one.Name, "list", l.Name)
		d.Action, d.Delete = preferencePath(l, one), preferencePath(l, one)+"/delete"
		d.Says = r.Text("lists.preference_about")
	}
	v.Data = d
	return v
}

func preferencePath(l *enlist.List, one *enlist.Preference) string {
	return path(l.ID) + "/preferences/" + ui.Plain(int64(one.ID))
}

func (p *pages) addPreference(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	f := preferenceForm(r, "")
	f.Read(r)
	if _, err := r.App.Lists.AddPreference(r.Context(), r.Caller, list.ID, f.Value("name")); err != nil {
		problem, err := f.Refuse(err)
		return p.showPreference(r, list, nil, f, problem), err
	}
	return ui.GoTo(path(list.ID), r.Text("lists.preference_added")), nil
}

func (p *pages) preference(r *ui.Request) (*ui.View, error) {
	list, one, err := loadPreference(r)
	if err != nil {
		return nil, err
	}
	return p.showPreference(r, list, one, preferenceForm(r, one.Name), ""), nil
}

func (p *pages) savePreference(r *ui.Request) (*ui.View, error) {
	list, one, err := loadPreference(r)
	if err != nil {
		return nil, err
	}
	f := preferenceForm(r, "")
	f.Read(r)
	if err := r.App.Lists.RenamePreference(r.Context(), r.Caller, list.ID, one.ID, f.Value("name")); err != nil {
		problem, err := f.Refuse(err)
		return p.showPreference(r, list, one, f, problem), err
	}
	return ui.GoTo(path(list.ID), r.Text("lists.preference_changed")), nil
}

func (p *pages) askDeletePreference(r *ui.Request) (*ui.View, error) {
	list, one, err := loadPreference(r)
	if err != nil {
		return nil, err
	}
	return p.showDeletePreference(r, list, one, "", ""), nil
}

func (p *pages) showDeletePreference(r *ui.Request, l *enlist.List, one *enlist.Preference,
	wrong, problem string) *ui.View {
	return &ui.View{Title: r.Text("lists.delete_preference_title", "preference", one.Name), Place: "/admin/lists",
		Content: p.confirm, Problem: problem,
		Data: askData{Texts: []string{r.Text("lists.delete_preference_loses"),
			r.Text("lists.delete_preference_keeps")}, Name: one.Name, Typed: r.PostForm.Get("typed"), Wrong: wrong,
			Button: r.Text("lists.delete_preference_button"), Danger: true, Back: path(l.ID)}}
}

func (p *pages) deletePreference(r *ui.Request) (*ui.View, error) {
	list, one, err := loadPreference(r)
	if err != nil {
		return nil, err
	}
	if r.PostForm.Get("typed") != one.Name {
		return p.showDeletePreference(r, list, one, r.Text("lists.not_typed"), r.Text("lists.nothing_deleted")), nil
	}
	if err := r.App.Lists.DeletePreference(r.Context(), r.Caller, list.ID, one.ID); err != nil {
		return nil, err
	}
	return ui.GoTo(path(list.ID), r.Text("lists.preference_deleted")), nil
}
