package accounts

import (
	"slices"

	"enlist/internal/enlist"
)

// This file has the settings that the operator declares before the start of a process. They win over the stored ones in
// this process, and are never stored: without the declaration the stored value holds again. A value that an Account
// has of its own wins over both. decisions.md: 147

// Declared is a declared value, and where the operator has declared it.
type Declared struct{ Name, Value, Where string }

// Check returns an error if a value cannot be read. Errors: InvalidParameters.
func (row *Setting) Check(value string) error { return row.read(new(Settings), value) }

// CheckTogether returns an error if declared values do not fit together. Errors: InvalidParameters.
func CheckTogether(declared []Declared) error {
	_, err := newSettings(withDeclared(nil, declared))
	return err
}

// Declare sets the declared settings. Call it before ReadSettings.
func (s *Service) Declare(declared []Declared) { s.declared = declared }

// Declared returns the declaration of a setting, or nil if it has none.
func (s *Service) Declared(name string) *Declared {
	for i := range s.declared {
		if s.declared[i].Name == name {
			return &s.declared[i]
		}
	}
	return nil
}

// refuseDeclared refuses a change of a declared setting, which would have no effect.
func (s *Service) refuseDeclared(name string) error {
	if d := s.Declared(name); d != nil {
		return enlist.Refuse(enlist.InvalidParameters, "%s is declared by %s, which wins over the database: change it there",
			name, d.Where)
	}
	return nil
}

// SettingValue is a value that holds, and where it is set.
type SettingValue struct {
	Value    string
	IsSet    bool             // false: it is the default
	Account  enlist.AccountID // whose own value it is; 0: that of the service
	Declared *Declared        // nil: it is not declared
}

// ValueOf returns the value of a setting for the service, or for an Account. stored are all stored values.
func (s *Service) ValueOf(row *Setting, stored []StoredSetting, account enlist.AccountID) SettingValue {
	v := SettingValue{Value: row.Default}
	if d := s.Declared(row.Name); d != nil {
		v = SettingValue{Value: d.Value, IsSet: true, Declared: d}
	}
	for _, setting := range stored { // those of the service come first
		own := setting.Account != 0 && setting.Account == account
		if setting.Name == row.Name && (own || setting.Account == 0 && v.Declared == nil) {
			v = SettingValue{Value: setting.Value, IsSet: true, Account: setting.Account}
		}
	}
	return v
}

// withDeclared returns stored values with the declared ones in place of those of the service.
func withDeclared(stored []StoredSetting, declared []Declared) []StoredSetting {
	settings := slices.DeleteFunc(slices.Clone(stored), func(v StoredSetting) bool {
		return v.Account == 0 && slices.ContainsFunc(declared, func(d Declared) bool { return d.Name == v.Name })
	})
	for _, d := range declared {
		settings = append(settings, StoredSetting{0, d.Name, d.Value})
	}
	return settings
}
