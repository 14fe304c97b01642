package demo

import (
	"context"
	"strconv"
	"time"

	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file has the users of the pages, and what they made in the last days.

// User is a user of the pages.
type User struct {
	Name, Email string
	Role        enlist.Role
	list        int // index of the only List of the user; everyList
}

const everyList = -1

const (
	nina = "nina@gardenclub.example"
	tom  = "tom@gardenclub.example"
)

// Users returns a user of each role. The first one is the owner.
func Users() []User {
	return []User{
		{"Maria", "maria@gardenclub.example", enlist.Owner, everyList},
		{"Daniel", "daniel@gardenclub.example", enlist.Manager, everyList},
		{"Nina", nina, enlist.Sender, everyList},
		{"Tom", tom, enlist.Writer, news},
		{"Ruth", "ruth@gardenclub.example", enlist.Reader, everyList},
	}
}

// approveAbove is the number of Contacts to which a user of the club may send alone.
const approveAbove = 1000

// addUsers adds the users, the country, and the rule that a second user approves large campaigns.
func (b *builder) addUsers(ctx context.Context) error {
	account := b.caller.Account.ID
	for _, u := range Users() {
		to := users.Membership{Account: account, Role: u.Role}
		if u.list != everyList {
			to.Lists = []enlist.ListID{b.lists[u.list].id}
		}
		if _, err := b.app.Users.Invite(ctx, users.Invitation{Email: u.Email, Name: u.Name, Membership: to}); err != nil {
			return err
		}
	}
	err := b.app.Accounts.ChangeSettings(ctx, account, map[string]string{"country-code": "61",
		"approve-above": strconv.Itoa(b.scaled(approveAbove))})
	if err != nil {
		return err
	}
	return b.app.Accounts.ReadSettings(ctx)
}

// signIn signs a user in, and returns the caller of the pages.
func (b *builder) signIn(ctx context.Context, email string) (*enlist.Caller, error) {
	link, err := b.app.Users.NewLink(ctx, email)
	if err != nil {
		return nil, err
	}
	cookie, err := b.app.Users.UseLink(ctx, link, users.Browser{Agent: agents[2].header, IP: "198.51.100.23"})
	if err != nil {
		return nil, err
	}
	v, err := b.app.Users.Visit(ctx, cookie, enlist.Actor{})
	if err != nil {
		return nil, err
	}
	return v.Caller, nil
}

// planUsers adds to the timeline what the users make.
func (b *builder) planUsers() {
	at := func(ago time.Duration, do func(context.Context) error) {
		b.add(b.end-int64(ago.Seconds()), enlist.PersonKey{}, do)
	}
	at(70*time.Hour, b.addTemplate)
	at(50*time.Hour, b.addSegments)
	at(49*time.Hour, b.addAutoresponders)
	at(20*time.Hour, b.addDraft)
}

// addTemplate adds a template of the club and the saved block.
func (b *builder) addTemplate(ctx context.Context) error {
	maria, err := b.signIn(ctx, Users()[0].Email)
	if err != nil {
		return err
	}
	if _, err := b.app.Messages.SaveBlocks(ctx, maria, "Below each newsletter", b.letter(foot)); err != nil {
		return err
	}
	_, err = b.app.Messages.AddMessage(ctx, maria, append(details("name", "Our monthly newsletter",
		"subject", "The garden this month", "is_template", "true"), b.content("monthly.json", true)...))
	return err
}

// addDraft adds a Message that its writer has not finished.
func (b *builder) addDraft(ctx context.Context) error {
	writer, err := b.signIn(ctx, tom)
	if err != nil {
		return err
	}
	_, err = b.app.Messages.AddMessage(ctx, writer, append(details("name", "Gardening in the heat",
		"subject", "Forty degrees and no rain", "other_subjects", "What your tomatoes need at forty degrees\nLet the lawn go brown"),
		b.content("heat.json", true)...))
	return err
}
