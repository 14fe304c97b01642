package imports

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"

	"enlist/internal/enlist"
)

// This file has the refused rows of an Import by their reasons, for a person who mends the file.

// Refusal is a reason for which rows were refused.
type Refusal struct {
	Reason, Field string
	Count         int64
	Rows          []RowResult // the first ones, in the order of the file
}

// maxReasons is the number of reasons that Refusals tells apart. A List refuses rows for few reasons, but their texts
// can contain parts of the file.
const maxReasons = 50

// reasonOther has the rows with further reasons.
const reasonOther = "other reasons"

// Refusals returns the reasons for which rows were refused, in the order of their first rows, each with at most that
// many rows. Errors: ErrNoImport, Denied.
func (s *Service) Refusals(ctx context.Context, c *enlist.Caller, id enlist.ImportID, most int) ([]Refusal, error) {
	all := refusals{most: most, of: make(map[[2]string]int)}
	err := s.eachStep(ctx, c, id, func(i *Import, step stepResults) (more bool, err error) {
		err = all.read(step.Data)
		return all.seen < i.Refused, err
	})
	return all.list, err
}

// refusals collects the refused rows.
type refusals struct {
	most int
	seen int64
	list []Refusal
	of   map[[2]string]int // place in the list by reason and Field
}

// read reads the results of a step. It decodes only the refused rows: nearly all rows of most files are stored.
func (r *refusals) read(data []byte) error {
	lines := bufio.NewScanner(flate.NewReader(bytes.NewReader(data)))
	lines.Buffer(nil, maxResultLine)
	mark := []byte(`"outcome":"` + RowRefused + `"`)
	for lines.Scan() {
		if !bytes.Contains(lines.Bytes(), mark) {
			continue
		}
		var row RowResult
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return err
		}
		if row.Outcome == RowRefused {
			r.add(row)
		}
	}
	return lines.Err()
}

// maxResultLine is more than the length of a result in bytes: a row has up to 1 MiB, of which JSON needs up to 6 bytes
// for each, and a reason may list the choices of a Field.
const maxResultLine = 16 << 20

func (r *refusals) add(row RowResult) {
	r.seen++
	key := [2]string{row.Reason, row.Field}
	n, known := r.of[key]
	if !known && len(r.list) >= maxReasons {
		key = [2]string{reasonOther, ""}
		n, known = r.of[key]
	}
	if !known {
		n = len(r.list)
		r.of[key] = n
		r.list = append(r.list, Refusal{Reason: key[0], Field: key[1]})
	}
	r.list[n].Count++
	if len(r.list[n].Rows) < r.most {
		r.list[n].Rows = append(r.list[n].Rows, row)
	}
}
