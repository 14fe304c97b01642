package admin

import (
	"net/http"

	"enlist/internal/enlist"
	"enlist/internal/users"
)

// This file has the cookies of the pages.

// cookies are how a browser shows who is signed in, and who was.
type cookies struct{ secure bool }

// prefix begins the names of the cookies. A browser accepts __Host- only on HTTPS, and no other site can set such a
// cookie.
func (c cookies) prefix() string {
	if c.secure {
		return "__Host-"
	}
	return ""
}

func (c cookies) name() string { return c.prefix() + "enlist" }

// set signs a browser in, or out if text is "". The session in the database ends by its own rules.
func (c cookies) set(w http.ResponseWriter, text string) { c.write(w, c.name(), text, 30) }

// setDevice marks a browser as one in which a user was signed in. The mark stays after the sign-out.
func (c cookies) setDevice(w http.ResponseWriter, text string) {
	c.write(w, c.name()+"-device", text, 400) // browsers keep no cookie for longer
}

// deviceOf returns the mark of a browser, or "".
func (c cookies) deviceOf(r *http.Request) string {
	cookie, err := r.Cookie(c.name() + "-device")
	if err != nil {
		return ""
	}
	return cookie.Value
}

func (c cookies) write(w http.ResponseWriter, name, text string, days int) {
	cookie := &http.Cookie{Name: name, Value: text, Path: "/", HttpOnly: true, Secure: c.secure,
		SameSite: http.SameSiteLaxMode, MaxAge: days * 24 * 60 * 60}
	if text == "" {
		cookie.MaxAge = -1
	}
	http.SetCookie(w, cookie)
}

func (h *Handler) browser(r *http.Request) users.Browser {
	from := enlist.Actor{Address: r.RemoteAddr}
	return users.Browser{Agent: r.UserAgent(), IP: from.IP(), Device: h.cookies.deviceOf(r),
		Language: h.languageOf(r, nil).Code}
}
