package movein

import (
	"context"
	"fmt"

	"enlist/api"
	"enlist/internal/app"
	"enlist/internal/enlist"
)

// Mover moves the records of a Source into the Account of Caller.
type Mover struct {
	Service *app.App
	Caller  *enlist.Caller
	From    Source
	Source  string // URL of the other service, without the key
	// Quick leaves out the consents and the comparison. Then Contacts that were deleted at the other service stay.
	Quick bool
	// Report gets the progress, one line for each page, and Problem what could not be moved.
	Report  func(line string)
	Problem func(Problem)

	move   *move
	lists  []movedList
	links  fileLinks
	result Result
}

// Result says what a Run has moved.
type Result struct {
	Lists          []ListResult
	Folders        int
	Files          int
	Messages       int
	SavedBlocks    int
	Autoresponders int
	Webhooks       int
	Active         []int64 // IDs of the autoresponders that are active at the other service, and inactive here
	Consents       int     // rows of the ledger that this Run has added
	Unsubscribers  int     // entries that the other service has
	StoredUnsubs   int64   // entries that are stored here
	ErasedUnsubs   int     // of Unsubscribers, entries that were left out, because the person was erased here
	Problems       int
	Skipped        []string // methods that the other service does not have
}

// ListResult compares a List with the other service. Without a comparison, the checksums are empty.
type ListResult struct {
	ID             int64
	Name           string
	AtSource       int // Contacts that the other service has
	LeftOut        int // of them, Contacts without a valid address
	Erased         int // of them, Contacts of persons who were erased here
	Stored         int64
	Added, Changed int
	Removed        int
	SourceChecksum string
	Checksum       string
}

// Equal reports whether the List has the same Contacts as the other service, except those that were left out or erased.
func (l *ListResult) Equal() bool {
	return l.SourceChecksum == l.Checksum && (l.Checksum == "" || int64(l.AtSource-l.LeftOut-l.Erased) == l.Stored)
}

// movedList is a List of the other service.
type movedList struct {
	id             enlist.ListID
	contacts       int64 // the number that the other service says
	hasPreferences bool
	result         *ListResult
}

// Run moves everything, or continues. A later Run catches up with the changes at the other service.
func (m *Mover) Run(ctx context.Context) (*Result, error) {
	lists, err := m.From.Lists(ctx) // before beginMove, which stores the URL: it is possibly wrong
	if err != nil {
		return nil, explain(err)
	}
	m.move, err = m.beginMove(ctx)
	if err != nil {
		return nil, err
	}
	if err := m.From.UseIDFactor(m.move.IDFactor); err != nil {
		return nil, err
	}
	readLists := func(ctx context.Context) error { return m.readLists(ctx, lists) }
	parts := []func(context.Context) error{m.folders, readLists, m.files, m.messages, m.savedBlocks, m.autoresponders, m.webhooks,
		m.readContacts, m.unsubscribers}
	if !m.Quick {
		parts = append(parts, m.consents, m.compare)
	}
	for _, part := range parts {
		if err := part(ctx); err != nil {
			return nil, explain(err)
		}
		m.refused(m.From.Problems())
	}
	m.result.Skipped = m.From.Skipped()
	for _, l := range m.lists {
		n, err := m.Service.Contacts.CountContacts(ctx, m.Caller, l.id, nil)
		if err != nil {
			return nil, err
		}
		l.result.Stored = n
		m.result.Lists = append(m.result.Lists, *l.result)
	}
	m.result.StoredUnsubs, err = m.Service.Contacts.CountUnsubscribers(ctx, m.Caller, 0, nil)
	return &m.result, err
}

// explain adds to a refusal what the operator can do.
func explain(err error) error {
	switch {
	case isCode(err, api.CodeInvalidKey), isCode(err, api.CodeMissingKey):
		return fmt.Errorf("the other service refuses the key: %w", err)
	case isCode(err, api.CodeDenied):
		return fmt.Errorf("the key may not read everything: give a key of the level full for all Lists: %w", err)
	}
	return err
}

// refused passes problems on.
func (m *Mover) refused(problems []Problem) {
	m.result.Problems += len(problems)
	for _, p := range problems {
		m.Problem(p)
	}
}
