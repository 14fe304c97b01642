package ui

import "enlist/internal/enlist"

// This file has the rights of users and keys in words, and the parts of forms that choose them.

// LevelText says in words what a level allows.
func (r *Request) LevelText(l enlist.Level) string {
	switch l {
	case enlist.Read:
		return r.Text("ui.level_read")
	case enlist.Standard:
		return r.Text("ui.level_standard")
	}
	return r.Text("ui.level_full")
}

// RightsText is LevelText with the Lists: nil for all. names has those that the user may see.
func (r *Request) RightsText(level string, lists []enlist.ListID, names map[enlist.ListID]string) string {
	if lists == nil {
		return r.Text("ui.rights_all_lists", "level", level)
	}
	var shown []string
	for _, id := range lists {
		if names[id] != "" {
			shown = append(shown, names[id])
		}
	}
	return r.Text("ui.rights_lists", "level", level, "lists", r.Language.Series(shown))
}

// LevelInput returns the input that chooses a level.
func (r *Request) LevelInput(chosen enlist.Level) Input {
	in := Input{Name: "level", Label: r.Text("ui.may"), Kind: InputChoice, Value: chosen.String()}
	for l := enlist.Read; l <= enlist.Full; l++ {
		in.Options = append(in.Options, Option{Value: l.String(), Text: r.LevelText(l)})
	}
	return in
}

// ListsInput returns the input that chooses all Lists, which is nil, or some of those that the user may use.
func (r *Request) ListsInput(chosen []enlist.ListID) (Input, error) {
	some := Input{Name: "list", Kind: InputBoxes}
	for _, id := range chosen {
		some.Chosen = append(some.Chosen, Plain(int64(id)))
	}
	in := Input{Name: "only", Label: r.Text("ui.lists"), Kind: InputRadio}
	if chosen != nil {
		in.Value = "1"
	}
	var err error
	some.Options, err = r.ListOptions()
	in.Options = []Option{{Text: r.Text("ui.lists_all")}, {Value: "1", Text: r.Text("ui.lists_only"), Parts: Form{some}}}
	return in, err
}

// ChosenLists returns the Lists that a form with a ListsInput has: nil for all. It refuses "some" without any.
func (r *Request) ChosenLists(f Form) (lists []enlist.ListID, refused *enlist.Error) {
	if f.Value("only") != "1" {
		return nil, nil
	}
	for _, id := range f.In("list").Chosen {
		lists = append(lists, enlist.ListID(Int(id)))
	}
	if len(lists) == 0 {
		refused = enlist.Invalid("list", r.Text("ui.no_list_chosen"))
	}
	return lists, refused
}
