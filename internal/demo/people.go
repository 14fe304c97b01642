package demo

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// This file makes people up.

// person is a made-up person.
type person struct {
	first, last, email, state, postcode string
	language                            string // "": not known
	interests                           []string
}

// crowd makes people with different addresses.
type crowd struct {
	random *rand.Rand
	taken  map[string]bool // addresses
}

func newCrowd(random *rand.Rand) *crowd { return &crowd{random, make(map[string]bool)} }

// next returns a new person.
func (c *crowd) next() person {
	of := &origins[choose(c.random, len(origins), func(i int) int { return origins[i].weight })]
	first, firstLatin := spellings(pick(c.random, of.first))
	last, lastLatin := spellings(pick(c.random, of.last))
	home := states[choose(c.random, len(states), func(i int) int { return states[i].weight })]
	p := person{first: first, last: last, state: home.name,
		postcode: fmt.Sprintf("%04d", home.postcode+c.random.IntN(99)), email: c.address(firstLatin, lastLatin)}
	if of.language != "" && c.random.IntN(2) == 0 {
		p.language = of.language
	}
	for i, chance := range []float64{0.45, 0.3, 0.35, 0.2, 0.15, 0.25} {
		if c.random.Float64() < chance {
			p.interests = append(p.interests, interests[i])
		}
	}
	return p
}

// address returns an address that no other person has.
func (c *crowd) address(first, last string) string {
	at := "@" + domains[choose(c.random, len(domains), func(i int) int { return domains[i].weight })].name
	styles := []string{first + "." + last, first[:1] + last, first + last, last + "." + first, first + "_" + last}
	name := styles[min(c.random.IntN(8), len(styles)-1)]
	if c.random.IntN(3) == 0 {
		name += strconv.Itoa(50 + c.random.IntN(50))
	}
	email := name + at
	for n := 2; c.taken[email]; n++ {
		email = name + strconv.Itoa(n) + at
	}
	c.taken[email] = true
	return email
}

// spellings returns a name of names.go, and its letters from a to z.
func spellings(name string) (written, latin string) {
	written, latin, given := strings.Cut(name, "=")
	if !given {
		latin = strings.ToLower(name)
	}
	latin = strings.NewReplacer("đ", "d", "ł", "l", "ß", "ss", "ø", "o", "ı", "i").Replace(latin)
	return written, strings.Map(func(r rune) rune {
		if r < unicode.MaxASCII && unicode.IsLetter(r) {
			return r
		}
		return -1
	}, norm.NFD.String(latin))
}

// pick returns one of several values.
func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// choose returns a number below n. The weights of all numbers together are 100.
func choose(random *rand.Rand, n int, weight func(int) int) int {
	left := random.IntN(100)
	for i := range n {
		if left -= weight(i); left < 0 {
			return i
		}
	}
	return 0
}
