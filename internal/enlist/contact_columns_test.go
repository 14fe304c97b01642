package enlist

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// covers: spec searchContacts.rule.1
func TestReturnedFieldsSelectTheColumns(t *testing.T) {
	whole := "id,Email,Mobile,City,city,Price,Born,ID,creation_time,webform_id,last_modified_time,subscribed_via,is_unsubscribed," +
		"is_bounce_deactivated,last_message_time,last_open_time,last_click_time,double_opt_in,double_opt_in_time,is_active"
	for _, c := range []struct {
		returned []string
		want     string
		needs    Columns
	}{
		{nil, whole, Columns{System: true, All: true}},
		{[]string{}, whole, Columns{System: true, All: true}},
		{[]string{"all"}, whole, Columns{System: true, All: true}},
		{[]string{"City", "all", "field_3"}, whole + ",field_3", Columns{System: true, All: true, Fields: []FieldID{3}}},
		{[]string{"id"}, "id", Columns{}},
		{[]string{"Price", "unknown", "id", "Price", "field_5"}, "Price,id,field_5", Columns{Fields: []FieldID{5, 5}}},
		{[]string{"is_active"}, "is_active", Columns{System: true}},
		{[]string{"CITY", "ALL", ""}, "", Columns{}},
	} {
		t.Run(fmt.Sprintf("%q", c.returned), func(t *testing.T) {
			columns, needs := ColumnsOf(searchSchema(), c.returned)
			var names []string
			for _, column := range columns {
				names = append(names, column.Name)
				if (column.Field == nil) == (column.System == nil) {
					t.Errorf("%q: the column %s must have either a Field or a system key", c.returned, column.Name)
				}
			}
			if diff := cmp.Diff(c.want, strings.Join(names, ",")); diff != "" {
				t.Errorf("%q: (-want +got)\n%s", c.returned, diff)
			}
			if diff := cmp.Diff(c.needs, needs); diff != "" {
				t.Errorf("%q: (-want +got)\n%s", c.returned, diff)
			}
		})
	}
}
