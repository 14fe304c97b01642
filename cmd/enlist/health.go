package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// enlist health: asks a running server whether it is ready, for health checks of containers and scripts.

type healthCommand struct {
	Listen  string `default:"127.0.0.1:8080" placeholder:"ADDR" help:"The address that the server listens on, as in enlist serve."`
	TLSCert string `placeholder:"FILE" help:"Set as in enlist serve: the server answers over HTTPS."`
	ACME    string `placeholder:"HOST" help:"Set as in enlist serve: the server answers over HTTPS."`
}

// healthTime is the longest time that the server may take to answer.
const healthTime = 5 * time.Second

// Run asks the server. It returns an error if the server is not ready.
func (c *healthCommand) Run(ctx context.Context, out *console) error {
	hasTLS := cmp.Or(c.TLSCert, c.ACME) != ""
	url, err := localURL(c.Listen, hasTLS)
	if err != nil {
		return &usageError{fmt.Errorf("--listen %s: give a host and a port, such as 127.0.0.1:8080", c.Listen)}
	}
	ctx, cancel := context.WithTimeout(ctx, healthTime)
	defer cancel()
	client := http.DefaultClient
	if hasTLS {
		// The certificate is for the public name of the service, and the request stays on this machine.
		client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	}
	request, err := http.NewRequestWithContext(ctx, "GET", url+"/readyz", nil)
	if err != nil {
		return err
	}
	reply, err := client.Do(request)
	if err != nil {
		return fmt.Errorf("the server at %s does not answer: %w", c.Listen, err)
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(io.LimitReader(reply.Body, 1000))
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK {
		return errors.New(cmp.Or(strings.TrimSpace(string(text)), reply.Status))
	}
	fmt.Fprintln(out.stdout, "ready")
	return nil
}
