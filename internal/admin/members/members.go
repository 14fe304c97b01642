// Package members has the pages about the users of an Account: who may do what, their links and their devices.
package members

import (
	"embed"
	"errors"
	"strings"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

//go:embed *.html
var files embed.FS

// Pages returns the pages.
func Pages() []ui.Page {
	p := &pages{ui.Parse(files, "members.html", "rights.html"), ui.Parse(files, "member.html", "rights.html"),
		ui.Parse(files, "remove.html"), ui.Parse(files, "link.html")}
	return []ui.Page{
		{Pattern: "GET /admin/users", Level: enlist.Full, Serve: func(r *ui.Request) (*ui.View, error) {
			return p.showAll(r, rights{Level: enlist.Read}, nil)
		}},
		{Pattern: "POST /admin/users", Level: enlist.Full, Serve: p.invite},
		{Pattern: "GET /admin/users/{user}", Level: enlist.Full, Serve: p.one},
		{Pattern: "POST /admin/users/{user}", Level: enlist.Full, Serve: p.change},
		{Pattern: "POST /admin/users/{user}/link", Level: enlist.Full, Serve: p.newLink},
		{Pattern: "GET /admin/users/{user}/remove", Level: enlist.Full, Serve: p.askRemoval},
		{Pattern: "POST /admin/users/{user}/remove", Level: enlist.Full, Serve: remove},
		{Pattern: "POST /admin/users/{user}/sessions/{session}", Level: enlist.Full, Serve: endSession},
	}
}

type pages struct{ all, member, removal, link *ui.Template }

// rights are the fields of a form about a user.
type rights struct {
	Email, Name string
	Level       enlist.Level
	Lists       []enlist.ListID
	Only        bool // only Lists
	MaySend     bool
}

// rightsData is what the template of the form needs.
type rightsData struct {
	rights
	Levels      []ui.LevelChoice
	ListChoices []ui.ListChoice
	MayAllow    bool              // the visitor may send, and so allow it
	Mails       bool              // links to sign in are mailed
	Wrong       map[string]string // what is wrong, by input
}

func newRightsData(r *ui.Request, f rights, wrong map[string]string) (d rightsData, err error) {
	d = rightsData{rights: f, Levels: ui.LevelChoices(f.Level), MayAllow: r.MaySend(), Wrong: wrong,
		Mails: r.App.Users.SendsMail()}
	d.ListChoices, err = r.ListChoices(f.Lists)
	return d, err
}

// row is a user in the table.
type row struct {
	users.Member
	Rights, Seen string
}

var columns = ui.Columns[row]{
	ui.TextColumn("name", "Name", func(m *row) string { return m.Name }),
	ui.TextColumn("email", "E-mail", func(m *row) string { return m.Email }),
	{Text: "May"},
	ui.TimeColumn("seen", "Signed in last", func(m *row) int64 { return m.SignInTime }),
}

type allData struct {
	rightsData
	Rows      []row
	Order     ui.Order
	Find      ui.Find
	ShowsLink bool // the visitor sees the link of a new user if no mail is sent
}

func (p *pages) showAll(r *ui.Request, f rights, wrong map[string]string) (*ui.View, error) {
	all, err := r.App.Users.AccountMembers(r.Context(), r.Visit)
	if err != nil {
		return nil, err
	}
	names, err := r.ListNames()
	if err != nil {
		return nil, err
	}
	d := allData{ShowsLink: r.User.AllAccounts}
	if d.rightsData, err = newRightsData(r, f, wrong); err != nil {
		return nil, err
	}
	for i := range all {
		may := rightsText(&all[i].Membership, names)
		if all[i].AllAccounts {
			may = "everything in all Accounts, also in those added later"
		}
		d.Rows = append(d.Rows, row{all[i], may, r.Date(all[i].SignInTime)})
	}
	d.Rows, d.Find = ui.FindRows(r.URL.Query(), d.Rows, func(m *row) string { return m.Name + "\n" + m.Email })
	d.Order = columns.Sort(r.URL.Query(), "", d.Rows)
	view := &ui.View{Title: "Users", Sub: "Who uses these pages for " + r.Caller.Account.Name, Place: "/admin/users",
		Content: p.all, Data: d}
	if wrong != nil {
		view.Problem = "No user was invited."
	}
	return view, nil
}

// rightsText says in words what a user may do.
func rightsText(m *users.Membership, names map[enlist.ListID]string) string {
	text := ui.LevelText(m.Level)
	if m.MaySend {
		text += ", and sends"
	}
	if m.Lists == nil {
		return text + "; all Lists"
	}
	var lists []string
	for _, id := range m.Lists {
		if name := names[id]; name != "" {
			lists = append(lists, name)
		}
	}
	return text + "; only " + strings.Join(lists, ", ")
}

// read reads the form. wrong is what is wrong with the Lists.
func read(r *ui.Request) (f rights, wrong []*enlist.Error) {
	f = rights{Email: r.FormValue("email"), Name: r.FormValue("name"), MaySend: r.FormValue("may_send") != "",
		Only: r.FormValue("only") == "1"}
	f.Level, _ = enlist.ParseLevel(r.FormValue("level")) // a wrong level is 0
	lists, ok := r.ChosenLists()
	if f.Lists = lists; !ok {
		wrong = append(wrong, ui.NoListChosen)
	}
	return f, wrong
}

func (f rights) membership() users.Membership {
	return users.Membership{Level: max(f.Level, enlist.Read), Lists: f.Lists, MaySend: f.MaySend}
}

func (p *pages) invite(r *ui.Request) (*ui.View, error) {
	f, missing := read(r)
	i := users.Invitation{Email: f.Email, Name: f.Name, Membership: f.membership()}
	var m *users.Member
	var link *users.MemberLink
	err := enlist.Together(append(i.Mistakes(), missing...))
	if err == nil {
		m, link, err = r.App.Users.InviteMember(r.Context(), r.Visit, i)
	}
	wrong, err := ui.WrongInputs(err)
	if wrong != nil {
		return p.showAll(r, f, wrong)
	}
	if err != nil {
		return nil, err
	}
	d := linkData{Member: m, Link: link}
	if link == nil {
		d.Without = m.Name + " uses these pages already, and signs in as before"
	}
	return p.showLink(d, "Invited "+m.Name), nil
}

// linkData is the data of the page with a link, which is shown once.
type linkData struct {
	*users.Member
	Link    *users.MemberLink
	Without string // why there is no link
}

func (p *pages) showLink(d linkData, title string) *ui.View {
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
		d.Without = refused.Detail
	case err != nil:
		return nil, err
	}
	return p.showLink(d, "A link for "+m.Name), nil
}

func userID(r *ui.Request) users.UserID { return users.UserID(r.ID("user")) }

// device is a session in the table.
type device struct {
	users.Session
	Since, Used string
}

type memberData struct {
	rightsData
	Member  *users.Member
	Self    bool
	Devices []device
}

func (p *pages) one(r *ui.Request) (*ui.View, error) { return p.show(r, nil, nil) }

// show shows a user, with the rights of a form that was refused, or else the stored ones.
func (p *pages) show(r *ui.Request, f *rights, wrong map[string]string) (*ui.View, error) {
	m, sessions, err := r.App.Users.AccountMember(r.Context(), r.Visit, userID(r))
	if err != nil {
		return nil, err
	}
	if f == nil {
		f = &rights{Level: m.Level, Lists: m.Lists, Only: m.Lists != nil, MaySend: m.MaySend}
	}
	d := memberData{Member: m, Self: m.ID == r.User.ID}
	if d.rightsData, err = newRightsData(r, *f, wrong); err != nil {
		return nil, err
	}
	d.MayAllow = d.MayAllow || m.MaySend
	for _, s := range sessions {
		d.Devices = append(d.Devices, device{s, r.Date(s.CreationTime), r.Date(s.LastUsedTime)})
	}
	view := &ui.View{Title: m.Name, Sub: m.Email, Place: "/admin/users", Content: p.member, Data: d}
	if wrong != nil {
		view.Problem = "Nothing was changed."
	}
	return view, nil
}

func (p *pages) change(r *ui.Request) (*ui.View, error) {
	f, missing := read(r)
	err := enlist.Together(missing)
	if err == nil {
		err = r.App.Users.ChangeMember(r.Context(), r.Visit, userID(r), f.membership())
	}
	wrong, err := ui.WrongInputs(err)
	if wrong != nil {
		return p.show(r, &f, wrong)
	}
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/users/"+r.PathValue("user"), "Saved. It counts from the next page on."), nil
}

func (p *pages) askRemoval(r *ui.Request) (*ui.View, error) {
	m, _, err := r.App.Users.AccountMember(r.Context(), r.Visit, userID(r))
	if err != nil {
		return nil, err
	}
	return &ui.View{Title: "Remove " + m.Name + "?", Sub: m.Email, Place: "/admin/users", Content: p.removal, Data: m}, nil
}

func remove(r *ui.Request) (*ui.View, error) {
	if err := r.App.Users.RemoveMember(r.Context(), r.Visit, userID(r)); err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/users", "The user may not use this Account any more."), nil
}

func endSession(r *ui.Request) (*ui.View, error) {
	err := r.App.Users.EndMemberSession(r.Context(), r.Visit, userID(r), users.SessionID(r.ID("session")))
	if err != nil {
		return nil, err
	}
	return ui.GoTo("/admin/users/"+r.PathValue("user"), "That device is signed out."), nil
}
