package mail

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"enlist/internal/audience"

	gomail "github.com/wneessen/go-mail"
)

// dirSender keeps messages in a folder, each in an .eml file that mail programs
// open. A message that is sent again replaces the file of the first time.
type dirSender struct {
	dir  string
	form *form

	mu    sync.Mutex
	names map[string]string // of the files, by the Message-ID in them
}

// nameTime begins a file's name, so that names sort by time; UTC.
const nameTime = "20060102-150405"

func newDirSender(dir string, f *form) (*dirSender, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the folder for mail: %w", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder for mail: %w", err)
	}
	s := &dirSender{dir: dir, form: f, names: make(map[string]string, len(entries))}
	for _, e := range entries {
		if id, ok := strings.CutSuffix(e.Name(), ".eml"); ok && len(id) > len(nameTime) {
			s.names[id[len(nameTime)+1:]] = e.Name()
		}
	}
	return s, nil
}

func (s *dirSender) send(_ context.Context, m *gomail.Msg, about *audience.DeliveryKey) error {
	p, err := s.form.parcel(m, about)
	if err != nil {
		return err
	}
	if err := s.keep(s.name(fileID(p.id)), p); err != nil {
		return &audience.Undelivered{Detail: "write the mail into a file", Err: err}
	}
	return nil
}

// name returns the name of the file for a message, the same for the same ID.
func (s *dirSender) name(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	name, ok := s.names[id]
	if !ok {
		name = time.Now().UTC().Format(nameTime) + "-" + id + ".eml"
		s.names[id] = name
	}
	return name
}

// keep writes a file under another name first, so that nobody reads half of it.
// The name does not end in .eml.
func (s *dirSender) keep(name string, p *parcel) (err error) {
	f, err := os.CreateTemp(s.dir, ".*.part") // mode 0600
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(p.data); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), filepath.Join(s.dir, name))
}

// fileID is a Message-ID without what has a meaning in a file's name.
func fileID(id string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("@.-_", r):
			return r
		}
		return '_'
	}, id)
}

func (s *dirSender) close() error { return nil }
