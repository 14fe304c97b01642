package users_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/users"
	"enlist/internal/users/userstest"

	"github.com/descope/virtualwebauthn"
)

// A passkey signs in without a password, and only its owner, at its site, once for each challenge.
//
// covers: decision 135
func TestPasskeys(t *testing.T) {
	apptest.Run(t, apptest.Shared, newDevice, []apptest.Rule[*device]{
		{Name: "a passkey is added, signs in, and is removed", Test: (*device).wholeLife},
		{Name: "an answer is refused a second time, after an hour, changed, or for another purpose", Test: (*device).oldAnswers},
		{Name: "an answer for another site, or without a check of the user, is refused", Test: (*device).otherSites},
		{Name: "only pages at exactly the public host have passkeys", Test: (*device).hosts},
		{Name: "a wrong present password, a bad name and another's passkey are refused", Test: (*device).refusals},
		{Name: "a copied device is noticed by its counter", Test: (*device).copied},
	})
}

const host = "lists.example.com"

// device is an authenticator in software, with a user who is signed in.
type device struct {
	*apptest.Account
	site  virtualwebauthn.RelyingParty
	keys  virtualwebauthn.Authenticator
	key   virtualwebauthn.Credential
	email string
	user  *users.Visit
}

func newDevice(t *testing.T, store db.Engine) *device {
	d := &device{Account: apptest.NewAccount(t, store)}
	d.App.Users.SetSettings(users.Settings{PublicURL: "https://" + host, Key: enlist.LinkKey{1}})
	d.site = virtualwebauthn.RelyingParty{ID: host, Name: "enlist", Origin: "https://" + host}
	d.keys, d.key = virtualwebauthn.NewAuthenticator(), userstest.NewKey()
	d.email = fmt.Sprintf("li-%d@example.com", d.Caller.Account.ID) // users are of the whole store
	d.user = visit(d.Account, invite(d.Account, users.Invitation{Email: d.email, Name: "Li",
		Membership: users.Membership{Level: enlist.Read}}))
	return d
}

// creation returns what the device answers to the page "You" at a host.
func (d *device) creation(host string) string {
	d.Helper()
	text, err := d.App.Users.PasskeyToAdd(d.Context(), d.user, host)
	d.Must(err)
	options, err := virtualwebauthn.ParseAttestationOptions(text)
	d.Must(err)
	d.keys.Options.UserHandle = []byte(options.UserID)
	return virtualwebauthn.CreateAttestationResponse(d.site, d.keys, d.key, *options)
}

func (d *device) add() {
	d.Helper()
	d.Must(d.App.Users.AddPasskey(d.Context(), d.user, host, "Phone", "", d.creation(host)))
	note := fmt.Sprintf(`"user_id":%d`, d.user.User.ID)
	if args := d.Store.(*dbtest.Store).WaitingArgs(d.T, "user_note"); !slices.ContainsFunc(args, func(a string) bool {
		return strings.Contains(strings.ReplaceAll(a, " ", ""), note) && strings.Contains(a, `"Phone"`)
	}) {
		d.Errorf("the notes are %v, want one about the passkey", args)
	}
}

// assertion returns what the device answers to the page of the sign-in.
func (d *device) assertion() string {
	d.Helper()
	text, err := d.App.Users.PasskeyToSignIn(host)
	d.Must(err)
	options, err := virtualwebauthn.ParseAssertionOptions(text)
	d.Must(err)
	d.key.Counter++
	return virtualwebauthn.CreateAssertionResponse(d.site, d.keys, d.key, *options)
}

func (d *device) signIn(answer string) (cookie string, err error) {
	return d.App.Users.SignInWithPasskey(d.Context(), host, answer, browser)
}

// refused checks that an answer does not sign in.
func (d *device) refused(what, answer string) {
	d.Helper()
	if _, err := d.signIn(answer); !errors.Is(err, users.ErrPasskey) {
		d.Errorf("%s: %v, want ErrPasskey", what, err)
	}
}

func (d *device) wholeLife() {
	d.refused("a passkey that was not added", d.assertion())
	d.add()
	cookie, err := d.signIn(d.assertion())
	d.Must(err)
	v := visit(d.Account, cookie)
	if v == nil || v.User.ID != d.user.User.ID {
		d.Fatalf("the passkey signed in %+v", v)
	}
	all, err := d.App.Users.Passkeys(d.Context(), v.User.ID)
	d.Must(err)
	if len(all) != 1 || all[0].Name != "Phone" || all[0].LastUsedTime != d.Now.Unix() {
		d.Fatalf("the passkeys are %+v", all)
	}
	d.Must(d.App.Users.RemovePasskey(d.Context(), v, all[0].ID))
	d.refused("a passkey that was removed", d.assertion())
	var audited []string
	for _, row := range d.AuditLog(d.Caller.Account.ID) {
		if row.Object == "Passkey" {
			audited = append(audited, row.Before+row.After)
		}
	}
	if got := strings.Join(audited, " "); got != `{"name":"Phone"}{} {}{"name":"Phone"}` { // the newest first
		d.Errorf("the audit log has %s", got)
	}
}

func (d *device) oldAnswers() {
	d.add()
	first, second := d.assertion(), d.assertion()
	_, err := d.signIn(second)
	d.Must(err)
	d.refused("the second use", second)
	late := d.assertion()
	d.refused("another purpose", d.creation(host))
	d.refused("no JSON", "{")
	d.refused("a changed signature", strings.Replace(late, `"signature":"M`, `"signature":"N`, 1)+" ")
	pass(d.Account, time.Hour)
	d.refused("after an hour", late)
	d.refused("an earlier one after an hour", first)
	if err := d.App.Users.AddPasskey(d.Context(), d.user, host, "X", "", late); !errors.Is(err, users.ErrPasskey) {
		d.Errorf("an answer of a sign-in adds a passkey: %v", err)
	}
}

func (d *device) otherSites() {
	d.add()
	good := d.site
	for _, bad := range []virtualwebauthn.RelyingParty{{ID: host, Origin: "https://evil.example"}, {ID: "evil.example", Origin: good.Origin},
		{ID: host, Origin: "http://" + host}} {
		d.site = bad
		d.refused(bad.Origin+" with "+bad.ID, d.assertion())
	}
	d.site = good
	d.keys.Options.UserNotVerified = true
	d.refused("a device that has not checked the user", d.assertion())
	d.keys.Options.UserNotVerified = false
	d.keys.Options.UserHandle = []byte("user 0")
	d.refused("the handle of another user", d.assertion())
}

func (d *device) hosts() {
	for at, want := range map[string]bool{host: true, host + ":443": true, strings.ToUpper(host): true, "admin." + host: false, host + ":8443": false,
		host + ".evil.example": false, host + ".": false, "evil.example": false,
		"evil" + host: false, "example.com": false, "": false} {
		text, err := d.App.Users.PasskeyToSignIn(at)
		if d.Must(err); (text != "") != want {
			d.Errorf("the host %q has passkeys: %v, want %v", at, text != "", want)
		}
	}
	for public, at := range map[string]string{"http://localhost:8080": "localhost:8080", "http://127.0.0.1:8080": "localhost:8080"} {
		d.App.Users.SetSettings(users.Settings{PublicURL: public})
		if text, err := d.App.Users.PasskeyToSignIn(at); err != nil || text == "" {
			d.Errorf("%s has no passkeys: %v", public, err)
		}
	}
	for _, public := range []string{"http://lists.example.com", "https://192.0.2.1", "", "%"} {
		d.App.Users.SetSettings(users.Settings{PublicURL: public})
		if text, err := d.App.Users.PasskeyToSignIn(strings.TrimPrefix(strings.TrimPrefix(public, "http://"), "https://")); err != nil || text != "" {
			d.Errorf("%s has passkeys: %v", public, err)
		}
	}
}

func (d *device) refusals() {
	d.Must(d.App.Users.SetPassword(d.Context(), d.user, "", goodPassword))
	v := visit(d.Account, must(d.App.Users.SignIn(d.Context(), d.email, goodPassword, browser)))
	d.user = v
	add := func(name, present string) error {
		return d.App.Users.AddPasskey(d.Context(), v, host, name, present, d.creation(host))
	}
	if err := add("Phone", "wrong password"); !errors.Is(err, users.ErrSignIn) {
		d.Errorf("a wrong password: %v", err)
	}
	for _, name := range []string{"", " ", "two\nlines", strings.Repeat("x", 101)} {
		if err := add(name, goodPassword); enlist.KindOf(err) != enlist.InvalidParameters {
			d.Errorf("the name %q: %v", name, err)
		}
	}
	d.Must(add("Phone", goodPassword))
	if err := add("Phone again", goodPassword); !errors.Is(err, users.ErrPasskey) {
		d.Errorf("a second passkey with the same ID: %v", err)
	}
	all, err := d.App.Users.Passkeys(d.Context(), v.User.ID)
	d.Must(err)
	other := *v.User
	other.ID++
	if err := d.App.Users.RemovePasskey(d.Context(), &users.Visit{User: &other, Caller: v.Caller}, all[0].ID); !errors.Is(err, users.ErrPasskey) {
		d.Errorf("another user removes the passkey: %v", err)
	}
	d.Must(d.App.Users.Remove(d.Context(), d.email, 0))
	d.refused("the passkey of a user who was removed", d.assertion())
}

func must(cookie string, err error) string {
	if err != nil {
		panic(err)
	}
	return cookie
}

func (d *device) copied() {
	d.add()
	d.key.Counter = 10
	_, err := d.signIn(d.assertion())
	d.Must(err)
	d.key.Counter = 5
	d.refused("a smaller counter", d.assertion())
}
