package main

import (
	"fmt"
	"path/filepath"

	"enlist/internal/enlist"
)

// This file is the part "writes": how much search indexes slow down subscriptions. The indexes belong to the same List
// or to other Lists.

// The other Lists of besideOtherLists. Together they have 60 indexes. The
// server builds at most 64 in one database.
const (
	otherLists    = 200
	otherContacts = 25_000
	otherKeys     = 5
	maxIndexes    = 64
)

// writeKeys are the keys of the indexes.
var writeKeys = []string{"Born", "Last Name", "State", "Postcode", "Amount", "First Name", "Member", "Colours",
	"last_click_time", "last_open_time"}

// writingIndexed measures subscriptions to Lists with 1, 5 and 10 indexes, and to a List
// in a database where other Lists have indexes. It compares their rates with the rate of
// subscriptions in a database without indexes.
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
	base := &writing{b, server, plain}
	for _, n := range []int{1, 5, 10} {
		name := fmt.Sprintf("write%d.db", n)
		list, err := b.makeDatabase(name, 0)
		if err != nil {
			return err
		}
		if err := b.createIndexes(filepath.Join(b.Dir, name), list, writeKeys[:n]); err != nil {
			return err
		}
		title := fmt.Sprintf("subscribeContact to a List with %d indexes; ratio to a List without indexes", n)
		if err := base.beside(name, list, title, ""); err != nil {
			return err
		}
	}
	return base.besideOtherLists()
}

// writing has the server and the List of the comparison. This List has no indexes.
type writing struct {
	*bench
	server *process
	list   enlist.ListID
}

// beside compares subscriptions to a List in another database with subscriptions to the List of w.
func (w *writing) beside(name string, list enlist.ListID, title, target string) error {
	other, err := w.serve(name)
	if err != nil {
		return err
	}
	defer other.stop()
	ratio, o, err := w.pairs(title, w.subscriptions(other, list, w.Connections),
		w.subscriptions(w.server, w.list, w.Connections))
	if err == nil {
		w.add(figure{title, perSecond(o), ratio, target})
	}
	return err
}

// besideOtherLists compares a List in a database where other Lists have many indexes with
// the List of w.
func (w *writing) besideOtherLists() error {
	const name = "others.db"
	list, err := w.makeDatabase(name, 0)
	if err != nil {
		return err
	}
	others, err := w.addLists(name, otherLists, otherContacts)
	if err != nil {
		return err
	}
	for _, other := range others[:maxIndexes/otherKeys] {
		if err := w.createIndexes(filepath.Join(w.Dir, name), other, writeKeys[:otherKeys]); err != nil {
			return err
		}
	}
	title := fmt.Sprintf("subscribeContact in a database with %d other Lists of %d Contacts and %d indexes in total; "+
		"ratio to a database without them", otherLists, otherContacts, maxIndexes/otherKeys*otherKeys)
	return w.beside(name, list, title, "0.70")
}
