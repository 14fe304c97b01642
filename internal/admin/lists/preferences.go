package lists

import (
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the pages of preferences.

// preferenceCard returns the form of a preference.
func preferenceCard(r *ui.Request, l *enlist.List, name string) ui.FormCard {
	return ui.FormCard{Form: ui.Form{{Name: "name", Label: r.Text("lists.name_search"),
		Help: r.Text("lists.preference_name_help"), Value: name, Required: true}}, Back: backTo(r, l)}
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

func newPreference(r *ui.Request) (*ui.View, error) {
	list, err := load(r)
	if err != nil {
		return nil, err
	}
	c := preferenceCard(r, list, "")
	c.Button = r.Text("lists.add_preference_button")
	return r.FormPage(r.Text("lists.new_preference", "list", list.Name), place, &c, func() (*ui.View, error) {
		_, err := r.App.Lists.AddPreference(r.Context(), r.Caller, list.ID, c.Form.Value("name"))
		return ui.GoTo(path(list.ID), r.Text("lists.preference_added")), err
	})
}

func editPreference(r *ui.Request) (*ui.View, error) {
	list, one, err := loadPreference(r)
	if err != nil {
		return nil, err
	}
	c := preferenceCard(r, list, one.Name)
	c.Texts, c.Button = []string{r.Text("lists.preference_about")}, r.Text("lists.save")
	c.Links = []ui.Action{{Text: r.Text("lists.delete_link"),
		Path: path(list.ID) + "/preferences/" + ui.Plain(int64(one.ID)) + "/delete"}}
	title := r.Text("lists.of_list", "name", one.Name, "list", list.Name)
	return r.FormPage(title, place, &c, func() (*ui.View, error) {
		err := r.App.Lists.RenamePreference(r.Context(), r.Caller, list.ID, one.ID, c.Form.Value("name"))
		return ui.GoTo(path(list.ID), r.Text("lists.preference_changed")), err
	})
}

func deletePreference(r *ui.Request) (*ui.View, error) {
	list, one, err := loadPreference(r)
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Texts: []string{r.Text("lists.delete_preference_loses"), r.Text("lists.delete_preference_keeps")},
		Form: ui.Form{ui.Typed(one.Name)}, Button: r.Text("lists.delete_preference_button"), Danger: true,
		Back: backTo(r, list)}
	title := r.Text("lists.delete_preference_title", "preference", one.Name)
	return r.FormPage(title, place, &c, func() (*ui.View, error) {
		err := r.App.Lists.DeletePreference(r.Context(), r.Caller, list.ID, one.ID)
		return ui.GoTo(path(list.ID), r.Text("lists.preference_deleted")), err
	})
}
