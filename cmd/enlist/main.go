// Command enlist keeps contact lists, subscriptions and consent, and serves
// them as a JSON-RPC API.
//
// Each subcommand has its own file. The file parses flags, calls the
// Services of app.App and prints the result. The rules are in the Services. Every subcommand except
// copy, distribute and restore may run while a server uses the same database.
//
//	serve.go, server.go, banner.go, ops*.go           the service
//	start_check.go                                    mistakes in flags, before anything is created
//	listeners.go, admin.go                            its listeners, and the end of its certificate
//	mail.go, sending.go                               what sends its mails
//	heap.go, tracing.go, trouble.go                   its memory, traces of calls, a full disk, and damage
//	hold.go                                           stops all mails
//	demo.go                                           a database with made-up data
//	account.go, key.go, domain.go                     definitions
//	list.go, message*.go, autoresponder.go,           definitions, by definition.go
//	webhook.go                                        the same
//	settings.go, declared.go                          settings and declared values
//	batch*.go                                         Batches
//	import*.go, export.go                             files of Contacts
//	index.go, jobs.go, doctor*.go                     inspection and repair
//	audit.go                                          the audit log
//	person.go, consent.go                             data about one person, and proofs of consent
//	user.go                                           users of the pages
//	retention.go                                      how long an Account keeps data
//	bounce.go                                         reports from a mail server
//	backup*.go, restore.go                            backups
//	migrate.go                                        moving in from another service
//	copy.go, distribute.go                            new databases, and PostgreSQL on several servers
//	health.go, man.go, version.go, licences*.go        for packages and containers
//	database.go, print.go, progress.go, confirm.go,   shared by the subcommands
//	variables.go                                      the same
//
// Exit status: 0 success, 1 failure, 2 wrong flags or arguments. The subcommand
// bounce ends with 75 instead of 1.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"slices"
	"strings"
	_ "time/tzdata"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/config"
	"enlist/internal/db/jobqueue"
	"enlist/internal/enlist"
	"enlist/internal/jobs"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/mattn/go-isatty"
	_ "golang.org/x/crypto/x509roots/fallback"
)

// program lists the subcommands. Kong reads their flags from the tags.
type program struct {
	Serve         serveCommand         `cmd:"" help:"Serve the API. Variables: ENLIST_DB for --db. A file has all: --config."`
	Demo          demoCommand          `cmd:"" help:"Serve a database of its own with made-up data of a garden club."`
	Key           keyCommand           `cmd:"" help:"Create, list and revoke API keys."`
	Account       accountCommand       `cmd:"" help:"Add, list and change Accounts."`
	Domain        domainCommand        `cmd:"" help:"Add sending domains with their DKIM keys, and rotate the keys."`
	List          listCommand          `cmd:"" help:"Add and show Lists."`
	Field         fieldCommand         `cmd:"" help:"Add and list the Fields of a List."`
	Message       messageCommand       `cmd:"" help:"Add Messages, also from a file with images, and change them."`
	Autoresponder autoresponderCommand `cmd:"" help:"Add and change autoresponders."`
	Webhook       webhookCommand       `cmd:"" help:"Add and change webhooks."`
	Import        importCommand        `cmd:"" help:"Import Contacts from files, and follow, pause and cancel imports."`
	Export        exportCommand        `cmd:"" help:"Write the Contacts of a List as CSV or NDJSON."`
	Batch         batchCommand         `cmd:"" help:"Send Messages to many Contacts, and follow, pause and cancel Batches."`
	Hold          holdCommand          `cmd:"" help:"Hold all mails, for example after a restore."`
	Release       releaseCommand       `cmd:"" help:"Send the mails that enlist hold or enlist restore has stopped."`
	Index         indexCommand         `cmd:"" help:"List, create and drop search indexes."`
	Jobs          jobsCommand          `cmd:"" help:"List, retry and discard queued jobs."`
	Person        personCommand        `cmd:"" help:"Export or erase what is stored about a person."`
	User          userCommand          `cmd:"" help:"Users of the pages."`
	Mail          mailCommand          `cmd:"" help:"Try the mail server with one mail."`
	Settings      settingsCommand      `cmd:"" help:"Print and change the settings that all servers share: mail, Batches, limits."`
	Retention     retentionCommand     `cmd:"" help:"Set how long old data of mails is kept, and remove it."`
	Consent       consentCommand       `cmd:"" help:"Prove the consent of a Contact with a signed page."`
	Bounce        bounceCommand        `cmd:"" help:"Record a bounce or complaint report that a mail server passes on."`
	Audit         auditCommand         `cmd:"" help:"Show who changed definitions, and who read out or erased Contacts."`
	Backup        backupCommand        `cmd:"" help:"Back up a database into one file while servers use it."`
	Restore       restoreCommand       `cmd:"" help:"Restore a backup to a new database."`
	Migrate       migrateCommand       `cmd:"" help:"Move an Account from another service with the same API into a database."`
	Copy          copyCommand          `cmd:"" help:"Copy a database into a new one, also from SQLite to PostgreSQL or from an old version."`
	Distribute    distributeCommand    `cmd:"" help:"Distribute the large PostgreSQL tables over a Citus cluster."`
	Doctor        doctorCommand        `cmd:"" help:"Check a database and print its problems."`
	Health        healthCommand        `cmd:"" help:"Ask a running server whether it is ready."`
	Version       versionCommand       `cmd:"" help:"Print the version."`

	Completion kongcompletion.Completion `cmd:"" help:"Print how to complete commands in bash, zsh or fish."`
	Man        manCommand                `cmd:"" hidden:"" help:"Print the manual page, for packages."`
}

// console has the outputs and the environment of a command. Results go to stdout; the log, progress and errors go to
// stderr, so that a script can use the results. Tests replace the fields.
type console struct {
	stdout  io.Writer
	stderr  io.Writer
	getenv  func(string) string
	environ func() []string // all variables; nil: none
	answers io.Reader       // what the operator types; nil: standard input is no terminal
	cluster []string        // names of the variables of a cluster, which were removed
}

func main() {
	out := &console{stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, environ: os.Environ}
	if isatty.IsTerminal(os.Stdin.Fd()) {
		out.answers = os.Stdin
	}
	var err error
	if out.cluster, err = takeClusterVariables(); err != nil {
		fmt.Fprintf(out.stderr, "enlist: remove the variables of the cluster: %v\n", err)
		os.Exit(1)
	}
	hint := useServiceSettings(os.Args[1:])
	status := run(os.Args[1:], out)
	if status == 1 && hint != "" {
		fmt.Fprintln(out.stderr, hint)
	}
	os.Exit(status)
}

// What the help and the manual page say about the program.
const (
	summary    = "Contact lists, subscriptions and consent behind a JSON-RPC API"
	aboutFlags = "Every flag has an environment variable, for example ENLIST_DB for --db."
)

// parser parses command lines into the flags of a program.
type parser struct {
	program
	*kong.Kong
	declared *config.Declarations
}

func newParser() *parser {
	p := &parser{declared: new(config.Declarations)}
	var err error
	p.Kong, err = kong.New(&p.program,
		kong.Name("enlist"),
		kong.Description(summary+". "+aboutFlags),
		kong.DefaultEnvars("ENLIST"),
		kong.PostBuild(describeFlags),
		kong.Resolvers(kong.ResolverFunc(p.resolve)),
		kong.Bind(p.declared),
		kong.ValueFormatter(func(value *kong.Value) string { return value.Help }), // the summary names the variables
		kong.Vars{
			"states": "waiting,scheduled,running,retrying,failed",
			"types":  "text, comment, decimal, currency, date, dropdown, radio, checkbox or file",
		},
	)
	if err != nil {
		panic(err) // a struct tag of program is invalid
	}
	kongcompletion.Register(p.Kong) // answers the shell if it asks for completions, and ends the program
	return p
}

// run parses and runs one command line and returns the exit status.
func run(args []string, out *console) int { return newParser().run(args, out) }

// run is the function run for the only command line of a parser.
func (p *parser) run(args []string, out *console) int {
	p.Stdout, p.Stderr = out.stdout, out.stderr
	if len(args) > 0 && args[0] == "help" {
		args = append(slices.Clone(args[1:]), "--help")
	}
	p.Serve.variables = variables(p.Model.Node)
	out, err := p.withDeclared(args, out)
	if err != nil {
		fmt.Fprintf(out.stderr, "enlist: %s\n", plainText(err.Error(), "\n\t"))
		return 2
	}
	command, err := p.Parse(args)
	if err != nil {
		fmt.Fprintf(out.stderr, "enlist: %s\nRun \"%s --help\" for the commands and flags.\n",
			plainText(err.Error(), "\n\t"),
			understood(err))
		return 2
	}
	ctx := accounts.WithActor(context.Background(), auditActor(command, out.getenv))
	command.BindTo(ctx, (*context.Context)(nil))
	command.Bind(out)
	if err := runCommand(ctx, command); err != nil {
		fmt.Fprintf(out.stderr, "enlist: %s\n", plainText(err.Error(), "\n\t"))
		if _, wrong := errors.AsType[*usageError](err); wrong {
			return 2
		}
		if _, later := errors.AsType[*laterError](err); later {
			return tryLater
		}
		return 1
	}
	return 0
}

// runCommand runs a command. One whose Run takes an *app.App gets that of the database at its flag --db. It can also take
// the *advisor.Advisor and the jobs.Queue of the database, and an *enlist.Caller with all rights in the Account of the
// record with its ID.
func runCommand(ctx context.Context, command *kong.Context) error {
	target := command.Selected().Target
	taken := slices.Collect(target.Addr().MethodByName("Run").Type().Ins())
	if !slices.Contains(taken, reflect.TypeFor[*app.App]()) {
		return command.Run()
	}
	db := target.FieldByName("Database").Interface().(config.Database)
	return withStore(ctx, db, func(store *database) error {
		s, indexes, err := usedService(ctx, store, db)
		if err != nil {
			return err
		}
		command.Bind(s, indexes)
		queue := func() (jobs.Queue, error) { return store.jobs(&jobqueue.Config{}) }
		caller := func(d definition) (*enlist.Caller, error) {
			return d.owner(ctx, s, target.FieldByName("ID").Int())
		}
		err = errors.Join(command.BindToProvider(queue), command.BindToProvider(caller))
		if err != nil {
			return err // a function has a wrong form
		}
		return command.Run()
	})
}

// withDeclared reads the declared values, and returns a console whose variables include them. It returns the mistakes if
// the command starts a server or checks them. Other commands use what they can.
func (p *parser) withDeclared(args []string, out *console) (*console, error) {
	var environ []string
	if out.environ != nil {
		environ = out.environ()
	}
	p.declare(args, environ)
	with := *out
	with.getenv = func(name string) string {
		if value := out.getenv(name); value != "" {
			return value
		}
		for _, d := range p.declared.All {
			if variableOf(d.Name) == name {
				return d.Value
			}
		}
		return ""
	}
	switch {
	case len(args) > 0 && args[0] == "serve": // which checks the values together with the flags of its command line
		return &with, p.mistakes(out, true)
	case len(args) > 1 && args[0] == "settings" && args[1] == "check":
		return &with, p.mistakes(out, false)
	}
	return &with, nil
}

// describeFlags completes the help of each flag. If the tag has no text, it takes the text from package config. It
// appends the default value.
func describeFlags(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		if f, ok := node.(*kong.Flag); ok {
			f.Help = cmp.Or(f.Help, config.Help(f.Name))
			if f.Default != "" && !kong.HasInterpolatedVar(f.Help, "default") {
				f.Help = strings.TrimSuffix(f.Help, ".") + " (${default})."
			}
		}
		return next(nil)
	})
}

// understood returns the commands that kong parsed before it found the error. The message names the --help of these
// commands.
func understood(err error) string {
	path := []string{"enlist"}
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok {
		for _, step := range wrong.Context.Path {
			if step.Command != nil {
				path = append(path, step.Command.Name)
			}
		}
	}
	return strings.Join(path, " ")
}

// usageError is a mistake in flags or arguments: exit status 2.
type usageError struct{ error }

func (e *usageError) Unwrap() error { return e.error }

// usage returns a usageError with a message.
func usage(format string, args ...any) error { return &usageError{fmt.Errorf(format, args...)} }
