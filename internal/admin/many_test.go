package admin_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file walks all pages of an Account with 1,000 records of each kind that a user chooses from.

// maxPage is the largest page in bytes of HTML.
const maxPage = 200 << 10

// many is the number of records of each kind.
const many = 1000

// copies are the columns of a copied record that cannot be those of the first one. ?1 is the number of the copy.
var copies = []struct{ table, where, columns, values string }{
	{"list", "id = {list}", "name, from_address", "'The List of the branch ' || n, 'sender' || n || '@example.com'"},
	{"message", "id = {message}", "name, subject, blocks, html_content", "'The letter of week ' || n, 'News of week ' || n, '', '<p>Hi</p>'"},
	{"segment", "id = {segment}", "name", "'The members of the year ' || n"},
	{"folder", "type = 'list' AND id = (SELECT folder_id FROM list WHERE id = {list})", "name", "'The folder of the branch ' || n"},
	{"file", "id = {file}", "name", "'picture ' || n || '.png'"},
	{"form", "id = {form}", "name", "'The form of the branch ' || n"},
	{"autoresponder", "id = {autoresponder}", "event_type", "'subscribe'"},
	{"webhook", "id = {webhook}", "event", "'subscribed'"},
	{"import", "id = {import}", "options", "options"},
	{"api_key", "id = {key}", "name, hash", "'The key of the program ' || n, CAST('hash' || n AS BLOB)"},
	{"batch", "id = {batch}", "name", "'The letter of week ' || n"},
	{"person", "id = {user}", "name, email, email_key", "'Person ' || n, 'p' || n || '@example.com', 'p' || n || '@example.com'"},
}

// fillMany adds the records.
func (h *hold) fillMany() {
	h.Update(func(tx *db.Tx) error {
		for _, c := range copies {
			where := parameter.ReplaceAllStringFunc(c.where, func(p string) string { return h.ids[strings.Trim(p, "{}")] })
			columns, err := db.RowsOf(tx, (*db.Cursor).Text, "SELECT name FROM pragma_table_info('"+c.table+"') WHERE name <> 'id' AND instr(', "+c.columns+",', ', ' || name || ',') = 0")
			if err != nil {
				return err
			}
			same := strings.Join(columns, ", ")
			err = tx.Define(fmt.Sprintf("WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %d) INSERT INTO %s (%s, %s) SELECT %s, %s FROM numbers CROSS JOIN %s WHERE %s",
				many, c.table, same, c.columns, same, c.values, c.table, where))
			if err != nil {
				return fmt.Errorf("%s: %w", c.table, err)
			}
		}
		for _, statement := range []string{
			`INSERT INTO membership (person_id, account_id, level, lists, may_send)
				SELECT p.id, m.account_id, m.level, m.lists, m.may_send FROM person p, membership m
				WHERE m.person_id = ` + h.ids["user"] + " AND p.email_key GLOB 'p[0-9]*@example.com'",
			`INSERT INTO field (list_id, name, type, mandatory, allow_update, show_in_form, length, size, row_size, default_value,
				value_list, default_list, dont_store_default, allowed_file_types, file_folder_id, address_type, time_format,
				date_validation, display_order)
				SELECT l.id, f.name, f.type, mandatory, allow_update, show_in_form, length, size, row_size, default_value,
				value_list, default_list, dont_store_default, allowed_file_types, file_folder_id, address_type, time_format,
				date_validation, display_order FROM list l, field f
				WHERE f.address_type = 'email' AND f.list_id = ` + h.ids["list"] + " AND l.name LIKE 'The List of%'",
		} {
			if err := tx.Define(statement); err != nil {
				return err
			}
		}
		return nil
	})
}

// An Account with 1,000 Lists, Messages, Segments and other records has pages that a user can use.
func TestPagesOfALargeAccount(t *testing.T) {
	h := newHold(t)
	h.fillMany()
	h.Case("each page has at most 200 KB of HTML", h.smallPages)
	h.Case("a picker shows what is chosen and what the search finds, and keeps the form", h.pickerOfAPage)
	h.Case("the search of a picker stores nothing", h.pickerOfAForm)
	h.Case("a picker shows only what the user may choose", h.pickerOfOthers)
	h.Case("a table has pages, and a search over all rows", h.pagesOfATable)
}

func (h *hold) smallPages() {
	v := h.roles[enlist.Owner]
	for _, p := range h.pages {
		if !isGet(p) || p.File {
			continue
		}
		reply, text := v.ask(p.Pattern, h.path(p.Pattern, nil), nil)
		if reply.StatusCode != http.StatusOK || len(text) > maxPage {
			h.Errorf("%s is answered with %d and %d KB", p.Pattern, reply.StatusCode, len(text)>>10)
		}
		for name, n := range nextPages(text) {
			if n > 1 {
				h.Errorf("%s has %d lists whose pages are the parameter %s: each needs its own", p.Pattern, n, name)
			}
		}
	}
}

var nextLink = regexp.MustCompile(`(?s)<div class="more second">.*?</div>`)

// nextPages returns how many lists of a page lead to their second page by a parameter, by its name.
func nextPages(text string) map[string]int {
	n := make(map[string]int)
	for _, pager := range nextLink.FindAllString(text, -1) {
		for _, found := range regexp.MustCompile(`[?;&]([a-z]+)=2"`).FindAllStringSubmatch(pager, -1) {
			n[found[1]]++
		}
	}
	return n
}

// wantPicks checks that a page shows some texts, and not others, which begin with "!".
func (v *visitor) wantPicks(page string, texts ...string) {
	v.Helper()
	page = shown(page)
	for _, text := range texts {
		if not, is := strings.CutPrefix(text, "!"); strings.Contains(page, strings.TrimPrefix(text, "!")) == is {
			v.Errorf("the page shows %q: %v\n%s", not, is, page)
		}
	}
}

func (h *hold) pickerOfAPage() {
	v := h.roles[enlist.Owner]
	_, _, page := v.get("/admin/sends/new")
	v.wantPicks(page, `Search 1,002 entries: ""`, "[ ] The List of the branch 1 ", "!The List of the branch 7 ", "990 more entries match.")
	var list enlist.ListID
	for _, l := range value(h.App.Lists.SearchLists(h.Context(), h.Caller, enlist.Query{})) {
		if l.Name == "The List of the branch 7" {
			list = l.ID
		}
	}
	_, _, page = v.get("/admin/sends/new?name=Kept&pick=list&find.list=Branch+99&find.variant-B=week+500&list=" + id(list))
	v.wantPicks(page, `"Kept"`, "[x] The List of the branch 7 ", `Search 1,002 entries: "Branch 99"`, "[ ] The List of the branch 99 ",
		"[ ] The List of the branch 999 ", "!The List of the branch 98", "(_) The letter of week 500 ", "(x) the one above")
	_, _, page = v.get("/admin/sends/new?pick=list&find.list=nowhere")
	v.wantPicks(page, "No other entry has this name.")
	_, _, page = v.get("/admin/imports/new?pick=list&find.list=branch+123&as=bounced&list=" + id(list))
	v.wantPicks(page, "(x) The List of the branch 7 ", "(_) The List of the branch 123 ", `"addresses that do not work" of`)
	_, _, page = v.get("/admin/contacts?pick=pick.0&find.pick.0=year+77&g=0&key=segment_id&op=in&value=&list=" + h.ids["list"])
	v.wantPicks(page, "[ ] The members of the year 777 ")
}

func (h *hold) pickerOfAForm() {
	v := h.roles[enlist.Owner]
	before := len(value(h.App.Webhooks.SearchWebhooks(h.Context(), h.Caller, enlist.Query{})))
	_, _, page := v.post("/admin/webhooks", url.Values{"event": {"list:removed"}, "url": {"https://x.example.com/"}, "list_id": {h.ids["list"]},
		"pick": {"list_id"}, "find.list_id": {"branch 42"}})
	v.wantPicks(page, `"https://x.example.com/"`, "(_) The List of the branch 42 ", "(x) <script>")
	if n := len(value(h.App.Webhooks.SearchWebhooks(h.Context(), h.Caller, enlist.Query{}))); n != before {
		h.Errorf("the Account has %d webhooks, want %d", n, before)
	}
}

func (h *hold) pickerOfOthers() {
	lists := value(h.App.Lists.SearchLists(h.Context(), h.Caller, enlist.Query{}))
	var own []enlist.ListID
	for _, l := range lists[len(lists)-40:] {
		own = append(own, l.ID)
	}
	v := h.as("forty", users.Membership{Level: enlist.Full, Lists: own, MaySend: true})
	_, _, page := v.post("/admin/forms", url.Values{"pick": {"list_id"}, "find.list_id": {"branch 1"}})
	v.wantPicks(page, `Search 40 entries: "branch 1"`, "!The List of the branch 10 ", "!The List of the branch 11 ", "!1,002")
}

func (h *hold) pagesOfATable() {
	v := h.roles[enlist.Owner]
	_, _, page := v.get("/admin/forms")
	if got := nextPages(page); len(got) != 2 || got["page"] != 1 || got["lists"] != 1 {
		h.Errorf("the lists of the page of Forms have pages by %v, want each its own parameter", got)
	}
	_, _, page = v.get("/admin/forms?lists=2&page=3")
	v.wantPicks(page, "51 to 100 of", "101 to 150 of", "[Next](?lists=2&page=4)", "[Next](?lists=3&page=3)")
	for path, rows := range map[string]string{"/admin/segments": "The members of the year ", "/admin/forms": "The form of the branch ",
		"/admin/lists": "The List of the branch ", "/admin/messages": "The letter of week ", "/admin/users": "Person ", "/admin/images": "picture ",
		"/admin/keys": "The key of the program "} {
		_, _, page := v.get(path + "?page=2")
		v.wantPicks(page, "of 1,0", "[Next](?")
		_, _, page = v.get(path + "?find=" + url.QueryEscape(strings.ToUpper(rows)+"987"))
		v.wantPicks(page, rows+"987", "!"+rows+"986")
	}
}
