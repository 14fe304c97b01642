package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// This file checks the links between the documents, and the names of documents in code.

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	code      = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	docName   = regexp.MustCompile(`(?:^|[^/\w])(doc/[\w/.-]+\.(?:md|svg))\b`) // not /usr/share/doc
	notAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// Each link in a document leads to a file of the project and to a heading in it.
func TestLinksInDocumentsLeadToPages(t *testing.T) {
	eachFile(t, func(path, text string) {
		if filepath.Ext(path) != ".md" {
			return
		}
		for _, m := range mdLink.FindAllStringSubmatch(code.ReplaceAllString(text, ""), -1) {
			target, anchor, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, ":") {
				continue // another site
			}
			to := path
			if target != "" {
				to = filepath.Join(filepath.Dir(path), target)
			}
			page, err := os.ReadFile(to)
			if info, dir := os.Stat(to); dir == nil && info.IsDir() && anchor == "" {
				continue
			}
			if err != nil || anchor != "" && !anchors(string(page))[anchor] {
				t.Errorf("%s: the link %s leads nowhere", strings.TrimPrefix(path, "../"), m[1])
			}
		}
	})
}

// Each page that code, comments or settings name exists.
func TestNamedPagesExist(t *testing.T) {
	eachFile(t, func(path, text string) {
		for _, m := range docName.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat("../" + m[1]); err != nil {
				t.Errorf("%s names %s, which does not exist", strings.TrimPrefix(path, "../"), m[1])
			}
		}
	})
}

var (
	lineComment = regexp.MustCompile(`(?m)(?:^|\s)//.*$`)
	goName      = regexp.MustCompile(`[\w/*]*[\w*]\.go\b`)
)

// Each Go file that a comment or a document names exists: in the folder of the comment, if the name has no folder. The
// name may have *.
func TestNamedGoFilesExist(t *testing.T) {
	var files []string
	texts := make(map[string]string)
	eachFile(t, func(path, text string) {
		switch filepath.Ext(path) {
		case ".go":
			files = append(files, path)
			texts[path] = strings.Join(lineComment.FindAllString(text, -1), "\n")
		case ".md":
			texts[path] = text
		}
	})
	for path, text := range texts {
		for _, name := range goName.FindAllString(text, -1) {
			folder := "/"
			if filepath.Ext(path) == ".go" && !strings.Contains(name, "/") {
				folder = filepath.Dir(path) + "/"
			}
			pattern := regexp.MustCompile(strings.ReplaceAll(regexp.QuoteMeta(folder+name), `\*`, `\w*`) + "$")
			if !slices.ContainsFunc(files, pattern.MatchString) {
				t.Errorf("%s names %s, which does not exist in %s", strings.TrimPrefix(path, "../"), name, folder)
			}
		}
	}
}

// Each package comment that names three files or more names all files of the package, except tests.
func TestPackageCommentsNameAllFiles(t *testing.T) {
	files, named := make(map[string][]string), make(map[string][]string) // by folder
	eachFile(t, func(path, text string) {
		folder, name := filepath.Split(path)
		switch {
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
		case strings.HasPrefix(text, "// Package ") || strings.HasPrefix(text, "// Command "):
			comment, _, _ := strings.Cut(text, "\npackage ")
			named[folder] = goName.FindAllString(comment, -1)
		default:
			files[folder] = append(files[folder], name)
		}
	})
	for folder, patterns := range named {
		for _, name := range files[folder] {
			matches := func(pattern string) bool { ok, err := filepath.Match(pattern, name); return ok && err == nil }
			if len(patterns) >= 3 && !slices.ContainsFunc(patterns, matches) {
				t.Errorf("the package comment in %s does not name %s", strings.TrimPrefix(folder, "../"), name)
			}
		}
	}
}

var (
	treeLine   = regexp.MustCompile(`(?m)^  ((?:[a-z]+/ )+) *`)
	namedFiles = regexp.MustCompile("`([a-z]+/[a-z_/*]+\\.go)`")
)

// The tree in doc/architecture.md has all folders of internal and no other, and the files that the page names exist.
func TestArchitecturePageNamesAllPackages(t *testing.T) {
	page := read(t, "../doc/architecture.md")
	_, tree, _ := strings.Cut(page, "\ninternal/\n")
	tree, _, _ = strings.Cut(tree, "```")
	var named []string
	for _, m := range treeLine.FindAllStringSubmatch(strings.ReplaceAll(tree, "/\n", "/ \n"), -1) {
		for _, name := range strings.Fields(m[1]) {
			named = append(named, strings.TrimSuffix(name, "/"))
		}
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var folders []string
	for _, e := range entries {
		if e.IsDir() {
			folders = append(folders, e.Name())
		}
	}
	slices.Sort(named)
	if !slices.Equal(named, folders) {
		t.Errorf("the tree of doc/architecture.md has the folders\n%v\ninternal has\n%v", named, folders)
	}
	for _, m := range namedFiles.FindAllStringSubmatch(page, -1) {
		if found, _ := filepath.Glob(m[1]); len(found) == 0 {
			t.Errorf("doc/architecture.md names %s, which does not exist", m[1])
		}
	}
}

// eachFile calls do for each text file of the project.
func eachFile(t *testing.T, do func(path, text string)) {
	t.Helper()
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == ".git" || d.Name() == "dist"):
			return filepath.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		switch filepath.Ext(path) {
		case ".md", ".go", ".yml", ".yaml", ".env", ".txt", ".json", ".sql", "":
			text, err := os.ReadFile(path)
			do(path, string(text))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// anchors returns the anchors of the headings of a page, as GitHub makes them.
func anchors(page string) map[string]bool {
	all := make(map[string]bool)
	for _, m := range mdHeading.FindAllStringSubmatch(codeBlock.ReplaceAllString(page, ""), -1) {
		text := notAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		all[strings.ReplaceAll(text, " ", "-")] = true
	}
	return all
}
