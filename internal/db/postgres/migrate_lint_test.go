package postgres

import (
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// This file checks that migrations use only statements from a list. These statements can
// run while the previous version serves calls, for two reasons. First, they lock a table
// only while PostgreSQL changes its own catalogue, so the number of rows does not matter.
// Second, the statements that the previous version sends still have the same effect. Check
// both before you add a statement to the list.
var (
	quick = allowed(
		`CREATE TABLE \w+ \([^;]*\)( PARTITION BY HASH \(\w+\))?( WITH \([^)]*\))?`,
		`CREATE SEQUENCE \w+`,
		`CREATE (OR REPLACE )?FUNCTION .*`,
		`CREATE TRIGGER .*`,
		`CREATE INDEX \w+ ON ONLY \w+ .*`, // later statements attach the indexes of the partitions
		`ALTER INDEX \w+ ATTACH PARTITION \w+`,
		`ALTER TABLE \w+ ADD COLUMN \w+ \w+( COLLATE "C")?( NOT NULL DEFAULT `+constant+`| DEFAULT `+constant+`)?`,
		`ALTER TABLE \w+ ADD CONSTRAINT \w+ .* NOT VALID`,
		`ALTER TABLE \w+ ALTER COLUMN \w+ (SET DEFAULT `+constant+`|DROP NOT NULL|SET STATISTICS \d+)`,
		`ALTER TABLE \w+ SET \([^)]*\)`,
		`COMMENT ON .*`,
	)
	patient = allowed(
		`DROP INDEX CONCURRENTLY IF EXISTS \w+`,
		`CREATE INDEX CONCURRENTLY \w+ ON \w+ .*`,
		`ALTER TABLE \w+ VALIDATE CONSTRAINT \w+`,
	)
	// removal is allowed only in a file whose number is a multiple of 1000: see db.CheckVersion.
	removal = allowed(
		`DROP TABLE \w+`,
		`DROP INDEX \w+`,
		`ALTER TABLE \w+ DROP (COLUMN|CONSTRAINT) \w+`,
	)
	newTable = regexp.MustCompile(`^CREATE TABLE (\w+)`)
	// onNewTable matches statements that are allowed only for a table that the same file
	// creates, because that table is empty.
	onNewTable = regexp.MustCompile(`^(?:CREATE (?:UNIQUE )?INDEX \w+ ON|INSERT INTO|CREATE TABLE \w+ PARTITION OF) (\w+)\b`)
	building   = regexp.MustCompile(`^CREATE (?:UNIQUE )?INDEX CONCURRENTLY (\w+)`)
)

const constant = `(-?\d+|'[^']*'|TRUE|FALSE|NULL)`

func allowed(patterns ...string) *regexp.Regexp {
	return regexp.MustCompile(`^(` + strings.Join(patterns, "|") + `)$`)
}

// objections returns the statements of a migration that are not allowed. It returns the
// name of the file if the name has no number.
func objections(file, text string) (bad []string) {
	number, err := strconv.Atoi(strings.SplitN(file, "_", 2)[0])
	if err != nil {
		return []string{file}
	}
	kind, made, dropped := quick, []string{}, []string{}
	if strings.Contains(text, "+goose NO TRANSACTION") {
		kind = patient
	}
	for _, statement := range statementsIn(text) {
		if table := newTable.FindStringSubmatch(statement); table != nil && kind == quick {
			made = append(made, table[1])
		}
		if index, ok := strings.CutPrefix(statement, "DROP INDEX CONCURRENTLY IF EXISTS "); ok {
			dropped = append(dropped, index)
		}
		on := onNewTable.FindStringSubmatch(statement)
		index := building.FindStringSubmatch(statement)
		switch {
		case on != nil && slices.Contains(made, on[1]):
		case index != nil && !slices.Contains(dropped, index[1]): // an interrupted build leaves an invalid index
			bad = append(bad, statement)
		case kind.MatchString(statement), number%1000 == 0 && kind == quick && removal.MatchString(statement):
		default:
			bad = append(bad, statement)
		}
	}
	return bad
}

// statementsIn returns the statements of a migration, each on one line without comments.
func statementsIn(text string) (all []string) {
	text = regexp.MustCompile(`(?s)-- \+goose StatementBegin\n(.*?)-- \+goose StatementEnd`).ReplaceAllStringFunc(text, func(s string) string {
		return strings.ReplaceAll(s, ";", " ") + ";"
	})
	text = regexp.MustCompile(`--[^\n]*`).ReplaceAllString(text, "")
	for statement := range strings.SplitSeq(text, ";") {
		statement = strings.Join(strings.Fields(statement), " ")
		if statement != "" {
			all = append(all, statement)
		}
	}
	return all
}

// A long exclusive lock would block all calls, because tables may have tens of millions
// of rows.
func TestMigrationsTakeNoLongLocks(t *testing.T) {
	for _, files := range []fs.FS{migrations, nextVersion(t)} {
		err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || d.Name() == "01000_schema.sql" { // this file runs on empty databases only
				return err
			}
			text, err := fs.ReadFile(files, path)
			for _, statement := range objections(d.Name(), string(text)) {
				t.Errorf("%s: this statement is not in the list of statements that can run while the previous version serves: %s", path, statement)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The function objections accepts each allowed statement. It refuses similar statements that
// are dangerous.
func TestMigrationLintKnowsAllowedStatements(t *testing.T) {
	const later = "-- +goose NO TRANSACTION\n"
	for _, test := range []struct {
		text string
		fine bool
	}{
		{"ALTER TABLE contact ADD COLUMN a BIGINT NOT NULL DEFAULT 0;", true},
		{"ALTER TABLE contact ADD COLUMN a BIGINT NOT NULL DEFAULT 0; -- why\n", true},
		{"ALTER TABLE contact ADD COLUMN a TEXT COLLATE \"C\";", true},
		{"ALTER TABLE contact ADD COLUMN a BIGINT NOT NULL;", false},                // the previous version does not insert a value
		{"ALTER TABLE contact ADD COLUMN a UUID DEFAULT gen_random_uuid();", false}, // PostgreSQL would rewrite every row
		{"ALTER TABLE contact ADD COLUMN a BIGINT GENERATED ALWAYS AS (id) STORED;", false},
		{"ALTER TABLE contact ADD COLUMN a BIGINT UNIQUE;", false},
		{"ALTER TABLE contact ADD COLUMN a BIGINT, DROP COLUMN id;", false},
		{"ALTER TABLE contact ALTER COLUMN webform_id TYPE INTEGER;", false},
		{"ALTER TABLE contact ALTER COLUMN mobile_key SET NOT NULL;", false},
		{"ALTER TABLE contact ADD CONSTRAINT c CHECK (id > 0);", false},
		{"ALTER TABLE contact ADD CONSTRAINT c CHECK (id > 0) NOT VALID;", true},
		{"ALTER TABLE contact VALIDATE CONSTRAINT c;", false},
		{later + "ALTER TABLE contact VALIDATE CONSTRAINT c;", true},
		{"ALTER TABLE contact DROP COLUMN webform_id;", false},
		{"ALTER TABLE contact RENAME COLUMN webform_id TO form_id;", false},
		{"DROP INDEX contact_mobile;", false},
		{"CREATE INDEX a ON contact (id);", false},
		{"CREATE INDEX a ON ONLY contact (id);", true},
		{"CREATE UNIQUE INDEX a ON ONLY contact (list_id, id);", false}, // the previous version does not handle a violation
		{"CREATE INDEX CONCURRENTLY a ON contact_1 (id);", false},
		{later + "CREATE INDEX CONCURRENTLY a ON contact_1 (id);", false}, // a second run would fail: the index exists
		{later + "DROP INDEX CONCURRENTLY IF EXISTS a; CREATE INDEX CONCURRENTLY a ON b (id);", true},
		{later + "CREATE INDEX a ON ONLY contact (id);", false}, // it would wait for its lock without a limit
		{later + "ALTER TABLE contact ADD COLUMN a BIGINT;", false},
		{"CREATE TABLE a (id BIGINT NOT NULL); CREATE INDEX b ON a (id); INSERT INTO a VALUES (1);", true},
		{"INSERT INTO account VALUES (1);", false},
		{"UPDATE contact SET webform_id = 0;", false}, // a job must do this in batches
		{"VACUUM FULL contact;", false},
		{"CLUSTER contact;", false},
		{"LOCK TABLE contact;", false},
		{"-- +goose StatementBegin\nDO $$ BEGIN UPDATE contact SET id = 1; END $$;\n-- +goose StatementEnd\n", false},
	} {
		if bad := objections("01001_next.sql", test.text); (len(bad) == 0) != test.fine {
			t.Errorf("%q: refused statements %q, want it allowed: %t", test.text, bad, test.fine)
		}
	}
	const drop = "ALTER TABLE contact DROP COLUMN webform_id;"
	if bad := objections("02000_generation.sql", drop); len(bad) > 0 {
		t.Errorf("refused statements of the file 02000: %q, want none", bad)
	}
	if bad := objections("02000_generation.sql", later+drop); len(bad) == 0 {
		t.Error("a removal with NO TRANSACTION is allowed, want it refused: it could wait for its lock without a limit")
	}
}
