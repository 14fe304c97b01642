package batches

import (
	"fmt"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file counts for how many recipients each block with a condition is shown, and warns of mails without any. The
// variants of a Batch count as if each recipient got each of them. decisions.md: 165

// The codes.
const (
	FindingShown        messages.FindingCode = "shown_to"      // a note: the number of recipients who see a block with a condition
	FindingBadCondition messages.FindingCode = "bad_condition" // the condition does not fit a List
	FindingEmpty        messages.FindingCode = "empty_mail"    // recipients who see no block
)

// shownCount counts the recipients who see the blocks of a Message.
type shownCount struct {
	of    *messages.Message
	sees  map[string]int64 // by the name of the block
	names []string
	empty int64
}

// readConditions finds the Messages whose blocks have conditions.
func (k *batchCheck) readConditions() {
	known := make(map[enlist.MessageID]bool)
	for i := range k.contents {
		if m := k.contents[i].Message; m.HasConditions() && !known[m.ID] {
			known[m.ID] = true
			k.shown = append(k.shown, shownCount{of: m, sees: make(map[string]int64)})
		}
	}
}

// checkConditions looks for conditions that do not fit a List.
func (k *batchCheck) checkConditions(tx *db.Tx, schema *enlist.Schema) error {
	for i := range k.shown {
		showing, err := messages.ShowTo(tx, schema, k.CreationTime, k.shown[i].of, nil)
		if err != nil {
			return err
		}
		k.shown[i].names = nil
		for _, b := range showing.Conditional() {
			k.shown[i].names = append(k.shown[i].names, b.Name)
			if why := b.Wrong(); why != nil {
				k.add(messages.Finding{Level: messages.FindingWarning, Code: FindingBadCondition,
					Text: fmt.Sprintf("no Contact of the List %s sees %s: %s", enlist.Quoted(schema.List.Name), b.Name, why)})
			}
		}
	}
	return nil
}

// countShown counts the recipients of a step.
func (k *batchCheck) countShown(tx *db.Tx, st *checkStep, ids []enlist.ContactID) error {
	for i := range k.shown {
		n := shownCount{sees: make(map[string]int64)}
		showing, err := messages.ShowTo(tx, st.schema, k.CreationTime, k.shown[i].of, ids)
		if err != nil {
			return err
		}
		all := showing.Conditional()
		for _, id := range ids {
			for at := range all {
				if showing.Sees(id, &all[at]) {
					n.sees[all[at].Name]++
				}
			}
			if showing.IsEmptyFor(id) {
				n.empty++
			}
		}
		st.shown = append(st.shown, n)
	}
	return nil
}

// takeShown adds the counts of a step.
func (k *batchCheck) takeShown(st *checkStep) {
	for i := range st.shown {
		for name, n := range st.shown[i].sees {
			k.shown[i].sees[name] += n
		}
		k.shown[i].empty += st.shown[i].empty
	}
}

// concludeShown adds the findings.
func (k *batchCheck) concludeShown() {
	for i := range k.shown {
		n := &k.shown[i]
		variant, of := "", ""
		if len(k.shown) > 1 {
			variant, of = ", variant "+enlist.Quoted(n.of.Name)+",", " of "+enlist.Quoted(n.of.Name)
		}
		for _, name := range n.names {
			k.add(messages.Finding{Level: messages.FindingNote, Code: FindingShown, Contacts: n.sees[name],
				Text: fmt.Sprintf("%s%s is shown to %d of %d recipients", name, variant, n.sees[name], k.result.Recipients)})
		}
		if n.empty > 0 {
			k.add(messages.Finding{Level: messages.FindingWarning, Code: FindingEmpty, Contacts: n.empty,
				Text: fmt.Sprintf("the email%s is empty for %d of %d recipients, who meet no condition: give one block no condition",
					of, n.empty, k.result.Recipients)})
		}
	}
}
