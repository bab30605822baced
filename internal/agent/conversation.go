package agent

import "context"

type conversation struct{}

// InConversation notes in ctx the conversation that a protocol has around a call of a skill,
// by the ID that the protocol has for it.
func InConversation(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, conversation{}, id)
}

// Conversation returns the ID of InConversation.
func Conversation(ctx context.Context) (id string, ok bool) {
	id, ok = ctx.Value(conversation{}).(string)
	return id, ok && id != ""
}
