package main

import (
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"

	"enlist/internal/accounts"
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

// clusterVariable matches the variables that Kubernetes, and links of Docker, set for a service whose name begins with
// "enlist", such as ENLIST_SERVICE_HOST, ENLIST_API_PORT_8080_TCP_ADDR and ENLIST_PORT, each with its value. A person
// who writes ENLIST_PORT=8080 means something else, which has no effect and is refused.
var clusterVariable = regexp.MustCompile(`(?s)^ENLIST_([A-Z0-9_]+_)?(` +
	`SERVICE_HOST=[0-9a-fA-F.:]+|SERVICE_PORT(_[A-Z0-9_]+)?=[0-9]+|PORT=(tcp|udp|sctp)://.*|` +
	`PORT_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR|START|PORT_START|END|PORT_END))?=.*|NAME=/.*|ENV_[A-Za-z0-9_]+=.*)$`)

// takeClusterVariables removes the variables of a cluster from the environment, so that no flag gets one as its value:
// ENLIST_NAME would be the --name of commands. It returns their names.
func takeClusterVariables() (names []string, err error) {
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); clusterVariable.MatchString(v) {
			names = append(names, name)
			err = errors.Join(err, os.Unsetenv(name))
		}
	}
	return names, err
}

// checkVariables refuses variables ENLIST_… that no flag has, because a misspelled one would have no effect. flags are
// the names that flags have.
func checkVariables(out *console, flags []string) error {
	if out.environ == nil {
		return nil
	}
	known := slices.Clone(flags)
	for _, name := range declaredOnly {
		known = append(known, variableOf(name))
	}
	for i := range accounts.SettingTable {
		known = append(known, variableOf(accounts.SettingTable[i].Name))
	}
	files := slices.Clone(known)
	for i := range files {
		files[i] += "_FILE"
	}
	var unknown []string
	for _, v := range out.environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "ENLIST_") || slices.Contains(known, name) ||
			slices.Contains(files, name) {
			continue
		}
		if near := enlist.Nearest(name, known); near != "" {
			name += " (did you mean " + near + "?)"
		}
		unknown = append(unknown, name)
	}
	if unknown == nil {
		return nil
	}
	slices.Sort(unknown)
	return usage("these variables are unknown: %s. Correct or remove them: enlist serve --help has the flags, and each "+
		"has a variable", strings.Join(unknown, ", "))
}

// variableOf returns the name of the variable of a flag.
func variableOf(flag string) string {
	return "ENLIST_" + strings.ToUpper(strings.ReplaceAll(flag, "-", "_"))
}
