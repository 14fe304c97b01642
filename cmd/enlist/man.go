package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/alecthomas/kong"
)

// enlist man: prints the manual page of the program in the format of man. make packages calls it.

type manCommand struct{}

// Run prints the page. It contains no date, so that packages can be built again with the same bytes.
func (c *manCommand) Run(k *kong.Kong, out *console) error {
	w := &manPage{to: out.stdout}
	w.line(`.TH ENLIST 1 "" "enlist `, version(), `"`)
	w.line(".SH NAME")
	w.line(`enlist \- `, manText(summary))
	w.line(".SH SYNOPSIS")
	w.line(`.B enlist`)
	w.line(`\fIcommand\fR [\fIflags\fR]`)
	w.line(".SH DESCRIPTION")
	w.line(manText(aboutFlags))
	w.line(".SH COMMANDS")
	for _, command := range k.Model.Leaves(true) {
		w.command(command)
	}
	w.line(".SH EXIT STATUS")
	w.line("0: success. 1: failure. 2: wrong flags or arguments. 75 in place of 1 for")
	w.line(`.BR "enlist bounce" ,`)
	w.line("so that a mail server tries again.")
	return w.err
}

// manPage writes the lines of a page and keeps the first error.
type manPage struct {
	to  io.Writer
	err error
}

func (w *manPage) line(parts ...string) {
	if w.err == nil {
		_, w.err = fmt.Fprintln(w.to, strings.Join(parts, ""))
	}
}

// command writes the help of a command and of its flags.
func (w *manPage) command(command *kong.Node) {
	w.line(".SS ", manText(command.FullPath()))
	w.line(manText(command.Help))
	for _, argument := range command.Positional {
		w.term(argument.Summary(), argument.Help)
	}
	for _, flag := range command.Flags {
		w.term(flag.String(), flag.Help)
	}
}

// term writes an indented paragraph with a heading.
func (w *manPage) term(heading, text string) {
	w.line(".TP")
	w.line(`\fB`, manText(heading), `\fR`)
	w.line(manText(text))
}

// manText escapes a text for a line of a page. A line that begins with . or ' would be a command of man.
func manText(s string) string {
	s = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(s)
	if strings.HasPrefix(s, ".") || strings.HasPrefix(s, "'") {
		s = `\&` + s
	}
	return s
}
