package contacts

import "enlist/internal/enlist"

// This file has the record of a change of many Contacts, as programs see it.

// reasonCancelled is the Reason of a change that was cancelled.
const reasonCancelled = "cancelled"

// State says in a word how far a change is.
func (c *Change) State() string {
	switch {
	case c.EndTime == 0:
		return "running"
	case c.Reason == "":
		return "done"
	case c.Reason == reasonCancelled:
		return "cancelled"
	}
	return "failed"
}

// ChangeAttributes are the keys of a ContactChange record, in the order of a reply. The value that a change sets is none
// of them: it can be about a person.
var ChangeAttributes = []enlist.Attribute[Change]{
	enlist.ReadOnlyInt("id", func(c *Change) int64 { return c.ID }),
	enlist.ReadOnlyInt("list_id", func(c *Change) enlist.ListID { return c.ListID }),
	enlist.ReadOnlyInt("target_list_id", func(c *Change) enlist.ListID { return c.Target }),
	enlist.ReadOnlyText("action", func(c *Change) ChangeAction { return c.Action }),
	enlist.ReadOnlyText("state", (*Change).State),
	enlist.ReadOnlyText("reason", func(c *Change) string { return c.Reason }),
	enlist.ReadOnlyInt("total", func(c *Change) int64 { return c.Total }),
	enlist.ReadOnlyInt("done", func(c *Change) int64 { return c.Done }),
	enlist.ReadOnlyInt("changed", func(c *Change) int64 { return c.Changed }),
	enlist.ReadOnlyInt("existed", func(c *Change) int64 { return c.Existed }),
	enlist.ReadOnlyInt("refused", func(c *Change) int64 { return c.Refused }),
	enlist.ReadOnlyInt("unfit", func(c *Change) int64 { return c.Unfit }),
	enlist.ReadOnlyInt("creation_time", func(c *Change) int64 { return c.CreationTime }),
	enlist.ReadOnlyInt("end_time", func(c *Change) int64 { return c.EndTime }),
}
