package contacts

import (
	"net/url"

	"enlist/internal/admin/ui"
	"enlist/internal/enlist"
)

// This file has the conditions of a search for the pages of other subjects. Their templates show them as the block
// "conditions".

// Conditions is the form of conditions of a List's Contacts, as the page of Contacts has it.
type Conditions struct {
	Keys   []keyGroup
	Rows   []part
	Any    bool
	Deeper bool // the form cannot show the stored criteria
	Unused int  // conditions without a value

	builder *builder
	view    view
}

// NewConditions returns the conditions of a form that was sent, after the change that its button asks for, or else those
// of stored criteria, which may be nil.
func NewConditions(r *ui.Request, list enlist.ListID, form url.Values, stored *enlist.Criteria) (*Conditions, error) {
	b, err := newBuilder(r, list)
	if err != nil {
		return nil, err
	}
	c := &Conditions{builder: b, view: read(form)}
	c.view.list = list
	if isSent := form.Has("was"); !isSent && stored != nil {
		if c.Deeper = !b.show(&c.view, stored); c.Deeper {
			c.view.conditions = nil
		}
	} else if isSent {
		c.view.edit(form)
	}
	c.Unused = len(c.view.conditions) - len(b.complete(&c.view))
	c.Keys, c.Rows, c.Any = b.headings(), b.parts(c.view), c.view.either[0]
	return c, nil
}

// Criteria returns the conditions as a search has them, or nil.
func (c *Conditions) Criteria() *enlist.Criteria { return c.builder.conditions(c.view) }
