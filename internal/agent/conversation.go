package agent

import "context"

type conversationKey struct{}

type conversation struct{ id, message string }

// InConversation notes in ctx the conversation that a protocol has around a call of a skill, and
// the message of it that the call answers, by the IDs that the protocol has for them.
func InConversation(ctx context.Context, id, message string) context.Context {
	return context.WithValue(ctx, conversationKey{}, conversation{id, message})
}

// Conversation returns the IDs of InConversation.
func Conversation(ctx context.Context) (id, message string, ok bool) {
	c, _ := ctx.Value(conversationKey{}).(conversation)
	return c.id, c.message, c.id != ""
}
