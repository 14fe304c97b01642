package main

import (
	"archive/zip"
	"bytes"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"

	"enlist/internal/db/dbtest"
)

// This test uploads workbooks whose shared texts are large, all at the same time.

// Ten workbooks of 4 MiB with 504 MB of shared texts each, uploaded at once, cannot make the service use more memory
// than --memory.
//
// covers: decision 43
func TestMemoryStaysBoundedWhileWorkbooksAreUploaded(t *testing.T) {
	if testing.Short() {
		t.Skip("this test uploads 5 GB of unpacked texts: run it with \"make faults\"")
	}
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("this test reads the peak memory of a process from /proc")
	}
	const uploads = 10
	c := newCrash(t, dbtest.SQLite, "smtp://127.0.0.1:1")
	p := c.process()
	defer p.end(os.Kill)
	file := workbookOfTexts(t, 16_800, 30_000)
	address := strings.TrimSuffix(p.url, p.url[strings.Index(p.url, "/api/"):]) + "/api/imports?list_id=1&follow=0&file_name=a.xlsx"
	var wg sync.WaitGroup
	for range uploads {
		wg.Go(func() {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, bytes.NewReader(file))
			if err != nil {
				t.Error(err)
				return
			}
			r.Header.Set("Authorization", "Bearer "+c.key)
			reply, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer reply.Body.Close()
			body, err := io.ReadAll(reply.Body)
			if err != nil || reply.StatusCode != http.StatusInsufficientStorage && reply.StatusCode != http.StatusBadRequest {
				t.Errorf("status %d, reply %q, error %v; want 400 or 507", reply.StatusCode, body, err)
			}
		})
	}
	wg.Wait()
	peak := peakMemory(t, p.cmd.Process.Pid)
	t.Logf("the peak memory of the process was %d MiB for %d workbooks of %d KiB", peak, uploads, len(file)>>10)
	if peak > 512 {
		t.Errorf("want at most 512 MiB")
	}
}

// workbookOfTexts returns an .xlsx file with shared texts of a length, one for each row.
func workbookOfTexts(t *testing.T, texts, length int) []byte {
	t.Helper()
	var rows, shared strings.Builder
	source := rand.NewChaCha8([32]byte{})
	random := func() string {
		var b [240]byte
		source.Read(b[:])
		return hex.EncodeToString(b[:])
	}
	letters := strings.Repeat("x", length-480)
	for n := range texts {
		fmt.Fprintf(&rows, `<row><c t="s"><v>%d</v></c></row>`, n)
		fmt.Fprintf(&shared, "<si><t>%s%s</t></si>", random(), letters) // unpacks to less than 200 times its size
	}
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, part := range [][2]string{
		{"[Content_Types].xml", "<Types/>"},
		{"_rels/.rels", `<Relationships><Relationship Id="1" Type="x/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
		{"xl/workbook.xml", `<workbook xmlns:r="x"><sheets><sheet name="One" r:id="a"/></sheets></workbook>`},
		{"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="a" Type="x/worksheet" Target="one.xml"/>` +
			`<Relationship Id="b" Type="x/sharedStrings" Target="texts.xml"/></Relationships>`},
		{"xl/texts.xml", "<sst><si><t>Email</t></si>" + shared.String() + "</sst>"},
		{"xl/one.xml", "<worksheet><sheetData>" + rows.String() + "</sheetData></worksheet>"},
	} {
		in, err := w.Create(part[0])
		if err == nil {
			_, err = io.WriteString(in, part[1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
