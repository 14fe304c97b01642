// Package internal_test checks rules for the whole module: which package may import which other
// package, whether tests cover the documents, and whether comments use plain words.
package internal_test

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

// allowedImports lists, for each package, the packages of this and of other modules that it may
// import. Every package may import the standard library. doc/architecture.md draws the imports
// within the module. A package that is not listed fails the test.
var allowedImports = map[string][]string{
	"enlist/api":              {},
	"enlist/internal/address": {"github.com/nyaruka/phonenumbers", "golang.org/x/net/idna", "golang.org/x/text/..."},
	"enlist/internal/enlist":  {"enlist/internal/address"},
	"enlist/internal/app": {"enlist/internal/accounts", "enlist/internal/batches",
		"enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/events",
		"enlist/internal/files", "enlist/internal/forms", "enlist/internal/imports", "enlist/internal/lists",
		"enlist/internal/messages", "enlist/internal/pace", "enlist/internal/users", "enlist/internal/privacy",
		"enlist/internal/reports", "enlist/internal/sending", "enlist/internal/webhooks"},
	"enlist/internal/demo": {"enlist/internal/accounts", "enlist/internal/app", "enlist/internal/batches", "enlist/internal/contacts",
		"enlist/internal/db", "enlist/internal/enlist", "enlist/internal/forms", "enlist/internal/imports", "enlist/internal/messages",
		"enlist/internal/samples", "enlist/internal/users", "enlist/internal/sending", "golang.org/x/sync/errgroup", "golang.org/x/text/..."},
	"enlist/internal/users": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/batches", "enlist/internal/db",
		"enlist/internal/enlist", "enlist/internal/language", "enlist/internal/limiter", "github.com/go-webauthn/webauthn/...",
		"golang.org/x/crypto/argon2"},
	"enlist/internal/admin": {"enlist/internal/admin/...", "enlist/internal/app", "enlist/internal/enlist",
		"enlist/internal/language", "enlist/internal/limiter", "enlist/internal/users"},
	"enlist/internal/admin/editor": {},
	"enlist/internal/admin/ui": {"enlist/internal/address", "enlist/internal/admin/editor", "enlist/internal/app", "enlist/internal/batches", "enlist/internal/enlist", "enlist/internal/language",
		"enlist/internal/users"},
	"enlist/internal/admin/signin":   {"enlist/internal/admin/ui", "enlist/internal/enlist", "enlist/internal/language", "enlist/internal/users"},
	"enlist/internal/admin/you":      {"enlist/internal/admin/ui", "enlist/internal/enlist", "enlist/internal/users"},
	"enlist/internal/admin/members":  {"enlist/internal/admin/ui", "enlist/internal/enlist", "enlist/internal/users"},
	"enlist/internal/admin/keys":     {"enlist/internal/accounts", "enlist/internal/admin/ui", "enlist/internal/enlist"},
	"enlist/internal/admin/webhooks": {"enlist/internal/admin/ui", "enlist/internal/enlist"},
	"enlist/internal/admin/account":  {"enlist/internal/accounts", "enlist/internal/admin/ui", "enlist/internal/contacts", "enlist/internal/enlist"},
	"enlist/internal/admin/audit":    {"enlist/internal/accounts", "enlist/internal/admin/ui", "enlist/internal/enlist"},
	"enlist/internal/admin/home": {"enlist/internal/admin/lists", "enlist/internal/admin/sends", "enlist/internal/admin/ui",
		"enlist/internal/backup", "enlist/internal/batches", "enlist/internal/db", "enlist/internal/enlist",
		"enlist/internal/imports", "enlist/internal/reports", "enlist/internal/sending"},
	"enlist/internal/admin/sending": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/admin/ui",
		"enlist/internal/contacts", "enlist/internal/enlist",
		"enlist/internal/events", "enlist/internal/jobs", "enlist/internal/mail/dns", "enlist/internal/messages"},
	"enlist/internal/admin/autoresponders": {"enlist/internal/admin/ui", "enlist/internal/enlist", "enlist/internal/reports"},
	"enlist/internal/admin/unsubscribers":  {"enlist/internal/admin/ui", "enlist/internal/contacts", "enlist/internal/enlist"},
	"enlist/internal/admin/backups":        {"enlist/internal/admin/ui", "enlist/internal/backup", "enlist/internal/enlist"},
	"enlist/internal/admin/sends": {"enlist/internal/address", "enlist/internal/admin/contacts", "enlist/internal/admin/messages", "enlist/internal/admin/ui", "enlist/internal/batches", "enlist/internal/enlist", "enlist/internal/messages",
		"enlist/internal/pace", "enlist/internal/recipients", "enlist/internal/reports", "enlist/internal/sending"},
	"enlist/internal/admin/lists": {
		"enlist/internal/accounts", "enlist/internal/admin/ui", "enlist/internal/contacts", "enlist/internal/enlist",
		"enlist/internal/language", "enlist/internal/lists",
	},
	"enlist/internal/admin/messages": {
		"enlist/internal/admin/contacts", "enlist/internal/admin/images", "enlist/internal/admin/ui", "enlist/internal/enlist",
		"enlist/internal/messages", "enlist/internal/starters", "enlist/internal/reports", "enlist/internal/social",
	},
	"enlist/internal/admin/contacts": {
		"enlist/internal/admin/ui", "enlist/internal/contacts", "enlist/internal/enlist",
		"enlist/internal/exports", "enlist/internal/messages", "enlist/internal/privacy",
		"enlist/internal/privacy/proof", "enlist/internal/recipients", "enlist/internal/reports", "enlist/internal/rpc",
	},
	"enlist/internal/language":              {"github.com/pelletier/go-toml/v2", "golang.org/x/text/..."},
	"enlist/internal/language/missing":      {"enlist/internal/language", "github.com/pelletier/go-toml/v2"},
	"enlist/internal/language/languagetest": {"enlist/internal/language", "github.com/pelletier/go-toml/v2", "golang.org/x/net/html"},
	"enlist/internal/colour":                {},
	"enlist/internal/social":                {"enlist/internal/colour"},
	"enlist/internal/samples":               {},
	"enlist/internal/starters":              {"enlist/internal/colour", "enlist/internal/language", "enlist/internal/messages", "enlist/internal/samples"},
	"enlist/internal/config":                {"enlist/internal/enlist", "github.com/pelletier/go-toml/v2/..."},
	"enlist/internal/httpserver":            {"enlist/internal/durable", "golang.org/x/crypto/acme/...", "golang.org/x/net/idna"},
	"enlist/internal/admin/forms": {
		"enlist/internal/admin/ui", "enlist/internal/contacts", "enlist/internal/enlist", "enlist/internal/forms",
		"enlist/internal/language", "enlist/internal/lists", "enlist/internal/sending",
	},
	"enlist/internal/admin/images": {"enlist/internal/admin/ui", "enlist/internal/enlist", "enlist/internal/files"},
	"enlist/internal/admin/design": {
		"enlist/internal/admin/images", "enlist/internal/admin/ui", "enlist/internal/enlist",
		"enlist/internal/messages",
	},
	"enlist/internal/admin/imports": {"enlist/internal/admin/ui", "enlist/internal/contacts", "enlist/internal/enlist",
		"enlist/internal/imports", "enlist/internal/imports/sheet",
		"enlist/internal/limiter"},
	"enlist/internal/search/advisor": {"enlist/internal/db", "enlist/internal/enlist", "enlist/internal/lists", "enlist/internal/search",
		"github.com/prometheus/client_golang/..."},
	"enlist/internal/search/planner": {"enlist/internal/enlist"},
	"enlist/internal/db/jobqueue":    {"enlist/internal/db", "github.com/riverqueue/river/..."},
	"enlist/internal/db/sqlite": {"enlist/internal/db", "enlist/internal/enlist", "enlist/internal/search",
		"enlist/internal/db/jobqueue", "github.com/mattn/go-sqlite3", "modernc.org/sqlite/...",
		"github.com/pressly/goose/v3/...", "github.com/riverqueue/river/...", "github.com/prometheus/client_golang/..."},
	"enlist/internal/db/postgres": {"enlist/internal/db", "enlist/internal/enlist", "enlist/internal/search",
		"enlist/internal/db/jobqueue", "github.com/jackc/pgx/v5/...", "github.com/pressly/goose/v3/...",
		"github.com/riverqueue/river/...", "github.com/prometheus/client_golang/..."},
	"enlist/internal/backup": {"enlist/internal/app", "enlist/internal/config", "enlist/internal/db", "enlist/internal/db/dbcopy",
		"enlist/internal/db/postgres", "enlist/internal/db/sqlite", "enlist/internal/durable", "filippo.io/age",
		"github.com/prometheus/client_golang/..."},
	"enlist/internal/db/dbcopy":         {"enlist/internal/db"},
	"enlist/internal/db/pgtest":         {"github.com/jackc/pgx/v5/..."},
	"enlist/internal/db/dbtest":         {"enlist/internal/...", "github.com/jackc/pgx/v5/..."},
	"enlist/internal/apptest":           {"enlist/internal/...", "github.com/google/go-cmp/..."},
	"enlist/internal/seeds":             {},
	"enlist/internal/seeds/powercut":    {},
	"enlist/internal/durable":           {},
	"enlist/internal/search/searchtest": {"enlist/internal/...", "github.com/google/go-cmp/...", "pgregory.net/rapid"},
	"enlist/internal/jobs": {"enlist/internal/app", "enlist/internal/batches", "enlist/internal/contacts", "enlist/internal/db", "enlist/internal/db/jobqueue",
		"enlist/internal/enlist", "enlist/internal/events", "enlist/internal/limiter", "enlist/internal/messages",
		"enlist/internal/privacy", "enlist/internal/sending", "enlist/internal/webhooks", "github.com/riverqueue/river/..."},
	"enlist/internal/mail": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/batches",
		"enlist/internal/colour", "enlist/internal/contacts", "enlist/internal/durable", "enlist/internal/enlist", "enlist/internal/language",
		"enlist/internal/limiter", "enlist/internal/messages/merge", "enlist/internal/mail/reply", "enlist/internal/messages",
		"enlist/internal/samples", "enlist/internal/starters", "enlist/internal/sending", "github.com/wneessen/go-mail/...", "github.com/andybalholm/cascadia",
		"github.com/tdewolff/parse/v2/...", "github.com/emersion/...", "github.com/yuin/goldmark/...",
		"golang.org/x/net/html/...", "golang.org/x/time/rate", "github.com/prometheus/client_golang/..."},
	"enlist/internal/movein": {"enlist/api", "enlist/internal/accounts", "enlist/internal/address", "enlist/internal/app",
		"enlist/internal/batches", "enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist",
		"enlist/internal/files", "enlist/internal/language", "enlist/internal/lists", "enlist/internal/messages",
		"enlist/internal/publicnet", "enlist/internal/webhooks", "golang.org/x/sync/errgroup"},
	"enlist/internal/limiter":            {"github.com/prometheus/client_golang/..."},
	"enlist/internal/rpc/reference":      {"enlist/internal/rpc", "github.com/go-json-experiment/json/..."},
	"enlist/internal/rpc/xmlrpc":         {"golang.org/x/text/..."},
	"enlist/internal/messages/merge":     {},
	"enlist/internal/messages/linkcheck": {"enlist/internal/limiter", "enlist/internal/publicnet"},
	"enlist/internal/mail/reply":         {},
	"enlist/internal/imports/sheet":      {"enlist/internal/address", "golang.org/x/text/...", "github.com/go-json-experiment/json/..."},
	"enlist/internal/mail/mailtest":      {"github.com/emersion/..."},
	"enlist/internal/web": {"golang.org/x/text/...", "enlist/internal/address", "enlist/internal/colour", "enlist/internal/contacts", "enlist/internal/enlist", "enlist/internal/files", "enlist/internal/forms",
		"enlist/internal/language", "enlist/internal/limiter",
		"enlist/internal/messages", "enlist/internal/sending", "enlist/internal/samples", "enlist/internal/social"},
	"enlist/internal/mail/feedback": {"enlist/internal/enlist", "enlist/internal/mail", "enlist/internal/mail/reply", "enlist/internal/sending",
		"github.com/prometheus/client_golang/..."},
	"enlist/internal/privacy/proof": {"enlist/internal/contacts", "enlist/internal/enlist", "enlist/internal/language",
		"enlist/internal/privacy"},
	"enlist/internal/publicnet":     {},
	"enlist/internal/webhooks/post": {"enlist/internal/enlist", "enlist/internal/publicnet", "enlist/internal/webhooks"},
	"enlist/internal/tracing": {"enlist/api", "github.com/exaring/otelpgx", "github.com/jackc/pgx/v5", "go.opentelemetry.io/...",
		"google.golang.org/protobuf/proto"},
	"enlist/internal/mail/dns": {"enlist/internal/accounts", "enlist/internal/httpserver", "blitiri.com.ar/go/spf", "golang.org/x/net/publicsuffix",
		"golang.org/x/sync/errgroup"},
	"enlist/internal/users/userstest":  {"github.com/descope/virtualwebauthn"},
	"enlist/internal/mail/dns/dnstest": {"golang.org/x/net/dns/dnsmessage"},
	"enlist/internal/rpc": {"enlist/api", "enlist/internal/accounts", "enlist/internal/app", "enlist/internal/batches",
		"enlist/internal/contacts", "enlist/internal/enlist", "enlist/internal/files", "enlist/internal/forms",
		"enlist/internal/language", "enlist/internal/limiter", "enlist/internal/lists", "enlist/internal/messages", "enlist/internal/pace",
		"enlist/internal/privacy", "enlist/internal/recipients", "enlist/internal/reports", "enlist/internal/sending",
		"enlist/internal/users", "enlist/internal/webhooks", "enlist/internal/rpc/xmlrpc", "github.com/go-json-experiment/json/...",
		"github.com/prometheus/client_golang/..."},
	"enlist/internal/exports": {"enlist/internal/accounts", "enlist/internal/app", "enlist/internal/db",
		"enlist/internal/enlist", "enlist/internal/lists", "enlist/internal/privacy", "enlist/internal/rpc"},
	"enlist/internal/httpapi": {"enlist/api", "enlist/internal/app", "enlist/internal/enlist", "enlist/internal/exports",
		"enlist/internal/imports", "enlist/internal/imports/sheet", "enlist/internal/limiter",
		"enlist/internal/rpc", "github.com/prometheus/client_golang/..."},
	"enlist/cmd/enlist-bench": {"..."},
	"enlist/cmd/enlist":       {"..."},
	"enlist/internal/movein/listmonk": {"enlist/internal/contacts", "enlist/internal/enlist", "enlist/internal/imports", "enlist/internal/lists",
		"enlist/internal/movein", "github.com/jackc/pgx/v5",
		"github.com/jackc/pgx/v5/pgconn"},
	"enlist/internal/db": {"enlist/internal/enlist", "enlist/internal/limiter", "github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext", "github.com/prometheus/client_golang/prometheus"},
	"enlist/internal/pace": {"enlist/internal/address", "enlist/internal/enlist"},
	"enlist/internal/accounts": {"enlist/internal/address", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/pace",
		"enlist/internal/search", "github.com/go-json-experiment/json/jsontext"},
	"enlist/internal/contacts": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/db", "enlist/internal/enlist",
		"enlist/internal/events", "enlist/internal/language", "enlist/internal/lists", "enlist/internal/search",
		"enlist/internal/webhooks"},
	"enlist/internal/forms": {"enlist/internal/accounts", "enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist",
		"enlist/internal/language", "enlist/internal/lists", "github.com/go-json-experiment/json",
		"github.com/go-json-experiment/json/jsontext"},
	"enlist/internal/events": {"enlist/internal/db", "enlist/internal/enlist"},
	"enlist/internal/lists": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/db", "enlist/internal/enlist",
		"enlist/internal/events", "enlist/internal/language", "enlist/internal/search"},
	"enlist/internal/search": {"enlist/internal/db", "enlist/internal/enlist", "enlist/internal/search/planner",
		"github.com/go-json-experiment/json/jsontext"},
	"enlist/internal/batches": {"enlist/internal/accounts", "enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist",
		"enlist/internal/events", "enlist/internal/lists", "enlist/internal/messages",
		"enlist/internal/pace", "enlist/internal/recipients", "enlist/internal/search"},
	"enlist/internal/recipients": {"enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/lists",
		"enlist/internal/mail/reply", "enlist/internal/pace", "enlist/internal/search"},
	"enlist/internal/files": {"enlist/internal/accounts", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/limiter",
		"golang.org/x/image/webp"},
	"enlist/internal/imports": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist",
		"enlist/internal/events", "enlist/internal/files", "enlist/internal/imports/sheet", "enlist/internal/language",
		"enlist/internal/lists"},
	"enlist/internal/messages": {"golang.org/x/net/html", "enlist/internal/accounts", "enlist/internal/address", "enlist/internal/contacts",
		"enlist/internal/db", "enlist/internal/enlist", "enlist/internal/events", "enlist/internal/files",
		"enlist/internal/limiter", "enlist/internal/lists", "enlist/internal/messages/merge", "enlist/internal/pace", "enlist/internal/search",
		"enlist/internal/social"},
	"enlist/internal/privacy": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/batches",
		"enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/events",
		"enlist/internal/files", "enlist/internal/forms", "enlist/internal/imports", "enlist/internal/lists",
		"enlist/internal/messages", "enlist/internal/recipients", "enlist/internal/reports"},
	"enlist/internal/reports": {"enlist/internal/batches", "enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/lists", "enlist/internal/messages",
		"enlist/internal/pace", "enlist/internal/recipients", "enlist/internal/sending"},
	"enlist/internal/sending": {"enlist/internal/accounts", "enlist/internal/address", "enlist/internal/batches",
		"enlist/internal/contacts", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/events",
		"enlist/internal/limiter", "enlist/internal/lists", "enlist/internal/messages/merge", "enlist/internal/messages",
		"enlist/internal/pace", "enlist/internal/recipients", "enlist/internal/search"},
	"enlist/internal/webhooks": {"enlist/internal/accounts", "enlist/internal/db", "enlist/internal/enlist", "enlist/internal/events",
		"enlist/internal/limiter", "enlist/internal/lists"},
}

// allowedInTests are further packages that tests may import: any package of the module, and
// libraries for tests.
var allowedInTests = []string{"enlist/...", "github.com/google/go-cmp/...", "pgregory.net/rapid", "go.uber.org/goleak",
	"github.com/jackc/pgx/v5/...", "github.com/riverqueue/river/...", "github.com/chromedp/...",
	"github.com/xuri/excelize/v2", "github.com/santhosh-tekuri/jsonschema/v6", "github.com/descope/virtualwebauthn",
	"golang.org/x/net/html", "github.com/pelletier/go-toml/v2", "github.com/anishathalye/porcupine"}

// drivers are database drivers, each with the only packages that may import it. Of pgx, cmd/enlist and tracing use only
// the type of a tracer.
var drivers = map[string][]string{
	"github.com/mattn/go-sqlite3/...":                         {"enlist/internal/db/sqlite"},
	"modernc.org/sqlite/...":                                  {"enlist/internal/db/sqlite"},
	"github.com/riverqueue/river/riverdriver/riversqlite/...": {"enlist/internal/db/sqlite"},
	"github.com/riverqueue/river/riverdriver/riverpgxv5/...":  {"enlist/internal/db/postgres"},
	"github.com/jackc/pgx/v5/...": {"enlist/internal/db/postgres", "enlist/internal/db/pgtest", "enlist/internal/db/dbtest",
		"enlist/internal/movein/listmonk", "enlist/internal/tracing", "enlist/cmd/enlist", "enlist/cmd/enlist-bench"},
}

type goPackage struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImportsPointOneWay(t *testing.T) {
	packages := append(goList(t, "CGO_ENABLED=0"), goList(t, "CGO_ENABLED=1")...)
	if len(packages) == 0 {
		t.Fatal("go list found no package")
	}
	imports := make(map[string][]string) // by the package that imports, with and without a C compiler
	for _, p := range packages {
		allowed, known := allowedImports[p.ImportPath]
		if !known && !strings.HasPrefix(p.ImportPath, "enlist/internal") || !known && len(p.Imports) > 0 {
			t.Errorf("%s is not listed in allowedImports: add it with the packages that it may import", p.ImportPath)
			continue
		}
		for _, to := range p.Imports {
			if !standard(to) && !slices.ContainsFunc(allowed, covers(to)) {
				t.Errorf("%s must not import %s: move the code, or add the package to allowedImports", p.ImportPath, to)
			}
			for driver, owners := range drivers {
				if covers(to)(driver) && !slices.Contains(owners, p.ImportPath) {
					t.Errorf("%s imports the database driver %s: only %q may import it", p.ImportPath, to, owners)
				}
			}
		}
		imports[p.ImportPath] = append(imports[p.ImportPath], p.Imports...)
		for _, to := range slices.Concat(p.TestImports, p.XTestImports) {
			if !standard(to) && !slices.ContainsFunc(slices.Concat(allowed, allowedInTests), covers(to)) {
				t.Errorf("the tests of %s must not import %s", p.ImportPath, to)
			}
		}
	}
	for from, allowed := range allowedImports {
		for _, pattern := range allowed {
			if !slices.ContainsFunc(imports[from], func(to string) bool { return covers(to)(pattern) }) {
				t.Errorf("%s does not import %s: remove it from allowedImports", from, pattern)
			}
		}
	}
}

// covers returns a function that reports whether a pattern matches the path: the pattern equals the path, or it ends in
// /... and names a parent of the path.
func covers(to string) func(pattern string) bool {
	return func(pattern string) bool {
		above, tree := strings.CutSuffix(pattern, "...")
		above = path.Clean("/" + above)
		return to == pattern || tree && (above == "/" || strings.HasPrefix("/"+to+"/", above+"/"))
	}
}

// standard reports whether a package belongs to the standard library: the first element of its
// path has no dot and is not this module.
func standard(to string) bool {
	first, _, _ := strings.Cut(to, "/")
	return first != "enlist" && !strings.Contains(first, ".")
}

func goList(t *testing.T, env string) []goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", "enlist/...")
	cmd.Env = append(cmd.Environ(), env)
	out, err := cmd.Output()
	if err != nil {
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			t.Fatalf("go list: %s", failed.Stderr)
		}
		t.Fatalf("go list: %v", err)
	}
	var all []goPackage
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		switch err := dec.Decode(&p); {
		case err == io.EOF:
			return all
		case err != nil:
			t.Fatal(err)
		}
		all = append(all, p)
	}
}
