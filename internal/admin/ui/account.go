package ui

import (
	"bytes"

	"enlist/internal/enlist"
)

// This file keeps a form of one Account from changing another. A user of several Accounts has tabs of different ones,
// while the session is in one of them: that which was chosen last. So each form that changes something has the Account
// of its page.

// AccountInput is the name of the input.
const AccountInput = "of_account"

// postForm begins a form that changes something. Texts of records cannot have it: templates escape them.
var postForm = []byte(`<form method="post"`)

// withAccount adds the input to the forms of a page.
func withAccount(page []byte, id enlist.AccountID) []byte {
	input := []byte(`<input type="hidden" name="` + AccountInput + `" value="` + Plain(int64(id)) + `">`)
	var all bytes.Buffer
	for {
		before, after, found := bytes.Cut(page, postForm)
		all.Write(before)
		if !found {
			return all.Bytes()
		}
		end := bytes.IndexByte(after, '>') + 1
		all.Write(postForm)
		all.Write(after[:end])
		all.Write(input)
		page = after[end:]
	}
}

// CheckAccount refuses a form of another Account than that of the session. value is that of the input; "": there is none.
func (r *Request) CheckAccount(value string) error {
	if value == "" || value == Plain(int64(r.Caller.Account.ID)) {
		return nil
	}
	name := r.Text("ui.another_account")
	for i := range r.Accounts {
		if Plain(int64(r.Accounts[i].ID)) == value {
			name = r.Accounts[i].Name
		}
	}
	return enlist.Refuse(enlist.InvalidParameters, "%s", r.Text("ui.form_of_account", "other", name, "account",
		r.Caller.Account.Name))
}
