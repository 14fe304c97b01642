package demo

import (
	_ "embed"
	"strconv"
	"strings"
)

// This file has the names, domains, states and interests of the people.

// origin is a group of names that belong together.
type origin struct {
	weight      int    // how many of 100 people have such a name
	language    string // that half of them read; "": only English
	first, last []string
}

// names.txt has the weight and the language, the first names and the last names of each origin. A name that is not written in Latin
// letters has its Latin form after "=".
//
//go:embed names.txt
var namesText string

var origins = readOrigins(namesText)

func readOrigins(text string) (all []origin) {
	for block := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		lines := strings.Split(block, "\n")
		number, language, _ := strings.Cut(lines[0], " ")
		weight, err := strconv.Atoi(number)
		if err != nil {
			panic("names.txt: " + err.Error())
		}
		all = append(all, origin{weight, language, strings.Split(lines[1], ", "), strings.Split(lines[2], ", ")})
	}
	return all
}

// domain is a domain of addresses.
type domain struct {
	weight int // of 100 people
	name   string
}

// domains are reserved for examples: no mail server can have one.
var domains = []domain{{34, "gmail.example"}, {14, "outlook.example"}, {10, "bigpond.example"}, {8, "icloud.example"},
	{7, "yahoo.example"}, {5, "optus.example"}, {9, "example.com"}, {7, "example.net"}, {6, "example.org"}}

// state is an Australian state with its first postcode.
type state struct {
	weight   int // of 100 people
	name     string
	postcode int
}

var states = []state{{46, "VIC", 3000}, {22, "NSW", 2000}, {10, "QLD", 4000}, {8, "SA", 5000}, {6, "WA", 6000},
	{4, "TAS", 7000}, {3, "ACT", 2600}, {1, "NT", 800}}

// interests are the choices of the Field Interests.
var interests = []string{"Vegetables", "Roses", "Native plants", "Compost", "Indoor plants", "Fruit trees"}
