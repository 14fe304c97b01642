package demo

import (
	"context"
	"strconv"

	"enlist/internal/contacts"
	"enlist/internal/enlist"
)

// This file has the Segments of the club, and the mails that follow a subscription by themselves.

// addSegments adds a Segment of each kind: by values, by the language, and by days that move.
func (b *builder) addSegments(ctx context.Context) error {
	for _, s := range []struct {
		list     int
		name     string
		criteria *enlist.Criteria
	}{
		{news, "Vegetables in Victoria", &enlist.Criteria{All: []enlist.Criteria{*is("State", "exactly", "VIC"),
			*is("Interests", "contains", "Vegetables")}}},
		{news, "Reads Vietnamese", is(enlist.KeyLanguage, "exactly", "vi")},
		{news, quiet, is("last_open_time", "not_within_last", "90 days")},
		{volunteers, "Birthday within a week", is(birthday.name, "yearly_within_next", "7 days")},
	} {
		r := contacts.SegmentRequest{List: b.lists[s.list].id, Name: s.name, Criteria: s.criteria}
		id, err := b.app.Contacts.SetSegment(ctx, b.caller, r)
		if err != nil {
			return err
		}
		if s.name == quiet {
			b.quiet = id
		}
	}
	return nil
}

// quiet is the name of the Segment of Contacts who opened nothing.
const quiet = "Opened nothing for 90 days"

// addAutoresponders adds a welcome, and a question to readers who opened nothing in their first 90 days.
func (b *builder) addAutoresponders(ctx context.Context) error {
	welcome, err := b.addLetter(ctx, "Welcome", "Welcome, {{First Name|friend}}", "welcome.json")
	if err != nil {
		return err
	}
	ask, err := b.addLetter(ctx, "Still interested?", "Would you like to hear from us?", "quiet.json")
	if err != nil {
		return err
	}
	list := strconv.FormatInt(int64(b.lists[news].id), 10)
	for _, a := range [][]enlist.Detail{
		details("list_id", list, "event_type", string(enlist.EventSubscribe), "message_id", welcome),
		details("list_id", list, "event_type", string(enlist.EventSubscribe), "message_id", ask,
			"segment_id", strconv.FormatInt(int64(b.quiet), 10), "time_criteria_type", enlist.CriteriaDelay,
			"time_criteria_offset_value", "90", "time_criteria_offset_period", enlist.PeriodDay),
	} {
		if _, err := b.app.Batches.AddAutoresponder(ctx, b.caller, a); err != nil {
			return err
		}
	}
	return nil
}

// addLetter adds a Message of the Garden News, and returns its ID as a caller sends it.
func (b *builder) addLetter(ctx context.Context, name, subject, letter string) (id string, err error) {
	m, err := b.app.Messages.AddMessage(ctx, b.caller, append(details("name", name, "subject", subject), b.content(letter, true)...))
	return strconv.FormatInt(int64(m), 10), err
}
