package main

import (
	"os"
	"os/exec"
	"testing"

	"enlist/internal/config"
	"enlist/internal/db/dbtest"
)

// These tests call a complete server with client programs for XML-RPC that other people wrote.

// ixrFile is where Debian's package wordpress has the XML-RPC client of WordPress.
const ixrFile = "/usr/share/wordpress/wp-includes/class-IXR.php"

// covers: decision 72, spec xmlrpc.types
func TestXMLRPCClients(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers, whose parts have tests of their own: run it with \"make check\"")
	}
	dbtest.EachParallel(t, xmlrpcClients)
}

func xmlrpcClients(t *testing.T, e dbtest.Engine) {
	addr, key := startServerOn(t, e, config.Serve{})
	url := "http://" + addr + "/api/xmlrpcserver"
	t.Run("xmlrpc.client of Python", func(t *testing.T) {
		runProgram(t, "python3", "testdata/xmlrpc/client.py", url, key)
	})
	t.Run("the extension xmlrpc of PHP", func(t *testing.T) {
		if exec.Command("php", "-r", "exit(function_exists('xmlrpc_encode_request') ? 0 : 1);").Run() != nil {
			t.Skip("PHP with the extension xmlrpc is not installed")
		}
		runProgram(t, "php", "testdata/xmlrpc/client.php", url, key)
	})
	t.Run("IXR of WordPress", func(t *testing.T) {
		if _, err := os.Stat(ixrFile); err != nil {
			t.Skip("WordPress is not installed in /usr/share/wordpress")
		}
		runProgram(t, "php", "testdata/xmlrpc/client.php", url, key, ixrFile)
	})
}

// runProgram runs a program that prints "good" if it succeeds. It skips the test if the program is not installed.
func runProgram(t *testing.T, program string, args ...string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed", program)
	}
	out, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil || string(out) != "good\n" {
		t.Errorf("%s %s: %v\n%s", program, args[0], err, out)
	}
}
