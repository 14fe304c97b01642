package files_test

func fileTypes(f *fileFixture) {
	const png, gif = "\x89PNG\r\n\x1a\n", "GIF89a"
	for _, c := range []struct{ name, content, want string }{
		{"a.png", png, "image/png"}, {"a.txt", gif, "image/gif"}, {"b.png", "<html>", "application/octet-stream"},
		{"a.PDF", "%PDF-1.7", "application/pdf"}, {"a.svg", "<svg/>", "image/svg+xml"}, {"a.html", "<script>", "text/html"},
		{"noend", "text", "application/octet-stream"},
	} {
		if got := f.file(f.upload(c.name, []byte(c.content), "")).Type; got != c.want {
			f.Errorf("the type of %s with the content %q is %s, want %s", c.name, c.content, got, c.want)
		}
	}
}
