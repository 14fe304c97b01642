package forms

import (
	"time"

	"enlist/internal/enlist"
	"enlist/internal/language"
)

// This file has the tick with which a visitor allows to record opens and clicks. decisions.md: 160

// TrackingText returns what a person agrees to whose opens and clicks may be recorded, and the version of this text. It
// is the text of the List, or of the program in the language of the page. wanted is the language of the reader, or "".
func TrackingText(l *enlist.List, in *language.Language, wanted string) (text, version string) {
	if l.TrackingText != "" && l.HasTextsIn(wanted) {
		return l.TrackingText, versionOf(l.LastModifiedTime)
	}
	return in.Text("web.tracking.agree"), OwnTracking(in)
}

// OwnTracking returns the version of the texts of this program about recording, in a language. The number changes with
// their meaning.
func OwnTracking(in *language.Language) string { return "enlist 1 " + in.Code }

// versionOf returns the version of a text of a record that was edited at a time.
func versionOf(edited int64) string { return time.Unix(edited, 0).UTC().Format(time.RFC3339) }

// TrackingTick returns the text beside the tick of a Form and its version, for readers of the language in. It returns ""
// if the Form has no such tick, or its List records nothing.
func (f *Form) TrackingTick(schema *enlist.Schema, in *language.Language) (text, version string) {
	switch {
	case !f.AsksTracking || !schema.Tracks(enlist.TrackingGranted):
		return "", ""
	case f.TrackingText != "":
		return f.TrackingText, versionOf(f.LastModifiedTime)
	}
	return TrackingText(&schema.List, in, in.Code)
}
