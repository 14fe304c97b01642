package httpserver

import "testing"

func TestOnlyNamesThatAnAuthorityCanCheckAreHosts(t *testing.T) {
	for host, want := range map[string]bool{"lists.example.com": true, "Lists.Example.com": true, "münchen.example": true,
		"": false, "localhost": false, "lists.example.com.": false, "lists.example.com:443": false, "192.0.2.1": false, "2001:db8::1": false,
		"*.example.com": false, "https://lists.example.com": false, "a b.example.com": false} {
		if got := ValidHost(host); got != want {
			t.Errorf("%q is a valid host: %v, want %v", host, got, want)
		}
	}
}
