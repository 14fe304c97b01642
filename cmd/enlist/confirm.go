package main

import (
	"bufio"
	"errors"
	"fmt"
	"strings"
)

// This file asks the operator before a command that cannot be undone.

// errDeclined is the error after the operator has not agreed.
var errDeclined = errors.New("nothing was changed")

// confirm returns nil if the operator agrees. yes is the flag --yes, with which it does not ask.
func (c *console) confirm(yes bool, question string) error {
	if yes {
		return nil
	}
	answer, err := c.ask(question+" [y/N] ", "--yes")
	if err == nil && answer != "y" && answer != "yes" {
		err = errDeclined
	}
	return err
}

// confirmName returns nil if the operator types a name. given is the name in a flag, with which it does not ask.
func (c *console) confirmName(given, flag, name, question string) error {
	if given == "" {
		var err error
		given, err = c.ask(fmt.Sprintf("%s Type its name to go on: ", question), flag)
		if err != nil {
			return err
		}
	}
	if !strings.EqualFold(given, name) {
		return fmt.Errorf("the name is %q, not %q: %w", name, given, errDeclined)
	}
	return nil
}

// ask prints a question and returns the answer in lower case. The flag answers it in a script.
func (c *console) ask(question, flag string) (string, error) {
	if c.answers == nil {
		question = strings.TrimRight(strings.TrimSuffix(question, "[y/N] "), ": ")
		return "", usage("standard input is no terminal, so add %s: %s", flag, question)
	}
	fmt.Fprint(c.stderr, question)
	line, err := bufio.NewReader(c.answers).ReadString('\n')
	if err != nil && line == "" {
		return "", errDeclined
	}
	return strings.ToLower(strings.TrimSpace(line)), nil
}
