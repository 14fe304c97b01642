package privacy_test

import (
	"bytes"
	"crypto/ed25519"
	"errors"
	"strings"
	"testing"

	"enlist/internal/enlist"
	"enlist/internal/language"
	"enlist/internal/privacy"
	"enlist/internal/privacy/proof"
)

// signature is what a page has before its signature.
const signature = "<!-- enlist signature (Ed25519): "

func newPage(t *testing.T) (page []byte, key ed25519.PublicKey) {
	t.Helper()
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	page, err := proof.Page(language.New().For(language.English, ""), &privacy.ConsentProof{Time: 1767225600, Contact: 7, Email: `"<script>"@example.com`, List: enlist.List{ID: 3, Name: "News & more"},
		Rows: []enlist.LedgerRow{{Method: "subscribeContact", Type: enlist.ConsentGDPR, Text: signature + "x -->\n", IP: "2001:db8::1", KeyName: "<key>"},
			{Method: "aNewMethod"}}}, "1.0", private)
	if err != nil {
		t.Fatal(err)
	}
	return page, private.Public().(ed25519.PublicKey)
}

// covers: decision 161
func TestAPageShowsDecisionsAboutRecording(t *testing.T) {
	private := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	page, err := proof.Page(language.New().For(language.English, ""), &privacy.ConsentProof{IsSubscribed: true, Rows: []enlist.LedgerRow{
		{Method: "import", Tracking: enlist.TrackingGranted, Text: "We count <opens>.", TextVersion: "2026-03", ImportID: 4, ImportRow: 9},
		{Time: 1767225600, Method: "trackingPage", Tracking: enlist.TrackingDenied}}}, "1.1", private)
	if err != nil {
		t.Fatal(err)
	}
	if err := proof.Verify(page, private.Public().(ed25519.PublicKey)); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"agreed to tracking of opens and clicks (import)", "We count &lt;opens&gt;.", "2026-03", "import 4, row 9",
		"refused tracking of opens and clicks (trackingPage)", "2026-01-01 00:00:00 UTC"} {
		if !bytes.Contains(page, []byte(want)) {
			t.Errorf("the page does not say %q", want)
		}
	}
	if bytes.Contains(page, []byte("no consent: a change")) || bytes.Contains(page, []byte("unsubscribed")) {
		t.Error("the page calls a decision a change of the subscription")
	}
}

// covers: decision 100
func TestAnyChangeOfAPageIsFound(t *testing.T) {
	page, key := newPage(t)
	if err := proof.Verify(page, key); err != nil {
		t.Fatal(err)
	}
	for at := range page {
		changed := bytes.Clone(page)
		changed[at] ^= 1
		if err := proof.Verify(changed, key); err == nil {
			t.Fatalf("a change of the byte %d of %d is not found", at, len(page))
		}
		if err := proof.Verify(page[:at], key); err == nil {
			t.Fatalf("a page that ends after %d bytes is accepted", at)
		}
	}
	for _, added := range []string{" ", "\n", "<p>more</p>", string(page)} {
		if added == string(page) {
			added += "x"
		}
		if err := proof.Verify(append(bytes.Clone(page), added...), key); err == nil {
			t.Errorf("a page is accepted although %q follows", added)
		}
	}
	other := ed25519.NewKeyFromSeed(bytes.Repeat([]byte{1}, ed25519.SeedSize)).Public().(ed25519.PublicKey)
	if err := proof.Verify(page, other); !errors.Is(err, proof.ErrChanged) {
		t.Errorf("with another key the error is %v", err)
	}
}

// covers: decision 100
func TestATextOfAContactStaysTextInAPage(t *testing.T) {
	page, _ := newPage(t)
	if n := bytes.Count(page, []byte(signature)); n != 1 {
		t.Errorf("the page has %d signatures", n)
	}
	for _, markup := range []string{"<script>", "<key>", "News & more"} {
		if bytes.Contains(page, []byte(markup)) {
			t.Errorf("the page has %q", markup)
		}
	}
	for _, text := range []string{"&lt;script&gt;", "2001:db8::1", "aNewMethod", "2026-01-01 00:00:00 UTC", "none was recorded"} {
		if !strings.Contains(string(page), text) {
			t.Errorf("the page does not have %q", text)
		}
	}
}

// covers: decision 100
func TestAKeyIsReadAsItIsWritten(t *testing.T) {
	_, key := newPage(t)
	if read, err := proof.ParseKey(proof.KeyText(key)); err != nil || !read.Equal(key) {
		t.Errorf("read %x, error %v; want %x", read, err, key)
	}
	for _, text := range []string{"", "ed25519:", "ed25519:AAAA", strings.TrimPrefix(proof.KeyText(key), "ed25519:"), proof.KeyText(key) + "="} {
		if _, err := proof.ParseKey(text); !errors.Is(err, proof.ErrKey) {
			t.Errorf("%q: error %v, want ErrKey", text, err)
		}
	}
}
