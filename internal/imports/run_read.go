package imports

import (
	"context"
	"fmt"
	"io"

	"enlist/internal/db"
	"enlist/internal/enlist"
	"enlist/internal/imports/sheet"
	"enlist/internal/lists"
)

// This file reads the rows of an Import for its steps, while an earlier step commits.

// read reads the file and sends the rows of each step. It skips the rows that are done.
func (r *importRun) read(ctx context.Context, i *Import, content *contentReader, file *sheet.Reader,
	chunks chan<- *importChunk) error {
	var parser *rowParser
	done := i.Rows
	for {
		schema, err := r.service.schemaOf(ctx, i.ListID)
		if err != nil {
			if enlist.KindOf(err) == enlist.NoList {
				return r.fail(ctx, err)
			}
			return err
		}
		if today := dayOf(schema, r.service.db.Now().Unix()); parser == nil || parser.schema != schema ||
			parser.today != today {
			parser = newRowParser(i, schema, today)
		}
		chunk, err := r.nextChunk(ctx, file, parser, done, rowsOfStep(i, schema))
		if err != nil {
			return err
		}
		if content.err != nil {
			return fmt.Errorf("read the file of the import: %w", content.err)
		}
		chunk.bytes = content.position()
		if chunk.last {
			chunk.bytes = i.Size
		}
		done = chunk.upto
		select {
		case chunks <- chunk:
		case <-ctx.Done():
			return ctx.Err()
		}
		if chunk.last {
			return nil
		}
	}
}

// nextChunk reads the rows of the next step, after the row number done.
func (r *importRun) nextChunk(ctx context.Context, file *sheet.Reader, parser *rowParser, done int64,
	most int) (*importChunk, error) {
	chunk := &importChunk{rows: make([]importRow, 0, most), upto: done}
	renewed := r.service.db.Now().Unix()
	size := 0
	for n := 0; len(chunk.rows) < most && size < maxChunk; n++ {
		row, err := file.Next()
		if err != nil {
			chunk.last = true
			if err != io.EOF {
				chunk.failed = err
			}
			return chunk, nil
		}
		if row.Number <= done {
			if n%importStep == 0 && r.service.db.Now().Unix() > renewed+importLease/3 {
				renewed = r.service.db.Now().Unix()
				if err := r.renew(ctx); err != nil {
					return nil, err
				}
			}
			continue
		}
		chunk.rows = append(chunk.rows, importRow{number: row.Number, cells: row.Values, raw: row.Values,
			err: row.Err})
		for _, cell := range row.Values {
			if text, ok := cell.(string); ok {
				size += len(text)
			}
		}
		if row.Err != nil {
			chunk.rows[len(chunk.rows)-1].cells = nil
		}
		parser.parse(&chunk.rows[len(chunk.rows)-1])
		chunk.upto = row.Number
	}
	return chunk, nil
}

// renew renews the lease while no step does.
func (r *importRun) renew(ctx context.Context) error {
	return r.service.db.Update(ctx, func(tx *db.Tx) error {
		i, err := r.lock(tx, r.service.db.Now().Unix())
		if err != nil {
			return err
		}
		return i.save(tx)
	})
}

// schemaOf returns the Schema of a List, for the service itself.
func (s *Service) schemaOf(ctx context.Context, list enlist.ListID) (*enlist.Schema, error) {
	if schema, cached := s.db.Cache().Schema(list); cached {
		return schema, nil
	}
	return db.OwnView(ctx, s.db, func(tx *db.Tx) (*enlist.Schema, error) { return lists.Schema(tx, list) })
}
