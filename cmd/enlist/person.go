package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/enlist"
	"enlist/internal/rpc"
)

// enlist person export and erase: print or erase everything that is stored about the person with an address.

type personCommand struct {
	Export exportPersonCommand `cmd:"" help:"Print everything that is stored about a person as JSON."`
	Erase  erasePersonCommand  `cmd:"" help:"Erase everything that is stored about a person."`
}

// onePerson has the flags of both commands.
type onePerson struct {
	config.Database
	Account int64  `help:"ID of the Account. By default, all Accounts are searched."`
	Address string `arg:"" help:"Email address or mobile number of the person."`
}

type exportPersonCommand struct{ onePerson }

// Help returns the text that --help prints after the usage.
func (exportPersonCommand) Help() string {
	return "The export has the Contacts with the address in all Lists, their consents, mails, opens and clicks, and the " +
		"events and jobs that wait. It reads all mails of the Account, so it takes long if there are many."
}

// Run prints the export.
func (c *exportPersonCommand) Run(ctx context.Context, out *console, s *app.App) error {
	callers, err := c.callers(ctx, s)
	if err != nil {
		return err
	}
	w := bufio.NewWriter(out.stdout)
	address, err := json.Marshal(c.Address)
	if err != nil {
		return err
	}
	w.WriteString(`{"address":` + string(address) + `,"accounts":[`)
	for i, caller := range callers {
		if i > 0 {
			w.WriteString(",")
		}
		if err := exportPerson(ctx, s, caller, c.Address, w); err != nil {
			return err // standard output then has no complete JSON
		}
	}
	w.WriteString("]}\n")
	return w.Flush()
}

// exportPerson writes what an Account stores about a person. What was printed cannot be taken back.
func exportPerson(ctx context.Context, s *app.App, caller *enlist.Caller, address string, to io.Writer) error {
	begin, err := json.Marshal(record{{"account_id", caller.Account.ID}, {"account_name", caller.Account.Name}})
	if err != nil {
		return err
	}
	begun := false
	write := func(part []byte) error { _, err := to.Write(part); return err }
	w := &rpc.PersonWriter{Write: write, Restart: func() error {
		if begun {
			return errors.New("the database broke the export off: try again")
		}
		begun = true
		return write(append(bytes.TrimSuffix(begin, []byte("}")), ','))
	}}
	return w.End(s.Privacy.ExportPerson(ctx, caller, address, w))
}

// callers returns a Caller for each Account to search.
func (c *onePerson) callers(ctx context.Context, s *app.App) (all []*enlist.Caller, err error) {
	if c.Account != 0 {
		caller, err := s.Accounts.Operator(ctx, enlist.AccountID(c.Account))
		return []*enlist.Caller{caller}, err
	}
	err = eachAccount(ctx, s, func(caller *enlist.Caller) error {
		all = append(all, caller)
		return nil
	})
	return all, err
}

type erasePersonCommand struct {
	onePerson
	format
	Yes bool `help:"Erase. Without it, the command only prints what it would erase."`
}

// Help returns the text that --help prints after the usage.
func (erasePersonCommand) Help() string {
	return "Erases the Contacts with the address in all Lists, and everything that enlist person export prints. A keyed " +
		"hash of the address stays on the Unsubscriber List, and the consent ledger keeps its rows without text and IP " +
		"address. Backups that were made before still have the person."
}

// Run erases the person in each Account, or prints what it would erase.
func (c *erasePersonCommand) Run(ctx context.Context, out *console, s *app.App) error {
	callers, err := c.callers(ctx, s)
	if err != nil {
		return err
	}
	erase := s.Privacy.PlanErasure
	if c.Yes {
		erase = s.Privacy.ErasePerson
	}
	var rows []record
	var left []string
	for _, caller := range callers {
		e, err := erase(ctx, caller, c.Address)
		if err != nil {
			return fmt.Errorf("account %d: %w", caller.Account.ID, err)
		}
		for _, r := range e.Rows {
			if r.Rows > 0 {
				rows = append(rows, record{{"account_id", caller.Account.ID}, {"data", r.Section},
					{"rows", r.Rows}})
			}
		}
		for _, place := range e.Left {
			left = append(left, fmt.Sprintf("%s of account %d", place, caller.Account.ID))
		}
	}
	if err := c.list(out.stdout, rows, "account_id", "data", "rows"); err != nil {
		return err
	}
	for _, place := range left {
		fmt.Fprintf(out.stderr, "enlist: %s contains the address and stays: edit it\n", place)
	}
	switch {
	case len(rows) == 0 && len(left) > 0:
		fmt.Fprintln(out.stderr, "enlist: nothing else is stored about this address")
	case len(rows) == 0:
		fmt.Fprintln(out.stderr, "enlist: nothing is stored about this address")
	case !c.Yes:
		fmt.Fprintln(out.stderr, "enlist: nothing was erased: erase these rows with --yes")
	}
	return nil
}
