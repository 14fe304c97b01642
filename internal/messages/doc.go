// Package messages has Messages, and prepares mails: which Contact gets what. It does not make MIME and talks to no
// server, which package mail does, and it does not know Batches.
//
//	message.go, edit.go, file.go   the records, and the files that they have
//	version*.go   earlier texts of Messages, drafts, and what a person
//	             reads in them
//	see.go       which Messages a person sees who may use only some Lists
//	block*.go, canvas.go, theme.go   the blocks of a Message, what the editor shows of them, and how the mails of an
//	             Account look
//	condition*.go   which blocks a Contact sees
//	saved*.go    blocks under a name, of which Messages get copies
//	merge*.go    merge fields, and those in the addresses of a Message
//	utm.go       UTM parameters of the links of a Message
//	checks.go    previews and checks of what a user is typing (linkcheck/ asks the servers of links)
//	finding.go   what is probably wrong with a Message
//	preview.go, trial.go   previews and test mails
//	sender.go    which sender a mail has
//	prepare.go   prepares notifications, autoresponders and requests to confirm
//	delivery.go, outcome.go   the records of mails other than those of Batches
//	*_sql.go, service.go   the statements, and the Service with the key that signs the links of mails
package messages
