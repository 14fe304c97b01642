package users

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"enlist/internal/enlist"
)

// This file says which passwords a user may choose. Passwords from before these rules work until they are changed.
// decisions.md: 167

const (
	// MinPassword is the smallest number of letters of a password, where each character of Unicode is a letter.
	MinPassword = 12
	maxPassword = 200 // letters
)

// common are passwords that many people have chosen, in lower case and in the order of their bytes. common.LICENSE says
// where they are from.
//
//go:embed common.txt.gz
var common []byte

// checkPassword refuses a password that is too short or too long, common, or about the user. Errors: InvalidParameters.
func checkPassword(p *User, password string) *enlist.Error {
	letters := utf8.RuneCountInString(password)
	switch {
	case letters < MinPassword:
		return enlist.Invalid("password", fmt.Sprintf("the password needs at least %d characters", MinPassword))
	case letters > maxPassword:
		return enlist.Invalid("password", fmt.Sprintf("the password has more than %d characters", maxPassword))
	case isAbout(p, password):
		return enlist.Invalid("password", "the password contains the name or the address of the user: choose another one")
	case isCommon(password):
		return enlist.Invalid("password", "many people use this password, or one like it: choose another one")
	}
	return nil
}

// leastPart is the number of letters from which a part of a name or an address counts.
const leastPart = 4

// isAbout reports whether a password contains the address of a user, what is before its @, the name or a part of it.
func isAbout(p *User, password string) bool {
	password = strings.ToLower(password)
	local, _, _ := strings.Cut(p.Email, "@")
	for _, part := range append(strings.Fields(p.Name), p.Name, strings.Join(strings.Fields(p.Name), ""), p.Email, local) {
		if utf8.RuneCountInString(part) >= leastPart && strings.Contains(password, strings.ToLower(part)) {
			return true
		}
	}
	return false
}

// isCommon reports whether a password is common, a common one with digits and signs before or after it, or repeats or counts.
func isCommon(password string) bool {
	password = strings.ToLower(password)
	core := strings.TrimFunc(password, func(r rune) bool { return !unicode.IsLetter(r) })
	if isMonotonous(password) {
		return true
	}
	all, err := gzip.NewReader(bytes.NewReader(common))
	if err != nil {
		panic(err) // it is part of the program
	}
	text, err := io.ReadAll(all)
	if err != nil {
		panic(err)
	}
	has := func(word string) bool {
		return bytes.HasPrefix(text, []byte(word+"\n")) || bytes.Contains(text, []byte("\n"+word+"\n"))
	}
	return has(password) || has(core)
}

// isMonotonous reports whether a text repeats a part of at most a third of it, or most of its letters follow their
// neighbours, as in abcdefgh.
func isMonotonous(text string) bool {
	letters := []rune(text)
	for n := 1; n <= len(letters)/3; n++ {
		repeats := true
		for i := n; i < len(letters) && repeats; i++ {
			repeats = letters[i] == letters[i-n]
		}
		if repeats {
			return true
		}
	}
	follow := 0
	for i := 1; i < len(letters); i++ {
		if step := letters[i] - letters[i-1]; step >= -1 && step <= 1 {
			follow++
		}
	}
	return follow > len(letters)*2/3
}
