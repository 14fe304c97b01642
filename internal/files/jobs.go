package files

import "enlist/internal/enlist"

// RemoveContent removes the content of a file that was deleted or overwritten, in steps. It also removes
// the content of an upload that did not end. Content that a file has stays.
type RemoveContent struct {
	Content enlist.ContentID `json:"content_id"`
	Due     int64            `json:"due"` // when the job may start
}

// Kind implements Effect.
func (RemoveContent) Kind() string { return "remove_content" }

// DueTime returns when the job may start.
func (r RemoveContent) DueTime() int64 { return r.Due }
