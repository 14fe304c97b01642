// Package powercut shows what a power cut can leave of the files of a program. A SIGKILL shows less, because the
// operating system still writes what the program has written.
//
// A Recorder runs programs under strace and records how they change a folder: writes, new names, and syncs of files
// and of folders. A Disk repeats the changes up to any moment. It knows which of them a sync has made durable, and Cut
// makes a state in which others are missing or torn. The trace also has what the programs sent, in the same order, so
// a test can compare each state with the replies that came before it, without a clock.
//
//	recorder.go   runs programs under strace
//	strace.go     reads the lines of strace
//	trace.go      the recorded events
//	disk.go       repeats them
//	cut.go        the states after a power cut
//
// A file system may do less than this package: most of them write changes of names in their order, and with a new file
// its name. Files of shared memory (-shm) are left out, because SQLite makes them anew.
package powercut

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Recorder records the changes of a folder by programs that run one after another.
type Recorder struct {
	strace string // path of the program
	trace  *Trace
	reader *lineReader
	ended  chan error // the reader has read the last line of the running program
}

// ErrNoStrace is the error of NewRecorder if strace is missing or may not be used.
var ErrNoStrace = errors.New("strace cannot be used")

// NewRecorder returns a Recorder for a folder, which has an absolute path without symbolic links. What the folder has
// already survives each power cut.
func NewRecorder(dir string) (*Recorder, error) {
	strace, err := exec.LookPath("strace")
	if err == nil {
		err = exec.Command(strace, "-f", "-D", "-o", os.DevNull, "true").Run()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoStrace, err)
	}
	before, err := Read(dir)
	if err != nil {
		return nil, err
	}
	trace := &Trace{dir: dir, before: before}
	return &Recorder{strace: strace, trace: trace, reader: newLineReader(trace)}, nil
}

// traced are the system calls to record. Those of the second line make Trace return an error if they change a file of
// the folder: the Recorder does not know what they do.
const traced = "write,pwrite64,writev,ftruncate,fsync,fdatasync,lseek,open,openat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat," +
	"pwritev,pwritev2,truncate,fallocate,copy_file_range,sendfile,splice,sync_file_range,link,linkat,symlink,symlinkat,rmdir,creat,mmap,io_uring_setup"

// Start starts a program. Its Process is the program, not strace.
func (r *Recorder) Start(cmd *exec.Cmd) error {
	if cmd.Err != nil {
		return cmd.Err
	}
	lines, to, err := os.Pipe()
	if err != nil {
		return err
	}
	// -D: strace is not the parent. -xx: each text is in hexadecimal. ?: this kind of processor may not have the call.
	options := []string{r.strace, "-f", "-D", "--seccomp-bpf", "-qq", "-y", "-xx", "-a1", "-s", "67108864", "-e", "signal=none",
		"-e", "trace=?" + strings.ReplaceAll(traced, ",", ",?"), "-o", fmt.Sprint("/dev/fd/", 3+len(cmd.ExtraFiles)), cmd.Path}
	cmd.Path, cmd.Args = r.strace, append(options, cmd.Args[1:]...)
	cmd.ExtraFiles = append(cmd.ExtraFiles, to)
	err = cmd.Start()
	if closeErr := to.Close(); err != nil {
		return errors.Join(err, closeErr, lines.Close())
	}
	r.ended = make(chan error, 1)
	go func() { r.ended <- errors.Join(r.read(lines), lines.Close()) }()
	return nil
}

// read reads lines until the program and strace have ended.
func (r *Recorder) read(lines io.Reader) error {
	buffered := bufio.NewReaderSize(lines, 1<<20)
	for {
		line, err := buffered.ReadBytes('\n')
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = r.reader.read(line[:len(line)-1])
		}
		if err != nil {
			io.Copy(io.Discard, buffered) // the program must be able to end
			return err
		}
	}
}

// Wait waits until all changes of a program are recorded. The program has ended: strace may end before a thread that was
// killed has.
func (r *Recorder) Wait() error { return errors.Join(<-r.ended, r.reader.resolve()) }

// Trace returns the events of all programs so far. The last program has ended, and Wait has returned.
func (r *Recorder) Trace() *Trace { return r.trace }

// Read returns the content of the files of a folder, by their paths below it, without those of shared memory. A folder
// has the content nil.
func Read(dir string) (map[string][]byte, error) {
	files := make(map[string][]byte)
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == dir || isShared(path) {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || d.IsDir() {
			files[name] = nil
			return err
		}
		content, err := os.ReadFile(path)
		files[name] = append([]byte{}, content...)
		return err
	})
	return files, err
}

// isShared reports whether a file is shared memory of SQLite.
func isShared(path string) bool { return strings.HasSuffix(path, "-shm") }
