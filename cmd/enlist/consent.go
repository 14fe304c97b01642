package main

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"os"

	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/durable"
	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/privacy/proof"
)

// enlist consent: makes a signed page that proves the consent of a Contact, and checks such pages.

type consentCommand struct {
	Proof  consentProofCommand  `cmd:"" help:"Write a signed page with what a Contact agreed to, and with later changes."`
	Verify consentVerifyCommand `cmd:"" help:"Check that this installation made such a page, and that it is unchanged."`
}

type consentProofCommand struct {
	config.Database
	Output  string `short:"o" placeholder:"FILE" help:"File to write; by default the standard output."`
	List    int64  `arg:"" help:"ID of the List."`
	Contact int64  `arg:"" help:"ID of the Contact, which may be deleted."`
}

// Run writes the page.
func (c *consentProofCommand) Run(ctx context.Context, out *console, s *app.App) error {
	caller, err := operatorOfList(ctx, s, enlist.ListID(c.List))
	if err != nil {
		return err
	}
	found, err := s.Privacy.ConsentProof(ctx, caller, enlist.ListID(c.List), enlist.ContactID(c.Contact))
	if enlist.KindOf(err) == enlist.NoContact {
		return next(enlist.Refuse(enlist.NoContact, "list %d never had a Contact with ID %d", c.List, c.Contact),
			"enlist person export prints the IDs of a person")
	}
	if err != nil {
		return err
	}
	key, err := s.Privacy.ProofKey(ctx)
	if err != nil {
		return err
	}
	page, err := proof.Page(language.New().For(language.English, ""), found, version(), key)
	if err != nil {
		return err
	}
	if c.Output == "" {
		_, err := out.stdout.Write(page)
		return err
	}
	return writeNewFile(c.Output, page)
}

// writeNewFile writes a file that only its owner may read. It replaces no file.
func writeNewFile(path string, content []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, os.ErrExist) {
		return fmt.Errorf("%s exists: give another path", path)
	}
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, durable.Close(file))
}

type consentVerifyCommand struct {
	config.Database
	PublicKey string `placeholder:"KEY" help:"Public key of the installation; by default the one of the database."`
	File      string `arg:"" help:"The page; - for the standard input."`
}

// maxProof is the largest size in bytes of a page to check.
const maxProof = 64 << 20

// Run checks the page.
func (c *consentVerifyCommand) Run(ctx context.Context, out *console) error {
	key, err := c.publicKey(ctx)
	if err != nil {
		return err
	}
	file := os.Stdin
	if c.File != "-" {
		file, err = os.Open(c.File)
		if err != nil {
			return err
		}
		defer file.Close()
	}
	page, err := io.ReadAll(io.LimitReader(file, maxProof))
	if err != nil {
		return err
	}
	if err := proof.Verify(page, key); err != nil {
		return fmt.Errorf("%s: %w", c.File, err)
	}
	fmt.Fprintf(out.stdout, "%s is unchanged, signed with %s\n", c.File, proof.KeyText(key))
	return nil
}

// publicKey returns the key to check with. With --public-key it opens no database.
func (c *consentVerifyCommand) publicKey(ctx context.Context) (key ed25519.PublicKey, err error) {
	if c.PublicKey != "" {
		key, err = proof.ParseKey(c.PublicKey)
		if err != nil {
			return nil, &usageError{err}
		}
		return key, nil
	}
	err = withService(ctx, c.Database, func(s *app.App) error {
		private, err := s.Privacy.ProofKey(ctx)
		if err == nil {
			key = private.Public().(ed25519.PublicKey)
		}
		return err
	})
	return key, err
}
