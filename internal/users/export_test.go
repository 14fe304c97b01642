package users

// WeakPasswords makes the hashes of passwords cost little, for tests that compute many.
func (s *Service) WeakPasswords() { s.passwords.memory = 64 }
