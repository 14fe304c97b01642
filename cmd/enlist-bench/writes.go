package main

import (
	"fmt"
	"path/filepath"

	"enlist/internal/audience"
)

// The crowd: so many Lists, searched on so many keys each, want more indexes than
// a database is given; it has as many as it may.
const (
	crowdLists    = 200
	crowdContacts = 25_000
	crowdKeys     = 5
	crowdIndexes  = 64
)

// writeKeys are what a List is indexed by.
var writeKeys = []string{"Born", "Last Name", "State", "Postcode", "Amount", "First Name", "Member", "Colours", "last_click_time", "last_open_time"}

// writingIndexed measures what indexes cost subscriptions: those of the List, and
// those of others.
func (b *bench) writingIndexed() error {
	plain, err := b.makeDatabase("plain.db", 0)
	if err != nil {
		return err
	}
	server, err := b.serve("plain.db")
	if err != nil {
		return err
	}
	defer server.stop()
	base := &writing{bench: b, server: server, list: plain}
	for _, n := range []int{1, 5, 10} {
		name := fmt.Sprintf("write%d.db", n)
		list, err := b.makeDatabase(name, 0)
		if err != nil {
			return err
		}
		if err := b.createIndexes(filepath.Join(b.Dir, name), list, writeKeys[:n]); err != nil {
			return err
		}
		if err := base.beside(name, list, fmt.Sprintf("subscribeContact, indexes of its List: %d; ratio to none", n), ""); err != nil {
			return err
		}
	}
	return base.besideCrowd()
}

// writing is subscriptions to a List without indexes.
type writing struct {
	*bench
	server *process
	list   audience.ListID
	run    int
}

func (w *writing) load(to *process, list audience.ListID) *load {
	w.run++
	return &load{server: to, connections: w.Connections, duration: w.Duration, request: newSubscriptions(to, list, w.Connections, w.run).next}
}

// beside compares it with another database's List.
func (w *writing) beside(name string, list audience.ListID, title, target string) error {
	other, err := w.serve(name)
	if err != nil {
		return err
	}
	defer other.stop()
	ratio, o, err := w.pairs(title, w.load(other, list), w.load(w.server, w.list))
	if err == nil {
		w.add(figure{title, perSecond(o), ratio, target})
	}
	return err
}

// besideCrowd compares it with a List in a database that has all the indexes that
// it may, of other Lists.
func (w *writing) besideCrowd() error {
	const name = "crowd.db"
	list, err := w.makeDatabase(name, 0)
	if err != nil {
		return err
	}
	others, err := w.addLists(name, crowdLists, crowdContacts)
	if err != nil {
		return err
	}
	for _, other := range others[:crowdIndexes/crowdKeys] {
		if err := w.createIndexes(filepath.Join(w.Dir, name), other, writeKeys[:crowdKeys]); err != nil {
			return err
		}
	}
	title := fmt.Sprintf("subscribeContact beside %d Lists of %d Contacts with %d indexes; ratio to neither", crowdLists, crowdContacts, crowdIndexes/crowdKeys*crowdKeys)
	return w.beside(name, list, title, "0.70")
}
