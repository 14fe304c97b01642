package sends

import (
	contactpages "enlist/internal/admin/contacts"
	"enlist/internal/admin/ui"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file says in words to whom a Batch goes, before and after it was sent.

// whom is who gets a Batch, and who is left out, for the template "whom".
type whom struct{ To, Excluded []string }

// whomOfBatch returns to whom a stored Batch goes.
func whomOfBatch(r *ui.Request, b *batches.Batch, names ui.Names) (whom, error) {
	if b.Status == batches.BatchRunning { // an autoresponder chooses its recipients
		return whom{To: []string{listName(names, b.ListID)}}, nil
	}
	request, err := r.App.Batches.Copy(r.Context(), r.Caller, b.ID)
	if err != nil {
		return whom{}, err
	}
	p, rest := copied(b.ID, request)
	p.Like = 0 // rest has it
	w, err := whomOf(r, &p, names)
	if err == nil {
		err = w.addRest(r, &rest, request.Populations[0].List, names)
	}
	return w, err
}

// whomOf returns to whom a plan goes.
func whomOf(r *ui.Request, p *plan, names ui.Names) (w whom, err error) {
	for _, id := range p.Lists {
		w.To = append(w.To, listName(names, id))
	}
	if err := w.addSegments(r, &w.To, p.Parts, names); err != nil {
		return w, err
	}
	if err := w.addSegments(r, &w.Excluded, p.Leave, names); err != nil {
		return w, err
	}
	var unmeasured []enlist.BatchID
	if p.Unmeasured {
		unmeasured = []enlist.BatchID{p.Again}
	}
	for _, of := range []struct {
		to   *[]string
		text string
		ids  []enlist.BatchID
	}{{&w.To, "sends.whom_not_opened", []enlist.BatchID{p.Again}}, {&w.To, "sends.whom_unmeasured", unmeasured},
		{&w.To, "sends.whom_as", []enlist.BatchID{p.Like}},
		{&w.Excluded, "sends.whom_got", p.Without}} {
		for _, id := range of.ids {
			if id == 0 {
				continue
			}
			b, err := r.App.Batches.Batch(r.Context(), r.Caller, id)
			switch kind := enlist.KindOf(err); {
			case kind == enlist.NoBatch, kind == enlist.Denied: // deleted, or of a List that the person may not use
				*of.to = append(*of.to, r.Text(of.text, "name", r.Text("sends.another_campaign")))
			case err != nil:
				return w, err
			default:
				*of.to = append(*of.to, r.Text(of.text, "name", names.Batch(b)))
			}
		}
	}
	return w, nil
}

// addSegments adds the names of Segments.
func (w *whom) addSegments(r *ui.Request, to *[]string, all []part, names ui.Names) error {
	for _, one := range all {
		name, err := segmentName(r, one)
		if err != nil {
			return err
		}
		*to = append(*to, r.Text("sends.segment_of", "segment", name, "list", listName(names, one.List)))
	}
	return nil
}

// addRest adds populations and an exclusion that are no Lists and Segments. The exclusion fits each List of the Batch.
func (w *whom) addRest(r *ui.Request, rest *batches.BatchRequest, first enlist.ListID, names ui.Names) error {
	for _, one := range rest.Populations {
		text, list := "", listName(names, one.List)
		switch {
		case one.Criteria != nil:
			words, err := criteriaText(r, one.List, one.Criteria)
			if err != nil {
				return err
			}
			text = r.Text("sends.matching_in", "list", list, "words", words)
		case one.Type == string(batches.PopulationContacts):
			text = r.Text("sends.chosen_of", "n", len(one.Contacts), "list", list)
		case one.Type == string(batches.PopulationUnsent):
			text = r.Text("sends.never_got_in", "list", list)
		default:
			text = list
		}
		if one.Time == "send" {
			text = r.Text("sends.looked_up", "whom", text)
		}
		w.To = append(w.To, text)
	}
	if left := rest.Options.Exclude.Criteria; left != nil {
		words, err := criteriaText(r, first, left)
		if err != nil {
			return err
		}
		w.Excluded = append(w.Excluded, words)
	}
	return nil
}

// criteriaText returns criteria in words, or as a search has them if the List was deleted.
func criteriaText(r *ui.Request, list enlist.ListID, c *enlist.Criteria) (string, error) {
	words, err := contactpages.InWords(r, list, c)
	if enlist.KindOf(err) == enlist.NoList {
		return c.Text(), nil
	}
	return words, err
}

// segmentName returns what a Segment is called in a sentence.
func segmentName(r *ui.Request, one part) (string, error) {
	found, err := r.App.Contacts.Segment(r.Context(), r.Caller, one.List, one.Segment)
	switch kind := enlist.KindOf(err); {
	case kind == enlist.NoList, kind == enlist.InvalidParameters:
		return r.Text("sends.deleted_segment"), nil
	case err != nil:
		return "", err
	}
	return r.Text("sends.the_segment", "name", found.Name), nil
}

// listName returns the name of a List, also of one that was deleted.
func listName(names ui.Names, id enlist.ListID) string {
	if name := names.Lists[id]; name != "" {
		return name
	}
	return names.Text("sends.a_deleted_list")
}

// listsText is the name of the first List of a Batch, with the number of the others.
func listsText(names ui.Names, b *batches.Batch, lists int64) string {
	if lists < 2 {
		return names.Lists[b.ListID]
	}
	return names.Text("sends.list_and_others", "list", listName(names, b.ListID), "n", lists-1)
}
