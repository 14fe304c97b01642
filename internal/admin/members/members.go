// Package members has the pages about the users of an Account: who may do what, their links and their devices.
package members

import (
	"embed"
	"errors"
	"slices"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "members.html"), ui.Parse(files, "member.html"), ui.Parse(files, "link.html")}
	return []ui.Page{
		{Pattern: "GET /admin/users", IsForm: true, Needs: enlist.Administer, Serve: p.all},
		{Pattern: "GET /admin/users/{user}", IsForm: true, Needs: enlist.Administer, Serve: p.change},
		{Pattern: "POST /admin/users/{user}/link", Needs: enlist.Administer, Serve: p.newLink},
		{Pattern: "GET /admin/users/{user}/remove", IsForm: true, Needs: enlist.Administer, Serve: remove},
		{Pattern: "POST /admin/users/{user}/sessions/{session}", Needs: enlist.Administer, Serve: endSession},
	}
}

type pages struct{ users, user, link *ui.Template }

// rightsForm returns the inputs of the rights of a user.
func rightsForm(r *ui.Request, m *users.Membership) (ui.Form, error) {
	lists, err := r.ListsInput(m.Lists)
	lists.Help = r.Text("members.lists_help")
	return ui.Form{r.RoleInput(m.Role), lists}, err
}

// membershipOf returns the rights that a form has, and what is wrong with its Lists.
func membershipOf(r *ui.Request, f ui.Form) (m users.Membership, wrong []*enlist.Error) {
	m.Role = enlist.Role(f.Value("role")) // the form has no other
	var refused *enlist.Error
	if m.Lists, refused = r.ChosenLists(f); refused != nil {
		wrong = append(wrong, refused)
	}
	return m, wrong
}

// inviteForm returns the form of a new user.
func inviteForm(r *ui.Request) (ui.Form, error) {
	rights, err := rightsForm(r, &users.Membership{Role: enlist.Reader})
	who := ui.Form{{Name: "name", Label: r.Text("members.name"), Required: true, Most: 100, Autocomplete: "off"},
		{Name: "email", Label: r.Text("members.email"), Kind: ui.InputEmail, Required: true, Autocomplete: "off"}}
	return append(ui.Form{{Kind: ui.InputRow, Parts: who}}, rights...), err
}

// row is a user in the table.
type row struct {
	users.Member
	Rights, Seen string
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "members.name", func(m *row) string { return m.Name }),
	ui.TextColumn("email", "members.email", func(m *row) string { return m.Email }),
	{Text: "ui.may"},
	ui.TimeColumn("seen", "members.seen", func(m *row) int64 { return m.SignInTime }),
}

type allData struct {
	ui.Table[row]
	Invite ui.FormCard
}

// all shows all users, or invites one.
func (p *pages) all(r *ui.Request) (*ui.View, error) {
	f, err := inviteForm(r)
	if err != nil {
		return nil, err
	}
	page := func(problem string) (*ui.View, error) { return p.showAll(r, f, problem) }
	return r.Submit(f, page, func() (*ui.View, error) {
		i := users.Invitation{Email: f.Value("email"), Name: f.Value("name")}
		var missing []*enlist.Error
		i.Membership, missing = membershipOf(r, f)
		if err := enlist.Together(append(i.Mistakes(), missing...)); err != nil {
			return nil, err
		}
		m, link, err := r.App.Users.InviteMember(r.Context(), r.Visit, i)
		if err != nil {
			return nil, err
		}
		d := linkData{Member: m, Link: link}
		if link == nil {
			d.Without = r.Text("members.known", "name", m.Name)
		}
		return p.showLink(r, d, r.Text("members.invited", "name", m.Name)), nil
	})
}

// showAll shows all users, and the form of a new one.
func (p *pages) showAll(r *ui.Request, f ui.Form, problem string) (*ui.View, error) {
	members, err := r.App.Users.AccountMembers(r.Context(), r.Visit)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := allData{Invite: ui.FormCard{Heading: r.Text("members.invite"), Form: f,
		Button: r.Text("members.invite_button"),
		Action: "/admin/users", After: r.Text("members.runner_links")}}
	switch {
	case r.App.Users.SendsMail():
		d.Invite.After = r.Text("members.mails_link")
	case r.User.AllAccounts: // the visitor sees the link
		d.Invite.After = r.Text("members.shows_link")
	}
	var rows []row
	for i := range members {
		may := rightsText(r, &members[i].Membership, names)
		if members[i].AllAccounts {
			may = r.Text("members.all_accounts")
		}
		one := row{members[i], may, r.Date(members[i].SignInTime)}
		if members[i].SignInTime == 0 {
			one.Seen = invitation(r, &members[i])
		}
		rows = append(rows, one)
	}
	rows, find := ui.FindRows(r, rows, func(m *row) string { return m.Name + "\n" + m.Email })
	d.Table = columns.Table(r, "", rows, find)
	d.Roomy = true
	d.Cut(r)
	return &ui.View{Title: r.Text("members.title"), Sub: r.Text("members.about", "account", r.Caller.Account.Name),
		Place: "/admin/users", Content: p.users, Data: d, Problem: problem}, nil
}

// invitation says in words how far the invitation of a user is who has never signed in.
func invitation(r *ui.Request, m *users.Member) string {
	if m.InvitedUntil > r.Now.Unix() {
		return r.Text("members.invited_until", "time", r.Date(m.InvitedUntil))
	}
	return r.Text("members.invitation_over")
}

// rightsText says in words what a user may do.
func rightsText(r *ui.Request, m *users.Membership, names map[enlist.ListID]string) string {
	if m.Role.HasAllLists() {
		return r.RoleText(m.Role)
	}
	return r.RightsText(r.RoleText(m.Role), m.Lists, names)
}

// linkData is the data of the page with a link, which is shown once.
type linkData struct {
	*users.Member
	Link    *users.MemberLink
	Without string // why there is no link

	Mailed, ShownOnce string // what it does
}

func (p *pages) showLink(r *ui.Request, d linkData, title string) *ui.View {
	d.Mailed, d.ShownOnce = r.Text("members.mailed", "email", d.Email), r.Text("members.shown_once")
	if d.SignInTime == 0 {
		d.Mailed = r.Text("members.mailed_invitation", "email", d.Email)
		d.ShownOnce = r.Text("members.shown_once_invitation")
	}
	return &ui.View{Title: title, Sub: d.Email, Place: "/admin/users", Content: p.link, Data: d}
}

func (p *pages) newLink(r *ui.Request) (*ui.View, error) {
	m, _, err := r.App.Users.AccountMember(r.Context(), r.Visit, userID(r))
	if err != nil {
		return nil, err
	}
	d := linkData{Member: m}
	d.Link, err = r.App.Users.NewMemberLink(r.Context(), r.Visit, m.ID)
	var refused *enlist.Error
	switch {
	case errors.As(err, &refused) && refused.Field == "user":
		d.Without = r.Said(refused.Detail)
	case err != nil:
		return nil, err
	}
	title := r.Text("members.link_for", "name", m.Name)
	if m.SignInTime == 0 {
		title = r.Text("members.invited", "name", m.Name)
	}
	return p.showLink(r, d, title), nil
}

func userID(r *ui.Request) users.UserID { return users.UserID(r.ID("user")) }

type memberData struct {
	Member  *users.Member
	Rights  *ui.FormCard // nil: the visitor cannot change them
	Self    bool
	Devices []ui.Session
	Mails   bool // links to sign in are mailed
	// State is how far the invitation is of a user who has never signed in; "": the user has.
	State string
}

// show shows a user with a form of the rights.
func (p *pages) show(r *ui.Request, m *users.Member, sessions []users.Session, f ui.Form, problem string) *ui.View {
	d := memberData{Member: m, Self: m.ID == r.User.ID, Mails: r.App.Users.SendsMail()}
	if m.SignInTime == 0 {
		d.State = invitation(r, m)
	}
	if !d.Self && !m.AllAccounts {
		d.Rights = &ui.FormCard{Heading: r.Text("members.may_do", "name", m.Name), Form: f,
			Button: r.Text("members.save")}
	}
	d.Devices = r.Sessions(sessions, "/admin/users/"+ui.Plain(int64(m.ID))+"/sessions/")
	return &ui.View{Title: m.Name, Sub: m.Email, Place: "/admin/users", Content: p.user, Data: d, Problem: problem}
}

// change shows a user, or changes the rights.
func (p *pages) change(r *ui.Request) (*ui.View, error) {
	m, sessions, err := r.App.Users.AccountMember(r.Context(), r.Visit, userID(r))
	if err != nil {
		return nil, err
	}
	f, err := rightsForm(r, &m.Membership)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	page := func(problem string) (*ui.View, error) { return p.show(r, m, sessions, f, problem), nil }
	return r.Submit(f, page, func() (*ui.View, error) {
		membership, missing := membershipOf(r, f)
		if len(missing) > 0 && !hasAny(names, m.Lists) { // no List of the user can be chosen any more
			membership.Lists, missing = m.Lists, nil
		}
		err := enlist.Together(missing)
		if err == nil {
			err = r.App.Users.ChangeMember(r.Context(), r.Visit, m.ID, membership)
		}
		return ui.GoTo("/admin/users/"+r.PathValue("user"), r.Text("members.saved")), err
	})
}

// hasAny reports whether a user who uses some Lists only still has one of them, or may use all.
func hasAny(names map[enlist.ListID]string, lists []enlist.ListID) bool {
	return lists == nil || slices.ContainsFunc(lists, func(id enlist.ListID) bool { return names[id] != "" })
}

// remove asks before it removes a user.
func remove(r *ui.Request) (*ui.View, error) {
	m, _, err := r.App.Users.AccountMember(r.Context(), r.Visit, userID(r))
	if err != nil {
		return nil, err
	}
	c := ui.FormCard{Danger: true, Texts: []string{r.Text("members.remove_about", "name", m.Name)},
		Button: r.Text("members.remove_button", "name", m.Name),
		Back:   ui.Action{Text: r.Text("members.keep"), Path: "/admin/users/" + r.PathValue("user")}}
	title := r.Text("members.remove_title", "name", m.Name)
	if m.SignInTime == 0 {
		title, c.Button = r.Text("members.withdraw_title", "name", m.Name), r.Text("members.withdraw")
		c.Texts = []string{r.Text("members.withdraw_about", "name", m.Name)}
	}
	return r.FormPage(title, "/admin/users", &c, func() (*ui.View, error) {
		err := r.App.Users.RemoveMember(r.Context(), r.Visit, m.ID)
		return ui.GoTo("/admin/users", r.Text("members.removed")), err
	})
}

func endSession(r *ui.Request) (*ui.View, error) {
	err := r.App.Users.EndMemberSession(r.Context(), r.Visit, userID(r), users.SessionID(r.ID("session")))
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/users/"+r.PathValue("user"), r.Text("members.signed_out")), nil
}
