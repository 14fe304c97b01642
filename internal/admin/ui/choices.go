package ui

import (
	"fmt"
	"slices"
	"sync"

	"enlist/internal/address"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/users"
)

// This file has the rights of users and keys in words, the Lists of a user, and inputs that several forms have: of rights,
// Lists, the country of telephone numbers, and the time zone.

// RoleText says in words what a role may do.
func (r *Request) RoleText(role enlist.Role) string { return r.Text(roleTexts[role]) }

// roleTexts are the names of the roles.
var roleTexts = map[enlist.Role]string{enlist.Reader: "ui.role_reader", enlist.Writer: "ui.role_writer",
	enlist.Sender: "ui.role_sender", enlist.Manager: "ui.role_manager", enlist.Owner: "ui.role_owner",
	enlist.ContactsOnly: "ui.role_contacts", enlist.ContactsAndSend: "ui.role_contacts_send",
	enlist.ManagerWithoutSend: "ui.role_manager_silent", enlist.OwnerWithoutSend: "ui.role_owner_silent"}

// roleHelps say what the roles may do that can be given.
var roleHelps = map[enlist.Role]string{enlist.Reader: "ui.role_reader_help", enlist.Writer: "ui.role_writer_help",
	enlist.Sender: "ui.role_sender_help", enlist.Manager: "ui.role_manager_help", enlist.Owner: "ui.role_owner_help"}

// RoleInput returns the input that chooses a role. A role from before there were roles can only be kept.
func (r *Request) RoleInput(chosen enlist.Role) Input {
	in := Input{Name: "role", Label: r.Text("ui.role"), Kind: InputRadio, Value: string(chosen)}
	for _, role := range enlist.Roles {
		in.Options = append(in.Options, Option{Value: string(role), Text: r.RoleText(role), Help: r.Text(roleHelps[role])})
	}
	if roleHelps[chosen] == "" {
		in.Options = append(in.Options, Option{Value: string(chosen), Text: r.RoleText(chosen), Help: r.Text("ui.role_kept")})
	}
	return in
}

// Session is a row of the template "sessions".
type Session struct {
	Browser, IP, Since, Used string
	IsPresent                bool
	Path                     string // ends the session
}

// Sessions returns the rows of sessions. path is that of the pages of which each ends one.
func (r *Request) Sessions(sessions []users.Session, path string) (rows []Session) {
	for _, s := range sessions {
		rows = append(rows, Session{r.browserText(&s), s.IP, r.Date(s.CreationTime), r.Date(s.LastUsedTime), s.ID == r.Session.ID,
			path + Plain(int64(s.ID))})
	}
	return rows
}

// browserText says in words which browser has a session.
func (r *Request) browserText(s *users.Session) string {
	browser, system := s.Software()
	switch {
	case browser != "" && system != "":
		return r.Text("ui.browser_on", "browser", browser, "system", system)
	case browser+system != "":
		return browser + system
	}
	return r.Text("ui.browser_unknown", "agent", s.Agent)
}

// LevelText says in words what a level of a key allows.
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

// TrackingOptions are the choices of whose opens and clicks are recorded.
func (r *Request) TrackingOptions() []Option {
	return []Option{{Value: string(enlist.TrackUnlessDenied), Text: r.Text("ui.track_inform"), Help: r.Text("ui.track_inform_help")},
		{Value: string(enlist.TrackWhoAgreed), Text: r.Text("ui.track_ask"), Help: r.Text("ui.track_ask_help")},
		{Value: string(enlist.TrackNobody), Text: r.Text("ui.track_off")}}
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
	some := Input{Name: "list", Kind: InputBoxes, Picker: true}
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

// Lists returns the Lists that the user may use, in the order of their names. A request reads them once, because
// several parts of a page need them. Do not change them.
func (r *Request) Lists() (all []enlist.List, err error) {
	if r.lists == nil {
		r.lists, err = r.App.Lists.SearchLists(r.Context(), r.Caller, enlist.Query{SortBy: "name"})
	}
	return r.lists, err
}

// ListNames returns the names of the Lists that the user may use.
func (r *Request) ListNames() (map[enlist.ListID]string, error) {
	if r.lists == nil {
		return r.App.Lists.Names(r.Context(), r.Caller)
	}
	names := make(map[enlist.ListID]string, len(r.lists))
	for i := range r.lists {
		names[r.lists[i].ID] = r.lists[i].Name
	}
	return names, nil
}

// ListOptions returns the Lists that the user may use as options of an input, in the order of their names.
func (r *Request) ListOptions() ([]Option, error) {
	lists, err := r.Lists()
	options := make([]Option, len(lists))
	for i := range lists {
		options[i] = Option{Value: Plain(int64(lists[i].ID)), Text: lists[i].Name}
	}
	return options, err
}

// EmailField returns the name of the Field with the email addresses of a List. Errors: those of SearchFields.
func (r *Request) EmailField(list enlist.ListID) (string, error) {
	fields, err := r.App.Lists.SearchFields(r.Context(), r.Caller, list, enlist.Query{})
	for i := range fields {
		if fields[i].AddressType == enlist.AddressEmail {
			return fields[i].Name, nil
		}
	}
	return "", err
}

// Country returns the input for the country of telephone numbers without one. Its values are telephone country codes.
func (r *Request) Country(label string, code int64) Input {
	var options []Option
	for _, c := range address.Countries() {
		name := r.Text("ui.international")
		if c.Region != "" {
			name = r.Language.Country(c.Region)
		}
		options = append(options, Option{Value: Plain(c.Code), Text: fmt.Sprintf("%s (+%d)", name, c.Code), IsOther: !c.IsMain})
	}
	r.SortOptions(options)
	return Input{Name: "country_code", Label: label, Kind: InputChoice, Value: Plain(code), Options: options}
}

// SortOptions sorts options by their texts, as the language of the page does.
func (r *Request) SortOptions(options []Option) {
	sortTexts(r.Language, options, func(o *Option) string { return o.Text }, false)
}

// NewCountry returns the telephone country code of a new List: that of the Account, or else of the browser.
func (r *Request) NewCountry() int64 {
	settings := r.App.Accounts.Settings().Of(r.Caller.Account.ID)
	if code := address.CountryCodeOf(r.Header.Get("Accept-Language")); settings.CountryCode == 0 && code != 0 {
		return code
	}
	return settings.ListCountry()
}

// HasCountry reports whether a user or the operator has chosen a country for the Account.
func (r *Request) HasCountry() bool {
	return r.App.Accounts.Settings().Of(r.Caller.Account.ID).CountryCode != 0
}

// LanguageOptions returns the languages in which subscribers can get mails, by their names in themselves.
func (r *Request) LanguageOptions() (all []Option) {
	for _, l := range language.New().All() {
		all = append(all, Option{Value: l.Code, Text: l.Name()})
	}
	return all
}

// LanguageName returns the name of the language with a code.
func (r *Request) LanguageName(code string) string { return language.New().For(code, "").Name() }

// zones are the options of a choice of a time zone.
var zones = sync.OnceValue(func() (all []Option) {
	for _, name := range enlist.TimeZones() {
		all = append(all, Option{Value: name, Text: name})
	}
	return all
})

// TimeZone returns the input for a time zone. value can also be one of its older names.
func TimeZone(label, value string) Input {
	in := Input{Name: "timezone", Label: label, Kind: InputChoice, Value: value, Options: zones()}
	if !slices.ContainsFunc(in.Options, func(o Option) bool { return o.Value == value }) {
		in.Options = append([]Option{{Value: value, Text: value}}, in.Options...)
	}
	return in
}
