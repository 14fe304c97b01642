// Package webhook posts events to the URLs that asked for them, signed, and to
// no machine that the public network cannot reach.
package webhook
