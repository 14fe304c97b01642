package audience

import "context"

// FieldAttributes are the keys of a Field record, in their order.
var FieldAttributes []Attribute[Field]

// AddField defines a Field on a List.
func (s *Service) AddField(ctx context.Context, c *Caller, list ListID, details []Detail) (FieldID, error) {
	panic("being written")
}

// EditField changes what details name.
func (s *Service) EditField(ctx context.Context, c *Caller, list ListID, id FieldID, details []Detail) (FieldID, error) {
	panic("being written")
}

// DeleteField removes a Field and what Contacts hold of it.
func (s *Service) DeleteField(ctx context.Context, c *Caller, list ListID, id FieldID) error {
	panic("being written")
}

// Field returns one Field.
func (s *Service) Field(ctx context.Context, c *Caller, list ListID, id FieldID) (*Field, error) {
	panic("being written")
}

// SearchFields returns the List's Fields that match.
func (s *Service) SearchFields(ctx context.Context, c *Caller, list ListID, q Query) ([]Field, error) {
	panic("being written")
}
