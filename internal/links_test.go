package internal_test

// This file checks the links between the documents, and the names of documents in code.

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	mdLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	mdHeading = regexp.MustCompile(`(?m)^#+ +(.+)$`)
	codeBlock = regexp.MustCompile("(?s)```.*?```")
	code      = regexp.MustCompile("(?s)```.*?```|`[^`\n]*`")
	docName   = regexp.MustCompile(`\bdoc/[\w/.-]+\.(?:md|svg)\b`)
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
		for _, name := range docName.FindAllString(text, -1) {
			if _, err := os.Stat("../" + name); err != nil {
				t.Errorf("%s names %s, which does not exist", strings.TrimPrefix(path, "../"), name)
			}
		}
	})
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
