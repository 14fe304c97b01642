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
	"enlist/internal/privacy"
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
		account, err := json.Marshal(record{{"account_id", caller.Account.ID},
			{"account_name", caller.Account.Name}})
		if err != nil {
			return err
		}
		w.Write(bytes.TrimSuffix(account, []byte("}")))
		if err := s.Privacy.ExportPerson(ctx, caller, c.Address, &personWriter{w: w}); err != nil {
			return err // standard output then has no complete JSON
		}
		w.WriteString("]}")
	}
	w.WriteString("]}\n")
	return w.Flush()
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

// personWriter writes the sections of an export as members of a JSON object. It implements privacy.PersonWriter.
type personWriter struct {
	w        io.Writer
	sections int
	rows     int // of the current section
}

// Begin implements privacy.PersonWriter. What was printed cannot be taken back.
func (p *personWriter) Begin() error {
	if p.sections > 0 {
		return errors.New("the database broke the export off: try again")
	}
	return nil
}

// Section implements privacy.PersonWriter.
func (p *personWriter) Section(s privacy.PersonSection) error {
	end := "],"
	if p.sections == 0 {
		end = ","
	}
	p.sections, p.rows = p.sections+1, 0
	_, err := io.WriteString(p.w, end+`"`+string(s)+`":[`)
	return err
}

// Row implements privacy.PersonWriter.
func (p *personWriter) Row(values []privacy.PersonValue) error {
	b, err := json.Marshal(recordOfPerson(values))
	if err == nil && p.rows > 0 {
		_, err = io.WriteString(p.w, ",")
	}
	if err != nil {
		return err
	}
	p.rows++
	_, err = p.w.Write(b)
	return err
}

// recordOfPerson returns values as a record. A list of values in it becomes a record too.
func recordOfPerson(values []privacy.PersonValue) record {
	r := make(record, len(values))
	for i, v := range values {
		r[i] = value{v.Name, v.Value}
		if inner, ok := v.Value.([]privacy.PersonValue); ok {
			r[i].any = recordOfPerson(inner)
		}
	}
	return r
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
