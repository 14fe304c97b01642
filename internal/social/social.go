// Package social knows the networks to which a mail can link in a row of icons, and draws the icons. They are drawn here,
// as one line each, so no mail shows a picture of another server and no logo is copied. The path of an icon has its
// colour: a mail has the icons in the colour of its theme. The package has no state.
package social

import (
	"net/url"
	"slices"
	"strings"
)

// Network is a service, or another way to reach someone.
type Network struct {
	Name  string // as blocks have it
	Title string // as people write it
	Path  string // the icon: a line in a square of 24, with the commands M, L, C and Z of SVG

	Hosts []string // of its links
}

// Networks are all networks, in the order of a choice.
var Networks = []Network{
	{"facebook", "Facebook", "M14.8 6.6 C12.5 6.1 11.4 7.2 11.4 9.3 L11.4 17.6 M9 11.3 L14.2 11.3", []string{"facebook.com", "fb.com", "fb.me"}},
	{"instagram", "Instagram", "M9.5 6.8 L14.5 6.8 C16 6.8 17.2 8 17.2 9.5 L17.2 14.5 C17.2 16 16 17.2 14.5 17.2 L9.5 17.2 C8 17.2 6.8 16 6.8 14.5 " +
		"L6.8 9.5 C6.8 8 8 6.8 9.5 6.8 Z M12 9.5 C13.4 9.5 14.5 10.6 14.5 12 C14.5 13.4 13.4 14.5 12 14.5 C10.6 14.5 9.5 13.4 9.5 12 " +
		"C9.5 10.6 10.6 9.5 12 9.5 Z M14.9 9.1 L14.95 9.1", []string{"instagram.com"}},
	{"youtube", "YouTube", "M8.3 7.8 L15.7 7.8 C17.3 7.8 18.2 8.7 18.2 10.2 L18.2 13.8 C18.2 15.3 17.3 16.2 15.7 16.2 L8.3 16.2 " +
		"C6.7 16.2 5.8 15.3 5.8 13.8 L5.8 10.2 C5.8 8.7 6.7 7.8 8.3 7.8 Z M11 10.4 L13.8 12 L11 13.6 Z", []string{"youtube.com", "youtu.be"}},
	{"linkedin", "LinkedIn", "M8 10.8 L8 16.4 M8 7.7 L8.05 7.7 M11.6 16.4 L11.6 10.8 M11.6 13.4 C11.6 11.6 12.6 10.7 14 10.7 C15.5 10.7 16.2 11.7 16.2 13.2 L16.2 16.4",
		[]string{"linkedin.com", "lnkd.in"}},
	{"x", "X", "M7.8 7.8 L16.2 16.2 M16.2 7.8 L7.8 16.2", []string{"x.com", "twitter.com"}},
	{"tiktok", "TikTok", "M12.8 6.5 L12.8 14.6 C12.8 16.1 11.7 17.3 10.2 17.3 C8.8 17.3 7.7 16.2 7.7 14.8 C7.7 13.4 8.8 12.4 10.2 12.4 M12.8 6.5 C13 8.6 14.4 10 16.5 10.2",
		[]string{"tiktok.com"}},
	{"whatsapp", "WhatsApp", "M6.9 17.1 L7.8 14.3 C7.2 13.3 6.9 12.2 7 11.1 C7.3 8.6 9.4 6.7 12 6.7 C14.9 6.7 17.2 9 17.2 11.9 C17.2 14.8 14.9 17 12 17 C11.1 17 10.3 16.8 9.6 16.4 Z " +
		"M10 9.8 C10 12.2 11.8 14 14.2 14", []string{"wa.me", "whatsapp.com"}},
	{"telegram", "Telegram", "M6.3 12.1 L17.5 7.3 L15.7 16.7 L12.1 14.1 L10.3 16.1 L9.8 12.9 L14.6 9.7 M6.3 12.1 L9.8 12.9", []string{"t.me", "telegram.me"}},
	{"mastodon", "Mastodon", "M7.4 16 L7.4 10.6 C7.4 9 8.4 8.1 9.7 8.1 C11 8.1 12 9 12 10.6 L12 13 M12 10.6 C12 9 13 8.1 14.3 8.1 C15.6 8.1 16.6 9 16.6 10.6 L16.6 16",
		[]string{"mastodon.social", "mastodon.online", "mstdn.social", "social.coop", "chaos.social", "norden.social"}},
	{"bluesky", "Bluesky", "M12 11.6 C11 9.6 8.9 7.6 7 7.4 C6.3 9.6 6.9 12.2 8.9 12.6 C7.3 13.4 7.9 15.6 9.6 16.2 C10.9 16.6 11.6 15 12 13.8 " +
		"C12.4 15 13.1 16.6 14.4 16.2 C16.1 15.6 16.7 13.4 15.1 12.6 C17.1 12.2 17.7 9.6 17 7.4 C15.1 7.6 13 9.6 12 11.6 Z", []string{"bsky.app"}},
	{"threads", "Threads", "M14.9 12 C14.9 13.6 13.6 14.9 12 14.9 C10.4 14.9 9.1 13.6 9.1 12 C9.1 10.4 10.4 9.1 12 9.1 C13.6 9.1 14.9 10.4 14.9 12 Z " +
		"M14.9 9.3 L14.9 12.8 C14.9 14.4 17.6 14.4 17.6 11.8 C17.6 8.7 15.1 6.5 12 6.5 C8.9 6.5 6.4 8.9 6.4 12 C6.4 15.1 8.9 17.5 12 17.5 C13 17.5 14 17.3 14.8 16.8",
		[]string{"threads.net", "threads.com"}},
	{"pinterest", "Pinterest", "M10.2 17.3 L12 10 M9.2 13 C8.2 12 8.2 10 9.4 8.6 C10.9 7 13.6 7 14.9 8.4 C16.2 9.9 15.9 12.4 14.6 13.5 C13.4 14.5 11.9 14.2 11.3 13.1",
		[]string{"pinterest.com", "pin.it"}},
	{"spotify", "Spotify", "M7.4 9.7 C10.5 8.7 14 9 16.8 10.5 M7.9 12.4 C10.5 11.6 13.3 11.9 15.6 13.1 M8.5 15 C10.6 14.4 12.7 14.6 14.5 15.6", []string{"open.spotify.com", "spotify.com"}},
	{"github", "GitHub", "M9.6 8.6 L6.2 12 L9.6 15.4 M14.4 8.6 L17.8 12 L14.4 15.4", []string{"github.com"}},
	{"rss", "RSS", "M7.9 16.1 L7.95 16.1 M7.9 12 C10.2 12 12 13.8 12 16.1 M7.9 7.9 C12.4 7.9 16.1 11.6 16.1 16.1", nil},
	{"email", "E-mail", "M6.5 8.2 L17.5 8.2 L17.5 15.8 L6.5 15.8 Z M6.5 8.6 L12 12.8 L17.5 8.6", nil},
	{"phone", "Phone", "M9.2 6.8 L7.4 7.6 C7 12.5 11.5 17 16.4 16.6 L17.2 14.8 L14.4 13.2 L13 14.4 C11.6 13.7 10.3 12.4 9.6 11 L10.8 9.6 Z", nil},
	{"website", "Website", "M12 6.6 C15 6.6 17.4 9 17.4 12 C17.4 15 15 17.4 12 17.4 C9 17.4 6.6 15 6.6 12 C6.6 9 9 6.6 12 6.6 Z M6.6 12 L17.4 12 " +
		"M12 6.6 C9.2 9.4 9.2 14.6 12 17.4 C14.8 14.6 14.8 9.4 12 6.6 Z", nil},
}

// Called returns the network of a name, or nil.
func Called(name string) *Network {
	if i := slices.IndexFunc(Networks, func(n Network) bool { return n.Name == name }); i >= 0 {
		return &Networks[i]
	}
	return nil
}

// Of returns the network to which a link leads. A link to no known host leads to a website.
func Of(link string) *Network {
	u, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		return Called("website")
	}
	switch strings.ToLower(u.Scheme) {
	case "mailto":
		return Called("email")
	case "tel":
		return Called("phone")
	}
	host := strings.ToLower(u.Hostname())
	for i := range Networks {
		for _, known := range Networks[i].Hosts {
			if host == known || strings.HasSuffix(host, "."+known) {
				return &Networks[i]
			}
		}
	}
	return Called("website")
}
