package rpc

import (
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"enlist/api"
	"enlist/internal/accounts"
	"enlist/internal/batches"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/forms"
	"enlist/internal/lists"
	"enlist/internal/messages"
	"enlist/internal/users"
	"enlist/internal/webhooks"
)

// This file finds what a call has and the server ignores: keys that mean nothing, and parameters after the last one.
// The reply names them in a header, the log and the metrics count them, and a strict call is refused for them.
// reference.md: strict; decisions.md: 126

// ignoredHeader is the header of a reply with the names that were ignored.
const ignoredHeader = "Enlist-Ignored"

// Limits of the header, in bytes.
const (
	maxIgnoredName   = 100
	maxIgnoredHeader = 1000
)

// detailKeys returns the keys that the members of parameters may have, by the name of the parameter. A key that callers
// cannot set has a meaning too, because clients send complete records back. Keys of Contacts depend on the List.
func detailKeys() map[string][]string {
	return map[string][]string{
		"list_details":          append(keysOf(lists.ListAttributes), enlist.IfVersion),
		"field_details":         append(keysOf(lists.FieldAttributes), enlist.IfVersion),
		"form_details":          append(keysOf(forms.FormAttributes), enlist.IfVersion),
		"folder_details":        keysOf(accounts.FolderAttributes),
		"message_details":       append(keysOf(messages.WholeMessageAttributes), enlist.IfVersion),
		"theme_details":         append(keysOf(messages.ThemeAttributes), enlist.IfVersion),
		"autoresponder_details": append(keysOf(batches.AutoresponderAttributes), enlist.IfVersion),
		"member_details":        keysOf(users.MemberAttributes),
		"webhook_details":       keysOf(webhooks.WholeWebhookAttributes),
		"file_details":          append(keysOf(files.FileAttributes), "data"),
		"populations":           {"list_id", "type", "contact_list", "segment_id", "time"},
	}
}

// keysOf returns the names of all keys of a kind of record.
func keysOf[T any](attributes []enlist.Attribute[T]) []string {
	names := make([]string, len(attributes))
	for i := range attributes {
		names[i] = attributes[i].Name
	}
	return names
}

// findIgnored finds what the call has and the server ignores. extra says that the caller sent more parameters than the
// method has. If the call is strict, findIgnored sets its error, which the method returns after the checks of its List.
func (x *exchange) findIgnored(m *method, e *envelope, extra bool) error {
	c := &x.call
	found := e.unknown[:len(e.unknown):len(e.unknown)]
	if extra {
		found = append(found, enlist.UnknownName{Name: "parameter " + strconv.Itoa(len(m.params)+1)})
	}
	list := enlist.ListID(-1)
	var details, preferences []enlist.Input
	for i, name := range m.params {
		known, isRecord := x.handler.detailKeys[name]
		switch {
		case isRecord:
			found = unknownIn(found, c.objectsAt(i), known, name == "populations")
		case name == "list_id":
			list = enlist.ListID(asID(c.at(i)))
		case name == "contact_details":
			details = c.valuesAt(i)
		case name == "contacts":
			details = c.at(i).Items
		case name == "list_preferences":
			preferences = c.valuesAt(i)
		}
	}
	if len(details)+len(preferences) > 0 {
		names, err := c.service.Contacts.UnknownNames(c.ctx, c.caller, list, details, preferences)
		if err != nil {
			return err
		}
		found = append(found, names...)
	}
	if len(found) > 0 {
		x.ignore(m, found)
	}
	return nil
}

// valuesAt returns the parameter at a position as a slice, or nil if the caller did not send it.
func (p *params) valuesAt(i int) []enlist.Input {
	if i < len(p.values) {
		return p.values[i : i+1]
	}
	return nil
}

// objectsAt returns the objects in the parameter at a position: itself, or the items of an array.
func (p *params) objectsAt(i int) []enlist.Input {
	if v := p.at(i); v.Kind == enlist.InputArray {
		return v.Items
	}
	return p.valuesAt(i)
}

// unknownIn appends the names of members of objects that are not known.
func unknownIn(found enlist.UnknownNames, objects []enlist.Input, known []string, anyCase bool) enlist.UnknownNames {
	for i := range objects {
		for _, m := range objects[i].Members() {
			isKnown := slices.Contains(known, m.Name) || anyCase && slices.Contains(known, strings.ToLower(m.Name))
			if !isKnown && !found.Add(m.Name, func() []string { return known }) {
				return found
			}
		}
	}
	return found
}

// ignore tells the caller and the operator what a call has that means nothing. If the call is strict, it is refused for
// the first name.
func (x *exchange) ignore(m *method, found []enlist.UnknownName) {
	key := x.call.caller.Key
	x.handler.metrics.known[m].ignored.Add(float64(len(found)))
	if x.handler.ignoredLog.isFirst(key.ID, m, x.handler.options.Now()) {
		x.handler.options.Log.Warn("calls of this key have names that mean nothing and are ignored; the header "+
			ignoredHeader+" of the replies has them", "key", key.ID, "account", key.AccountID, "method", m.name,
			"names", len(found))
	}
	x.nameIgnored(found)
	if x.isStrict(key) {
		x.call.err = x.call.refuseUnknown(m, found[0])
	}
}

// refuseUnknown returns the error of a strict call with a name that means nothing.
func (c *call) refuseUnknown(m *method, u enlist.UnknownName) error {
	what, near := "the key "+enlist.Quoted(u.Name), ""
	position := c.positionOf(u.Name)
	if position == 0 && strings.HasPrefix(u.Name, "parameter ") {
		what = "the " + u.Name
	}
	if u.Near != "" {
		near = "; did you mean " + enlist.Quoted(u.Near) + "?"
	}
	r := refuse(api.CodeInvalidParameters, "%s means nothing to %s%s", what, m.name, near)
	r.position = position
	return r
}

// positionOf returns the position, from 1, of the first parameter with a key. It returns 0 if none has it.
func (c *call) positionOf(key string) int {
	for i := range c.names {
		objects := c.objectsAt(i)
		for j := range objects {
			if slices.ContainsFunc(objects[j].Members(), func(m enlist.Input) bool { return m.Name == key }) {
				return i + 1
			}
		}
	}
	return 0
}

// nameIgnored adds names to the header of the reply, unless a part of the reply was sent.
func (x *exchange) nameIgnored(found []enlist.UnknownName) {
	header := x.reply.w.Header()
	text := header.Get(ignoredHeader)
	for _, u := range found {
		name := headerName(u.Name)
		switch {
		case strings.HasSuffix(text, "..."): // the header is full
		case text == "":
			text = name
		case len(text)+len(name) > maxIgnoredHeader:
			text += ", ..."
		default:
			text += ", " + name
		}
	}
	header.Set(ignoredHeader, text)
}

// headerName returns the beginning of a name for a header: bytes that are no visible ASCII, commas and percent signs
// are percent-encoded as in URLs, but a space between two words stays.
func headerName(name string) string {
	name = name[:min(len(name), maxIgnoredName)]
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		inner := c == ' ' && i > 0 && i < len(name)-1
		if inner || c > ' ' && c < 0x7f && c != ',' && c != '%' {
			b.WriteByte(c)
			continue
		}
		b.WriteString("%" + strings.ToUpper(strconv.FormatUint(0x100|uint64(c), 16)[1:]))
	}
	return b.String()
}

// isStrict reports whether calls are refused for what is ignored otherwise: the key or the URL says so.
func (x *exchange) isStrict(key *enlist.Key) bool {
	if key.IsStrict {
		return true
	}
	query, _ := url.ParseQuery(x.request.URL.RawQuery) // an invalid query is not strict
	return query.Get("strict") == "1"
}

// ignoredLog remembers for which keys and methods the log has a line today.
type ignoredLog struct {
	mu   sync.Mutex // guards the others
	day  int64      // days since 1970
	seen map[ignoredCall]bool
}

type ignoredCall struct {
	key    enlist.KeyID
	method *method
}

// maxIgnoredCalls is the largest number of lines of a day.
const maxIgnoredCalls = 10_000

// isFirst reports whether the log has no line today about calls of a method with a key.
func (l *ignoredLog) isFirst(key enlist.KeyID, m *method, now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if day := now.Unix() / 86400; day != l.day || l.seen == nil {
		l.day, l.seen = day, make(map[ignoredCall]bool)
	}
	call := ignoredCall{key, m}
	if l.seen[call] || len(l.seen) >= maxIgnoredCalls {
		return false
	}
	l.seen[call] = true
	return true
}
