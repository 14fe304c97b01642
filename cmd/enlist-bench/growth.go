package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// This file is the part "growth": how the time of a search depends on the size of its List. plot.go draws the result.

// growing measures the same searches in Lists of 10,000 Contacts, 100,000 and so on
// up to --contacts, and draws the times.
func (b *bench) growing() error {
	if b.Plot == "" {
		b.say("the part growth is skipped, because --plot is not set")
		return nil
	}
	curves := make([]curve, len(indexed))
	for i, s := range indexed {
		curves[i].Name = s.name
	}
	for contacts := 10_000; contacts <= b.Contacts; contacts *= 10 {
		if err := b.growTo(contacts, curves); err != nil {
			return err
		}
	}
	file, err := os.Create(b.Plot)
	if err != nil {
		return err
	}
	if err := plot(file, "Searches with an index: the median time over HTTP", curves); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}

// growTo adds a point to each curve, measured in a List of the given size.
func (b *bench) growTo(contacts int, curves []curve) error {
	name := fmt.Sprintf("growth%d.db", contacts)
	path := filepath.Join(b.Dir, name)
	defer os.Remove(path)
	list, err := b.makeDatabase(name, contacts)
	if err != nil {
		return err
	}
	if err := b.createIndexes(path, list, indexKeys); err != nil {
		return err
	}
	return b.serving(path, func(_ *process, c *client) error {
		for i, s := range indexed {
			took, err := median(func() (time.Duration, error) { return c.call(s.body(list, contacts)) })
			if err != nil {
				return fmt.Errorf("%s: %w", s.name, err)
			}
			curves[i].points = append(curves[i].points, point{float64(contacts), float64(took.Microseconds()) / 1000})
			b.say("%d Contacts, %s: %s", contacts, s.name, milliseconds(took))
		}
		return nil
	})
}
