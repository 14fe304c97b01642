package movein_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	neturl "net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/admin"
	"enlist/internal/batches"
	"enlist/internal/db/dbtest"
	"enlist/internal/enlist"
	"enlist/internal/httpserver"
	"enlist/internal/mail"
	"enlist/internal/movein/listmonk"
	"enlist/internal/sending"
	"enlist/internal/users"
	"enlist/internal/web"

	"github.com/google/go-cmp/cmp"
)

// These tests move the images and attachments of listmonk, and use the moved Messages.

// listmonkMedia are files, and campaigns that show and attach them.
const listmonkMedia = `
	INSERT INTO settings VALUES ('app.root_url', '"https://news.example.com/"'), ('upload.filesystem.upload_uri', '"/uploads"'),
		('upload.s3.url', '"https://s3.example.com"'), ('upload.s3.bucket', '"pictures"'), ('upload.s3.bucket_path', '"/2024/"');
	INSERT INTO media (id, provider, filename, content_type) VALUES (1, 'filesystem', 'logo.png', 'image/png'),
		(2, 'filesystem', 'photo-(1).png', 'image/png'), (3, 'filesystem', 'plan.pdf', 'application/pdf'),
		(4, 'filesystem', 'drawing.svg', 'image/svg+xml'), (5, 'filesystem', 'gone.png', 'image/png'),
		(6, 's3', 'logo.png', 'image/png'), (7, 'filesystem', 'film.mp4', 'video/mp4');
	INSERT INTO templates (id, name, body) VALUES (1, 'Frame', '<img src="/uploads/logo.png" alt="Logo">{{ template "content" . }}');
	INSERT INTO campaigns (id, name, subject, from_email, body, content_type, template_id) VALUES
		(1, 'May', 'May', 'Club <club@example.com>', '<p style="background:url(&quot;https://news.example.com/uploads/photo-(1).png&quot;)">Hi
			<img src="http://NEWS.example.com/uploads/photo-(1).png?v=2"><img src="https://s3.example.com/pictures/2024/logo.png">
			<img src="https://news.example.com/uploads/gone.png"> <a href="https://other.example.com/uploads/logo.png">x</a></p>', 'visual', 1),
		(2, 'June', 'June', 'a@example.com', '![a](https://news.example.com/uploads/photo-(1).png) See /uploads/plan.pdf, or example.com/uploads/plan.pdf.',
			'markdown', NULL),
		(3, 'July', 'July', 'a@example.com', '<b>x</b>', 'richtext', 1);
	INSERT INTO campaign_media (campaign_id, media_id, filename) VALUES (1, 3, 'plan.pdf'), (1, 7, 'film.mp4'), (1, 5, 'gone.png'), (1, NULL, 'old.pdf')`

// newUploads returns a folder with the files of listmonkMedia, except gone.png.
func newUploads(t *testing.T) (folder string, picture []byte) {
	t.Helper()
	var b bytes.Buffer
	must(0, png.Encode(&b, image.NewGray(image.Rect(0, 0, 3, 2))))(t)
	folder = t.TempDir()
	for name, content := range map[string][]byte{"logo.png": b.Bytes(), "photo-(1).png": b.Bytes(), "plan.pdf": []byte("%PDF-1.7"),
		"drawing.svg": []byte("<svg xmlns='http://www.w3.org/2000/svg'/>"), "film.mp4": make([]byte, 10<<20)} {
		must(0, os.WriteFile(filepath.Join(folder, name), content, 0o600))(t)
	}
	return folder, b.Bytes()
}

// Files of listmonk move with its campaigns, which then show and attach them here. A later move reads no file again. The
// Messages can be opened, edited, previewed and sent.
//
// covers: decision 97, 98
func TestListmonkMovesInWithItsImages(t *testing.T) {
	dbtest.EachParallel(t, listmonkMovesInWithItsImages)
}

func listmonkMovesInWithItsImages(t *testing.T, e dbtest.Engine) {
	source, url := newListmonk(t)
	execute(t, source, `INSERT INTO lists (id, name) VALUES (3, 'Club');
		INSERT INTO subscribers (id, email, name) VALUES (11, 'ada@example.com', 'Ada');
		INSERT INTO subscriber_lists (subscriber_id, list_id, status) VALUES (11, 3, 'confirmed')`)
	execute(t, source, listmonkMedia)
	folder, picture := newUploads(t)
	to := newTarget(t, e)
	key := must(to.service.Messages.LinkKey(t.Context()))(t)
	for run := range 2 {
		result := must(to.moveUploads(t.Context(), url, folder))(t)
		want := []string{"file 4 content_type=image/svg+xml", "file 5 =", "message 10 html_content=https://news.example.com/uploads/gone.png",
			"message 10 html_content=https://other.example.com/uploads/logo.png", "message 10 attachments=5", "message 10 attachments=7",
			"message 10 attachments=old.pdf"}
		if run == 0 {
			must(0, os.Remove(filepath.Join(folder, "logo.png")))(t) // the next run does not read it
		}
		if diff := cmp.Diff(want, to.problems); diff != "" || result.Files != 6 {
			t.Errorf("run %d has moved %d files; the problems: %s", run, result.Files, diff)
		}
		to.wantFile(t, 1, "logo.png", picture)
		to.wantFile(t, 6, "6-logo.png", picture)
	}
	path := func(id enlist.FileID) string { return key.FilePath(id) }
	may := must(to.service.Messages.Message(t.Context(), to.caller, 10))(t)
	wantHTML := `<p style="background:url(&quot;` + path(2) + `&quot;)">Hi
			<img src="` + path(2) + `"><img src="` + path(6) + `">
			<img src="https://news.example.com/uploads/gone.png"> <a href="https://other.example.com/uploads/logo.png">x</a></p>`
	if may.HTML != wantHTML || may.Attachments != "3" {
		t.Errorf("the Message has the attachments %s and %s", may.Attachments, cmp.Diff(wantHTML, may.HTML))
	}
	june := must(to.service.Messages.Message(t.Context(), to.caller, 20))(t)
	if want := "![a](" + path(2) + ") See " + path(3) + ", or example.com/uploads/plan.pdf."; june.Text != want {
		t.Errorf("the Message in Markdown is %s, want %s", june.Text, want)
	}
	july := must(to.service.Messages.Message(t.Context(), to.caller, 30))(t)
	if want := `<img src="` + path(1) + `" alt="Logo"><b>x</b>`; july.HTML != want {
		t.Errorf("the Message in a template is %s, want %s", july.HTML, want)
	}
	to.useMoved(t, path(2), picture)
}

// useMoved opens, edits, previews and sends the Message 10, which shows an image.
func (to *target) useMoved(t *testing.T, path string, picture []byte) {
	t.Helper()
	mux := httpserver.NewMux()
	web.New(nil, nil, to.service.Files, nil, must(to.service.Messages.LinkKey(t.Context()))(t), slog.New(slog.DiscardHandler)).Routes(mux)
	ctx, files := t.Context(), httptest.NewServer(mux)
	defer files.Close()
	box := t.TempDir()
	mailer := must(mail.New(mail.Options{PublicURL: files.URL, Key: must(to.service.Messages.LinkKey(ctx))(t), Files: to.service.Files,
		Links: to.service.Sending, Transport: mail.Transport{Dir: box}}))(t)
	defer mailer.Close()
	to.service.Messages.SetComposer(mailer)
	pages := httptest.NewServer(admin.New(to.service, admin.Options{Delay: func(*http.Request) {}, Log: slog.New(slog.DiscardHandler)}))
	defer pages.Close()
	must(to.service.Users.Invite(ctx, users.Invitation{Email: "m@example.com", Name: "M",
		Membership: users.Membership{Account: 1, Level: enlist.Full, MaySend: true}}))(t)
	client := http.Client{Jar: must(cookiejar.New(nil))(t)}
	page := func(r *http.Response, err error) string {
		t.Helper()
		body := must(io.ReadAll(must(r, err)(t).Body))(t)
		r.Body.Close()
		if r.StatusCode != http.StatusOK {
			t.Fatalf("%s is answered with %d and %s", r.Request.URL, r.StatusCode, body)
		}
		return strings.ReplaceAll(string(body), "&#34;", `"`)
	}
	page(client.PostForm(pages.URL+"/admin/link/"+must(to.service.Users.NewLink(ctx, "m@example.com"))(t), nil))
	editor := page(client.Get(pages.URL + "/admin/messages/10"))
	if !strings.Contains(editor, path) || !strings.Contains(editor, "/admin/messages/10/mail?") {
		t.Errorf("the editor shows neither the content nor a preview: %s", editor)
	}
	content := must(to.service.Messages.Message(ctx, to.caller, 10))(t).HTML
	page(client.PostForm(pages.URL+"/admin/messages/10", neturl.Values{"name": {"May"}, "subject": {"May, edited"}, "email_type": {"raw_html"},
		"from_address": {"club@example.com"}, "content": {strings.Replace(content, ">Hi", ">Hello", 1)}}))
	shown := page(client.Get(pages.URL + "/admin/messages/10/mail?list=3&contact=1103"))
	if !strings.Contains(shown, ">Hello") || !strings.Contains(shown, files.URL+path) {
		t.Errorf("the preview of the edited Message is %s", shown)
	}
	_, check, _ := strings.Cut(page(client.Get(pages.URL+"/admin/sends/check?message=10&list=3&when=now")), `action="/admin/sends" class="card"`)
	form := neturl.Values{}
	for _, hidden := range regexp.MustCompile(`type="hidden" name="([^"]*)" value="([^"]*)"`).FindAllStringSubmatch(check, -1) {
		form.Add(hidden[1], hidden[2])
	}
	page(client.PostForm(pages.URL+"/admin/sends", form))
	to.sendAll(t, mailer)
	sent := must(os.ReadFile(must(filepath.Glob(filepath.Join(box, "*.eml")))(t)[0]))(t)
	text := strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(string(sent))
	if !strings.Contains(text, files.URL+path) || !strings.Contains(text, "filename=plan.pdf") || !strings.Contains(text, "Subject: May, edited") {
		t.Errorf("the mail is %s", text)
	}
	if got := page(http.Get(files.URL + path)); got != string(picture) {
		t.Errorf("the image in the mail has %d bytes, want %d", len(got), len(picture))
	}
}

// sendAll sends the mails of all Batches.
func (to *target) sendAll(t *testing.T, mailer *mail.Mailer) {
	t.Helper()
	found := must(to.service.Batches.SearchBatches(t.Context(), to.caller, enlist.Query{}))(t)
	for i := range found {
		for done := false; !done; {
			var err error
			done, _, err = to.service.Sending.PrepareBatch(t.Context(), batches.PrepareBatch{Batch: found[i].ID})
			must(0, err)(t)
		}
	}
	slice, _, err := to.service.Sending.LeaseSlice(t.Context(), "a", sending.LeaseTurn{})
	if err != nil || slice == nil {
		t.Fatalf("there is nothing to send: %v", err)
	}
	next := must(to.service.Sending.BatchMails(t.Context(), []sending.BatchPart{{Slice: slice, Recipients: slice.Recipients}}))(t)
	for i := range next[0].Mark {
		must(mailer.Send(t.Context(), &next[0].Mark[i].OutgoingMail))(t)
	}
}

// Without a folder, files are read by their URLs, but only from public addresses. What is not read is reported with its
// remedy, and everything else moves.
func TestListmonksFilesAreReadFromPublicAddresses(t *testing.T) {
	source, url := newListmonk(t)
	execute(t, source, listmonkMedia)
	execute(t, source, `UPDATE settings SET value = '"http://127.0.0.1:9000"' WHERE key = 'app.root_url'; DELETE FROM media WHERE id > 3`)
	to := newTarget(t, dbtest.SQLite)
	result := must(to.moveListmonk(t.Context(), url))(t)
	if got := strings.Join(to.problems, "\n"); result.Files != 0 || result.Messages != 4 || strings.Count(got, "file ") != 3 {
		t.Errorf("%d files and %d Messages have moved: %s", result.Files, result.Messages, got)
	}
	d := must(listmonk.Open(t.Context(), url, ""))(t)
	defer d.Close()
	for _, f := range must(d.Search(t.Context(), "searchFiles"))(t)[:1] {
		_, _, err := d.FileContent(t.Context(), f)
		if err == nil || enlist.KindOf(err) == enlist.Internal || !strings.Contains(err.Error(), "http://127.0.0.1:9000/uploads/logo.png leads to an address that is not public; give the folder") {
			t.Errorf("the error is %v", err)
		}
	}
	if err := d.UseUploads(filepath.Join(t.TempDir(), "none")); err == nil || !strings.Contains(err.Error(), "uploads") {
		t.Errorf("a folder that does not exist has the error %v", err)
	}
	secret := filepath.Join(t.TempDir(), "secret")
	must(0, os.WriteFile(secret, []byte("x"), 0o600))(t)
	must(0, d.UseUploads(t.TempDir()))(t)
	execute(t, source, `UPDATE media SET filename = '../`+filepath.Base(filepath.Dir(secret))+`/secret' WHERE id = 1`)
	if _, _, err := d.FileContent(t.Context(), must(d.Search(t.Context(), "searchFiles"))(t)[0]); enlist.KindOf(err) == enlist.Internal || err == nil {
		t.Errorf("a file outside of the folder has the error %v", err)
	}
}
