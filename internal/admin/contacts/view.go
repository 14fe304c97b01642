package contacts

import (
	"net/url"
	"slices"
	"strconv"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file reads what the URL of the page says, and writes such URLs. A URL has all that a form has: the conditions,
// the columns, the order. Each condition has a value of "g", "key", "op" and "value" at its position.

// view is what the URL says.
type view struct {
	list       enlist.ListID
	search     string // of the box for an address or a name
	conditions []condition
	either     map[int]bool     // groups of which one condition is enough; 0 is the whole
	segment    enlist.SegmentID // whose conditions are shown; 0: none
	seen       string           // version of the Segment when it was opened
	columns    []string
	top        string // Field of which the page shows the most frequent values
	sort       string
	descending bool
	page       int64
}

// condition is a row of the form. Group 0 is the whole; the conditions of another group stand together.
type condition struct {
	Group                int
	Key, Operator, Value string
}

// maxConditions is the largest number of conditions of a view. A search has at most enlist.MaxCriteriaTests.
const maxConditions = 50

// read reads a form or a URL. Without "g", all conditions are of the whole.
func read(q url.Values) view {
	v := view{list: enlist.ListID(ui.Int(q.Get("list"))), search: strings.TrimSpace(q.Get("q")), columns: q["column"],
		segment: enlist.SegmentID(ui.Int(q.Get("segment"))), seen: q.Get("seen"), top: q.Get("top"), sort: q.Get("sort"),
		descending: q.Get("order") == "down", page: ui.PageNumber(q),
		either: map[int]bool{0: q.Get("match") == "any"}}
	keys, operators, values, groups := q["key"], q["op"], q["value"], q["g"]
	for i := range min(len(keys), len(operators), len(values), maxConditions) {
		c := condition{Key: keys[i], Operator: operators[i], Value: values[i]}
		if i < len(groups) {
			c.Group = max(0, int(ui.Int(groups[i])))
		}
		if chosen := q["pick."+strconv.Itoa(i)]; chosen != nil {
			c.Value = strings.Join(slices.DeleteFunc(slices.Clone(chosen), func(s string) bool { return s == "" }), ",")
		}
		if unit := q.Get("unit." + strconv.Itoa(i)); unit != "" && c.Value != "" && slices.Contains(relative, c.Operator) {
			c.Value += " " + unit
		}
		v.either[c.Group] = q.Get("match."+strconv.Itoa(c.Group)) == "any" || c.Group == 0 && v.either[0]
		v.conditions = append(v.conditions, c)
	}
	return v
}

// edit changes the conditions as the pressed button says, or removes them if another List was chosen. It returns false
// if nothing of this happened.
func (v *view) edit(q url.Values) bool {
	added := func(group int) condition {
		return condition{Group: group, Key: q.Get("new." + strconv.Itoa(group))}
	}
	switch {
	case q.Has("was") && q.Get("was") != q.Get("list"): // another List has other keys
		*v = view{list: v.list, search: v.search}
	case q.Has("remove"):
		if i := ui.Int(q.Get("remove")); i >= 0 && i < int64(len(v.conditions)) {
			v.conditions = slices.Delete(v.conditions, int(i), int(i)+1)
		}
	case q.Has("add"):
		v.insert(added(int(ui.Int(q.Get("add")))))
	case q.Has("group"):
		c := added(0)
		for _, other := range v.conditions {
			c.Group = max(c.Group, other.Group)
		}
		c.Group++
		v.either[c.Group] = !v.either[0]
		v.insert(c)
	default:
		return false
	}
	v.page = 1
	return true
}

// insert adds a condition after the last one of its group.
func (v *view) insert(c condition) {
	if c.Key == "" || len(v.conditions) >= maxConditions {
		return
	}
	at := len(v.conditions)
	for i, other := range v.conditions {
		if c.Group != 0 && other.Group == c.Group {
			at = i + 1
		}
	}
	v.conditions = slices.Insert(v.conditions, at, c)
}

// query returns the parameters of a view.
func (v view) query() url.Values {
	q := url.Values{"list": {ui.Plain(int64(v.list))}}
	set := func(name, value string) {
		if value != "" {
			q.Set(name, value)
		}
	}
	v.conditionsTo(q)
	set("q", v.search)
	if v.segment != 0 {
		q.Set("segment", ui.Plain(int64(v.segment)))
		set("seen", v.seen)
	}
	if len(v.columns) > 0 {
		q["column"] = v.columns
	}
	set("top", v.top)
	set("sort", v.sort)
	if v.descending {
		q.Set("order", "down")
	}
	if v.page > 1 {
		q.Set("page", ui.Plain(v.page))
	}
	return q
}

func (v view) conditionsTo(q url.Values) {
	for _, c := range v.conditions {
		q.Add("g", strconv.Itoa(c.Group))
		q.Add("key", c.Key)
		q.Add("op", c.Operator)
		q.Add("value", c.Value)
		if v.either[c.Group] && c.Group != 0 {
			q.Set("match."+strconv.Itoa(c.Group), "any")
		}
	}
	if v.either[0] {
		q.Set("match", "any")
	}
}

// url returns the URL of a view.
func (v view) url() string { return v.at("/admin/contacts") }

// at returns the URL of another page for the same view.
func (v view) at(path string) string { return path + "?" + v.query().Encode() }

// inputs returns the conditions of a view for a form that does not show them.
func (v view) inputs() (all ui.Form) {
	v.columns, v.top, v.page = nil, "", 1
	add := func(name, value string) {
		all = append(all, ui.Input{Name: name, Kind: ui.InputHidden, Value: value})
	}
	q := v.query()
	for _, name := range []string{"list", "q", "segment", "seen", "match", "g", "key", "op", "value", "sort", "order"} {
		for _, value := range q[name] {
			add(name, value)
		}
	}
	for group, either := range v.either {
		if either && group != 0 {
			add("match."+strconv.Itoa(group), "any")
		}
	}
	return all
}
