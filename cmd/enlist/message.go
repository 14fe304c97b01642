package main

import (
	"context"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/messages"

	"github.com/alecthomas/kong"
)

// enlist message: adds, edits, lists, shows and deletes Messages. message_file.go reads the content from a file.

type messageCommand struct {
	Add    messageAdd       `cmd:"" help:"Add a Message, with its content and images from a file."`
	Edit   messageEdit      `cmd:"" help:"Change a Message."`
	List   listDefinitions  `cmd:"" help:"List the Messages."`
	Show   showDefinition   `cmd:"" help:"Show a Message with its contents."`
	Delete deleteDefinition `cmd:"" set:"noun=Message" help:"Delete a Message that nothing uses."`
}

func (messageCommand) BeforeApply(k *kong.Context) error { return bindDefinition(k, &allMessages) }

var allMessages = definitions[messages.Message, enlist.MessageID]{
	noun: "Message", hint: "enlist message list prints them", absent: enlist.NoMessage,
	columns: []string{"id", "account_id", "name", "email_type", "subject", "from_address"},
	inList:  messages.MessageAttributes, whole: messages.WholeMessageAttributes,
	calls: func(s *app.App) recordCalls[messages.Message, enlist.MessageID] {
		m := s.Messages
		return recordCalls[messages.Message, enlist.MessageID]{find: m.Message, search: m.SearchMessages, add: m.AddMessage,
			edit: m.EditMessage, remove: m.DeleteMessage}
	},
}

type messageAdd struct {
	newDefinition
	Name    string `required:"" help:"Name of the Message."`
	Subject string `required:"" help:"Subject of the mails."`
	File    string `placeholder:"PATH" help:"Content: .html, .md or .txt. Its images become files of the Message."`
}

func (c *messageAdd) Run(ctx context.Context, out *console, s *app.App) error {
	return allMessages.add(ctx, out, s, &c.newDefinition,
		func(caller *enlist.Caller) ([]enlist.Detail, error) {
			all := details(nil, value{"name", c.Name}, value{"subject", c.Subject})
			if c.File == "" {
				return all, nil
			}
			content, err := readMessageFile(ctx, s, caller, c.File, nil)
			return append(all, content...), err
		})
}

type messageEdit struct {
	oneDefinition
	File string            `placeholder:"PATH" help:"New content: .html, .md or .txt. An image of the same name gets new content."`
	Set  map[string]string `mapsep:"none" placeholder:"KEY=VALUE" help:"An attribute of the API; may be repeated."`
}

// Run changes the Message.
func (c *messageEdit) Run(ctx context.Context, out *console, s *app.App, caller *enlist.Caller) error {
	return allMessages.edit(ctx, out, s, caller, &c.oneDefinition, c.Set,
		func(*enlist.Caller) ([]enlist.Detail, error) {
			if c.File == "" {
				return nil, nil
			}
			old, err := s.Messages.Message(ctx, caller, enlist.MessageID(c.ID))
			if err != nil {
				return nil, err
			}
			return readMessageFile(ctx, s, caller, c.File, old)
		})
}
