package movein

import (
	"context"
	"io"

	"enlist/internal/enlist"
)

// Source is where an Account moves in from: another service with the same API (API), or the database of listmonk
// (package listmonk). Records have the keys of the API. A kind of record that a Source does not have is empty.
type Source interface {
	// Lists returns all Lists in the order of their IDs. Mover calls it first.
	Lists(ctx context.Context) ([]Record, error)
	// Search returns all records of a search method of the API: searchFolders with a type, searchListPreferences or
	// searchSegments with a List, searchMessages without their contents, searchSavedBlocks with their blocks, searchFiles,
	// searchAutoresponders, or searchWebhooks with their secrets.
	Search(ctx context.Context, method string, params ...any) ([]Record, error)
	// IDFactor returns the number by which the Source computes IDs, or 0. The move stores the number of its first Run,
	// and each Run gives it to UseIDFactor.
	IDFactor() int64
	UseIDFactor(factor int64) error
	// Fields returns the Fields of a List. stored are the Fields that earlier Runs have stored.
	Fields(ctx context.Context, list int64, stored []enlist.Field) ([]Record, error)
	// Message returns a Message with its contents. The record of a Message that was deleted meanwhile is empty.
	Message(ctx context.Context, id int64) (Record, error)
	// FileContent returns the content of a file and its size in bytes. The error is a refusal (enlist.Refuse) if the file
	// has no such content.
	FileContent(ctx context.Context, file Record) (content io.ReadCloser, size int64, err error)
	// Unsubscribers calls store with the entries of the Unsubscriber List in parts, and returns their number. Equal
	// entries are in one part.
	Unsubscribers(ctx context.Context, store func(entries []Record) error) (read int, err error)
	// Contacts returns the next Contacts of a List above an ID, in the order of their IDs. If since is not 0, it leaves
	// out Contacts that were last changed before. An empty page is the last one.
	Contacts(ctx context.Context, list, after, since int64) ([]Record, error)
	// LastModified returns the greatest last_modified_time of a List's Contacts. 0 means that the next Run must read
	// all Contacts again.
	LastModified(ctx context.Context, list int64) (int64, error)
	// Consents returns the consents of Contacts of a List, also the answers to its preferences.
	Consents(ctx context.Context, list int64, hasPreferences bool, ids []enlist.ContactID) (
		[]Consents, error)
	// Problems returns what could not be moved and was found since the last call.
	Problems() []Problem
	// Skipped returns the methods that the other service does not have.
	Skipped() []string
}
