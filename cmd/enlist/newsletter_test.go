package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"enlist/internal/config"
	"enlist/internal/db/dbtest"

	"github.com/chromedp/chromedp"
)

// The test plays doc/first-newsletter.md, and writes its pictures:
// go test ./cmd/enlist -run FirstNewsletter -update

var update = flag.Bool("update", false, "write the pictures of doc/first-newsletter.md, or testdata/paths.table")

// A person who has never used enlist follows the link that serve prints, imports a file with mistakes, and sends a
// newsletter to a Segment. Then the report shows who opened it. All is done on the pages, with and without script.
func TestFirstNewsletterInChromium(t *testing.T) {
	if testing.Short() {
		t.Skip(`slow, because a browser must start: run it with "make faults"`)
	}
	for _, c := range []struct {
		script   bool
		language string
		width    int64
	}{{true, "en", 1000}, {true, "de", 1280}, {false, "de", 390}} {
		t.Run(fmt.Sprintf("script=%v,%s,%d", c.script, c.language, c.width), func(t *testing.T) {
			t.Parallel()
			box := &mailbox{t: t, dir: t.TempDir()}
			n := newNewcomer(t, c.script, c.language, c.width)
			if *update && c.language == "en" {
				n.pictures = "../../doc/first-newsletter"
			}
			printed := startPrinting(t, dbtest.SQLite, config.Serve{Mail: "dir:" + box.dir}, "")
			n.signsUp(demoLink.FindString(printed))
			n.introducesTheSender()
			n.imports()
			n.keepsSegment()
			n.addsImage()
			n.writesMessage(c.script)
			n.looksAtPreview()
			n.sendsTest(box)
			n.sends()
			n.watchesReport(box)
		})
	}
}

func (n *newcomer) signsUp(link string) {
	n.opens(link)
	n.sees(n.t("signin.first"))
	n.writes(named("name"), "Kim Gardener")
	n.writes(named("email"), "kim@garden.example")
	n.writes(named("password"), "a garden in spring")
	n.picture("01-first-user", "", 480)
	n.presses(n.t("signin.begin"))
	n.sees(n.t("account.where"))
	n.writes(named("send_delay"), "0") // minutes
	n.presses(n.t("account.save"))
	n.sees("Kim", "First List", n.t("home.nothing_was_sent_yet"))
}

// introducesTheSender says in the settings of the List who sends, and that opens and clicks are tracked.
func (n *newcomer) introducesTheSender() {
	n.goesTo("ui.menu_lists")
	n.presses("First List")
	n.sees(n.t("lists.opens") + " " + n.t("lists.not_counted"))
	n.presses(n.t("lists.settings"))
	n.writes(named("name"), "Garden Club")
	n.writes(named("from_address"), "news@garden.example")
	n.ticks(n.t("lists.track_opens"))
	n.ticks(n.t("lists.track_clicks"))
	n.picture("02-list", "", 640)
	n.presses(n.t("lists.save"))
	n.sees("Garden Club")
}

// gardenersFile returns the path of a file with 10,000 rows. 20 addresses have no @, 5 rows have no address, and 10 have
// that of another row.
func gardenersFile(t *testing.T) string {
	var b bytes.Buffer
	b.WriteString("E-mail,First Name,Town\r\n")
	towns := []string{"Launceston", "Devonport", "Burnie", "Kingston"}
	for i := range 10_000 {
		address, town := fmt.Sprintf("gardener%d@example.org", i), towns[i%4]
		switch {
		case i%20 == 0:
			town = "Hobart"
		case i%500 == 7:
			address = fmt.Sprintf("gardener%d at example.org", i)
		case i%1000 == 13:
			address = fmt.Sprintf("gardener%d@example.org", i-1)
		case i%2000 == 21:
			address = ""
		}
		fmt.Fprintf(&b, "%s,%s,%s\r\n", address, []string{"Ada", "Ben", "Cleo", "Dan", "Eve"}[i/20%5], town)
	}
	file := filepath.Join(t.TempDir(), "gardeners.csv")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func (n *newcomer) imports() {
	n.goesTo("ui.menu_imports")
	n.sees(n.t("imports.none_yet"))
	n.presses(n.t("imports.choose_file"))
	n.ticks(n.t("imports.add_field_for_each_column"))
	n.chooses(named("consent"), n.t("imports.consent_statement"))
	n.writes(named("consent_text"), "I want the newsletter of the Garden Club.")
	n.uploads(gardenersFile(n.T))
	n.picture("03-import", "", 640)
	n.presses(n.t("imports.upload"))
	importNow := n.t("imports.import_now", "n", 9965)
	n.sees(n.t("imports.dry_done"), n.t("imports.would_happen", "n", 10_000), importNow, n.t("imports.refused_rows"))
	n.picture("04-dry-run", "", 700)
	n.presses(importNow)
	n.sees(n.t("imports.imported"), n.t("imports.added_contacts"))
}

func (n *newcomer) keepsSegment() {
	n.goesTo("ui.menu_contacts")
	n.sees(n.t("contacts.of", "match", 9965, "all", 9965))
	n.chooses(named("new.0"), "Town")
	n.presses(n.t("contacts.add_condition"))
	n.writes(named("value"), "Hobart")
	n.presses(n.t("contacts.search"))
	n.sees(n.t("contacts.of", "match", 500, "all", 9965))
	n.picture("05-segment", "", 560)
	n.writes(inLabel(n.t("contacts.keep_segment"), "input"), "Hobart")
	n.presses(n.t("contacts.save_as_new_segment"))
	n.sees(n.t("contacts.who_segment", "name", "Hobart"))
}

// addsImage uploads a picture of a flower bed.
func (n *newcomer) addsImage() {
	picture := image.NewRGBA(image.Rect(0, 0, 600, 200))
	for y := range 200 {
		for x := range 600 {
			c := color.RGBA{0x9c, 0xc8, 0xe6, 0xff} // sky
			if dx, dy := x%100-50, y-120; dx*dx+dy*dy < 900 {
				c = color.RGBA{0xd9, 0x5d, 0x7a, 0xff} // flowers
			} else if y > 140 {
				c = color.RGBA{0x4f, 0x8a, 0x4c, 0xff} // grass
			}
			picture.SetRGBA(x, y, c)
		}
	}
	file, err := os.Create(filepath.Join(n.TempDir(), "flowers.png"))
	if err == nil {
		err = png.Encode(file, picture)
	}
	if err != nil {
		n.Fatal(err)
	}
	if err := file.Close(); err != nil {
		n.Fatal(err)
	}
	n.goesTo("ui.menu_images")
	n.sees(n.t("images.upload"))
	n.uploads(file.Name())
	n.presses(n.t("images.upload"))
	n.sees("flowers.png")
	n.is(`document.querySelector("img.thumb").naturalWidth === 240`)
	n.picture("06-image", "", 420)
}

func (n *newcomer) writesMessage(script bool) {
	n.goesTo("ui.menu_messages")
	n.sees(n.t("messages.there_no_message_yet"))
	n.presses(n.t("messages.write_new_one"))
	n.presses(n.t("messages.use_named", "name", n.t("start_club.name")))
	n.writes(named("subject"), "The garden in spring")
	if script {
		n.writesInMail()
	} else {
		n.fillsBlocks()
	}
	n.presses(n.t("messages.save"))
	n.sees(n.t("messages.saved"))
}

// writesInMail types into the mail.
func (n *newcomer) writesInMail() {
	n.retypes(n.t("start_club.title"), "Spring has come")
	_, letter, _ := strings.Cut(n.language.Text("start_club.hello"), "\n")
	n.retypes(strings.Join(strings.Fields(letter)[:3], " "), "the beds are open.")
	n.do(chromedp.Click(chromedp.CSS(`.rows [data-block=image]`)),
		chromedp.Click(chromedp.CSS(`.canvas-panel button[aria-label="flowers.png"]`)),
		chromedp.SendKeys(chromedp.CSS(`.canvas-panel input[type=text]`), "Flowers in a bed"))
	n.retypes(n.t("start_club.dates"), "Help on Saturday")
	n.retypes(n.t("start_club.walk_1_text"), "We plant the first beds at nine. Bring gloves.")
	n.do(chromedp.Click(chromedp.CSS(`.rows [data-block=button] a`)))
	n.writes(`//aside//input[@inputmode="url"]`, "https://garden.example/beds")
	n.picture("07-message", "", 900)
}

// retypes replaces a text of the mail, which has some words.
func (n *newcomer) retypes(words, text string) {
	n.Helper()
	n.is(fmt.Sprintf(`(() => {
		const found = [...document.querySelectorAll(".rows *")].filter(e => e.textContent.includes(%q)).at(-1)
		if (!found) return false
		document.querySelector(".rows").focus()
		getSelection().selectAllChildren(found)
		return true })()`, words))
	n.do(chromedp.KeyEvent(text))
}

// fillsBlocks fills in the form that the page has without its script.
func (n *newcomer) fillsBlocks() {
	n.writes(named("0.text"), "The beds are open")
	n.writes(named("1.text"), "Garden Club")
	n.chooses(named("2.file"), "flowers.png")
	n.writes(named("2.alt"), "Flowers in a bed")
	n.writes(named("3.text"), "Spring has come")
	n.writes(named("4.text"), "Hello {{First Name|friend}},\n\nthe beds are open.")
	n.writes(named("7.text"), "Help on Saturday")
	n.writes(named("14.text"), "We plant the first beds at nine. Bring gloves.")
	n.writes(named("5.link"), "https://garden.example/beds")
	n.presses(n.t("messages.remove", "kind", n.t("messages.block_columns"))) // these stories stay away
	n.sees(n.t("messages.block_was_removed"))
}

// looksAtPreview shows the mail to a Contact at both widths.
func (n *newcomer) looksAtPreview() {
	n.writes(`//input[@name="contact"]`, "gardener20@example.org")
	n.presses(n.t("messages.show"))
	n.sees(`"Garden Club" <news@garden.example> · The garden in spring`)
	for _, width := range []int{600, 360} {
		if width == 360 {
			n.presses(n.t("messages.width_360"))
		}
		n.do(chromedp.ScrollIntoView(`//iframe`))
		n.is(fmt.Sprintf(`document.querySelector("iframe.mail").offsetWidth >= Math.min(%d, document.querySelector("main").clientWidth - 64) &&
			performance.getEntriesByName(document.querySelector("iframe.mail").src).length > 0`, width))
		n.picture(fmt.Sprintf("08-preview-%d", width), n.t("messages.as_contact_sees"), 720)
	}
	at, frame := n.reads(`location.href`), n.reads(`document.querySelector("iframe.mail").src`)
	n.opens(frame)
	n.sees("Spring has come", "Ben", "the beds are open", "Help on Saturday")
	n.is(`document.querySelector("img[alt='Flowers in a bed']").naturalWidth === 600`)
	n.opens(at)
}

func (n *newcomer) sendsTest(box *mailbox) {
	n.presses(n.t("messages.send_test_mail"))
	n.sees("kim@garden.example")
	if mail := box.wait("To: <kim@garden.example>"); !strings.Contains(mail, "Ben") {
		n.Errorf("the test mail is %s", mail)
	}
}

func (n *newcomer) sends() {
	n.presses(n.t("messages.use_campaign"))
	n.ticks("Hobart")
	n.picture("09-send", "", 640)
	n.presses(n.t("sends.look_at_what_will_happen"))
	n.sees("The garden in spring", n.t("sends.to_of", "gets", 500, "of", 9965), "Hobart", n.t("sends.sure"))
	n.picture("10-check", "", 700)
	n.presses(n.t("sends.send_now"))
}

// watchesReport opens and clicks some mails of the folder, as programs for mail do. The report then shows it without a
// press of a button. It counts what comes within 2 s after the mail as the work of machines.
func (n *newcomer) watchesReport(box *mailbox) {
	n.sees(n.t("sends.delivered_mails")+" 500", n.t("sends.opened_mails")+" 0", n.t("sends.no_mail_has_been_opened"), "garden.example/beds 0 0")
	n.picture("11-sent", "", 640)
	sent := time.Now()
	var mails []string
	for i := range 40 {
		mails = append(mails, box.wait(fmt.Sprintf("To: <gardener%d@example.org>", 20*i)))
	}
	<-time.After(time.Until(sent.Add(3 * time.Second)))
	for i, mail := range mails {
		n.requests(link(n.T, mail, "o"))
		if i%4 == 0 {
			n.requests(link(n.T, mail, "k"))
		}
	}
	n.sees(n.t("sends.opened_mails")+" 40", n.t("sends.clicked_mails")+" 10", "garden.example/beds 10 10", n.t("sends.opened_by_machines_only")+" 0")
	n.is(`document.querySelectorAll(".chart .line").length === 3 && !document.querySelector("h2 + p.second")`)
	n.picture("12-report", "", 1000)
}

// requests asks for a link of a mail as a person's program does. It does not follow redirects to other sites.
func (n *newcomer) requests(link string) {
	r, err := http.NewRequestWithContext(n.ctx, http.MethodGet, link, nil)
	if err != nil {
		n.Fatal(err)
	}
	r.Header.Set("User-Agent", "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Thunderbird/140.0")
	reply, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		n.Fatal(err)
	}
	reply.Body.Close()
	if reply.StatusCode >= http.StatusBadRequest {
		n.Fatalf("%s answers %s", link, reply.Status)
	}
}
