package rpc

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"

	"github.com/go-json-experiment/json/jsontext"
)

// This file runs the transcripts in testdata. testdata/README.md describes their format, and
// directive_test.go executes their directives.

var update = flag.Bool("update", false, "replace the expected replies in testdata that differ from the actual replies")

// Each transcript runs on SQLite and on PostgreSQL.
func TestTranscripts(t *testing.T) { dbtest.EachParallel(t, transcripts) }

func transcripts(t *testing.T, e dbtest.Engine) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no transcripts in testdata (error %v)", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			script := &transcript{harness: newHarnessOn(t, e.Own(t), Options{MaxBody: 1 << 20}), vars: make(map[string]string), examples: make(map[string]Example)}
			for name, key := range script.keys {
				script.vars[name] = key
			}
			script.vars["KEY"] = script.keys["FULL"]
			rewritten := script.run(t, string(text))
			if filepath.Base(file) == "reference.txt" && e.Name == dbtest.SQLite.Name {
				checkExamples(t, script.examples)
			}
			if *update && rewritten != string(text) {
				if err := os.WriteFile(file, []byte(rewritten), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// transcript is one file of testdata while the test runs it.
type transcript struct {
	*harness
	examples map[string]Example // a successful call of each method
	vars     map[string]string
}

// run runs the sections of a file. It returns the text of the file with updated replies.
func (s *transcript) run(t *testing.T, text string) string {
	parts := regexp.MustCompile(`(?m)^=== `).Split(text, -1)
	for i, part := range parts {
		if i == 0 {
			parts[i] = s.section(t, part)
			continue
		}
		title, rest, _ := strings.Cut(part, "\n")
		t.Run(title, func(t *testing.T) { parts[i] = title + "\n" + s.section(t, rest) })
	}
	return strings.Join(parts, "=== ")
}

// section has the pieces of one section. head has the directives, and tail has the lines after the
// reply.
type section struct{ head, request, divider, reply, tail string }

// cut splits the text of a section into its pieces.
func cut(text string) (c section) {
	into := &c.head
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		switch {
		case into == &c.head && strings.ContainsAny(line[:1], "{[<"):
			into = &c.request
		case trimmed == "--" && (into == &c.head || into == &c.request):
			c.divider, into = line, &c.reply
			continue
		case into == &c.reply && (strings.HasPrefix(line, "save ") || strings.HasPrefix(line, "effect ")):
			into = &c.tail
		}
		*into += line
	}
	return c
}

// section runs one section and returns its text. With -update, the text has the actual reply in
// place of an expected reply that differs.
func (s *transcript) section(t *testing.T, text string) string {
	c := cut(text)
	st := &step{verb: "POST", path: "/api/jsonrpcserver", proto: "HTTP/1.1", status: 200}
	for line := range strings.Lines(c.head) {
		s.directive(t, st, s.expand(strings.TrimSpace(line)))
	}
	if c.request != "" {
		st.body = []byte(strings.TrimSpace(s.expand(c.request)))
	}
	if c.request == "" && c.divider == "" && st.body == nil && len(st.expect) == 0 {
		return text // the section has only directives
	}
	s.store.takeEffects()
	body := s.exchange(t, st)
	if c.divider != "" {
		expected := strings.TrimSpace(s.expand(c.reply))
		if err := sameReply(expected, body); err != nil && *update {
			old := strings.TrimRight(c.reply, "\n")
			after := c.reply[len(old):]
			if old != "" {
				after = strings.TrimPrefix(after, "\n")
			}
			c.reply = layOut(body) + "\n" + after
		} else if err != nil {
			t.Errorf("%v\ngot reply: %s\nwant:      %s", err, body, expected)
		}
		s.addExample(st.body, strings.TrimSpace(s.expand(c.reply)))
	} else {
		s.addExample(st.body, body)
	}
	s.checkEffects(t, st, c.tail)
	for line := range strings.Lines(c.tail) {
		if rest, ok := strings.CutPrefix(line, "save "); ok {
			s.save(t, rest, body)
		}
	}
	return c.head + c.request + c.divider + c.reply + c.tail
}

var variable = regexp.MustCompile(`\$[A-Z][A-Z0-9_]*`)

// expand replaces variables by their values. It keeps $ANY and unknown variables.
func (s *transcript) expand(text string) string {
	return variable.ReplaceAllStringFunc(text, func(name string) string {
		if v, ok := s.vars[name[1:]]; ok {
			return v
		}
		return name
	})
}

// save executes "save NAME PATH": it stores a part of the reply as a variable. PATH has member
// names and array positions, separated by dots.
func (s *transcript) save(t *testing.T, line string, body string) {
	t.Helper()
	name, path, ok := strings.Cut(strings.TrimSpace(line), " ")
	if !ok {
		t.Fatalf("got save %q, want save NAME PATH", line)
	}
	v, err := parse(body)
	if err != nil {
		t.Fatal(err)
	}
	for key := range strings.SplitSeq(path, ".") {
		v = child(v, key)
		if v == nil {
			t.Fatalf("save %s: the reply has no %s: %s", name, path, body)
		}
	}
	s.vars[name] = v.Text
}

// child returns the member of an object by its name, or the item of an array by its position. It
// returns nil if v has no such value.
func child(v *enlist.Input, key string) *enlist.Input {
	for i := range v.Items {
		if v.Kind == enlist.InputObject && v.Items[i].Name == key || v.Kind == enlist.InputArray && strconv.Itoa(i) == key {
			return &v.Items[i]
		}
	}
	return nil
}

// checkEffects compares the effects that the step stored with the lines "effect KIND JSON". It does
// nothing if the section has no such line and no directive "effects".
func (s *transcript) checkEffects(t *testing.T, st *step, tail string) {
	t.Helper()
	var expected, got []string
	for line := range strings.Lines(tail) {
		if rest, ok := strings.CutPrefix(line, "effect "); ok {
			expected = append(expected, strings.TrimSpace(s.expand(rest)))
		}
	}
	for _, e := range s.store.takeEffects() {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Kind()+" "+string(b))
	}
	if (st.effects || len(expected) > 0) && strings.Join(got, "\n") != strings.Join(expected, "\n") {
		t.Errorf("got the effects:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(expected, "\n"))
	}
}

// lineBetweenTags matches a line break between two tags of XML.
var lineBetweenTags = regexp.MustCompile(`>\n\s*<`)

// sameReply returns an error if two replies differ. It compares them as JSON, including the order
// of keys. The string "$ANY" in expected matches any value. If expected is not JSON, sameReply
// compares both as text, without line breaks between tags.
func sameReply(expected, got string) error {
	want, err := parse(expected)
	if err != nil {
		if lineBetweenTags.ReplaceAllString(expected, "><") != lineBetweenTags.ReplaceAllString(strings.TrimSpace(got), "><") {
			return errors.New("the body of the reply is not the expected text")
		}
		return nil
	}
	have, err := parse(got)
	if err != nil {
		return fmt.Errorf("the reply is not valid JSON: %w", err)
	}
	return same(want, have, "reply")
}

// same returns an error if two JSON values differ. where is the path of the values in the reply.
func same(want, have *enlist.Input, where string) error {
	switch {
	case want.Kind == enlist.InputText && want.Text == "$ANY":
		return nil
	case want.Kind != have.Kind || want.Text != have.Text:
		return fmt.Errorf("%s is %s %q, want %s %q", where, describe(have), have.Text, describe(want), want.Text)
	case len(want.Items) != len(have.Items):
		return fmt.Errorf("%s has %d items, want %d", where, len(have.Items), len(want.Items))
	}
	for i := range want.Items {
		w, h := &want.Items[i], &have.Items[i]
		if w.Name != h.Name {
			return fmt.Errorf("%s has the key %q, want the key %q", where, h.Name, w.Name)
		}
		if err := same(w, h, where+"."+cmp.Or(w.Name, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}

// parse reads JSON in the same strict way as params.
func parse(text string) (*enlist.Input, error) {
	if !jsontext.Value(text).IsValid() {
		return nil, errors.New("not valid JSON")
	}
	var s source
	values, err := readAll(newParamsReader(&s, new(arena), []byte(`["",`+text+`]`)))
	if err != nil {
		return nil, err
	}
	return &values[1], nil
}

// readAll reads all parameters.
func readAll(r *paramsReader) ([]enlist.Input, error) {
	names := []string{"api_key", "x", "y"}
	if _, err := r.measure(names, everyParameter); err != nil {
		return nil, err
	}
	return r.rest(names)
}

// layOut formats a reply so that people can read it: a long array has a line for each item, and a struct
// of XML a line for each member.
func layOut(body string) string {
	if strings.HasPrefix(body, "<?xml") {
		return strings.NewReplacer("<param>", "\n<param>", "<fault>", "\n<fault>", "<member>", "\n  <member>").Replace(strings.TrimSpace(body))
	}
	v, err := parse(body)
	if err != nil || len(body) <= 140 {
		return body
	}
	items := child(v, "result")
	if items == nil || items.Kind != enlist.InputArray || len(items.Items) < 2 {
		return body
	}
	dec := jsontext.NewDecoder(strings.NewReader(body))
	var b strings.Builder
	last := 0
	for dec.StackDepth() != 2 || dec.StackPointer() != "/result" { // read up to the first item of the array
		dec.ReadToken()
	}
	for dec.PeekKind() != ']' {
		dec.SkipValue()
		end := int(dec.InputOffset())
		b.WriteString(body[last:end] + ",\n  ")
		last = end + 1
	}
	return strings.TrimSuffix(b.String(), ",\n  ") + body[last-1:]
}
