package main

import (
	"net"
	"net/http"
	"net/netip"
	"os"
	"strings"
)

// A web page can lead its own name to 127.0.0.1 (DNS rebinding), and then read what the listener for operators answers.
// Its requests have the page's name in the header Host, so the listener answers only to names that no stranger can own.

// localNames are the ends of names that are never in the public DNS, or belong to a cluster.
var localNames = []string{".localhost", ".local", ".internal", ".home.arpa", ".svc"}

// ownHosts calls next for requests to an address, to a name without a dot, to a local name, and to the names of this
// machine and of listen.
func ownHosts(next http.Handler, listen string) http.Handler {
	machine, _ := os.Hostname() // "" is no Host
	own := []string{strings.ToLower(machine), strings.ToLower(hostOf(listen))}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !isOwnHost(strings.ToLower(hostOf(r.Host)), own) {
			http.Error(w, "this listener does not answer to the host "+r.Host+": ask by address, or start the service with "+
				"this name in --ops-listen", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func isOwnHost(host string, own []string) bool {
	if _, err := netip.ParseAddr(strings.Trim(host, "[]")); err == nil || host != "" && !strings.Contains(host, ".") {
		return true
	}
	for _, name := range own {
		if host == name && host != "" {
			return true
		}
	}
	for _, end := range localNames {
		if strings.HasSuffix(host, end) {
			return true
		}
	}
	return false
}

// hostOf returns the host of an address without its port.
func hostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return address
}
