// Command missing prints the texts that a language lacks, as TOML with the English texts and their descriptions, for its
// translators: go run ./internal/language/missing de
package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"enlist/internal/language"

	"github.com/pelletier/go-toml/v2"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "give the code of a language, such as de")
		os.Exit(2)
	}
	english, err := fs.ReadFile(language.Files(), "en.toml")
	if err != nil {
		panic(err) // it is part of the program
	}
	translated, _ := fs.ReadFile(language.Files(), os.Args[1]+".toml") // a new language has no file
	if err := write(string(english), translated); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// write prints the lines of the English catalogue whose keys another one does not have. Each text is one line.
func write(english string, translated []byte) error {
	var has map[string]any
	if err := toml.Unmarshal(translated, &has); err != nil {
		return err
	}
	table, shown := "", ""
	for line := range strings.Lines(english) {
		name, _, isText := strings.Cut(line, " = ")
		switch {
		case strings.HasPrefix(line, "["):
			table = line
		case isText && !isIn(has, strings.Trim(table, "[]\n")+"."+name):
			if shown != table {
				fmt.Print("\n", table)
				shown = table
			}
			fmt.Print(line)
		}
	}
	return nil
}

func isIn(table map[string]any, key string) bool {
	name, rest, inside := strings.Cut(key, ".")
	value, ok := table[name]
	if inner, isTable := value.(map[string]any); inside && isTable {
		return isIn(inner, rest)
	}
	return ok && !inside
}
