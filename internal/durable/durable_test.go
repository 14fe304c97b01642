package durable

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"enlist/internal/seeds/powercut"
)

// After a failed write, the old file is there, and no other one.
func TestAFailedWriteLeavesTheOldFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	write := func(text string, failed error) error {
		return Write(path, func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return errors.Join(err, failed)
		})
	}
	failed := errors.New("failed")
	if err := write("old", nil); err != nil {
		t.Fatal(err)
	}
	if err := write("new", failed); !errors.Is(err, failed) {
		t.Errorf("got %v, want the error of the function", err)
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) != 1 {
		t.Errorf("the folder has %v, %v, want one file", files, err)
	}
	info, err := os.Stat(path)
	if text, readErr := os.ReadFile(path); string(text) != "old" || errors.Join(err, readErr) != nil || info.Mode() != 0o600 {
		t.Errorf("the file has %q, %v, %v, want the old content and the mode 0600", text, err, readErr)
	}
}

// Close does not fail for what is no file.
func TestADeviceIsClosed(t *testing.T) {
	file, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err := errors.Join(err, Close(file)); err != nil {
		t.Error(err)
	}
}

const content = "complete"

// recorded makes a file in each of two folders, because a sync of a folder makes the names of all its files durable.
func recorded(dir string) error {
	err := Write(filepath.Join(dir, "a", "written"), func(w io.Writer) error {
		_, err := io.WriteString(w, content)
		return err
	})
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(dir, "b", "closed"), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, Close(file))
}

// After a power cut at any moment, a written file is complete or not there. After the functions have returned, each is
// there.
func TestAPowerCutLeavesCompleteFiles(t *testing.T) {
	if dir := os.Getenv("ENLIST_TEST_DURABLE"); dir != "" {
		if err := recorded(dir); err != nil {
			t.Fatal(err)
		}
		return
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err := errors.Join(err, os.Mkdir(filepath.Join(dir, "a"), 0o700), os.Mkdir(filepath.Join(dir, "b"), 0o700)); err != nil {
		t.Fatal(err)
	}
	recorder, err := powercut.NewRecorder(dir)
	if errors.Is(err, powercut.ErrNoStrace) {
		t.Skip(err)
	}
	program := exec.Command(os.Args[0], "-test.run", "^"+t.Name()+"$")
	program.Env = append(program.Environ(), "ENLIST_TEST_DURABLE="+dir)
	if err := errors.Join(err, recorder.Start(program), program.Wait(), recorder.Wait()); err != nil {
		t.Fatal(err)
	}
	disk, random := powercut.NewDisk(recorder.Trace()), rand.New(rand.NewPCG(1, 0))
	for moment := range recorder.Trace().Len() + 1 {
		if err := disk.Advance(moment); err != nil {
			t.Fatal(err)
		}
		for range 50 {
			files := disk.Cut(random).Files
			if text, ok := files["a/written"]; ok && string(text) != content {
				t.Errorf("at event %d the file has %q", moment, text)
			}
			if isLast := moment == recorder.Trace().Len(); isLast && (string(files["a/written"]) != content || string(files["b/closed"]) != content) {
				t.Errorf("at the end the files are %q", files)
			}
		}
	}
	if err := disk.Compare(); err != nil {
		t.Error(err)
	}
}
