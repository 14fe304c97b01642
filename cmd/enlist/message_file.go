package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"enlist/internal/accounts"
	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/files"
	"enlist/internal/messages"
)

// This file reads the content of a Message from a file. Images beside the file become files of the Message, and the
// content refers to them as cid:NAME.

// The expressions match the path of an image in each kind of content. Group 2 is the path.
var (
	imageInHTML     = regexp.MustCompile(`(?i)(<img\b[^>]*?\bsrc\s*=\s*["']?)([^"'\s>]+)`)
	imageInMarkdown = regexp.MustCompile(`(!\[[^\]]*\]\(<?)([^)>\s]+)`)
)

// readMessageFile returns the details that a file describes, after it has stored the images. old is the Message before
// the change; nil: it is new.
func readMessageFile(ctx context.Context, s *app.App, c *enlist.Caller, path string,
	old *messages.Message) ([]enlist.Detail, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	images := imageUpload{s: s, caller: c, dir: filepath.Dir(path), old: make(map[string]enlist.FileID),
		names: make(map[string]string)}
	text := string(raw)
	switch strings.ToLower(filepath.Ext(path)) {
	case ".html", ".htm":
		if err := images.prepare(ctx, old); err != nil {
			return nil, err
		}
		text, err = images.replace(ctx, imageInHTML, text)
		return details(nil, value{"email_type", messages.EmailHTML}, value{"html_content", text},
			value{"text_content", ""}, value{"inline_images", images.list()}), err
	case ".md", ".markdown":
		if err := images.prepare(ctx, old); err != nil {
			return nil, err
		}
		text, err = images.replace(ctx, imageInMarkdown, text)
		if err == nil {
			text, err = images.replace(ctx, imageInHTML, text)
		}
		return details(nil, value{"email_type", messages.EmailMarkdown}, value{"html_content", ""},
			value{"text_content", text}, value{"inline_images", images.list()}), err
	case ".txt":
		return details(nil, value{"email_type", messages.EmailPlain}, value{"html_content", ""},
			value{"text_content", text}, value{"inline_images", ""}), nil
	}
	return nil, usage("--file %s: the name must end in .html, .md or .txt", path)
}

// imageUpload stores the images of one file.
type imageUpload struct {
	s      *app.App
	caller *enlist.Caller
	dir    string // of the content
	folder enlist.FolderID
	old    map[string]enlist.FileID // images that the Message has already, by name
	names  map[string]string        // stored names, by the path in the content
	ids    []string                 // of the stored images
}

// prepare finds the Folder of new images, and those that the Message has.
func (u *imageUpload) prepare(ctx context.Context, old *messages.Message) error {
	folders, err := u.s.Accounts.SearchFolders(ctx, u.caller, accounts.FolderOfFiles, enlist.Query{})
	if err != nil {
		return err
	}
	if len(folders) == 0 {
		return fmt.Errorf("the Account has no Folder for files: add one with addFolder")
	}
	u.folder = folders[0].ID
	if old == nil {
		return nil
	}
	for text := range strings.SplitSeq(old.InlineImages, ",") {
		id, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			continue // there are none
		}
		f, err := u.s.Files.File(ctx, u.caller, enlist.FileID(id))
		if err != nil {
			return err
		}
		if f.FolderID == u.folder {
			u.old[f.Name] = f.ID
		}
	}
	return nil
}

// replace stores each image that a text names by a path, and returns the text with cid:NAME in place of the paths.
func (u *imageUpload) replace(ctx context.Context, reference *regexp.Regexp, text string) (string, error) {
	var failed error
	text = reference.ReplaceAllStringFunc(text, func(match string) string {
		m := reference.FindStringSubmatch(match)
		if failed != nil || !isPath(m[2]) {
			return match
		}
		name, err := u.store(ctx, m[2])
		failed = err
		return m[1] + "cid:" + name
	})
	return text, failed
}

// isPath reports whether a reference is the path of a file, not a URL and not a merge field.
func isPath(reference string) bool {
	u, err := url.Parse(reference)
	return err == nil && u.Scheme == "" && u.Host == "" && u.Path != "" && !strings.Contains(reference, "{{")
}

// store uploads an image once and returns its name.
func (u *imageUpload) store(ctx context.Context, reference string) (string, error) {
	if name := u.names[reference]; name != "" {
		return name, nil
	}
	path, err := url.PathUnescape(reference)
	if err != nil {
		return "", err
	}
	content, err := os.ReadFile(filepath.Join(u.dir, path))
	if err != nil {
		return "", fmt.Errorf("read the image %s: %w", path, err)
	}
	name := fileNameOf(path)
	request := files.UploadRequest{Folder: u.folder, OnDuplicate: files.DuplicateIncrement,
		Details: details(nil, value{"name", name}, value{"data", base64.StdEncoding.EncodeToString(content)})}
	if u.old[name] != 0 {
		request.OnDuplicate = files.DuplicateOverwrite
	}
	stored, err := u.s.Files.UploadFile(ctx, u.caller, request)
	if err != nil {
		return "", fmt.Errorf("store the image %s: %w", path, err)
	}
	f, err := u.s.Files.File(ctx, u.caller, stored.ID)
	if err != nil {
		return "", err
	}
	u.names[reference] = f.Name
	u.ids = append(u.ids, strconv.FormatInt(int64(f.ID), 10))
	return f.Name, nil
}

// fileNameOf returns the name of a path with the characters that an inline image may have.
func fileNameOf(path string) string {
	return strings.Map(func(r rune) rune {
		if r < 128 && (r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z' ||
			strings.ContainsRune("._-@", r)) {
			return r
		}
		return '_'
	}, filepath.Base(path))
}

// list returns the IDs of the images.
func (u *imageUpload) list() string { return strings.Join(u.ids, ",") }
