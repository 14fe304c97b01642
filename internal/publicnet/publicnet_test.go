package publicnet_test

import (
	"net/netip"
	"testing"

	"enlist/internal/publicnet"
)

// covers: decision 52
func TestSpecialAddressesAreNotPublic(t *testing.T) {
	for _, a := range []string{"8.8.8.8", "1.1.1.1", "172.32.0.1", "100.128.0.1", "198.20.0.1", "2606:4700::1111", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808"} {
		if !publicnet.Contains(netip.MustParseAddr(a)) {
			t.Errorf("Contains(%s) is false, want true", a)
		}
	}
	for _, a := range []string{
		"0.0.0.0", "0.1.2.3", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255",
		"192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.19.255.255", "198.51.100.1", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1", "255.255.255.255",
		"::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "64:ff9b::a00:1", "64:ff9b::7f00:1", "64:ff9b:1::808:808", "100::1", "2001::1", "2001:0:102:304::1",
		"2001:2::1", "2001:10::1", "2001:db8::1", "2002:7f00:1::1", "2002:808:808::1", "3fff::1", "5f00::1", "fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1",
	} {
		if publicnet.Contains(netip.MustParseAddr(a)) {
			t.Errorf("Contains(%s) is true, want false", a)
		}
	}
	if publicnet.Contains(netip.Addr{}) {
		t.Error("Contains of the zero address is true, want false")
	}
}
