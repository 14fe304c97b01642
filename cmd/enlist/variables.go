package main

import (
	"os"
	"slices"
	"strings"

	"enlist/internal/config"
	"enlist/internal/enlist"

	"github.com/alecthomas/kong"
)

// This file checks the environment variables, and reads those of the installed service.

// serviceSettings is the file with the variables of the service that a package installs.
const serviceSettings = "/etc/enlist/enlist.env"

// useServiceSettings sets the variables of the installed service that the environment does not have, so that commands
// find its database and mail server. enlist serve is left out: systemd gives it the file, and a server that is started
// for a trial must not send mails to the service's mail server. enlist demo has nothing to do with the service. It returns a hint for the case that the command fails
// because this user may not read the file.
func useServiceSettings(args []string) (hint string) {
	if len(args) > 0 && (args[0] == "serve" || args[0] == "demo") {
		return ""
	}
	values, err := config.ReadVariables(serviceSettings)
	if os.IsPermission(err) && os.Getenv("ENLIST_DB") == "" {
		return "This user may not read " + serviceSettings + ", which has the settings of the service. " +
			"Its commands run with: sudo -u enlist enlist"
	}
	for name, value := range values {
		if _, has := os.LookupEnv(name); !has {
			os.Setenv(name, value)
		}
	}
	return ""
}

// variables returns the names of the variables of all flags.
func variables(node *kong.Node) (names []string) {
	for _, flag := range node.Flags {
		names = append(names, flag.Envs...)
	}
	for _, child := range node.Children {
		names = append(names, variables(child)...)
	}
	return names
}

// checkVariables refuses a variable ENLIST_… that no flag has, because a misspelled one would have no effect. flags are
// the names that flags have.
func checkVariables(out *console, flags []string) error {
	if out.environ == nil {
		return nil
	}
	known := append(slices.Clone(flags), bootstrapKey, "ENLIST_BOUNCE_SECRET", "ENLIST_BOUNCE_KEY")
	for _, name := range movedFlags {
		known = append(known, variableOf(name))
	}
	for name := range goneFlags {
		known = append(known, variableOf(name))
	}
	for _, v := range out.environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "ENLIST_") || slices.Contains(known, name) {
			continue
		}
		if near := enlist.Nearest(name, known); near != "" {
			return usage("the variable %s is unknown: did you mean %s?", name, near)
		}
		return usage("the variable %s is unknown: remove it; enlist serve --help has the flags, and each has a variable", name)
	}
	return nil
}

// variableOf returns the name of the variable of a flag.
func variableOf(flag string) string {
	return "ENLIST_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
