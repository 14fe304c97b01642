package privacy

import "strings"

// PersonColumns returns the columns of each table that an export contains.
func PersonColumns() map[string][]string {
	all := make(map[string][]string)
	for _, t := range personTables {
		all[t.name] = strings.Fields(strings.ReplaceAll(t.columns, ":json", ""))
	}
	return all
}
