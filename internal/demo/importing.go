package demo

import (
	"context"
	"encoding/csv"
	"strings"

	"enlist/internal/imports"
)

// This file imports a file that the people at the market stall typed, with a few mistakes.

// mistakes are addresses that an Import refuses.
var mistakes = []string{"rosa.bianchi(at)example.com", "", "jack.kelly@", "no e-mail", "mei ling@example.net",
	"@example.org", "harriet.penrose@gmail", "see overleaf", "??"}

func (b *builder) importFile(ctx context.Context) error {
	l := b.lists[shop]
	var text strings.Builder
	w := csv.NewWriter(&text)
	header := []string{"Email"}
	for _, f := range l.fields {
		header = append(header, f.name)
	}
	if err := w.Write(header); err != nil {
		return err
	}
	for i := range b.scaled(2_200) {
		p := b.crowd.next()
		switch {
		case i%37 == 5 && i/37 < 60:
			p.email = mistakes[i/37%len(mistakes)]
		case i%53 == 7:
			p.state = "Victoria" // is no choice of the Field
		case i%11 == 3:
			p.email = pick(b.random, l.mails)
		default:
			l.mails = append(l.mails, p.email)
		}
		row := []string{p.email}
		for _, f := range l.fields {
			row = append(row, f.of(b, &p))
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	w.Flush()
	i, err := b.app.Imports.AddImport(ctx, b.caller, imports.NewImport{File: strings.NewReader(text.String()),
		ImportOptions: imports.ImportOptions{List: l.id, FileName: "market-stall.csv"}})
	if err != nil {
		return err
	}
	if err := b.app.Imports.RunImport(ctx, i.ID); err != nil {
		return err
	}
	if i, err = b.app.Imports.Import(ctx, b.caller, i.ID); err != nil {
		return err
	}
	b.say("Import of %s: %d rows added, %d refused", i.Options.FileName, i.Added, i.Refused)
	return nil
}
