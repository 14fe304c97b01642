package enlist

import "errors"

// This file has the refusals that several packages share.

// ErrReplyTooLong is the error of a ContactWriter if the reply is too long to be buffered.
// Then the search starts over as a stream.
var ErrReplyTooLong = errors.New("reply too long to buffer")

// ErrNegativePage refuses a negative limit or offset, in searches of Contacts and of other
// records.
var ErrNegativePage = Refuse(InvalidSearch, "limit and offset must be 0 or more")

// Refusals that this package and the Stores share, so that the reply for a record of another
// Account is the same as for a record that does not exist. reference.md: auth.restricted
var (
	ErrNoList     = Refuse(NoList, "no List with this ID")
	ErrNoContact  = Refuse(NoContact, "no Contact with this ID in the List")
	ErrNoMessage  = Refuse(NoMessage, "no Message with this ID")
	ErrNoFile     = Refuse(NoFile, "the Account has no file with this ID")
	ErrNoLink     = Refuse(NoLink, "the link leads nowhere any more")
	ErrNotFound   = Refuse(NotFound, "there is no such record")
	ErrInvalidKey = Refuse(InvalidKey, "")
)
