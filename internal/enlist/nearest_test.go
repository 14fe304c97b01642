package enlist

import "testing"

// A misspelled name has a nearest one only if few characters differ. Letter case makes no difference.
func TestTheNearestNameIsFound(t *testing.T) {
	names := []string{"ENLIST_SMTP", "ENLIST_MAIL", "ENLIST_PUBLIC_URL", "searchContacts", "Email"}
	for name, want := range map[string]string{
		"ENLIST_SMPT": "ENLIST_SMTP", "ENLIST_PUBLIK_URL": "ENLIST_PUBLIC_URL", "ENLIST_COLOUR": "", "": "",
		"SEARCHCONTACT": "searchContacts", "seachrContacts": "searchContacts", "Emial": "Email",
	} {
		if got := Nearest(name, names); got != want {
			t.Errorf("the nearest name to %q is %q, want %q", name, got, want)
		}
	}
}
