// Command image writes a container image with the program enlist alone, as deploy/Dockerfile builds it, but without
// Docker. "docker load" and "podman load" read the file.
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"io"
	"log"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// user is the ID of the user that the program runs as. It has no name, because the image has no /etc/passwd.
const user = 65532

func main() {
	program := flag.String("program", "", "path of the program")
	arch := flag.String("arch", "", "architecture of the program")
	version := flag.String("version", "", "version of the program")
	created := flag.Int64("created", 0, "time of the image in Unix seconds")
	to := flag.String("to", "", "path of the image")
	flag.Parse()
	if err := write(*program, *arch, *version, time.Unix(*created, 0).UTC(), *to); err != nil {
		log.Fatal("image: ", err)
	}
}

func write(program, arch, version string, created time.Time, to string) error {
	files, err := files(program, created)
	if err != nil {
		return err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files)), nil
	})
	if err != nil {
		return err
	}
	image, err := mutate.Append(empty.Image, mutate.Addendum{Layer: layer,
		History: v1.History{Created: v1.Time{Time: created}, CreatedBy: "tools/packages/image"}})
	if err != nil {
		return err
	}
	config, err := image.ConfigFile()
	if err != nil {
		return err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", arch, v1.Time{Time: created}
	config.Config = v1.Config{
		User:         "65532:65532",
		Entrypoint:   []string{"/usr/bin/enlist"},
		Cmd:          []string{"serve"},
		Env:          []string{"ENLIST_DB=/data/enlist.db", "ENLIST_LISTEN=:8080", "ENLIST_OPS_LISTEN=:9090"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}, "9090/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		WorkingDir:   "/data",
		Labels: map[string]string{"org.opencontainers.image.title": "enlist",
			"org.opencontainers.image.version": version},
		Healthcheck: &v1.HealthConfig{Test: []string{"CMD", "/usr/bin/enlist", "health"}, Interval: 30 * time.Second,
			Timeout: 6 * time.Second, StartPeriod: 10 * time.Second},
	}
	if image, err = mutate.ConfigFile(image, config); err != nil {
		return err
	}
	tag, err := name.NewTag("enlist:latest")
	if err != nil {
		return err
	}
	return tarball.WriteToFile(to, tag, image)
}

// files returns the files of the image as a tar archive: the program, a folder for the data and one for temporary
// files.
func files(program string, modified time.Time) ([]byte, error) {
	text, err := os.ReadFile(program)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, h := range []tar.Header{
		{Name: "usr/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "usr/bin/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "usr/bin/enlist", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(text))},
		{Name: "data/", Typeflag: tar.TypeDir, Mode: 0o700, Uid: user, Gid: user},
		{Name: "tmp/", Typeflag: tar.TypeDir, Mode: 0o1777},
	} {
		h.ModTime = modified
		if err := w.WriteHeader(&h); err != nil {
			return nil, err
		}
		if h.Size > 0 {
			if _, err := w.Write(text); err != nil {
				return nil, err
			}
		}
	}
	return b.Bytes(), w.Close()
}
