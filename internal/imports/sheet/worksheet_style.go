package sheet

import "strings"

// This file reads the styles of an XLSX workbook that change the meaning of a number: dates, and numbers such as a
// postcode that are shown with their zeros.

// style is what a style makes of a number.
type style struct {
	isDate bool
	code   string // the format of a code such as a postcode, with a 0 or # for each digit; "": another format
}

// readStyles reads the styles of the workbook.
func (b *workbook) readStyles(name string) error {
	if name == "" {
		return nil
	}
	var styles struct {
		Formats []struct {
			ID   int    `xml:"numFmtId,attr"`
			Code string `xml:"formatCode,attr"`
		} `xml:"numFmts>numFmt"`
		Cells []struct {
			Format int `xml:"numFmtId,attr"`
		} `xml:"cellXfs>xf"`
	}
	if err := b.decode(name, &styles); err != nil {
		return err
	}
	own := map[int]style{}
	for _, f := range styles.Formats {
		shown, literals := formatParts(f.Code)
		own[f.ID] = style{isDate: isDateCode(shown), code: codeFormat(shown, literals)}
	}
	for _, cell := range styles.Cells {
		s, isOwn := own[cell.Format]
		if !isOwn {
			s.isDate = isDateFormat(cell.Format)
		}
		b.styles = append(b.styles, s)
	}
	return nil
}

// formatParts returns the part of a format for positive numbers in lower case, without colours and conditions. Each
// character in quotes or after a backslash is in literals, and in shown it is a NUL. Characters that only take room are left
// out.
func formatParts(format string) (shown, literals string) {
	format, _, _ = strings.Cut(format, ";")
	runes := []rune(format)
	literal := func(r rune) { shown, literals = shown+"\x00", literals+string(r) }
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; r {
		case '\\':
			if i++; i < len(runes) {
				literal(runes[i])
			}
		case '_', '*':
			i++
		case '"':
			for i++; i < len(runes) && runes[i] != '"'; i++ {
				literal(runes[i])
			}
		case '[':
			for i < len(runes) && runes[i] != ']' {
				i++
			}
		default:
			shown += strings.ToLower(string(r))
		}
	}
	return shown, literals
}

// isDateFormat reports whether a number format that each program knows is a date. Formats of only a time are not.
func isDateFormat(id int) bool {
	return id >= 14 && id <= 17 || id == 22 || id >= 27 && id <= 36 || id >= 50 && id <= 58
}

// isDateCode reports whether a format shows a date: it has a d or y, or an m without h or s, and no digits of a number.
func isDateCode(shown string) bool {
	shown = strings.NewReplacer("general", "", "standard", "").Replace(shown)
	return !strings.ContainsAny(shown, "#?") &&
		(strings.ContainsAny(shown, "dy") || strings.Contains(shown, "m") && !strings.ContainsAny(shown, "hs"))
}

// codeFormat returns the format with its literals if it shows whole numbers with more zeros than they have: 00000,
// 000-00-0000, 0# ## ## ## ##. Those with letters, or with decimals, groups or a percent sign are of numbers.
func codeFormat(shown, literals string) string {
	var format []rune
	digits, zeros := "", 0
	for _, r := range shown {
		if r == '\x00' {
			r, literals = firstOfText(literals)
			if strings.ContainsRune("0#", r) { // a digit of the text
				r, zeros = r+literalDigit, zeros+1
			} else if !strings.ContainsRune("123456789 -()/.+", r) {
				return ""
			}
		} else if strings.ContainsRune("0#", r) {
			digits += string(r)
		} else if !strings.ContainsRune(" -()/+", r) {
			return ""
		}
		format = append(format, r)
	}
	if zeros += strings.Count(digits, "0"); zeros < 2 && !(len(digits) > 1 && digits[0] == '0') {
		return ""
	}
	return string(format)
}

// literalDigit is added to a 0 or # of a format that is only text.
const literalDigit = 0xE000

func firstOfText(text string) (first rune, rest string) {
	for i, r := range text {
		return r, text[i+len(string(r)):]
	}
	return 0, ""
}

// show returns a whole number as its format shows it.
func (s *style) show(number string) string {
	format := []rune(s.code)
	var shown []rune
	for i := len(format) - 1; i >= 0; i-- {
		switch r := format[i]; {
		case r >= literalDigit:
			shown = append(shown, r-literalDigit)
		case r != '0' && r != '#':
			before := string(format[:i])
			if number != "" || strings.ContainsRune(before, '0') || !strings.ContainsRune(before, '#') {
				shown = append(shown, r)
			}
		case number != "":
			last := len(number) - 1
			shown, number = append(shown, rune(number[last])), number[:last]
			if number != "" && !strings.ContainsAny(string(format[:i]), "0#") { // more digits than the format has
				for n := len(number) - 1; n >= 0; n-- {
					shown = append(shown, rune(number[n]))
				}
				number = ""
			}
		case r == '0':
			shown = append(shown, '0')
		}
	}
	for i, j := 0, len(shown)-1; i < j; i, j = i+1, j-1 {
		shown[i], shown[j] = shown[j], shown[i]
	}
	return string(shown)
}
