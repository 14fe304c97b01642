package web

import (
	"net/http"

	"enlist/internal/address"
	"enlist/internal/enlist"
)

// This file has the page on which a reader asks for the own link to the settings of a List.

// askLink shows the page. wanted is its language, or "".
func (h *Handler) askLink(w http.ResponseWriter, r *http.Request, list *enlist.Schema, wanted string) {
	h.render(w, r, http.StatusOK, "link", h.mailPage(r, list, wanted))
}

// mailPage returns a page about a mail of a List.
func (h *Handler) mailPage(r *http.Request, list *enlist.Schema, wanted string) page {
	return page{Schema: list, Wanted: wanted, NoMail: list != nil && !h.mailsLeave(r.Context(), &list.List)}
}

// linkSent says that a mail with a link to the settings comes, or why none does.
func (h *Handler) linkSent(w http.ResponseWriter, r *http.Request, list *enlist.Schema, wanted string) {
	p := h.mailPage(r, list, wanted)
	name := "linksent"
	if p.NoMail {
		name = "linkwaits"
	}
	h.render(w, r, http.StatusOK, name, p)
}

// sendLink mails the link. The answer does not show whether a Contact has the address.
func (h *Handler) sendLink(w http.ResponseWriter, r *http.Request, list *enlist.Schema, wanted string) {
	if !h.limits.admit(r, h.now()) {
		h.render(w, r, http.StatusTooManyRequests, "toomany", page{Schema: list, Wanted: wanted})
		return
	}
	wait := h.pad(r)
	var err error
	mailbox := r.PostForm.Get("address")
	if h.limits.admitMailbox("link "+address.Mailbox(mailbox), h.now()) {
		err = h.links.SendLink(r.Context(), list.List.ID, mailbox)
	}
	wait()
	if err != nil {
		h.failed(w, r, enlist.Link{DeliveryKey: enlist.DeliveryKey{List: list.List.ID}}, err)
		return
	}
	h.linkSent(w, r, list, wanted)
}

// asksForLink reports whether a request for a mail as a page asks for the own link.
func asksForLink(r *http.Request) bool { return r.URL.Query().Has(enlist.AskForLink) }
