package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"

	"enlist/internal/colour"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// This file gives the pages of an Account the look of its theme: logo, colour of links and buttons, font and imprint.
// Its colours for texts and backgrounds are those of mails, and stay there. The rules are a second style sheet in the
// page, which the policy of the answer allows by its hash. decisions.md: 134

// Themes has the themes of Accounts; messages.Service has them.
type Themes interface {
	// PageTheme returns the theme of an Account, or nil if it has set none.
	PageTheme(ctx context.Context, account enlist.AccountID) (*messages.Theme, error)
}

// look is what a page shows of a theme.
type look struct {
	*messages.Theme
	Style template.CSS
	Image string // relative URL of the logo; "": none
}

// The colours of style.css that are next to the colour of links and buttons.
const (
	lightGround, lightInk = "#f4f5f6", "#1d2327"
	darkSheet, darkInk    = "#1e2327", "#eceff1"
)

// lookOf returns the look of a page about a List. An error is logged, and the page has the usual look.
func (h *Handler) lookOf(r *http.Request, list *enlist.List) *look {
	t, err := h.themes.PageTheme(r.Context(), list.AccountID)
	if err != nil {
		h.logError(r, enlist.Link{DeliveryKey: enlist.DeliveryKey{List: list.ID}}, err)
	}
	if err != nil || t == nil {
		return nil
	}
	l := &look{Theme: t, Style: template.CSS(themeStyle(t))}
	if t.Logo != 0 {
		// The public URL can have a path, which the proxy removes. So the URL goes up as many folders as the page is
		// deep.
		up := strings.Repeat("../", max(0, strings.Count(r.URL.EscapedPath(), "/")-1))
		l.Image = up + strings.TrimPrefix(h.key.FilePath(t.Logo), "/")
	}
	return l
}

// themeStyle returns the rules of a theme. Each colour is parsed, so the rules have nothing else of the Account.
func themeStyle(t *messages.Theme) string {
	accent := colour.Parse(t.Accent)
	return strings.NewReplacer("$LIGHT", accent.On(colour.Parse(lightGround), colour.Parse(lightInk)).String(),
		"$DARK", accent.On(colour.Parse(darkSheet), colour.Parse(darkInk)).String(),
		"$FONT", t.FontStack(), "$CARD", colour.Parse(t.Card).String()).Replace(`
:root { --act: $LIGHT; }
@media (prefers-color-scheme: dark) { :root { --act: $DARK; } }
body { font-family: $FONT; }
.logo img { background: $CARD; }
`)
}

// allow adds the look of a page to the policy of its answer.
func (l *look) allow(header http.Header) {
	policy := strings.Replace(header.Get("Content-Security-Policy"), "style-src ",
		"style-src "+styleHash(string(l.Style))+" ", 1)
	if l.Image != "" {
		policy += "; img-src 'self'"
	}
	header.Set("Content-Security-Policy", policy)
}

// styleHash returns a style sheet as a Content-Security-Policy names it.
func styleHash(css string) string {
	sum := sha256.Sum256([]byte(css))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}
