package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"time"

	"enlist/internal/config"
	"enlist/internal/db/sqlite"
	"enlist/internal/demo"
	"enlist/internal/durable"
)

// enlist demo: builds a database with made-up data in a folder of its own, and serves it. All mails are written into
// this folder. The flags and variables of enlist serve do not count, so the demo opens no other database and has no
// mail server.

type demoCommand struct {
	Listen string `default:"127.0.0.1:8080" placeholder:"ADDR"`
	Dir    string `env:"-" placeholder:"FOLDER" help:"Folder for the database and the mails: empty, or of an earlier demo. Default: a new temporary one."`
	SMTP   string `env:"-" hidden:"" help:"Is refused: the demo sends no mails."`

	scale int // of the data; 0: all. Only tests set it.
}

// Help returns the text that --help prints after the usage.
func (demoCommand) Help() string {
	return "The database has four Lists with about 40,000 made-up Contacts, a year of Batches with their reports, a user " +
		"of each role, and an Import. Building it takes about 15 seconds. The demo sends no mails: it writes them into the folder."
}

// demoMark is a file in the folder of a complete demo.
const demoMark = "made-by-enlist-demo.txt"

// demoMarkText is the text of this file.
const demoMarkText = "enlist demo made the database in this folder. Its data is made up: you can delete the folder.\n"

// Run builds the database, if the folder has none, and serves it until a signal arrives.
func (c *demoCommand) Run(ctx context.Context, out *console) error {
	if c.SMTP != "" {
		return usage("enlist demo sends no mails, because its people are made up: leave out --smtp; " +
			"enlist serve --smtp sends mails")
	}
	dir, complete, err := c.folder()
	if err != nil {
		return err
	}
	ctx, restore := untilSignal(ctx)
	defer restore()
	s := &serveCommand{Serve: c.settings(dir), users: demo.Users()}
	if err := s.Check(); err != nil {
		return &usageError{err}
	}
	setMemory(out, s.Serve)
	if !complete {
		free, err := net.Listen("tcp", c.Listen) // before a quarter of a minute is spent
		if err != nil {
			return next(err, "choose another address with --listen")
		}
		free.Close()
		if err := c.build(ctx, out, s.Serve, dir); err != nil {
			return err
		}
	}
	fmt.Fprintf(out.stdout, "The demo is in the folder %s. Serve it again with: enlist demo --dir %[1]s\n", dir)
	return s.serve(ctx, restore, out, "")
}

// settings returns the settings of the server.
func (c *demoCommand) settings(dir string) config.Serve {
	return config.Serve{Database: config.Database{DB: filepath.Join(dir, "demo.db")}, Checkpoints: "own",
		Listen: c.Listen, OpsListen: "none", Mail: "dir:" + filepath.Join(dir, "mail"), MailConnections: 8,
		Memory: 512 << 20, LogLevel: "warn", LogFormat: "auto"}
}

// folder returns the path of the folder and whether it has a complete demo. It creates a missing folder, and refuses a
// folder with other files.
func (c *demoCommand) folder() (dir string, complete bool, err error) {
	if c.Dir == "" {
		dir, err = os.MkdirTemp("", "enlist-demo-")
		return dir, false, err
	}
	dir, err = filepath.Abs(c.Dir)
	if err != nil {
		return "", false, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", false, err
	}
	mark, err := os.ReadFile(filepath.Join(dir, demoMark))
	if err == nil && string(mark) == demoMarkText {
		return dir, true, nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", false, err
	}
	files, err := os.ReadDir(dir)
	if err == nil && len(files) > 0 {
		err = next(fmt.Errorf("the folder %s has other files, or a demo that is not complete", dir),
			"give an empty folder with --dir")
	}
	return dir, false, err
}

// build builds the database and marks the folder. If it fails or is stopped, it removes the database.
func (c *demoCommand) build(ctx context.Context, out *console, settings config.Serve, dir string) error {
	err := c.fill(ctx, out, settings)
	if err == nil {
		return markComplete(settings.DB, filepath.Join(dir, demoMark))
	}
	if ctx.Err() != nil {
		err = errors.New("the demo was stopped before it was complete: its files are removed")
	}
	made, _ := filepath.Glob(settings.DB + "*") // the folder was empty
	if c.Dir == "" {
		made = append(made, dir)
	}
	for _, file := range made {
		err = errors.Join(err, os.Remove(file))
	}
	return err
}

// markComplete writes the mark when the database is on the disk.
func markComplete(database, mark string) error {
	file, err := os.OpenFile(database, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := durable.Close(file); err != nil {
		return err
	}
	return durable.Write(mark, func(w io.Writer) error {
		_, err := io.WriteString(w, demoMarkText)
		return err
	})
}

// fill creates the database and fills it. About 3,000 transactions one after another would wait for the disk, and an
// incomplete demo is useless, so they do not wait.
func (c *demoCommand) fill(ctx context.Context, out *console, settings config.Serve) error {
	began := time.Now()
	store, err := sqlite.Open(ctx, settings.DB, sqlite.Options{Log: quieter(out, settings), Unsynced: true})
	if err != nil {
		return err
	}
	err = demo.Build(ctx, store, demo.Options{Now: began, Scale: max(1, c.scale), Say: func(text string) {
		fmt.Fprintf(out.stderr, "%5.1f s  %s\n", time.Since(began).Seconds(), text)
	}})
	return errors.Join(err, store.Close())
}
