package users

import "enlist/internal/enlist"

// This file maps roles to what the version without roles stored, and back: a level, and whether the user may send. That
// version may run beside this one during an upgrade. So each role is stored with rights of that version which are no
// more than its own. A stored role counts only as long as they are beside it: otherwise that version has changed
// the rights since. decisions.md: 166

// before is what a membership had before there were roles.
type before struct {
	level   enlist.Level
	maySend bool
}

// beforeOf is stored with each role.
var beforeOf = map[enlist.Role]before{
	enlist.Reader:  {enlist.Read, false},
	enlist.Writer:  {enlist.Read, false},
	enlist.Sender:  {enlist.Read, false},
	enlist.Manager: {enlist.Standard, true},
	enlist.Owner:   {enlist.Full, true},

	enlist.ContactsOnly:       {enlist.Standard, false},
	enlist.ContactsAndSend:    {enlist.Standard, true},
	enlist.ManagerWithoutSend: {enlist.Standard, false},
	enlist.OwnerWithoutSend:   {enlist.Full, false},
}

// roleBefore returns the role with exactly the rights of a membership without one.
func (m *Membership) roleBefore() enlist.Role {
	switch {
	case m.Level == enlist.Standard && m.MaySend:
		return enlist.ContactsAndSend
	case m.Level == enlist.Standard:
		return enlist.ContactsOnly
	case m.Level != enlist.Full:
		return enlist.Reader // a level that does not send has the right to send without effect
	case m.Lists != nil && m.MaySend:
		return enlist.Manager
	case m.Lists != nil:
		return enlist.ManagerWithoutSend
	case m.MaySend:
		return enlist.Owner
	}
	return enlist.OwnerWithoutSend
}

// readRole sets the role of a membership that was read.
func (m *Membership) readRole() {
	if stored := beforeOf[m.Role]; m.Role == "" || stored != (before{m.Level, m.MaySend}) ||
		m.Role.HasAllLists() && m.Lists != nil {
		m.Role = m.roleBefore()
	}
}

// setRole sets the role of a membership that is stored, and what the version without roles reads. A caller that gives no
// role gives a level.
func (m *Membership) setRole() {
	if m.Role == "" {
		m.Role = m.roleBefore()
	}
	b := beforeOf[m.Role]
	m.Level, m.MaySend = b.level, b.maySend
}
