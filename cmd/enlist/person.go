package main

// enlist person export: prints everything that is stored about the person with an address.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"

	"enlist/internal/audience"
	"enlist/internal/config"
)

type personCommand struct {
	Export exportPersonCommand `cmd:"" help:"Print everything that is stored about a person as JSON."`
}

type exportPersonCommand struct {
	config.Database
	Account int64  `help:"ID of the Account. By default, all Accounts are searched."`
	Address string `arg:"" help:"Email address or mobile number of the person."`
}

// Help returns the text that --help prints after the usage.
func (exportPersonCommand) Help() string {
	return "The export has the Contacts with the address in all Lists, their consents, mails, opens and clicks, and the " +
		"events and jobs that wait. It reads all mails of the Account, so it takes long if there are many."
}

// Run prints the export.
func (c *exportPersonCommand) Run(ctx context.Context, out *console) error {
	return withService(ctx, c.Database, func(s *audience.Service) error {
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
			account, err := json.Marshal(record{{"account_id", caller.Account.ID}, {"account_name", caller.Account.Name}})
			if err != nil {
				return err
			}
			w.Write(bytes.TrimSuffix(account, []byte("}")))
			if err := s.ExportPerson(ctx, caller, c.Address, &personWriter{w: w}); err != nil {
				return err // standard output then has no complete JSON
			}
			w.WriteString("]}")
		}
		w.WriteString("]}\n")
		return w.Flush()
	})
}

// callers returns a Caller for each Account to search.
func (c *exportPersonCommand) callers(ctx context.Context, s *audience.Service) (all []*audience.Caller, err error) {
	if c.Account != 0 {
		caller, err := s.Operator(ctx, audience.AccountID(c.Account))
		return []*audience.Caller{caller}, err
	}
	err = eachAccount(ctx, s, func(caller *audience.Caller) error {
		all = append(all, caller)
		return nil
	})
	return all, err
}

// personWriter writes the sections of an export as members of a JSON object. It implements audience.PersonWriter.
type personWriter struct {
	w        io.Writer
	sections int
	rows     int // of the current section
}

// Begin implements audience.PersonWriter. What was printed cannot be taken back.
func (p *personWriter) Begin() error {
	if p.sections > 0 {
		return errors.New("the database broke the export off: try again")
	}
	return nil
}

// Section implements audience.PersonWriter.
func (p *personWriter) Section(s audience.PersonSection) error {
	end := "],"
	if p.sections == 0 {
		end = ","
	}
	p.sections, p.rows = p.sections+1, 0
	_, err := io.WriteString(p.w, end+`"`+string(s)+`":[`)
	return err
}

// Row implements audience.PersonWriter.
func (p *personWriter) Row(values []audience.PersonValue) error {
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
func recordOfPerson(values []audience.PersonValue) record {
	r := make(record, len(values))
	for i, v := range values {
		r[i] = value{v.Name, v.Value}
		if inner, ok := v.Value.([]audience.PersonValue); ok {
			r[i].any = recordOfPerson(inner)
		}
	}
	return r
}
