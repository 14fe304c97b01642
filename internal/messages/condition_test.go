package messages_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"enlist/internal/apptest"
	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/lists"
	"enlist/internal/messages"
)

// This file tests the conditions of blocks. Package searchtest compares them with searches over drawn criteria, and package
// sending tests the mails.

// covers: spec message.show_if, decision 165
func TestBlocksWithConditions(t *testing.T) {
	apptest.Run(t, apptest.Shared, newImages, []apptest.Rule[*images]{
		{Name: "a condition is stored as searches have it, and refused if no List could search it", Test: (*images).conditions},
		{Name: "a Contact sees the blocks whose condition it meets, and a column takes the room of a hidden one", Test: (*images).showsBlocks},
		{Name: "a condition that does not fit the List hides its block", Test: (*images).unfit},
	})
}

func (f *images) conditions() {
	id, err := f.add(`[{"type":"text","text":"a","show_if":["City","Exactly","Ulm"]},{"type":"text","text":"b","show_if":[]},` +
		`{"type":"columns","left":[{"type":"line"}],"left_if":[["id","in",[1,2]],"OR",["City","not",""]]}]`)
	f.Must(err)
	m, err := f.App.Messages.Message(f.Context(), f.Caller, id)
	f.Must(err)
	want := `[{"type":"text","text":"a","show_if":[["City","Exactly","Ulm"]]},{"type":"text","text":"b"},` +
		`{"type":"columns","left":[{"type":"line"}],"left_if":[["id","in",[1,2]],"OR",["City","not",""]]}]`
	if m.Blocks != want {
		f.Errorf("the blocks are %s, want %s", m.Blocks, want)
	}
	var many []string
	for n := range 21 {
		many = append(many, fmt.Sprintf(`{"type":"line","show_if":["id","exactly",%d]}`, n))
	}
	for blocks, about := range map[string]string{
		`[{"type":"line","show_if":["City","Ulm"]}]`:                           "three elements",
		`[{"type":"line","show_if":"City"}]`:                                   "array of triples",
		`[{"type":"line","show_if":["City","is","Ulm"]}]`:                      `operator "is"`,
		`[{"type":"line","show_if":[[["City","in",{}]]]}]`:                     "object",
		`[{"type":"line","left_if":["City","exactly","Ulm"]}]`:                 "left_if and right_if only",
		`[{"type":"columns","middle_if":["City","exactly","Ulm"]}]`:            "middle_if only",
		`[{"type":"preheader","text":"a","show_if":["City","exactly","Ulm"]}]`: "preheader without show_if",
		"[" + strings.Join(many, ",") + "]":                                    "at most 20 different conditions",
	} {
		_, err := f.add(blocks)
		f.Refused(err, enlist.InvalidParameters, about)
	}
}

// shownTo returns the texts of the blocks that a Contact sees.
func (f *images) shownTo(list enlist.ListID, m *messages.Message, ids ...enlist.ContactID) (texts []string) {
	f.Must(f.Store.View(f.Context(), func(tx *db.Tx) error {
		schema, err := lists.Schema(tx, list)
		if err != nil {
			return err
		}
		showing, err := messages.ShowTo(tx, schema, f.Now.Unix(), m, ids)
		if err != nil {
			return err
		}
		texts = nil
		for _, id := range ids {
			texts = append(texts, showing.For(id).Blocks)
		}
		return nil
	}))
	return texts
}

func (f *images) showsBlocks() {
	list := f.AddList()
	f.AddField(list, "name", "City", "type", "text")
	ulm, rome := f.Subscribe(list, "Email", "a@x.io", "City", "Ulm"), f.Subscribe(list, "Email", "b@x.io", "City", "Rome")
	in := func(city string) string { return `["City","exactly","` + city + `"]` }
	m := &messages.Message{EmailType: messages.EmailBlocks, Blocks: `[{"type":"text","text":"all"},{"type":"text","text":"ulm","show_if":[` + in("Ulm") + `]},` +
		`{"type":"columns","left":[{"type":"text","text":"l"}],"right":[{"type":"text","text":"r","show_if":[` + in("Rome") + `]}]},` +
		`{"type":"columns","left":[{"type":"text","text":"L"}],"right":[{"type":"text","text":"R"}],"left_if":[` + in("Rome") + `],"right_if":[` + in("Rome") + `]}]`}
	three := &messages.Message{EmailType: messages.EmailBlocks, Blocks: `[{"type":"columns","left":[{"type":"line"}],"middle":[{"type":"text","text":"m"}],"right":[{"type":"line"}],"shares":[25,50,25],"middle_if":[` + in("Ulm") + `]},` +
		`{"type":"columns","left":[{"type":"line"}],"middle":[{"type":"line"}],"right":[{"type":"line"}],"shares":[50,25,25],"right_if":[` + in("Ulm") + `]}]`}
	wantThree := []string{`[{"type":"columns","left":[{"type":"line"}],"middle":[{"type":"text","text":"m"}],"right":[{"type":"line"}],"shares":[25,50,25]},` +
		`{"type":"columns","left":[{"type":"line"}],"middle":[{"type":"line"}],"right":[{"type":"line"}],"shares":[50,25,25]}]`,
		`[{"type":"columns","left":[{"type":"line"}],"right":[{"type":"line"}]},{"type":"columns","left":[{"type":"line"}],"right":[{"type":"line"}],"shares":[66,34]}]`}
	if got := f.shownTo(list, three, ulm, rome); !slices.Equal(got, wantThree) {
		f.Errorf("of three columns, the Contacts see\n%s, want\n%s", strings.Join(got, "\n"), strings.Join(wantThree, "\n"))
	}
	want := []string{`[{"type":"text","text":"all"},{"type":"text","text":"ulm"},{"type":"text","text":"l"}]`,
		`[{"type":"text","text":"all"},{"type":"columns","left":[{"type":"text","text":"l"}],"right":[{"type":"text","text":"r"}]},` +
			`{"type":"columns","left":[{"type":"text","text":"L"}],"right":[{"type":"text","text":"R"}]}]`}
	for i, got := range f.shownTo(list, m, ulm, rome) {
		if got != want[i] {
			f.Errorf("the Contact %d sees %s, want %s", i, got, want[i])
		}
	}
	all, err := messages.DecodeBlocks(m.Blocks)
	f.Must(err)
	if got := messages.EncodeBlocks(messages.Unconditional(all)); got != `[{"type":"text","text":"all"},{"type":"text","text":"l"}]` {
		f.Errorf("without a Contact, the blocks are %s", got)
	}
	if strings.Contains(m.AllShown().Blocks, "_if") || strings.Count(m.AllShown().Blocks, "text\":") != 6 {
		f.Errorf("all blocks are %s", m.AllShown().Blocks)
	}
}

func (f *images) unfit() {
	list := f.AddList()
	ann := f.Subscribe(list, "Email", "a@x.io")
	m := &messages.Message{EmailType: messages.EmailBlocks,
		Blocks: `[{"type":"line"},{"type":"text","text":"a","show_if":[["Town","not","Ulm"]]},{"type":"text","text":"b","show_if":[["id","not",7]]}]`}
	if got := f.shownTo(list, m, ann); got[0] != `[{"type":"line"},{"type":"text","text":"b"}]` {
		f.Errorf("the Contact sees %s", got[0])
	}
}
