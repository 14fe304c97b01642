package main

import (
	"context"

	"enlist/internal/app"
	"enlist/internal/enlist"
	"enlist/internal/messages"
)

// enlist message: adds, edits, lists, shows and deletes Messages. message_file.go reads the content from a file.

type messageCommand struct {
	Add    messageAdd    `cmd:"" help:"Add a Message, with its content and images from a file."`
	Edit   messageEdit   `cmd:"" help:"Change a Message."`
	List   messageList   `cmd:"" help:"List the Messages."`
	Show   messageShow   `cmd:"" help:"Show a Message with its contents."`
	Delete messageDelete `cmd:"" help:"Delete a Message that nothing uses."`
}

var messageDefinitions = definitions[messages.Message]{
	noun: "Message", command: "message", absent: enlist.NoMessage,
	columns: []string{"id", "account_id", "name", "email_type", "subject", "from_address"},
	inList:  messages.MessageAttributes, all: messages.WholeMessageAttributes,
	find: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) (*messages.Message, error) {
		return s.Messages.Message(ctx, c, enlist.MessageID(id))
	},
	search: func(ctx context.Context, s *app.App, c *enlist.Caller) ([]messages.Message, error) {
		return s.Messages.SearchMessages(ctx, c, enlist.Query{})
	},
	add: func(ctx context.Context, s *app.App, c *enlist.Caller, d []enlist.Detail) (int64, error) {
		id, err := s.Messages.AddMessage(ctx, c, d)
		return int64(id), err
	},
	edit: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64, d []enlist.Detail) error {
		_, err := s.Messages.EditMessage(ctx, c, enlist.MessageID(id), d)
		return err
	},
	remove: func(ctx context.Context, s *app.App, c *enlist.Caller, id int64) error {
		return s.Messages.DeleteMessage(ctx, c, enlist.MessageID(id))
	},
}

type messageAdd struct {
	newDefinition
	Name    string `required:"" help:"Name of the Message."`
	Subject string `required:"" help:"Subject of the mails."`
	File    string `placeholder:"PATH" help:"Content: .html, .md or .txt. Its images become files of the Message."`
}

func (c *messageAdd) Run(ctx context.Context, out *console) error {
	return messageDefinitions.runAdd(ctx, out, &c.newDefinition,
		func(s *app.App, caller *enlist.Caller) ([]enlist.Detail, error) {
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
func (c *messageEdit) Run(ctx context.Context, out *console) error {
	return messageDefinitions.runEdit(ctx, out, &c.oneDefinition, c.Set,
		func(s *app.App, caller *enlist.Caller) ([]enlist.Detail, error) {
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

type messageList struct{ allDefinitions }

func (c *messageList) Run(ctx context.Context, out *console) error {
	return messageDefinitions.runList(ctx, out, &c.allDefinitions)
}

type messageShow struct{ oneDefinition }

func (c *messageShow) Run(ctx context.Context, out *console) error {
	return messageDefinitions.runShow(ctx, out, &c.oneDefinition)
}

type messageDelete struct {
	oneDefinition
	Yes bool `help:"Do not ask before the Message is deleted."`
}

func (c *messageDelete) Run(ctx context.Context, out *console) error {
	return messageDefinitions.runDelete(ctx, out, &c.oneDefinition, c.Yes)
}
