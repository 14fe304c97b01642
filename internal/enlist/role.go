package enlist

// This file says what each user of an Account may do. It is the only place that does: a page names the rights that it
// needs, and a service asks Caller.May. decisions.md: 166

// Right is a set of things that a user may do in an Account. See is the empty set: each user may do that.
type Right uint8

// The rights.
const (
	Write       Right = 1 << iota // write Messages, images and templates
	SendTests                     // send a test mail to the own address
	Send                          // start, pause and cancel Batches, and send test mails to others
	SeeContacts                   // see, change, import and export Contacts
	Manage                        // Lists, Fields, Forms, Segments, webhooks, the design of mails
	Administer                    // users, keys, settings and the audit log of the Account

	See Right = 0 // Lists, Messages, reports and numbers, but no data of persons
)

// Role is what a user is in an Account. "" is the Role of an API key, whose Level says what it may do.
type Role string

// The roles that a user can be given.
const (
	Reader  Role = "reader"
	Writer  Role = "writer"
	Sender  Role = "sender"
	Manager Role = "manager"
	Owner   Role = "owner"
)

// The roles of users whose rights are from before there were roles, and are like no other. They cannot be given to others.
const (
	ContactsOnly       Role = "contacts"             // had the level standard
	ContactsAndSend    Role = "contacts-and-send"    // had the level standard, and could send
	ManagerWithoutSend Role = "manager-without-send" // had the level full for some Lists
	OwnerWithoutSend   Role = "owner-without-send"   // had the level full
)

// Roles are the roles that can be given, each with more rights than the one before.
var Roles = [...]Role{Reader, Writer, Sender, Manager, Owner}

const (
	ofManager = Write | SendTests | Send | SeeContacts | Manage
	ofOwner   = ofManager | Administer
)

// rightsOfRoles is the table of what each role may do.
var rightsOfRoles = map[Role]Right{
	Reader:  See,
	Writer:  Write | SendTests,
	Sender:  Write | SendTests | Send,
	Manager: ofManager,
	Owner:   ofOwner,

	ContactsOnly:       SeeContacts,
	ContactsAndSend:    SeeContacts | SendTests | Send,
	ManagerWithoutSend: ofManager &^ (SendTests | Send),
	OwnerWithoutSend:   ofOwner &^ (SendTests | Send),
}

// rightsOfLevels is the same for API keys. A key may send: its level says which methods it can call.
var rightsOfLevels = map[Level]Right{
	0:        SendTests | Send, // a Caller of the service itself
	Read:     SendTests | Send,
	Standard: SendTests | Send | SeeContacts,
	Full:     ofOwner,
}

// Rights returns what a role may do.
func (r Role) Rights() Right { return rightsOfRoles[r] }

// May reports whether a role has all of some rights.
func (r Role) May(rights Right) bool { return r.Rights()&rights == rights }

// HasAllLists reports whether a role is always for all Lists of the Account.
func (r Role) HasAllLists() bool { return r.May(Administer) }

// ParseRole reads the name of a role that can be given. Errors: InvalidParameters.
func ParseRole(s string) (Role, error) {
	for _, r := range Roles {
		if s == string(r) {
			return r, nil
		}
	}
	return "", Refuse(InvalidParameters, "%q is none of the roles reader, writer, sender, manager, owner", s)
}

// Rights returns what the user or the program that has the key may do.
func (k *Key) Rights() Right {
	if k.Role != "" {
		return k.Role.Rights()
	}
	return rightsOfLevels[k.Level]
}

// May reports whether the caller has all of some rights.
func (c *Caller) May(rights Right) bool { return c.Key.Rights()&rights == rights }

// MayInAll is May for what concerns all Lists of the Account.
func (c *Caller) MayInAll(rights Right) bool { return c.May(rights) && c.Key.Lists == nil }

// RequireSending refuses a user who may not send mails.
func RequireSending(c *Caller) error {
	if !c.May(Send) {
		return Refuse(Denied, "you may not send")
	}
	return nil
}
