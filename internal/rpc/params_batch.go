// This file reads the options of a Batch.

package rpc

import (
	"strconv"

	"enlist/api"
	"enlist/internal/audience"
)

// batchOptions reads the options of a Batch. An unknown key is refused, because a misspelled option could send mail to
// Contacts that must not get it. specification: batch.options
func (p *params) batchOptions(i int) (o audience.BatchOptions) {
	for _, item := range p.members(i, p.at(i), "an object of options") {
		v := item.Unbox()
		switch {
		case item.Name == "exclude":
			o.Exclude = p.exclusion(i, unboxOnce(&item))
		case item.Name != "name" && item.Name != "doubt" && item.Name != "rate":
			p.refuseKey(i, item.Name)
		case v.Omitted():
		case item.Name == "name":
			o.Name = p.word(i, "a name that is a string", &v)
		case item.Name == "doubt":
			o.Doubt = p.word(i, "doubt as a string", &v)
		case item.Name == "rate":
			o.Rate = p.word(i, "rate as a string", &v)
		}
	}
	return o
}

// exclusion reads the option exclude.
func (p *params) exclusion(i int, v *audience.Input) (x audience.Exclusion) {
	for _, item := range p.members(i, v, "exclude as an object") {
		switch item.Name {
		case "criteria":
			x.Criteria = p.criteriaIn(i, &item)
		case "batches":
			x.Batches = p.batches(i, &item)
		default:
			p.refuseKey(i, item.Name)
		}
	}
	return x
}

// members returns the members of an object that the caller may omit.
func (p *params) members(i int, v *audience.Input, expected string) []audience.Input {
	switch {
	case v.Omitted():
		return nil
	case v.Kind != audience.InputObject:
		p.refusePart(i, expected, v)
		return nil
	}
	return v.Items
}

// refuseKey records that an object in a parameter has an unknown key.
func (p *params) refuseKey(i int, key string) {
	if p.err == nil {
		r := refuse(api.CodeInvalidParameters, "parameter %d, %s: unknown key %s", i+1, p.names[i], strconv.Quote(key))
		r.position = i + 1
		p.err = r
	}
}

// batches reads IDs of Batches: an array, or one ID. No Batch has the ID -1.
func (p *params) batches(i int, v *audience.Input) []audience.BatchID {
	items := v.Items
	switch {
	case v.IsBlank():
		return nil
	case v.Kind != audience.InputArray:
		items = []audience.Input{*v}
	}
	ids := make([]audience.BatchID, len(items))
	for j := range items {
		ids[j] = audience.BatchID(asID(&items[j]))
	}
	return ids
}
