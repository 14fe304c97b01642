package rpc

import (
	"slices"
	"strconv"

	"enlist/api"
	"enlist/internal/batches"
	"enlist/internal/enlist"
)

// This file reads the options of a Batch.

// batchOptions reads the options of a Batch. An unknown key is refused, because a misspelled option could send mail to
// Contacts that must not get it. reference.md: batch.options
func (p *params) batchOptions(i int) (o batches.BatchOptions) {
	for _, item := range p.members(i, p.at(i), "an object of options") {
		v := item.Unbox()
		switch {
		case item.Name == "exclude":
			o.Exclude = p.exclusion(i, unboxOnce(&item))
		case item.Name == "variants":
			o.Variants = p.variants(i, &item)
		case !slices.Contains(plainOptions, item.Name):
			p.refuseKey(i, item.Name)
		case v.Omitted():
		case item.Name == "name":
			o.Name = p.word(i, "a name that is a string", &v)
		case item.Name == "doubt":
			o.Doubt = p.word(i, "doubt as a string", &v)
		case item.Name == "rate":
			o.Rate = p.word(i, "rate as a string", &v)
		case item.Name == "local_time":
			o.LocalTime = p.word(i, "local_time as the name of a Field", &v)
		case item.Name == "winner":
			o.Winner = p.word(i, "winner as a string", &v)
		case item.Name == "test_share":
			o.Share = p.number(i, "test_share as an integer", &v)
		case item.Name == "winner_hours":
			o.Hours = p.number(i, "winner_hours as an integer", &v)
		case item.Name == "track":
			o.Untracked = !p.truth(i, "track as true or false", &v)
		case item.Name == "force":
			o.Force = p.truth(i, "force as true or false", &v)
		}
	}
	return o
}

// plainOptions are the options whose values are texts, numbers or bools.
var plainOptions = []string{"name", "doubt", "rate", "local_time", "test_share", "winner", "winner_hours",
	"force", "track"}

// truth reads a member that is true or false.
func (p *params) truth(i int, expected string, v *enlist.Input) bool {
	b, ok := v.AsBool()
	if !ok {
		p.refusePart(i, expected, v)
	}
	return b
}

// number reads a member that is an integer. 0 would mean the default, so it becomes -1, which no option allows.
func (p *params) number(i int, expected string, v *enlist.Input) int64 {
	n, ok := v.AsInt()
	if !ok {
		p.refusePart(i, expected, v)
	}
	if n == 0 {
		return -1
	}
	return n
}

// variants reads the option variants: an array of objects.
func (p *params) variants(i int, v *enlist.Input) []batches.Variant {
	switch {
	case v.Omitted():
		return nil
	case v.Kind != enlist.InputArray:
		p.refusePart(i, "variants as an array of objects", v)
		return nil
	}
	all := make([]batches.Variant, len(v.Items))
	for j := range v.Items {
		for _, item := range p.members(i, &v.Items[j], "variants as an array of objects") {
			value := item.Unbox()
			switch {
			case item.Name != "message_id" && item.Name != "subject":
				p.refuseKey(i, item.Name)
			case value.Omitted():
			case item.Name == "message_id":
				all[j].Message = enlist.MessageID(asID(&value))
			default:
				all[j].Subject = p.word(i, "a subject that is a string", &value)
			}
		}
	}
	return all
}

// exclusion reads the option exclude.
func (p *params) exclusion(i int, v *enlist.Input) (x batches.Exclusion) {
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
func (p *params) members(i int, v *enlist.Input, expected string) []enlist.Input {
	switch {
	case v.Omitted():
		return nil
	case v.Kind != enlist.InputObject:
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
func (p *params) batches(i int, v *enlist.Input) []enlist.BatchID {
	items := v.Items
	switch {
	case v.IsBlank():
		return nil
	case v.Kind != enlist.InputArray:
		items = []enlist.Input{*v}
	}
	ids := make([]enlist.BatchID, len(items))
	for j := range items {
		ids[j] = enlist.BatchID(asID(&items[j]))
	}
	return ids
}
