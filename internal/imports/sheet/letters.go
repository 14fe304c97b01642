package sheet

import (
	"bytes"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// This file guesses the encoding of a text that is not UTF-8 by its letters. Libraries need more text than the names in
// a short file: they took Jiří and 太郎 for Windows-1252. For each encoding, the lines with other bytes than ASCII are
// decoded, and each word gets points: how usual its letters are in one language of the encoding (letters_table.go), and
// less for what words do not have, such as capitals inside or letters of two scripts. A point is a natural logarithm of
// how much more likely the bytes are than any others.

// Guess says how the encoding of a text was guessed.
type Guess struct {
	Sure    bool     `json:"sure"`    // no other encoding is nearly as likely
	Samples []string `json:"samples"` // at most two values with other letters than ASCII
}

const (
	guessedText  = 64 << 10 // bytes of lines from which the encoding is guessed
	sureBy       = 2.0      // points that a sure guess is ahead of each one that reads the text in another way
	longestWord  = 60       // letters of a word that are looked at
	wrongByte    = -8.0     // no character of the encoding
	wrongSymbol  = -5.0     // a symbol, such as ¾
	wrongCase    = -3.0     // a capital after the first letter, or a small letter before a capital
	wrongScript  = -3.0     // beside a letter of another script
	wrongLetter  = -4.0     // a letter that the language does not have
	besideDigit  = -3.0     // a letter that is not ASCII, such as in Ł512 for £512
	noVowel      = -2.0     // a word of consonants
	oneLanguage  = -2.0     // for the language of the text
	eachLanguage = -3.0     // for each further one
	afterAnother = -0.7     // a letter beside another one that is not ASCII, in a Latin script
)

// guessEncoding returns the likeliest encoding of a text that is not UTF-8.
func guessEncoding(text []byte) (string, *Guess) {
	text = linesWithLetters(text)
	best, second := ansiName, ansiName
	points := map[string]float64{}
	decoded := map[string]string{}
	for i := range encodings {
		e := &encodings[i]
		enc, err := lookUp(e.name)
		if err != nil {
			continue
		}
		read, err := enc.NewDecoder().Bytes(text)
		if err != nil {
			continue
		}
		decoded[e.name], points[e.name] = string(read), e.prior+e.points(string(read))
		if points[e.name] > points[best] {
			best = e.name
		}
	}
	for i := len(encodings) - 1; i >= 0; i-- { // of those that read the same, the first one is the most usual
		if name := encodings[i].name; decoded[name] == decoded[best] {
			best = name
		}
	}
	for name := range decoded {
		if decoded[name] != decoded[best] && (decoded[second] == decoded[best] || points[name] > points[second]) {
			second = name
		}
	}
	isSure := points[best] > 0 && (decoded[second] == decoded[best] || points[best]-points[second] >= sureBy)
	return best, &Guess{Sure: isSure, Samples: samplesOf(decoded[best])}
}

// linesWithLetters returns the first lines that are not ASCII.
func linesWithLetters(text []byte) []byte {
	var lines []byte
	for line := range bytes.FieldsFuncSeq(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
		if isASCII(string(line)) {
			continue
		}
		lines = append(append(lines, line[:min(len(line), guessedText)]...), '\n')
		if len(lines) >= guessedText {
			break
		}
	}
	return lines
}

// samplesOf returns the first two different values that have letters outside ASCII.
func samplesOf(text string) (samples []string) {
	for value := range strings.FieldsFuncSeq(text, func(r rune) bool { return strings.ContainsRune("\n\r\t;,|\"", r) }) {
		value = strings.TrimSpace(value)
		if isASCII(value) || len(samples) == 1 && samples[0] == value {
			continue
		}
		if samples = append(samples, firstRunes(value, longestWord)); len(samples) == 2 {
			break
		}
	}
	return samples
}

func firstRunes(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most])
	}
	return text
}

func isASCII(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }) < 0
}

// points returns the points of a decoded text.
func (e *encodingLetters) points(text string) (sum float64) {
	before := ' '
	for _, r := range text {
		if isDigit(before) && isNarrow(r) || isDigit(r) && isNarrow(before) {
			sum += besideDigit
		}
		before = r
		switch {
		case r < utf8.RuneSelf || unicode.IsLetter(r) || unicode.IsMark(r):
		case r == utf8.RuneError:
			sum += wrongByte
		case r == '\u00a0':
			sum--
		case r == '£':
			sum++
		case strings.ContainsRune("’‘“”„–—…€§·¿¡«»№°®©™º、。・", r):
		default:
			sum += wrongSymbol
		}
	}
	known := map[string]float64{}
	used := map[int]bool{}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsMark(r) }) {
		if isASCII(word) {
			continue
		}
		points, seen := known[word]
		if !seen {
			var language int
			points, language = e.pointsOfWord(firstRunes(word, longestWord))
			known[word], used[language] = points, true
		}
		sum += points
	}
	if len(used) > 0 {
		sum += oneLanguage + float64(len(used)-1)*eachLanguage
	}
	return sum
}

// pointsOfWord returns the points of a word in the language in which it has most, and the number of the language.
func (e *encodingLetters) pointsOfWord(word string) (points float64, language int) {
	best := math.Inf(-1)
	for i := range e.languages {
		if points := e.languages[i].points(word); points > best {
			best, language = points, i
		}
	}
	if e.isLatin {
		return best + shapeOfLatin([]rune(word)), language
	}
	return best + shapeOfOther([]rune(word)), language
}

// points returns how usual the letters of a word are in the language.
func (l *languageLetters) points(word string) (sum float64) {
	for _, r := range word {
		if r < utf8.RuneSelf {
			continue
		}
		p, usual := l.letters[r]
		if !usual {
			p, usual = l.letters[unicode.ToLower(r)]
		}
		switch {
		case usual:
			sum += p
		case l.others != 0 && isWide(r):
			sum += l.others
		default:
			sum += wrongLetter
		}
	}
	return sum
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// isNarrow reports whether a character is a letter of an alphabet, and not of ASCII.
func isNarrow(r rune) bool { return r >= utf8.RuneSelf && unicode.IsLetter(r) && !isWide(r) }

// isWide reports whether a character is one of thousands.
func isWide(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana)
}

// shapeOfLatin returns the points of what no word of a Latin script has.
func shapeOfLatin(word []rune) (sum float64) {
	hasSmall, hasVowel, consonants := false, false, 0
	for _, r := range word {
		hasSmall = hasSmall || unicode.IsLower(r)
	}
	for i, r := range word {
		foreign := r >= utf8.RuneSelf
		if isVowel(r) {
			hasVowel, consonants = true, 0
		} else {
			consonants++
		}
		if consonants > 3 {
			sum += noVowel
		}
		switch {
		case i > 0 && unicode.IsUpper(r) && hasSmall && (foreign || word[i-1] >= utf8.RuneSelf && unicode.IsLower(word[i-1])):
			sum += wrongCase
		case i > 0 && foreign && word[i-1] >= utf8.RuneSelf:
			sum += afterAnother
		}
	}
	if !hasVowel && len(word) != 2 {
		sum += noVowel
	}
	return sum
}

func isVowel(r rune) bool {
	r = unicode.ToLower(r)
	if strings.ContainsRune("ıøæœ", r) {
		return true
	}
	base := norm.NFD.String(string(r))
	return strings.IndexByte("aeiouy", base[0]) >= 0
}

// shapeOfOther returns the points of what no word of another script has.
func shapeOfOther(word []rune) (sum float64) {
	hasSmall := false
	for _, r := range word {
		hasSmall = hasSmall || unicode.IsLower(r)
	}
	for i, r := range word {
		if i == 0 {
			continue
		}
		if (r < utf8.RuneSelf) != (word[i-1] < utf8.RuneSelf) {
			sum += wrongScript
		}
		if unicode.IsUpper(r) && hasSmall {
			sum += wrongCase
		}
	}
	return sum
}
