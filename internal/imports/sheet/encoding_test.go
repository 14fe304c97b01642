package sheet

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/unicode"
)

// utf16 returns a text in UTF-16 without a byte order mark.
func utf16(t testing.TB, order unicode.Endianness, text string) string {
	t.Helper()
	b, err := unicode.UTF16(order, unicode.IgnoreBOM).NewEncoder().String(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// covers: decision 66
func TestEncodings(t *testing.T) {
	t.Parallel()
	text := "Email;Stadt\na@b;Zürich – 東京\n"
	read := []string{"Email | Stadt", `1: "a@b" "Zürich – 東京"`}
	for _, c := range []struct {
		rule string
		file string
		o    Options
		want []string
	}{
		{"UTF-8", text, Options{}, read},
		{"UTF-8 with a byte order mark", "\xef\xbb\xbf" + text, Options{}, read},
		{"UTF-16, little endian, with a byte order mark", "\xff\xfe" + utf16(t, unicode.LittleEndian, text), Options{}, read},
		{"UTF-16, big endian, with a byte order mark", "\xfe\xff" + utf16(t, unicode.BigEndian, text), Options{}, read},
		{"UTF-16, little endian, by its NULs", utf16(t, unicode.LittleEndian, text), Options{}, read},
		{"UTF-16, big endian, by its NULs", utf16(t, unicode.BigEndian, text), Options{}, read},
		{"UTF-16 of ASCII is not UTF-8 with NULs", utf16(t, unicode.LittleEndian, "a,b\n1,2\n"), Options{}, []string{"a | b", `1: "1" "2"`}},
		{"UTF-16 by name, with a byte order mark", "\xff\xfe" + utf16(t, unicode.LittleEndian, text), Options{Encoding: "UTF-16LE"}, read},
		{"Windows-1252", "Email;Stadt\na@b;Z\xfcrich \x96 \x80\n", Options{}, []string{"Email | Stadt", `1: "a@b" "Zürich – €"`}},
		{"an encoding of the WHATWG by name", "Email;Stadt\na@b;\xa3\xf3d\xbc\n", Options{Encoding: "ISO-8859-2"}, []string{"Email | Stadt", `1: "a@b" "Łódź"`}},
		{"an encoding of the IANA by name", "Email;Stadt\na@b;Z\x81rich\n", Options{Encoding: "IBM850"}, []string{"Email | Stadt", `1: "a@b" "Zürich"`}},
		{"a stray NUL is not UTF-16", "Email,City\na@b,x\x00y\nc@d,z\n", Options{}, []string{"Email | City", "1: " + errNUL.Error(), `2: "c@d" "z"`}},
		{"a NUL in a short file is not UTF-16", "a,b,c\n\x00,2,3\n", Options{}, []string{"a | b | c", "1: " + errNUL.Error()}},
		{"an unknown name", "a\n", Options{Encoding: "klingon"}, []string{`the encoding "klingon" is not known: give a name such as utf-8, windows-1252 or ibm850`}},
		{"UTF-8 with a damaged row", "a,b\n1,\xfc\n2," + strings.Repeat("ü", 10) + "\n", Options{}, []string{"a | b", "1: " + errNotUTF8.Error(), `2: "2" "üüüüüüüüüü"`}},
		{"UTF-8 with two byte order marks", "\ufeff\ufeff" + text, Options{}, read},
		{"bytes that are no UTF-8 make a row bad", "a,b\n1,\xfc\n2,ü\n", Options{Encoding: "utf8"}, []string{"a | b", "1: " + errNotUTF8.Error(), `2: "2" "ü"`}},
		{"bytes that are no character make a row bad", "a,b\n1,\xff\n2,x\n", Options{Encoding: "windows-1253"}, []string{"a | b", "1: " + errNoChar.Error(), `2: "2" "x"`}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			checkShown(t, c.file, c.o, c.want...)
		})
	}
}

// covers: decision 66
func TestACharacterCutAtTheEndOfTheFirstMiBIsNoFault(t *testing.T) {
	t.Parallel()
	for cut := range 4 {
		line := "a\n" + strings.Repeat(" ", sniffed-2-cut-1) + "\n" + "\U0001F600\n"
		if got := recognise([]byte(line[:sniffed])); got != utf8Name {
			t.Errorf("with %d bytes of the character the encoding is %s", cut, got)
		}
		checkShown(t, line, Options{}, "a", `2: "😀"`)
	}
	if got := recognise([]byte(strings.Repeat(" ", 100) + "\xf0\x9f")); got != "" {
		t.Errorf("a cut character at the end of the file is %s, want no UTF-8", got)
	}
}
