package listmonk

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"strings"

	"enlist/internal/enlist"
	"enlist/internal/movein"

	"github.com/jackc/pgx/v5"
)

// This file has the images and other files of listmonk, which it calls media. Its database has their names; their
// contents are in a folder or in a bucket, and can be read by their URLs.

// UseUploads reads the contents of files from a folder, in place of their URLs.
func (d *Database) UseUploads(folder string) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return fmt.Errorf("open the folder with listmonk's uploads: %w", err)
	}
	d.uploads = root
	return nil
}

// files returns the files. The IDs are those of the table media. A file of listmonk never changes, so the records
// have no size, and a file that is stored is not read again.
func (d *Database) files(ctx context.Context) ([]movein.Record, error) {
	urls, err := d.mediaURLs(ctx)
	if err != nil {
		return nil, err
	}
	// Two providers can have a file with the same name.
	files, err := d.records(ctx, "media", `SELECT id, CASE WHEN row_number() OVER (PARTITION BY filename ORDER BY id) > 1
			THEN id || '-' || filename ELSE filename END AS name, filename AS stored_name, provider, content_type,
		`+seconds("created_at")+" AS creation_time, "+seconds("created_at")+` AS last_modified_time
		FROM media ORDER BY id`)
	for i, f := range files {
		files[i] = append(f, text("url", urls.of(f.Text("provider"), f.Text("stored_name"))))
	}
	return files, err
}

// mediaURLs are the beginnings of the URLs of files, by provider.
type mediaURLs struct{ folder, bucket string }

// of returns the URL of a file as listmonk writes it into campaigns.
func (u *mediaURLs) of(provider, name string) string {
	if provider == "s3" {
		return u.bucket + "/" + name
	}
	return u.folder + "/" + name
}

// mediaURLs reads the settings of listmonk.
func (d *Database) mediaURLs(ctx context.Context) (*mediaURLs, error) {
	settings := make(map[string]string)
	err := d.each(ctx, "settings", func(row pgx.CollectableRow) error {
		var key, value string
		if err := row.Scan(&key, &value); err != nil {
			return err
		}
		settings[key] = value
		return nil
	}, "SELECT key, coalesce(value #>> '{}', '') FROM settings WHERE key = 'app.root_url' OR key LIKE 'upload.%'")
	if err != nil {
		return nil, err
	}
	s3 := func(key string) string { return settings["upload.s3."+key] }
	root := strings.TrimRight(settings["app.root_url"], "/")
	u := &mediaURLs{folder: root + path.Clean("/"+cmp.Or(settings["upload.filesystem.upload_uri"], "uploads"))}
	u.bucket = strings.TrimRight(s3("url"), "/") + "/" + s3("bucket")
	if public := s3("public_url"); public != "" {
		u.bucket = public
		if strings.HasPrefix(public, "/") {
			u.bucket = root + public
		}
	}
	if within := strings.Trim(s3("bucket_path"), "/"); within != "" {
		u.bucket += "/" + within
	}
	return u, nil
}

// FileContent implements movein.Source.
func (d *Database) FileContent(ctx context.Context, file movein.Record) (content io.ReadCloser, size int64, err error) {
	if d.uploads != nil {
		return d.openUpload(file.Text("stored_name"))
	}
	if d.unreachable != nil {
		return nil, 0, d.unreachable
	}
	const advice = "give the folder with the files of listmonk with --uploads"
	content, size, err = d.downloads.Read(ctx, file.Text("url"))
	switch {
	case err == nil || ctx.Err() != nil:
		return content, size, err
	case enlist.KindOf(err) != enlist.Internal:
		refused, _ := errors.AsType[*enlist.Error](err)
		return nil, 0, enlist.Refuse(refused.Kind, "%s; %s", refused.Detail, advice)
	}
	refused := enlist.Refuse(enlist.InvalidParameters, "%v; %s", err, advice)
	if _, network := errors.AsType[*url.Error](err); network { // the next files are probably at the same host
		d.unreachable = refused
	}
	return nil, 0, refused
}

// openUpload opens a file in the folder with the uploads.
func (d *Database) openUpload(name string) (io.ReadCloser, int64, error) {
	about, err := d.uploads.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "the folder of --uploads has no file %s", enlist.Quoted(name))
	case err != nil:
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "the file cannot be read: %v", err)
	case !about.Mode().IsRegular() || about.Size() > movein.MaxFile:
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "%s is no file of at most %d MiB", enlist.Quoted(name),
			movein.MaxFile>>20)
	}
	content, err := d.uploads.Open(name)
	if err != nil {
		return nil, 0, enlist.Refuse(enlist.InvalidParameters, "the file cannot be read: %v", err)
	}
	return content, about.Size(), nil
}

// attachments returns the IDs of the files that a campaign attaches, separated by commas.
func (d *Database) attachments(ctx context.Context, id int64) (ids string, err error) {
	err = d.each(ctx, "attachments", func(row pgx.CollectableRow) error {
		var file int64
		var name string
		if err := row.Scan(&file, &name); err != nil {
			return err
		}
		if file == 0 {
			d.refuse(movein.Problem{Record: "message", ID: id, Key: "attachments", Value: name,
				Reason: "listmonk has deleted this file"})
			return nil
		}
		ids = strings.TrimPrefix(fmt.Sprintf("%s,%d", ids, file), ",")
		return nil
	}, "SELECT coalesce(media_id, 0), filename FROM campaign_media WHERE campaign_id = $1 ORDER BY media_id",
		id/messageFactor)
	return ids, err
}
