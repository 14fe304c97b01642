package pgtest

import "testing"

// The function acrossLists must find exactly the statements that Statements reports.
func TestStatementsOnLargeTablesNameTheirList(t *testing.T) {
	for _, test := range []struct{ query, want string }{
		{"SELECT 1 FROM contact WHERE list_id = ? AND id = ?", ""},
		{"SELECT 1 FROM contact c WHERE c.list_id = ?1 AND EXISTS (SELECT 1 FROM contact d WHERE d.list_id = ?1)", ""},
		{"SELECT 1 FROM contact WHERE list_id = ? AND id IN (SELECT d.id FROM contact d WHERE d.list_id = ? FOR UPDATE OF d)", ""},
		{"INSERT INTO consent (list_id, contact_id) SELECT a, b FROM unnest(?, ?) AS added (a, b)", ""},
		{"UPDATE contact SET id = ? WHERE list_id = ?", ""},
		{"SELECT 1 FROM contact_7 AS contact WHERE list_id = $1 AND id IN (SELECT d.id FROM contact_7 d WHERE d.list_id = $1)", ""},
		{"SELECT 1 FROM contact_7 AS contact WHERE id = $1", "1 mentions of a large table, and 0 Lists"},
		{"DELETE FROM contact_delta WHERE contact_id = ?", ""},
		{"SELECT contact_count FROM list WHERE id = ?", ""},
		{"SELECT 1 FROM contact WHERE id = ?", "1 mentions of a large table, and 0 Lists"},
		{"DELETE FROM delivery", "1 mentions of a large table, and 0 Lists"},
		{"SELECT 1 FROM contact c WHERE c.list_id = ? AND EXISTS (SELECT 1 FROM contact d WHERE d.list_id = c.list_id)", "2 mentions of a large table, and 1 Lists"},
		{"UPDATE contact SET list_id = ? WHERE id = ?", "1 mentions of a large table, and 0 Lists"},
		{"INSERT INTO contact (id) VALUES (?)", "1 mentions of a large table, and 0 Lists"},
		{"SELECT 1 FROM list, contact WHERE list_id = ?", "contact is mentioned, but not after FROM, JOIN, INTO or UPDATE"},
		{"SELECT 1 FROM contact WHERE list_id = ? AND EXISTS (SELECT 1 FROM list WHERE list.id = ?)", "list is on another server"},
		{"INSERT INTO consent (list_id, text) SELECT id, name FROM list", "list is on another server"},
	} {
		if got := acrossLists(test.query); got != test.want {
			t.Errorf("%s: %q, want %q", test.query, got, test.want)
		}
	}
}
